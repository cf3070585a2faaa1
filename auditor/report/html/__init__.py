"""The report for people: one HTML file, no network, no script, the same bytes every time.

Page one is the answer on one printed A4 page; what supports it stands in folded annexes, opened in print. `_page` and
`_annexes` choose what is shown, `_charts` computes the geometry of the figures, the templates lay it out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from auditor.report import outputs, queries, remediation, since, words
from auditor.report.html import _annexes, _charts, _lattice, _map, _page, _pictures, _shares, _timeline
from auditor.report.redact import Redacted
from auditor.result import Result

_TEMPLATES = Path(__file__).parent / "templates"
_TABLE = re.compile(r"<table(?: class=\"([a-z]+)\")?>(.*?)</table>", re.DOTALL)
_HEAD = re.compile(r'<th scope="col"[^>]*>(?:<bdi>)?(.*?)(?:</bdi>)?</th>')
_ROW = re.compile(r"<tr>(?!<th scope=\"col\").*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh](?=[ >])")
MOST_SIDE_BY_SIDE = 3
"""A table of more columns has, on a phone, each row as a card: its cells below each other, with their headings."""


def document(redacted: Redacted[Result]) -> str:
    """The whole file."""
    shown = words.view(redacted).result
    shown = replace(shown, assumptions=tuple(since.assumed(shown)))
    return page(
        "report",
        foot(shown.data.sha256 if shown.data else None),
        document=shown,
        audience=redacted.audience,
        page=_page.page(shown),
        annexes=_annexes.annexes(shown, redacted.audience),
    )


def foot(digest: str | None) -> str:
    """What stands in the foot of every printed page: the hash of the file, where there is one and it may be shown."""
    return f"File SHA-256 {digest}" if digest and re.fullmatch("[0-9a-f]{64}", digest) else "File hash not shown"


def page(template: str, foot: str, **model: object) -> str:
    """A file from a template.

    Args:
        template: its name.
        foot: what stands in every printed page's foot, of letters that mean nothing in a style sheet.
        model: what the template shows.
    """
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8").replace("{foot}", foot)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    sheet = Markup(style)  # noqa: S704  (our own file; the only foreign part, the foot, is a hash)
    written = _environment().get_template(f"{template}.html.j2").render(style=sheet, style_hash=digest, **model)
    return _TABLE.sub(_labelled, written)


def _labelled(table: re.Match[str]) -> str:
    """A table whose cells carry the headings of their columns, for screens on which they stand below each other."""
    heads = _HEAD.findall(table[2])
    if len(heads) <= MOST_SIDE_BY_SIDE and table[1] != "cards":
        return table[0]

    def row(found: re.Match[str]) -> str:
        names = iter(heads)
        return _CELL.sub(lambda cell: f'{cell[0]} data-label="{next(names, "")}"', found[0])

    looks = " ".join(dict.fromkeys(filter(None, (table[1], "cards"))))
    return f'<table class="{looks}">{_ROW.sub(row, table[2])}</table>'


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
        words=words,
        remediation=remediation,
        asked=queries,
        published=outputs,
        charts=_charts,
        lattices=_lattice,
        maps=_map,
        pictures=_pictures,
        timelines=_timeline,
        bars=_shares,
    )
    environment.filters.update(number=words.number, percent=words.percent, listed=words.listed)
    return environment
