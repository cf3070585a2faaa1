"""The pages of the documentation site: those of the repository, laid where MkDocs finds them, and their navigation.

``python website/pages.py build/docs`` writes ``build/docs/mkdocs.yml`` and, below ``build/docs/pages``, every page
at its own place, so that a link between two pages holds in the repository and on the site alike. The navigation is the
list in ``docs/README.md``: a page that it does not name is an error. A file that a page links to and that is no page (a
test, a policy) becomes a page that shows it; ``docs/api.md`` is made of what ``auditor`` exports.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from inspect import isclass
from pathlib import Path

import yaml

import auditor

ROOT = Path(__file__).resolve().parents[1]
INDEX = "docs/README.md"
PAGES = ("*.md", "benchmarks/*.md", "docs/**/*.md")
SHOWN_AS_THEY_ARE = {".html", ".png"}
API, API_PART = "docs/api.md", "Reference"

LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")
NAMED = re.compile(r"\[([^\]]+)\]\(([^)#\s:]+)\)")
FILE_OF_A_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
Entry = dict[str, "str | list[Entry | str]"]


class NavigationError(Exception):
    """The list of docs/README.md and the pages are not the same."""


def main(words: Sequence[str]) -> int:
    """Lay the pages; 1 where the navigation lacks one."""
    folder = Path(words[0])
    shutil.rmtree(folder, ignore_errors=True)
    own = sorted({file.relative_to(ROOT).as_posix() for pattern in PAGES for file in ROOT.glob(pattern)})
    try:
        listed = navigation((ROOT / INDEX).read_text(encoding="utf-8"), own)
    except NavigationError as problem:
        sys.stderr.write(f"{INDEX}: {problem}\n")
        return 1
    files: set[str] = set()
    for name in own:
        text, linked = laid(name, (ROOT / name).read_text(encoding="utf-8"))
        files |= linked
        _write(folder / "pages" / name, text)
    _write(folder / "pages" / API, api())
    for name in sorted(files - set(own)):
        _lay_file(name, folder / "pages")
    configuration = {
        "INHERIT": os.path.relpath(ROOT / "website" / "mkdocs.yml", folder),
        "docs_dir": "pages",
        "site_dir": "site",
        "not_in_nav": "\n".join(f"/{shown(name)}" for name in sorted(files) if shown(name) != name),
        "nav": listed,
    }
    _write(folder / "mkdocs.yml", yaml.safe_dump(configuration, sort_keys=False))
    return 0


def navigation(index: str, pages: Sequence[str]) -> list[Entry]:
    """The site's navigation: a part for each heading of the index, an entry for each page that it links to.

    The index of a folder (``models/README.md``) brings the pages of its folder that are named nowhere else.

    Raises:
        NavigationError: a page is not named, or named twice.
    """
    parts = re.split(r"^## (.+)\n", index, flags=re.MULTILINE)[1:]
    named = {
        part: [(_title(words), _from_docs(target)) for words, target in NAMED.findall(text) if target.endswith(".md")]
        for part, text in zip(parts[::2], parts[1::2], strict=True)
    }
    places = [place for entries in named.values() for _, place in entries]
    if twice := {place for place in places if places.count(place) > 1}:
        raise NavigationError(f"names twice: {', '.join(sorted(twice))}")
    held = {"README.md", INDEX, *places}
    listed: list[Entry] = [{"Home": ["README.md", {"All pages": INDEX}]}]
    for part, entries in named.items():
        below: list[Entry | str] = []
        for title, place in entries:
            folder = Path(place).parent if Path(place).name == "README.md" else None
            beside = [page for page in pages if Path(page).parent == folder and page not in held]
            below.append({title: [place, *beside]} if beside else {title: place})
            held |= set(beside)
        listed.append({part: below})
        if part == API_PART:
            below.append({"API reference": API})
    if missing := set(pages) - held:
        raise NavigationError(f"names no {', '.join(sorted(missing))}: add a line below the heading of the task")
    return listed


def laid(name: str, text: str) -> tuple[str, set[str]]:
    """A page as the site needs it, and the files that it links to, by their places."""
    linked: set[str] = set()

    def pointed(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        place = os.path.normpath(Path(name).parent / target)
        if not (ROOT / place).is_file():
            return found[0]  # the build says so
        linked.add(place)
        return f"]({shown(target)}{anchor})"

    text = FILE_OF_A_FENCE.sub(r'```\1 title="\2"', text)
    return LINK.sub(pointed, text), linked


def shown(place: str) -> str:
    """The place of the page that shows a file."""
    suffix = Path(place).suffix
    return place if suffix == ".md" or suffix in SHOWN_AS_THEY_ARE else f"{place}.md"


def api() -> str:
    """The reference of what ``auditor`` exports: what each name is, from its docstring."""
    names = sorted(auditor.__all__)
    functions = [name for name in names if not isclass(getattr(auditor, name))]
    return "\n".join(
        [
            "# API reference",
            "",
            "What `import auditor` gives, from its docstrings. [From Python](python.md) shows how it is used.",
            "",
            *_described("Functions", functions),
            *_described("Results and values", [name for name in names if name not in functions]),
        ]
    )


def _described(heading: str, names: Sequence[str]) -> Iterator[str]:
    yield f"## {heading}\n"
    for name in names:
        place = f"{auditor._HOMES[name]}.{name}"  # noqa: SLF001  (where each name is at home)
        yield f"::: {place}\n    options: {{heading: auditor.{name}, toc_label: {name}}}\n"


def _lay_file(name: str, folder: Path) -> None:
    place = shown(name)
    if place == name:
        shutil.copy(ROOT / name, _made(folder / name))
        return
    text = (ROOT / name).read_text(encoding="utf-8")
    language = {".py": "python", ".yaml": "yaml"}.get(Path(name).suffix, "text")
    fence = "`" * 4
    head = f"---\nsearch: {{exclude: true}}\ntitle: {name}\n---\n"
    _write(folder / place, f"{head}\n# {name}\n\n{fence}{language}\n{text}{fence}\n")


def _title(words: str) -> str:
    told = " ".join(words.split())
    return told[0].upper() + told[1:]


def _from_docs(target: str) -> str:
    return os.path.normpath(Path("docs") / target)


def _made(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _write(file: Path, text: str) -> None:
    _made(file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
