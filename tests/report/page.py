"""A sample's report as HTML, and a reader of it that complains about anything not balanced."""

from __future__ import annotations

from html.parser import HTMLParser

from auditor.report import redact, render
from auditor.result import Audience
from tests.report.every import EVERY

VOID = {"meta", "link", "br", "hr", "img", "input", "rect", "line", "circle", "polyline"}


class Page(HTMLParser):
    """A page as nested tags: complains about anything that is not balanced, and keeps what the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute appears twice in <{tag}>"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def rendered(name: str, audience: Audience = Audience.REVIEWER) -> str:
    return render(redact(EVERY[name](), audience), "html")


def page_one(text: str) -> Page:
    """What stands before the annexes."""
    return Page(text[: text.index('<section class="annexes"')] + "</body></html>")
