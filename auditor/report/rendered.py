"""Choosing a renderer by its format's name, and the HTML of results in Python and notebooks."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import Any, cast

from auditor.report.gate import redact
from auditor.result import Answer, Audience

FORMATS = {
    "text": None,
    "json": ".json",
    "junit": ".xml",
    "sarif": ".sarif",
    "github": None,
    "gitlab": None,
    "markdown": ".md",
    "html": ".html",
}
"""Every format, and the ending of the file names that mean it."""

_PUBLIC_FORMATS = frozenset({"github", "markdown"})
"""Formats that end up where strangers read: continuous-integration logs and comments on changes."""


_ROOMS = {"gate": "auditor.report.gate", "hide": "auditor.report.hiding", "tradeoff": "auditor.report.tradeoff"}
"""Where the renderers of documents are that are no audits, by their command."""


def room_of(document: dict[str, Any]) -> str:
    """The package that has the renderers of a document."""
    return _ROOMS.get(document["command"], "auditor.report")


def render(document: dict[str, Any], format_: str) -> str:
    """The text of a redacted document in one of `FORMATS`; same document, same bytes."""
    text: str = import_module(f"{room_of(document)}.{format_}").document(document)
    return text


def audience_for(format_: str, asked: Audience | None) -> Audience:
    """For whom a format is rendered: whom the user asked for, else public for what strangers read, else reviewer."""
    if asked is not None:
        return asked
    return Audience.PUBLIC if format_ in _PUBLIC_FORMATS else Audience.REVIEWER


class Rendered:
    """What results in Python offer besides their values; to be mixed into one."""

    def to_html(self, audience: Audience | str = Audience.REVIEWER) -> str:
        """The report as one HTML file that needs no network and no script."""
        return render(redact(cast("Answer", self), Audience(audience)), "html")

    def _repr_html_(self) -> str:
        """The report in a notebook, in a frame of its own so that neither page's styles touch the other."""
        report = escape(self.to_html(), quote=True)
        return f'<iframe title="auditor report" sandbox width="100%" height="900" srcdoc="{report}"></iframe>'
