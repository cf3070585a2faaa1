"""Which parts of a workbook belong to it, by the relationships that lead to them (ECMA-376, part 2)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from zipfile import ZipFile

from auditor.engines.foreign import _xml

BOOK = "xl/workbook.xml"
PLACES = {"officeDocument": BOOK, "styles": "xl/styles.xml", "sharedStrings": "xl/sharedStrings.xml"}
"""Where every reader finds a part, whatever the relationship says."""
LOOKS = {
    "core-properties",
    "extended-properties",
    "extendedProperties",
    "theme",
    "calcChain",
    "table",
    "printerSettings",
    "classificationlabels",
}
"""Other parts that hold no values but those of cells, how they look, and who saved them."""
TEXTLESS = ("theme", "calcChain", "classificationlabels")
"""Of these, those that are XML without a text."""
TYPES = "[Content_Types].xml"
SHEETS = {"worksheet", "chartsheet", "dialogsheet"}
"""Parts that the workbook names: cells, or a chart or form in their place."""
BARE = {"drawing", "person", "custom-properties"}
"""Parts that some programs always write, with nothing in them."""


@dataclass
class Links:
    """The parts of a package, by the kind of the relationship that leads to them.

    Args:
        parts: the part's name → its kind.
        sheets: the relationship's id in the workbook → the name of the sheet's part.
        outside: whether anything leads out of the package.
    """

    parts: dict[str, str] = field(default_factory=dict)
    sheets: dict[str, str] = field(default_factory=dict)
    outside: bool = False

    def of_kind(self, kind: str) -> list[str]:
        """The parts of a kind."""
        return [part for part, each in self.parts.items() if each == kind]


def followed(package: ZipFile) -> Links:
    """The parts that the package's relationships lead to, beginning with the workbook's.

    Raises:
        ValueError: a part is not where its readers look for it, or two relationships are one.
    """
    links = Links()
    names = {name.casefold(): name for name in package.namelist()}
    for source in ("", BOOK):
        for id_, kind, part in _of(package, names, source, links):
            if PLACES.get(kind, part) != part:
                raise ValueError("a part is somewhere else")
            if source == BOOK and kind in SHEETS:
                links.sheets[id_] = part
    for sheet in links.of_kind("worksheet"):
        for _ in _of(package, names, sheet, links):
            pass
    if BOOK not in links.parts:
        raise ValueError("no workbook")
    return links


def unknown(package: ZipFile, links: Links) -> tuple[str, ...]:
    """The parts that may hold what is in no cell."""
    known = {TYPES}
    for part in ("", *(part for part, kind in links.parts.items() if _is_known(package, part, kind))):
        known |= {part, _links_of(part)}
    folders = {f"{folder}/" for name in known for folder in accumulate(name.split("/")[:-1], posixpath.join)}
    return tuple(sorted(name for name in package.namelist() if name not in known | folders))


def refuse_texts(package: ZipFile, links: Links) -> None:
    """Refuse texts in parts that hold none.

    Raises:
        ValueError: there are some.
    """
    for part in (TYPES, *(part for kind in TEXTLESS for part in links.of_kind(kind))):
        _xml.visit(package.read(part), lambda *_: None)


def _is_known(package: ZipFile, part: str, kind: str) -> bool:
    return kind in PLACES or kind in LOOKS or kind == "worksheet" or (kind in BARE and _is_bare(package.read(part)))


def _is_bare(content: bytes) -> bool:
    found: list[str] = []

    def seen(_: str, name: str, __: _xml.Attributes) -> bool:
        found.append(name)
        return True

    try:
        _xml.visit(content, seen, found.append)
    except ValueError:
        return False
    return len(found) == 1


def _links_of(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _of(package: ZipFile, names: dict[str, str], source: str, links: Links) -> Iterator[tuple[str, str, str]]:
    """Each relationship's id, kind and part, where there is one, as told among the links."""
    found: dict[str, _xml.Attributes] = {}

    def seen(_: str, name: str, attributes: _xml.Attributes) -> None:
        if name == "Relationship":
            if attributes["Id"] in found:
                raise ValueError("two relationships of one id")
            found[attributes["Id"]] = attributes

    home = names.get(_links_of(source).casefold())
    if home is None:
        return
    _xml.visit(package.read(home), seen)
    for id_, each in found.items():
        kind = each["Type"].rpartition("/")[2]
        if each.get("TargetMode") == "External":
            links.outside = True
            continue
        target = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), each["Target"])).lstrip("/")
        part = names.get(target.casefold())
        if part is not None:
            if links.parts.setdefault(part, kind) != kind:
                raise ValueError("a part of two kinds")
            yield id_, kind, part
