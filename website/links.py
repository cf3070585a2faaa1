"""The links of a built site: every one leads somewhere, and no page loads anything from elsewhere.

``python website/links.py build/docs/site`` names each link to a file or an anchor that is not there, and whatever
a page would fetch from another place (a script, a style, a picture, a font), and ends with 1 where there is any. A link
that a reader follows to another site is looked at by nobody here: the site is built without a network.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "track": "src",
    "input": "src",
    "object": "data",
    "use": "href",
    "image": "href",
    "form": "action",
    "body": "background",
}
"""What a browser fetches without being asked, by its element."""
FETCHED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "manifest"}
"""The links of a head that a browser follows by itself."""
STYLED = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


DIAGRAM = "a script for its diagram"
"""What the theme's own script fetches for a page with a diagram."""


@dataclass
class Page(HTMLParser):
    """What a page offers to be linked to, what it links to, and what it loads."""

    text: str
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._styled = False
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See `HTMLParser`."""
        given = {name: value or "" for name, value in attrs}
        self._styled = tag == "style"
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.loads += styled(given.get("style", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and FETCHED & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        if LOADED.get(tag) in given:
            self.loads.append(given[LOADED[tag]])
        self.loads += [each.split()[0] for each in given.get("srcset", "").split(",") if each.strip()]
        if tag == "pre" and "mermaid" in given.get("class", "").split():
            self.loads.append(DIAGRAM)

    def handle_data(self, data: str) -> None:
        """See `HTMLParser`."""
        if self._styled:
            self.loads += styled(data)

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  (no style within another)
        """See `HTMLParser`."""
        self._styled = False


def styled(text: str) -> list[str]:
    """What a style sheet loads."""
    return [one or other for one, other in STYLED.findall(text)]


def problems(site: Path) -> Iterator[str]:
    """What is wrong with the links of a site, a line for each."""
    pages = {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    for file, page in pages.items():
        name = file.relative_to(site.resolve())
        for link in [*page.links, *page.loads]:
            if link != DIAGRAM and (why := _wrong(link, file, pages)):
                yield f"{name}: {link}: {why}"
        for load in page.loads:
            if _elsewhere(load):
                yield f"{name}: loads {load}"
    for sheet in sorted(site.rglob("*.css")):
        for load in styled(sheet.read_text(encoding="utf-8")):
            if _elsewhere(load):
                yield f"{sheet.relative_to(site)}: loads {load}"


def _elsewhere(link: str) -> bool:
    return link == DIAGRAM or bool(urlsplit(link).netloc)


def _wrong(link: str, file: Path, pages: dict[Path, Page]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    if parts.path.startswith("/"):
        return "" if file.name == "404.html" else "holds only where the site is at the top of its host"
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    missing = anchor and target in pages and anchor not in pages[target].anchors
    return "there is no such place on that page" if missing else ""


def main(words: Sequence[str]) -> int:
    """Name what is wrong; 1 where anything is."""
    site = Path(words[0])
    found = list(problems(site))
    sys.stderr.writelines(f"{line}\n" for line in found)
    count = len(list(site.rglob("*.html")))
    if not count:
        sys.stderr.write(f"{site}: no page\n")
    elif not found:
        sys.stdout.write(f"{count} pages, whose links hold and which load nothing from elsewhere\n")
    return int(bool(found) or not count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
