"""The generated tables of what is found by being there: written by ``python -m tests.workshop.tables``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType

from auditor import registry
from auditor.report import formats
from auditor.report.rendered import audience_for
from tests.models.pages import replaced
from tests.workshop.pages import ROOT


def _rows(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(heads), *map(list, rows)]
    lines[1:1] = [["---"] * len(lines[0])]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _room(room: str, heads: Iterable[str], row: Callable[[str, ModuleType], Iterable[str]]) -> str:
    return _rows(heads, (row(name, registry.module(room, name)) for name in registry.names(room)))


def _format(name: str) -> Iterable[str]:
    found = formats.module(name)
    ending = getattr(found, "ENDING", None)
    called = f"`{name}`" if name in formats.on_screen() else f"`{name}` (reports only)"
    return called, found.ABOUT, f"`{ending}`" if ending else "", found.MEDIA_TYPE, audience_for(name, None).value


def tables() -> Mapping[Path, Mapping[str, str]]:
    """What stands between the markers of each page, by the markers' names."""
    docs = ROOT / "docs"
    return {
        docs / "hiding.md": {
            "methods": _room(
                "auditor.outputs.hiding.methods",
                ("`--method`", "how", "source"),
                lambda name, method: (f"`{name}`", method.HOW, method.SOURCE),
            )
        },
        docs / "report.md": {
            "formats": _room(
                "auditor.report.formats",
                ("format", "for", "ending", "media type", "by default for"),
                lambda name, _: _format(name),
            )
        },
        docs / "queries.md": {
            "logs": _room("auditor.queries.logs", ("format", "what it is"), lambda name, log: (f"`{name}`", log.ABOUT))
        },
        docs / "output-formats.md": {
            "readers": _room(
                "auditor.outputs.readers", ("format", "what is read"), lambda _, reader: (reader.FORMAT, reader.ABOUT)
            )
        },
    }


def main() -> None:
    """Write the tables anew."""
    for page, parts in tables().items():
        page.write_text(replaced(page.read_text("utf-8"), parts), "utf-8")


if __name__ == "__main__":
    main()
