"""LIKE: a pattern as pieces of fixed width between its ``%``."""

from __future__ import annotations

import re
from collections.abc import Callable

from auditor.queries.values.values import Refusal


def like(pattern: str, escape: str, *, folded: bool) -> Callable[[str], bool]:
    """Whether a text matches a pattern of LIKE, in time linear in both for each ``%``."""
    parts: list[str] = [""]
    shown = iter(pattern)
    for character in shown:
        if escape and character == escape:
            following = next(shown, None)
            if following is None:
                raise Refusal("unsupported-expression")
            parts[-1] += re.escape(following)
        elif character == "%":
            parts.append("")
        else:
            parts[-1] += "." if character == "_" else re.escape(character)
    flags = re.DOTALL | (re.IGNORECASE if folded else 0)
    pieces = [re.compile(part, flags) for part in parts]
    return lambda text: _matches(pieces, text)


def _matches(pieces: list[re.Pattern[str]], text: str) -> bool:
    """The first piece at the start, the last at the end, those between in order, each as early as it can."""
    if len(pieces) == 1:
        return pieces[0].fullmatch(text) is not None
    head = pieces[0].match(text)
    place = head.end() if head else -1
    for piece in pieces[1:-1]:
        found = piece.search(text, place) if place >= 0 else None
        place = found.end() if found else -1
    last = pieces[-1]
    width = _width(last)
    return 0 <= place <= len(text) - width and last.fullmatch(text, len(text) - width) is not None


def _width(piece: re.Pattern[str]) -> int:
    """How many characters a piece matches: each is one, escaped or not."""
    return len(re.sub(r"\\(.)", r"\1", piece.pattern, flags=re.DOTALL))
