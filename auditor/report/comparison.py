"""Two policies side by side, in every format.

A comparison holds nothing of any data, so every audience sees all of it. Texts of a policy may come from a stranger's
branch: control characters are shown, not obeyed, and nothing of them is markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.formats.text import inert
from auditor.report.page import BrokenRule, Line, Page, Place
from auditor.result import Location, plain
from auditor.result.comparison import Difference, JudgedByBoth, PolicyComparison

HEADLINES = {
    "stricter": "✓ Stricter",
    "equal": "✓ Equally strict",
    "weaker": "✗ Weaker",
    "mixed": "✗ Weaker in some fields, stricter in others",
    "incomparable": "? Needs a review",
}
TITLES = {
    "weaker": "Weaker",
    "incomparable": "Needs a review",
    "stricter": "Stricter",
    "equal": "Changes nothing",
    "utility": "Utility, not privacy",
}
WEAKENED = BrokenRule(
    "policy/weakened",
    "policy-weakened",
    "A change of the policy that is not at least as strict.",
    "auditor diff OLD NEW",
)
"""The rule that a weaker field breaks."""
NEEDS_APPROVAL = ("weaker", "incomparable")
MOST = 100
"""So many differences are shown in Markdown; a comment on a change has an end."""
LONGEST = 120


class ComparisonPage(Page):
    """Two policies side by side."""

    MARK: ClassVar[str] = "auditorPolicy/v1"
    PARTS: ClassVar[frozenset[str]] = frozenset({"document", "text", "markdown", "html", "lines"})
    WRITTEN: ClassVar[str] = "a comparison checks nothing"

    document: PolicyComparison

    @cached_property
    def shown(self) -> PolicyComparison:
        """The document for the eye."""
        return words.visible(self.document)

    def text(self, width: int = 100, colour: bool = False) -> str:  # noqa: ARG002  (plain lines)
        """See `Page`."""
        return _text(self.shown)

    def markdown(self) -> str:
        """See `Page`."""
        return _markdown(self.shown)

    def html(self) -> str:
        """See `Page`."""
        return _html(self.shown)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """See `Page`. What needs an approval, and what data is under one policy and not the other."""
        flipped = (each for each in self.shown.data if each.old != each.new)
        return (*map(self._line, _needing_approval(self.shown)), *map(self._flipped, flipped))

    def _line(self, difference: Difference) -> Line:
        said = f"{TITLES[difference.verdict]}: {sentence(difference)}"
        return Line(
            status="fail",
            title="policy weakened",
            message=said,
            sentence=said,
            rule=WEAKENED.id,
            place=Place.of(difference.new_origin, self.file),
            identity=(self.shown.new.name, difference.path),
        )

    def _flipped(self, each: JudgedByBoth) -> Line:
        said, name = judged_by_both(each), self.shown.new.name
        return Line("doubt", "auditor", said, said, "policy/verdict", None, (name, each.data), broken=False)

    @property
    def rules(self) -> Sequence[BrokenRule]:
        """See `Page`."""
        return [WEAKENED]

    @property
    def summary(self) -> str:
        """See `Page`."""
        return _headline(self.shown)

    @property
    def file(self) -> str | None:
        """See `Page`."""
        return self.shown.new.file

    @property
    def properties(self) -> Mapping[str, object]:
        """See `Page`."""
        return {"verdict": self.shown.verdict}


def _text(shown: PolicyComparison) -> str:
    lines = [f"{_headline(shown)}", *(f"  {line}" for line in _sides(shown))]
    for verdict, title in TITLES.items():
        group = [d for d in shown.differences if d.verdict == verdict]
        lines += ["", title] if group else []
        for difference in group:
            lines += [f"  {sentence(difference)}", f"    {_places(difference)}"]
    judged = [judged_by_both(each) for each in shown.data]
    lines += ["", "Judged by both", *(f"  {line}" for line in judged)] if judged else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: PolicyComparison) -> str:
    blocks = [f"### {safe(_headline(shown))}", "\n".join(f"- {safe(line)}" for line in _sides(shown))]
    rows = ["| | Field | Old | New | Note |", "|---|---|---|---|---|"]
    for difference in shown.differences[:MOST]:
        places = [_at(difference.old_origin), _at(difference.new_origin)]
        values = [value(difference.old), value(difference.new)]
        cells = [f"{said} ({place})" if place else said for said, place in zip(values, places, strict=True)]
        row = [TITLES[difference.verdict], difference.path, *cells, difference.note or ""]
        rows.append(f"| {' | '.join(map(safe, row))} |")
    if len(rows) > 2:
        blocks.append("\n".join(rows))
    if len(shown.differences) > MOST:
        blocks.append(f"and {len(shown.differences) - MOST} more")
    if shown.data:
        lines = "\n".join(f"- {safe(judged_by_both(each))}" for each in shown.data[:MOST])
        blocks.append(f"**Judged by both**\n\n{lines}")
    return "\n\n".join(blocks) + "\n"


def _html(shown: PolicyComparison) -> str:
    from auditor.report.html import page

    return page(
        "comparison",
        f"Policy SHA-256 {shown.new.sha256}",
        document=shown,
        headline=_headline(shown),
        sides=_sides(shown),
        look={"stricter": "pass", "equal": "pass", "incomparable": "not-evaluated"}.get(shown.verdict, "fail"),
        titles=TITLES,
        value=value,
        judged=judged_by_both,
    )


def _needing_approval(shown: PolicyComparison) -> list[Difference]:
    return [difference for difference in shown.differences if difference.verdict in NEEDS_APPROVAL]


def judged_by_both(each: JudgedByBoth) -> str:
    """What one dataset is under the two policies: ``out/clinic.csv: not met → met``."""
    old, new = (words.STATUSES[verdict] if verdict else "nothing to judge it by" for verdict in (each.old, each.new))
    return f"{each.data}: {old} → {new}" if old != new else f"{each.data}: {new} under both"


def _headline(shown: PolicyComparison) -> str:
    return f"{HEADLINES[shown.verdict]}: {shown.new.name}"


def _sides(shown: PolicyComparison) -> list[str]:
    return [
        f"{name}  {side.source or 'from Python'}, sha256 {side.sha256[:12]}"
        for name, side in (("old", shown.old), ("new", shown.new))
    ]


def sentence(difference: Difference) -> str:
    """What changed, as one line: ``requirements/k/k: 11 → 5``."""
    note = f" ({difference.note})" if difference.note else ""
    if difference.old is None and difference.new is None:
        return f"{difference.path}{note}"
    return f"{difference.path}: {value(difference.old)} → {value(difference.new)}{note}"


def value(said: object) -> str:
    """A value of a policy, short enough for a line."""
    if said is None:
        return "none"
    text = said if isinstance(said, str) else json.dumps(plain(said), ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _places(difference: Difference) -> str:
    old, new = _at(difference.old_origin), _at(difference.new_origin)
    return f"{old or 'nowhere'} → {new or 'nowhere'}"


def _at(origin: Location | None) -> str:
    return f"{origin.file}:{origin.line}" if origin else ""
