"""SQL text cut into statements at the semicolons that end one.

A semicolon inside a string, a quoted name, a dollar-quoted string or a comment ends nothing. Strings follow the SQL
standard (a quote is doubled); those that start with ``E'`` know the backslash too, as in PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from auditor.queries.logs._text import LONGEST, Line, wrong

_OPENING = re.compile(r"'|\"|--|/\*|\$(?:[^\W\d]\w*)?\$|;")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_END_OF_COMMENT = re.compile(r"[\r\n]")
"""What ends a line comment for the server: not the line separators of Unicode, which Python would split at."""
_INSIDE = {
    "'": re.compile(r"''|'"),
    "E'": re.compile(r"''|\\.|'", re.DOTALL),
    '"': re.compile(r'""|"'),
    "/*": re.compile(r"/\*|\*/"),
}
_ENDS = frozenset({"'", '"', "*/"})
_CLIENT_COMMAND = "\\"
"""What begins a command to the client rather than the server, which ends with its line."""


@dataclass
class Piece:
    """One statement without its semicolon, the line it starts on, and the line comments that belong to it."""

    line: int
    text: str
    comments: list[str] = field(default_factory=list)


def pieces(lines: Iterable[Line], path: Path | None = None) -> Iterator[Piece]:
    """Every statement; a comment behind the semicolon, on its line, belongs to the statement before it."""
    scanner = _Scanner()
    size = 0
    for number, line in lines:
        scanner.read(number, line)
        done = scanner.taken()
        yield from done
        size = 0 if done else size + len(line)
        if size > LONGEST and path is not None:
            wrong(
                path, number, f"a statement of more than {LONGEST:,} characters", "statements that end with a semicolon"
            )
    scanner.end()
    yield from scanner.taken()


def pieces_of(text: str) -> list[Piece]:
    """The statements of one text."""
    return list(pieces(enumerate(_LINES.findall(text), start=1)))


class _Scanner:
    def __init__(self) -> None:
        self._begin()
        self.finished: list[Piece] = []
        self.inside: str | None = None
        self.depth = 0

    def _begin(self) -> None:
        self.parts: list[str] = []
        self.comments: list[str] = []
        self.line: int | None = None

    def read(self, number: int, line: str) -> None:
        """Take the next line, with its line feed."""
        if self.line is None and self.inside is None and line.lstrip().startswith(_CLIENT_COMMAND):
            self._keep(number, line)
            self.end()
            return
        position = 0
        while position < len(line):
            outside = self.inside is None
            position = self._outside(number, line, position) if outside else self._within(line, position)

    def _outside(self, number: int, line: str, position: int) -> int:
        """Up to the next thing that opens, or that ends the statement."""
        found = _OPENING.search(line, position)
        if found is None:
            self._keep(number, line[position:])
            return len(line)
        self._keep(number, line[position : found.start()])
        opening = found[0]
        if opening == "--":
            ended = _END_OF_COMMENT.search(line, found.end())
            end = len(line) if ended is None else ended.start()
            self._comment(line[found.start() : end])
            return end
        if opening == ";":
            self.end()
            return found.end()
        if opening[0] == "$" and _in_a_word(line, found.start()):
            self._keep(number, "$")
            return found.start() + 1
        if opening == "/*":
            self.parts.append(opening)
        else:
            self._keep(number, opening)
        escapes = opening == "'" and line[found.start() - 1 : found.start()] in ("e", "E")
        self.inside = "E'" if escapes and not _in_a_word(line, found.start() - 1) else opening
        self.depth = 1
        return found.end()

    def _within(self, line: str, position: int) -> int:
        """Up to what closes, or the next of its kind inside it."""
        kind = self.inside or ""
        found = (_INSIDE.get(kind) or re.compile(re.escape(kind))).search(line, position)
        end = len(line) if found is None else found.end()
        self.parts.append(line[position:end])
        if found is not None:
            self.depth += 1 if kind == found[0] == "/*" else -1 if found[0] in _ENDS or kind[0] == "$" else 0
            if self.depth == 0:
                self.inside = None
        return end

    def _keep(self, number: int, text: str) -> None:
        if self.line is None and text.strip():
            self.line = number
        self.parts.append(text)

    def _comment(self, text: str) -> None:
        belongs = self.finished[-1].comments if self.line is None and self.finished else self.comments
        belongs.append(text.strip())

    def end(self) -> None:
        """The statement ends here, if there is one."""
        if self.line is None:
            self.parts = []
            return
        self.finished.append(Piece(self.line, "".join(self.parts).strip(), self.comments))
        self.inside = None
        self._begin()

    def taken(self) -> list[Piece]:
        """The statements that ended on the lines read."""
        taken, self.finished = self.finished, []
        return taken


def _in_a_word(line: str, position: int) -> bool:
    before = line[position - 1 : position]
    return bool(before) and (before.isalnum() or before in "_$")
