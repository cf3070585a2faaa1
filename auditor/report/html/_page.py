"""What stands on page one: the answer, cut so that it fits one printed A4 page and says what it left to the annexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import shorten

from auditor.report import masking, outputs, queries, remediation, words
from auditor.report.html._shares import shares
from auditor.report.reasons import reasons
from auditor.result import Location, RequirementResult, Result, is_of_outputs, is_of_queries
from auditor.result.queries import QueriesResult
from auditor.result.remediation import Solution

DENSITIES = {"roomy": 13, "dense": 18, "crowded": 25}
"""The sizes of print of page one, and how many lines of requirements, waivers and limits each has room for."""
LINES = DENSITIES["crowded"]
LIMIT_LINES = range(6, 2, -1)
"""How many of them each of the two lists of limits gets: fewer where the most urgent requirements need the room."""
LEAST_ROWS = 3
"""So many requirements come before all but the first lines of the limits."""
DONE_LINES = 4
"""How many lines it takes to say what a remediation or a masking did."""
CODES_LINES = 3
"""How many more it takes to say which columns may be codes."""
PICTURE_LINES = 5
"""How many lines the picture takes besides those of its bars."""
MOST_WAIVERS = 2
NAME = 40
MODEL = 46
BECAUSE = 2 * MODEL
COLUMN = 54
"""How many letters fit one line of half the page's width, in the widest of the style sheet's fonts."""
LINE = 72
"""How many letters of the verdict's grounds fit one line."""


@dataclass(frozen=True)
class RequirementRow:
    """One requirement in the table of page one."""

    name: str
    model: str
    because: str
    required: str
    numbers: tuple[str, str]
    status: str
    words: str
    symbol: str
    place: str


@dataclass(frozen=True)
class Excerpt:
    """The first items of a list, how many lines they take, and how many more the annexes hold."""

    items: tuple[object, ...]
    lines: int
    more: int


def page(shown: Result) -> dict[str, object]:
    """The model of page one."""
    waivers = _waivers(shown.requirements)
    others = waivers.lines + (3 if waivers.items else 0)
    done = _done(shown)
    others += DONE_LINES if done else 0
    others += CODES_LINES if masking.is_one(shown) and masking.may_be_codes(shown) else 0
    ways = remediation.alternatives(shown)
    others += len(ways) + 3 if ways else 0
    picture = shares(shown)
    others += len(picture.bars) + PICTURE_LINES if picture else 0
    for lines in LIMIT_LINES:
        not_checked, assumptions = (_lines(texts, lines) for texts in (_unchecked(shown), shown.assumptions))
        taken = others + max(not_checked.lines, assumptions.lines)
        rows = _rows(shown, taken)
        if not rows.more or len(rows.items) >= LEAST_ROWS:
            break
    return {
        **_identity(shown),
        "done": done,
        "picture": picture,
        "ways": ways,
        "way_columns": remediation.ALTERNATIVE_COLUMNS,
        "left_open": remediation.left_open(shown),
        "judged": _judged(shown),
        "numbers": ["Before", "After"] if remediation.compares(shown) else ["Achieved", "Margin"],
        "rows": rows,
        "waivers": waivers,
        "not_checked": not_checked,
        "assumptions": assumptions,
        "density": next(density for density, room in DENSITIES.items() if rows.lines + taken <= room),
    }


def _identity(shown: Result) -> dict[str, object]:
    """Verdict, policy, file, attacker and unit: what has its place whatever the lists hold."""
    one_file = words.policy_file(shown.requirements)
    return {
        "status": shown.verdict,
        "symbol": words.SYMBOLS[shown.verdict],
        "headline": words.headline(shown),
        "policy": words.shortened(shown.policy.name, 48),
        "policy_file": words.shortened(one_file, 48) if one_file else None,
        "outputs": shown.outputs if is_of_outputs(shown) else (),
        "source": words.shortened(shown.data.source, 44) if shown.data else None,
        "description": shorten(shown.policy.description or "", 2 * COLUMN, placeholder=" …"),
        "why": _why(shown),
        "blank": words.blank(shown, 24),
        "attacker": _attacker(shown),
        "unit": words.shortened(words.unit(shown), 2 * COLUMN),
        "verify": words.shortened(shown.reproduce, 180) if shown.reproduce else None,
        "small_numbers": words.small_numbers(shown),
    }


