"""XML that a stranger wrote, read only if every reader of it reads the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn
from xml.parsers import expat

Attributes = Mapping[str, str]
UTF8 = ("utf-8", "utf8", "us-ascii")
LEAF, WHOLE, SILENT = "leaf", "whole", "silent"
"""What is heard of an element: the text up to the next one or its end, all of it, or nothing of what it may say."""


def visit(
    content: bytes,
    seen: Callable[[str, str, Attributes], object],
    said: Callable[[str], None] | None = None,
    bound: Callable[[str, str], None] | None = None,
    closed: Callable[[str], None] | None = None,
) -> None:
    """Call `seen` with each element's namespace, name, and attributes ("namespace name" where one has a prefix).

    Args:
        content: the document.
        seen: says what `said` hears of the element, or, by any other truth, that it hears all up to the next one.
        said: called with pieces of text.
        bound: called with each prefix ("" for none) and the namespace that it is bound to.
        closed: called with the name of each element that ends.

    Raises:
        ValueError: the content is no XML in UTF-8; it has a document type, CDATA, comments or instructions, which some
            readers pass over; or a text where `seen` expects none.
    """
    parser = expat.ParserCreate(namespace_separator=" ")

    inside = 0

    def start(name: str, attributes: Attributes) -> None:
        nonlocal inside
        space, _, local = name.rpartition(" ")
        heard = seen(space, local, attributes)
        if inside:
            inside += 1
            return
        inside = int(heard == WHOLE)
        parser.CharacterDataHandler = None if heard == SILENT else said if heard else stray
        parser.EndElementHandler = end if closed or heard in (LEAF, WHOLE, SILENT) else None

    def end(name: str) -> None:
        nonlocal inside
        if closed:
            closed(name.rpartition(" ")[2])
        inside = max(inside - 1, 0)
        if not inside:
            parser.CharacterDataHandler, parser.EndElementHandler = stray, end if closed else None

    def stray(data: str) -> None:
        if data.strip():
            _refused()

    parser.StartElementHandler = start
    parser.XmlDeclHandler = _declared
    parser.StartDoctypeDeclHandler = parser.StartCdataSectionHandler = _refused
    parser.CommentHandler = parser.ProcessingInstructionHandler = _refused
    if bound is not None:
        parser.StartNamespaceDeclHandler = lambda prefix, space: bound(prefix or "", space or "")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]:
        _refused()
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(str(error)) from None


def _declared(_: str, encoding: str | None, __: int) -> None:
    if (encoding or UTF8[0]).lower() not in UTF8:
        _refused()


def _refused(*_: object) -> NoReturn:
    raise ValueError("not as every reader reads it")
