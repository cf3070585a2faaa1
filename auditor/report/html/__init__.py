"""The report for people: one HTML file, no network, no script, the same bytes every time.

Page one is the answer on one printed A4 page; what supports it stands in folded annexes, opened in print. `_page` and
`_annexes` choose what is shown, `_charts` computes the geometry of the figures, the templates lay it out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from auditor.report import queries, remediation, words
from auditor.report.html import _annexes, _charts, _lattice, _page, _timeline

_TEMPLATES = Path(__file__).parent / "templates"


def document(redacted: Mapping[str, Any]) -> str:
    """The whole file."""
    shown = words.view(redacted)
    style = _style(shown)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            document=shown,
            style=Markup(style),  # noqa: S704  (our own file; the only foreign part, the hash, is hexadecimal)
            style_hash=digest,
            page=_page.page(shown),
            annexes=_annexes.annexes(shown),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        words=words, remediation=remediation, asked=queries, charts=_charts, lattices=_lattice, timelines=_timeline
    )
    environment.filters.update(number=words.number, percent=words.percent, listed=words.listed)
    return environment


def _style(shown: Mapping[str, Any]) -> str:
    """The style sheet with the file's hash in every printed page's foot."""
    digest = (shown["data"] or {}).get("sha256") or ""
    foot = f"File SHA-256 {digest}" if re.fullmatch("[0-9a-f]{64}", digest) else "File not hashed"
    return (_TEMPLATES / "style.css").read_text(encoding="utf-8").replace("{foot}", foot)