def _why(shown: Result) -> str:
    """What the verdict rests on, in two lines where names need not be cut, or with cut names in three."""
    whole = words.why(shown)
    return whole if words.columns(whole) <= 2 * LINE else words.why(shown, 24)


def _attacker(shown: Result) -> str:
    if is_of_queries(shown):
        return queries.attacker(shown)
    return outputs.attacker(shown) if is_of_outputs(shown) else words.attacker(_short_names(shown))


def _short_names(shown: Result) -> Result:
    """The document with as many quasi-identifiers as three lines hold; the annexes have all."""
    classes = shown.classes
    if classes is None:
        return shown
    names = [words.shortened(name, 24) for name in classes.quasi_identifiers]
    ends = accumulate(words.columns(name) + 2 for name in names)
    fitting = sum(1 for end in ends if end <= 2 * COLUMN)
    if fitting < len(names):
        names = [*names[: fitting - 1], f"{len(names) - fitting + 1} more"]
    return replace(shown, classes=replace(classes, quasi_identifiers=tuple(names)))


def _rows(shown: Result, others: int) -> Excerpt:
    """The most urgent requirements, as many as fit beside the lines of other things.

    Why they are required is told as far as the print gets no smaller for it.
    """
    one_file = words.policy_file(shown.requirements)
    known = shown.classes.quasi_identifiers if shown.classes else None
    if remediation.compares(shown):
        pairs = remediation.pairs(shown)
        rows = [_row(pair.requirement, (pair.before, pair.after), one_file, known) for pair in pairs]
    else:
        ordered = words.by_urgency(shown.requirements)
        rows = [_row(r, (words.achieved(r), words.margin(r)), one_file, known) for r in ordered]
    short = [replace(row, because="") for row in rows]
    needed = others + sum(map(_height, short))
    room = next((room for room in DENSITIES.values() if needed <= room), 0) - needed
    for place, row in enumerate(rows):
        added = _height(row) - _height(short[place])
        if added <= room:
            room, short[place] = room - added, row
    return _fitting(short, [*map(_height, short)], LINES - others)


