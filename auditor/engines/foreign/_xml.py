"""Elements of XML that a stranger wrote: no document type, so no entities, and nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn
from xml.parsers import expat

Attributes = Mapping[str, str]


def visit(content: bytes, seen: Callable[[str, Attributes], None]) -> None:
    """Call `seen` with each element's name, without its prefix, and its attributes as they are written.

    Raises:
        ValueError: the content is no XML, or declares a document type.
    """
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refused
    parser.StartElementHandler = lambda name, attributes: seen(name.rpartition(":")[2], attributes)
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(str(error)) from None


def _refused(*_: object) -> NoReturn:
    raise ValueError("a document type")
