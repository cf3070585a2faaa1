"""What the cells of a workbook share: texts, and formats."""

from __future__ import annotations

import re

from auditor.engines.foreign import _xml

MAIN = frozenset(
    {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",
    }
)
"""The namespace of cells, transitional and strict."""
FONT = ("rFont", "charset", "family", "b", "i", "strike", "outline", "shadow", "condense", "extend", "color", "sz", "u")
TEXT = frozenset((*FONT, "t", "r", "rPr", "vertAlign", "scheme", "rPh", "phoneticPr"))
SHARED = frozenset(("sst", "si"))
SHOWN = re.compile(r'"([^"]*)"|\\(.)')
"""What a format of numbers shows whatever the number."""
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
"""How a text writes a character that XML has none for, or any other; Excel reads that, and pandas does not."""
KEPT = "http://www.w3.org/XML/1998/namespace space"
BLANKS = " \t\r\n"


class SharedTexts:
    """The texts that cells share.

    Raises:
        ValueError: some readers would read others.
    """

    def __init__(self, content: bytes | None) -> None:
        self.lengths: list[int] = []
        self.readings: dict[str, None] = {}
        self.alike = False
        self._said: dict[str, str] = {}
        self._wholes: dict[str, str] = {"": ""}
        self._text = self._reading = self._trimmed = self._piece = ""
        self._reads = self._kept = False
        if content is not None:
            _xml.visit(content, self._element, self._heard)
            self.ended()

    def piece(self, attributes: _xml.Attributes) -> None:
        """A piece of a text begins; Excel leaves out spaces at its ends unless it says that they are kept."""
        self._trimmed += self._piece if self._kept else self._piece.strip(BLANKS)
        self._piece, self._kept = "", attributes.get(KEPT) == "preserve"

    def text(self, data: str) -> None:
        """Hear some of a piece."""
        self._text += data
        self._piece += data

    def begun(self, attributes: _xml.Attributes) -> None:
        """A text begins, with a piece of its own or to be followed by some."""
        self.ended()
        self.piece(attributes)

    def ended(self) -> None:
        """A text ended: one that is read in two ways says more than a cell shows, as do two that are read as one."""
        self.piece({})
        read = ESCAPE.sub(lambda found: chr(int(found[1], 16)), self._trimmed)
        self.alike |= self._wholes.setdefault(read, self._text) != self._text
        if self._said.setdefault(self._text.strip(), self._reading) != self._reading:
            self.readings["phonetic readings"] = None
        self._text = self._reading = self._trimmed = ""

    def _element(self, space: str, name: str, attributes: _xml.Attributes) -> object:
        if space not in MAIN or name not in (TEXT | SHARED if self.lengths else SHARED):
            raise ValueError("something among the texts")
        if name == "si":
            self.ended()
            self.lengths.append(0)
        self._reads = name == "rPh" or (self._reads and name == "t")
        if name == "t":
            self.piece(attributes)
            return _xml.LEAF
        return None

    def _heard(self, data: str) -> None:
        if self._reads:
            self._reading += data
        else:
            self.text(data)
            self.lengths[-1] += len(data)


class CellFormats:
    """What formats of cells show whatever the cell holds."""

    def __init__(self, content: bytes | None) -> None:
        self.doubtful = False
        self._codes: dict[int, str] = {}
        self._cells: list[int] = []
        self._place = ""
        if content is not None:
            _xml.visit(content, self._element)

    def shown(self, style: int, text: bool) -> str:
        """The letters and digits that a style adds to a number, or to a text, of which few formats say anything."""
        code = self._codes.get(self._number(style), "")
        return _letters(code) if "@" in code or not text else ""

    def is_plain(self, style: int) -> bool:
        """Whether a style shows a number as it is, so that it is no day and no time."""
        return self._number(style) == 0

    def _number(self, style: int) -> int:
        return self._cells[style] if style < len(self._cells) else 0

    def _element(self, _: str, name: str, attributes: _xml.Attributes) -> None:
        if name in ("cellXfs", "cellStyleXfs", "dxfs", "numFmts"):
            self._place = name
        elif name == "xf" and self._place == "cellXfs":
            self._cells.append(int(attributes.get("numFmtId", 0)))
        elif name == "numFmt":
            if self._place == "numFmts":
                self._codes[int(attributes["numFmtId"])] = attributes["formatCode"]
            elif _letters(attributes["formatCode"]):  # of a conditional format
                self.doubtful = True


def _letters(code: str) -> str:
    """The letters and digits that a format shows whatever the cell holds."""
    return "".join(filter(str.isalnum, "".join(quoted or escaped for quoted, escaped in SHOWN.findall(code))))
