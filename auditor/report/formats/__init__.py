"""Formats: one per file, found by being there. To add one, add a file; nothing lists them by hand.

A file has ``write(page) -> str``, the part of a page that it `NEEDS` (``lines``, ``suites``, ``document``, …), `ABOUT`,
whom it is for, and its `MEDIA_TYPE`; where it is so, the `ENDING` of file names that mean it, that it is `PUBLIC` (what
it writes lies where strangers read), and that it is none for a `SCREEN`. Its name is the file's.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

from auditor import registry
from auditor.report.page import Page

FORMATS = registry.names(__name__)
"""Every format by name; its module is imported when it is used."""


def module(name: str) -> ModuleType:
    """The file of a format."""
    return registry.module(__name__, name)


def write(page: Page, name: str) -> str:
    """A page in one of the formats that write it; same page, same bytes."""
    text: str = module(name).write(page)
    return text


@cache
def endings() -> dict[str, str]:
    """Each ending of file names that means a format, with the format."""
    found = ((getattr(module(name), "ENDING", None), name) for name in FORMATS)
    return {ending: name for ending, name in found if ending}


def is_public(name: str) -> bool:
    """Whether what a format writes ends up where strangers read: logs of continuous integration, comments."""
    return getattr(module(name), "PUBLIC", False)


def of(kind: type[Page] = Page) -> tuple[str, ...]:
    """The formats that write a kind of page; of the plain one, those that write every kind."""
    return tuple(name for name in FORMATS if module(name).NEEDS in kind.PARTS)


def on_screen(kind: type[Page] | None = None) -> tuple[str, ...]:
    """The formats that standard output is for, of a kind of page or of any."""
    return tuple(name for name in FORMATS if is_on_screen(kind, name))


def is_on_screen(kind: type[Page] | None, name: str) -> bool:
    """Whether standard output is for a format that writes a kind of page, or any."""
    written = name in FORMATS and (kind is None or module(name).NEEDS in kind.PARTS)
    return written and getattr(module(name), "SCREEN", True)
