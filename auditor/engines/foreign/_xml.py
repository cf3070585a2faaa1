"""XML that a stranger wrote, read only if every reader of it reads the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn
from xml.parsers import expat

Attributes = Mapping[str, str]
UTF8 = ("utf-8", "utf8", "us-ascii")
LEAF = "leaf"


def visit(
    content: bytes,
    seen: Callable[[str, str, Attributes], object],
    said: Callable[[str], None] | None = None,
    bound: Callable[[str, str], None] | None = None,
) -> None:
    """Call `seen` with each element's namespace, name, and attributes ("namespace name" where one has a prefix).

    Args:
        content: the document.
        seen: says whether `said` hears the texts up to the next element, or, of a `LEAF`, up to its end.
        said: called with pieces of text.
        bound: called with each prefix ("" for none) and the namespace that it is bound to.

    Raises:
        ValueError: the content is no XML in UTF-8; or it has a document type, CDATA, comments or instructions, which
            some readers pass over.
    """
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: Attributes) -> None:
        space, _, local = name.rpartition(" ")
        heard = seen(space, local, attributes)
        parser.CharacterDataHandler = said if heard else None
        parser.EndElementHandler = end if heard == LEAF else None

    def end(_: str) -> None:
        parser.CharacterDataHandler = parser.EndElementHandler = None

    def declared(_: str, encoding: str | None, __: int) -> None:
        if (encoding or UTF8[0]).lower() not in UTF8:
            _refused()

    parser.StartElementHandler = start
    parser.XmlDeclHandler = declared
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


def _refused(*_: object) -> NoReturn:
    raise ValueError("not as every reader reads it")
