"""XML that a stranger wrote: no document type, so no entities; bounded in depth and number of elements; local names.

Expat calls back element by element, and the first thing that is not allowed ends the reading, however much follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._file import LONGEST_TEXT, File
from auditor.outputs.readers._numbers import stated, whole

DEEPEST = 1_000
MOST_ELEMENTS = 2_000_000
_CHUNK = 1 << 16


@dataclass(slots=True)
class Element:
    """An element: its name without a namespace, its attributes, the elements and the text in it, and its line."""

    name: str
    attributes: dict[str, str]
    line: int
    file: File
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, *names: str) -> Iterator[Element]:
        """The elements in this one with one of the names."""
        return (child for child in self.children if child.name in names)

    def first(self, *names: str) -> Element | None:
        """The first element in this one with one of the names."""
        return next(self.all(*names), None)

    def required(self, attribute: str) -> str:
        """An attribute that must be there."""
        if attribute not in self.attributes:
            self.wrong(f"{self.name} without {attribute}", f"an attribute {attribute}")
        return self.attributes[attribute]

    def count(self, attribute: str) -> int | None:
        """A number of records; None where the attribute is absent."""
        if attribute not in self.attributes:
            return None
        count = whole(stated(self.attributes[attribute]))
        if count is None:
            self.wrong(f"{attribute} of {self.name} that is not a whole number of records", "a whole number from 0")
        return count

    def number(self, attribute: str) -> Stated | None:
        """A number as written; None where the attribute is absent or NaN."""
        text = self.attributes.get(attribute, "NaN").strip()
        if text.lower() in ("nan", ""):
            return None
        number = stated(text)
        if number is None:
            self.wrong(f"{attribute} of {self.name} that is not a number of ordinary size", "a number such as 0.83")
        return number

    def share(self, attribute: str) -> Stated | None:
        """A number from 0 to 1."""
        number = self.number(attribute)
        if number is not None and not 0 <= number.value <= 1:
            self.wrong(f"{attribute} of {self.name} that is not a share", "a number from 0 to 1")
        return number

    def wrong(self, what: str, right: str) -> NoReturn:
        """This element is not what it should be."""
        self.file.wrong(self.line, what, right)


def parse(file: File) -> Element:
    """The root of the document."""
    builder = _ElementBuilder(file)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = builder.doctype
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    builder.parser = parser
    content = memoryview(file.content)
    try:
        for at in range(0, len(content), _CHUNK):
            parser.Parse(bytes(content[at : at + _CHUNK]), False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        file.wrong(error.lineno, f"not XML ({expat.ErrorString(error.code)})", "a well-formed XML document")
    except (LookupError, ValueError):
        file.wrong(1, "an encoding that is not known", "XML in UTF-8")
    assert builder.root is not None  # noqa: S101  (expat refuses a document without an element)
    return builder.root


class _ElementBuilder:
    """What expat calls."""

    parser: expat.XMLParserType

    def __init__(self, file: File) -> None:
        self.root: Element | None = None
        self._file = file
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._elements = 0

    def doctype(self, *_: object) -> None:
        self._wrong("a document type declaration", "XML without DOCTYPE: entities are not read")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if len(self._open) >= DEEPEST:
            self._wrong("XML nested too deeply", f"at most {DEEPEST:,} levels")
        if self._elements > MOST_ELEMENTS:
            self._wrong("too many elements", f"at most {MOST_ELEMENTS:,}")
        if any(len(value) > LONGEST_TEXT for value in attributes.values()):
            self._wrong(f"an attribute of more than {LONGEST_TEXT:,} characters", "the names and values of a table")
        named = {key.rpartition(":")[2]: value for key, value in attributes.items() if not key.startswith("xmlns")}
        element = Element(name.rpartition(":")[2], named, self.parser.CurrentLineNumber, self._file)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._texts.append([])

    def end(self, _: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def _wrong(self, what: str, right: str) -> NoReturn:
        self._file.wrong(self.parser.CurrentLineNumber, what, right)
