"""Plain values as YAML text, with a comment behind each line where one is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./()+-]*(?: [A-Za-z0-9_./()+-]+)*|[0-9]+(?:\.[0-9]+)?%")
"""Text that needs no quotes in any position."""
NOT_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that some YAML readers take for something else than text."""
UNPRINTABLE = re.compile(
    "[^ -~\xa0-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufdcf"
    "\ufdf0-\ufefe\uff00-\uffef\U00010000-\U0001fffd]"
)
"""Characters that are written as escapes, because readers refuse, break lines at or hide them."""
COMMENT_COLUMN = 60

Comment = Callable[[str], str]


def yaml_text(document: dict[str, Any], comment: Comment = lambda _: "") -> str:
    """A mapping as YAML, one value a line.

    Args:
        document: mappings, lists, text, numbers and truth values.
        comment: what to say behind the value at a path such as ``requirements/0/k``; nothing by default.

    """
    return "".join(f"{line}\n" for line in _mapping(document, "", 0, comment))


def _mapping(value: dict[str, Any], path: str, indent: int, comment: Comment) -> Iterator[str]:
    for key, item in value.items():
        inner = f"{path}/{key}" if path else str(key)
        yield from _entry(f"{' ' * indent}{_scalar(str(key))}:", item, inner, indent, comment)


def _entry(head: str, value: Any, path: str, indent: int, comment: Comment) -> Iterator[str]:
    if isinstance(value, dict) and value:
        yield _with(head, comment(path) if _is_written_whole(value, path, comment) else "")
        yield from _mapping(value, path, indent + 2, comment)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield head
        for index, item in enumerate(value):
            yield from _item(item, f"{path}/{index}", indent + 2, comment)
    else:
        yield _with(f"{head} {flow(value)}", comment(path))


def _is_written_whole(value: dict[str, Any], path: str, comment: Comment) -> bool:
    """Whether nothing inside a block has a place of its own, so that the block's is the only one to give."""
    return not any(comment(f"{path}/{key}") for key in value)


def _item(value: Any, path: str, indent: int, comment: Comment) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _with(f"{' ' * indent}- {flow(value)}", comment(path))
        return
    for number, line in enumerate(_mapping(value, path, indent + 2, comment)):
        yield f"{' ' * indent}- {line[indent + 2 :]}" if number == 0 else line


def _with(line: str, comment: str) -> str:
    return f"{line:<{COMMENT_COLUMN}}  # {comment}" if comment else line


def flow(value: Any) -> str:
    """A value on one line: ``{role: sensitive, type: number}``."""
    if isinstance(value, list):
        return f"[{', '.join(flow(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(str(key))}: {flow(item)}" for key, item in value.items()) + "}"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = PLAIN.fullmatch(value) and value.lower() not in NOT_TEXT
        return value if plain else UNPRINTABLE.sub(_escaped, json.dumps(value, ensure_ascii=False))
    text = json.dumps(value)
    # 1e-07 is text for a YAML 1.1 reader, 1.0e-07 a number for all.
    return text.replace("e", ".0e", 1) if isinstance(value, float) and "." not in text else text


def _escaped(character: re.Match[str]) -> str:
    code = ord(character.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