def _height(row: RequirementRow) -> int:
    return 1 + bool(row.model) - (-words.columns(row.because) // MODEL)


def _fitting(items: Sequence[object], heights: Sequence[int], lines: int) -> Excerpt:
    ends = [end for end in accumulate(heights) if end <= lines]
    return Excerpt(tuple(items[: len(ends)]), ends[-1] if ends else 0, len(items) - len(ends))


def _judged(shown: Result) -> str:
    """What the table of requirements compares."""
    if remediation.compares(shown):
        return f"the table had before and the {'masked table' if masking.is_one(shown) else 'release'} has after"
    other = "the outputs have" if is_of_outputs(shown) else "the file has"
    what = "the log has" if is_of_queries(shown) else other
    return f"{what}. The margin is negative on the wrong side of the bound"


def _done(shown: Result) -> list[tuple[str, str]]:
    """What was done to the table, or asked of it and told, or published."""
    if is_of_queries(shown):
        return _told(shown)
    if is_of_outputs(shown):
        return [
            ("The outputs", words.shortened(outputs.published(shown, 24), 4 * COLUMN - 8)),
            ("Found", words.shortened(outputs.found(shown), 3 * COLUMN - 8)),
            ("Counts", outputs.counted(shown)),
        ]
    if masking.is_one(shown):
        codes = words.shortened(masking.may_be_codes(shown), 3 * COLUMN - 8)
        return [
            ("Masked", words.shortened(masking.applied(shown), 3 * COLUMN - 8)),
            ("Cost", words.shortened(masking.cost(shown), 2 * COLUMN - 8)),
            *([("Codes taken for numbers", codes)] if codes else []),
        ]
    if not remediation.released(shown) or shown.solution is None:
        return []
    solution, rows = shown.solution, remediation.rows_before(shown)
    return [
        ("Made coarser", _coarser(solution)),
        (
            remediation.suppression(solution).capitalize(),
            f"{remediation.suppressed(solution, rows)}; {remediation.lost(solution)}",
        ),
    ]


def _told(shown: QueriesResult) -> list[tuple[str, str]]:
    """The log, and the first thing that its answers disclose."""
    told = queries.disclosed(shown)
    if shown.disclosures:
        proof = queries.proofs(shown, 1)[0]
        told += f": {proof.combination} {proof.gives} {proof.follows}"
    return [
        ("The log", words.shortened(f"{queries.log(shown)}; {queries.asked(shown)}", 3 * COLUMN - 8)),
        ("Disclosed", words.shortened(told, 4 * COLUMN - 8)),
    ]


def _coarser(solution: Solution) -> str:
    """As many of the quasi-identifiers that were made coarser as three lines hold; the annexes have all."""
    width = 3 * COLUMN - 8
    texts = (remediation.generalized(solution, most) for most in range(12, 0, -1))
    return words.shortened(next((text for text in texts if words.columns(text) <= width), next(texts, "")), width)


def _row(
    requirement: RequirementResult, numbers: tuple[str, str], one_file: str | None, known: Sequence[str] | None
) -> RequirementRow:
    place = requirement.location
    line = f"line {place.line}" if place and one_file else _place(place)
    return RequirementRow(
        name=words.shortened(requirement.id, NAME),
        model=words.shortened(_about(requirement, known), MODEL),
        because=shorten(requirement.because or "", BECAUSE, placeholder=" …"),
        required=words.shortened(words.required(requirement), 30),
        numbers=(words.shortened(numbers[0], 24), words.shortened(numbers[1], 20)),
        status=requirement.status,
        words=words.STATUSES[requirement.status],
        symbol=words.SYMBOLS[requirement.status],
        place=line,
    )


def _place(place: Location | None) -> str:
    return words.shortened(f"{place.file.rpartition('/')[2]}:{place.line}", 18) if place else "–"


def _about(requirement: RequirementResult, known: Sequence[str] | None) -> str:
    """The model, and on which columns, where the name or the attacker of the whole policy does not say so."""
    model, sensitive, grouping = requirement.model, requirement.sensitive, requirement.quasi_identifiers
    parts = [
        model if model not in requirement.id else "",
        f"on {sensitive}" if sensitive and sensitive not in requirement.id else "",
        f"knowing {words.known(requirement)}" if words.known(requirement) else "",
        f"knowing {words.listed(grouping, 3)}" if grouping and set(grouping) != set(known or ()) else "",
        words.listed([words.shortened(name, 20) for name in requirement.columns], 3),
    ]
    return " ".join(filter(None, parts))


def _waivers(requirements: Sequence[RequirementResult]) -> Excerpt:
    waived = [(words.shortened(r.id, NAME), r.waiver) for r in requirements if r.waiver]
    shown = [
        (name, replace(waiver, reason=words.shortened(waiver.reason, 90))) for name, waiver in waived[:MOST_WAIVERS]
    ]
    return Excerpt(tuple(shown), 2 * len(shown), len(waived) - len(shown))


UNSEEN = (
    "What no check of one table sees: other releases of the same people, knowledge beyond the quasi-identifiers, what "
    "can be inferred."
)
UNSEEN_OF = {
    "outputs": (
        "What no check of outputs sees: releases of the same people that no ledger names, knowledge that the policy "
        "does not name, what can be inferred."
    ),
    "queries": (
        "What no check of a query log sees: other logs and releases of the same people, knowledge that the policy does "
        "not name, what can be inferred."
    ),
}
"""By the command whose document has no classes."""


def _unchecked(shown: Result) -> list[str]:
    blocks = [f"The policy's block “{name}”." for name in shown.not_checked]
    unseen = UNSEEN if shown.classes else UNSEEN_OF.get(shown.command)
    return reasons(shown) + blocks + ([unseen] if unseen else [])


def _lines(texts: Sequence[str], lines: int) -> Excerpt:
    """The first texts that fit so many lines of their column, each cut to three lines."""
    short = [words.shortened(text, 3 * COLUMN - 8) for text in texts]
    return _fitting(short, [-(-words.columns(text) // COLUMN) for text in short], lines)
