"""Sets as Python prints them, ``frozenset({'a', np.int64(3)})``: read by a grammar of their own, never evaluated.

::

    set      = "frozenset()" | "set()" | "frozenset(" braced ")" | braced
    braced   = "{" values "}" | "[" values "]" | "(" values ")"
    values   = [ value { "," value } [ "," ] ]
    value    = plain | "np." name "(" plain ")"
    plain    = text | number | "True" | "False"
    text     = Python's string literal without prefix, in ' or "
"""

from __future__ import annotations

import re

_SPACE = re.compile(r"\s*")
_TEXT = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"")
_WORD = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|True|False", re.ASCII)
_NUMPY = re.compile(r"(?:np|numpy)\.(?:str|bool|u?int\d*|float\d*)_?\(", re.ASCII)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
_CLOSING = {"{": "}", "[": "]", "(": ")"}


def members(text: str) -> tuple[str, ...] | None:
    """The members of a set, as texts; None for anything that is not a set in this grammar.

    >>> members("frozenset({'a', np.int64(3)})"), members("frozenset()"), members("__import__('os').getcwd()")
    (('a', '3'), (), None)
    """
    text = text.strip()
    if text in ("frozenset()", "set()"):
        return ()
    if text.startswith("frozenset(") and text.endswith(")"):
        text = text[len("frozenset(") : -1].strip()
    if not text or text[-1] != _CLOSING.get(text[0]):
        return None
    return _values(text[1:-1])


def _values(text: str) -> tuple[str, ...] | None:
    found: list[str] = []
    at = _after_space(text, 0)
    while at < len(text):
        read = _value(text, at)
        if read is None:
            return None
        value, at = read
        found.append(value)
        at = _after_space(text, at)
        if at < len(text):
            if text[at] != ",":
                return None
            at = _after_space(text, at + 1)
    return tuple(found)


def _value(text: str, at: int) -> tuple[str, int] | None:
    """The value that begins at a place, and where it ends."""
    wrapped = _NUMPY.match(text, at)
    if wrapped is None:
        return _plain(text, at)
    inner = _plain(text, wrapped.end())
    return (inner[0], inner[1] + 1) if inner is not None and text[inner[1] : inner[1] + 1] == ")" else None


def _plain(text: str, at: int) -> tuple[str, int] | None:
    quoted = _TEXT.match(text, at)
    if quoted is not None:
        content = _unescaped(quoted[1] if quoted[1] is not None else quoted[2])
        return None if content is None else (content, quoted.end())
    word = _WORD.match(text, at)
    return None if word is None else (word[0], word.end())


def _unescaped(text: str) -> str | None:
    known = True

    def character(found: re.Match[str]) -> str:
        nonlocal known
        escape = found[1]
        if len(escape) > 1:
            code = int(escape[1:], 16)
            known &= 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
            return chr(code) if known else ""
        known &= escape in _PLAIN
        return _PLAIN.get(escape, "")

    found = _ESCAPE.sub(character, text)
    return found if known else None


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()
