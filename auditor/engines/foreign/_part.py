"""What an XML part of a workbook holds beside cells."""

from __future__ import annotations

import re
from collections import defaultdict

from auditor.engines.foreign import _xml
from auditor.engines.foreign._workbook import DESCRIPTION

ELEMENTS = {
    "filter": "values of a filter",
    "customFilter": "values of a filter",
    "dateGroupItem": "values of a filter",
    "hyperlink": "links of cells",
    "scenario": "scenarios",
    "cellSmartTagPr": "smart tags",
    "webPublishItem": "pages of the web",
}
ATTRIBUTES = {
    "prompt": "messages beside cells",
    "promptTitle": "messages beside cells",
    "error": "messages beside cells",
    "errorTitle": "messages beside cells",
    "tooltip": "messages beside cells",
    "customList": "values of a filter",
    "totalsRowLabel": "texts of a table",
    "altText": "texts of a table",
    "altTextSummary": "texts of a table",
    **dict.fromkeys(("comment", "description", "statusBar", "help", "customMenu"), "comments of names"),
}
EXTENSION = ""
"""Of elements that are not known."""
OF_FORMULAS = {"f": "formula", "sqref": "formula", "calculatedColumnFormula": "formula", "totalsRowFormula": "formula"}
"""Elements whose texts are formulas and places."""
WHO = frozenset(
    (
        *("creator", "lastModifiedBy", "created", "modified", "lastPrinted", "revision", "version", "language"),
        *("Application", "AppVersion", "DocSecurity", "Template", "TotalTime", "Company", "ScaleCrop", "SharedDoc"),
        *("LinksUpToDate", "HyperlinksChanged", "lpstr", "i4"),
        *("Pages", "Words", "Characters", "CharactersWithSpaces", "Lines", "Paragraphs"),
    )
)
"""Elements of properties that tell who saved the file, when and with what, and the names of its sheets."""
NOTHING: frozenset[str] = frozenset()
CONSTANT = re.compile(r"\s*=?[-+({\s]*[0-9.][^!$]*")
"""What begins with a number, and refers to no cell."""
HEADER = re.compile("(odd|even|first)(Header|Footer)")
CODES = re.compile(r'&("[^"]*"|K[0-9A-F]{6}|K[0-9]{2}[+-][0-9]{3}|[0-9]+|[ABDEFGHISTUXYZ&])')
"""Of headers: how a text looks, or what is filled in where it is printed, such as the name of the sheet."""
NUMBERED = re.compile(r"[^\W\d_]*[ \xa0]?&[PN]")
"""The number of a page, or of all, with one word before it."""
HEARD = {
    "formula1": ('"', "lists of allowed values"),
    "formula2": ('"', "lists of allowed values"),
    "definedName": ('"', "names that stand for values"),
    **dict.fromkeys(("title", "subject", "keywords", "category", "description", "contentStatus"), ("", DESCRIPTION)),
    **dict.fromkeys(("Manager", "HyperlinkBase"), ("", DESCRIPTION)),
    "header": ("", "headers or footers of pages"),
    "formula": ("\0", ""),
    EXTENSION: ("", "texts of extensions"),
}
"""Elements whose texts hold values where they hold a character ("" for any)."""
DESCRIBED = {**dict.fromkeys(("core-properties", "extended-properties", "extendedProperties"), WHO), "table": NOTHING}
"""Kinds of parts that hold such elements, besides the workbook and its sheets, and what else is told there."""


class PackagePart:
    """What an XML part holds beside cells."""

    def __init__(self, content: bytes | None = None, known: frozenset[str] = NOTHING) -> None:
        self.found: dict[str, None] = {}
        self._known = known
        self.texts: defaultdict[str, str] = defaultdict(str)
        self._heard = ""
        self._sheets: list[str] = []
        if content is not None:
            _xml.visit(content, self.element, self.text)

    def element(self, _: str, name: str, attributes: _xml.Attributes) -> str:
        """Take note of an element; what is to be heard of its text."""
        if name in ELEMENTS:
            self.found[ELEMENTS[name]] = None
        if name == "sheet":
            self._sheets.append(attributes.get("name", ""))
        for key in attributes.keys() & ATTRIBUTES.keys():
            if attributes[key].strip():
                self.found[ATTRIBUTES[key]] = None
        if name == "f" and self._heard.startswith("formula"):  # it stands in formulas of extensions
            return _xml.LEAF
        self._heard = "header" if HEADER.fullmatch(name) else OF_FORMULAS.get(name, name)
        self.texts[self._heard] += "\n"
        return _xml.SILENT if name in self._known else _xml.LEAF

    def text(self, data: str) -> None:
        """Hear a piece of an element's text."""
        self.texts[self._heard if self._heard in HEARD else EXTENSION] += data

    def beside(self) -> dict[str, None]:
        """What is no cell."""
        sections = re.sub("&[LCR]", "\n", CODES.sub("", self.texts["header"]))
        self.texts["header"] = "".join(filter(str.isalnum, NUMBERED.sub("", sections)))
        for name in self._sheets:
            self.texts["definedName"] = self.texts["definedName"].replace(f'"{name}"', "")
        if any(map(CONSTANT.fullmatch, self.texts["definedName"].split("\n"))):
            self.found["names that stand for values"] = None
        told = [what for name, (sign, what) in HEARD.items() if self.texts[name].strip() and sign in self.texts[name]]
        return self.found | dict.fromkeys(told)
