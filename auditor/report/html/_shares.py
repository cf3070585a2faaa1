"""The picture of page one: one bar for each table, log or output, cut into what stands out and what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from auditor.report import outputs, queries, remediation, words
from auditor.report.redact import threshold
from auditor.result import Result, is_hidden, is_of_masking, is_of_outputs, is_of_queries
from auditor.result.outputs import OutputResult, OutputsResult
from auditor.result.queries import QueriesResult

WIDTH, HEIGHT = 440, 18
MOST_BARS = 4
_DECIDED = {"answered": "right", "denied": "few", "not evaluated": "empty", "failed": "empty"}
_STATUSES = {
    "unsafe": ("not allowed", "wrong"),
    "recoverable": ("suppressed, but can be computed", "few"),
    "suppressed": ("suppressed", "empty"),
    "safe": ("allowed", "right"),
}


@dataclass(frozen=True)
class Part:
    """A part of a bar: where it begins and how long it is in the drawing, and its number in words."""

    look: str
    begin: float
    length: float
    text: str


@dataclass(frozen=True)
class ShareBar:
    """A bar: what it is of, and its parts; none where the audience may not see one of its numbers."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Shares:
    """Bars that are cut alike, what the cuts are called, and what follows in a sentence."""

    title: str
    sentence: str
    cuts: tuple[str, ...]
    bars: tuple[ShareBar, ...]


def shares(shown: Result) -> Shares | None:
    """The picture of a document; None where it has no bar, since the numbers are unknown or hidden."""
    if is_of_queries(shown):
        found = _of_queries(shown)
    else:
        found = _of_outputs(shown) if is_of_outputs(shown) else _of_records(shown)
    return found if found is not None and any(part.length for bar in found.bars for part in bar.parts) else None


def _of_records(shown: Result) -> Shares | None:
    """Records that are alone in their class, in one below k, and in others; before and after, where there is both."""
    masked = {each.name for each in shown.masking.columns} if is_of_masking(shown) and shown.masking else set()
    if shown.classes is not None and masked & set(shown.classes.quasi_identifiers):
        return None  # what the attacker knows is not what stands there; the annex says who is found
    tables = {"Before": shown.before, "After": shown} if remediation.compares(shown) else {"The file": shown}
    k = max(2, (shown.classes and shown.classes.required) or threshold(shown))
    counted = {name: _by_size(table, k) for name, table in tables.items() if table is not None}
    known = {name: numbers for name, numbers in counted.items() if numbers is not None}
    if not known:
        return None
    cuts = {
        "Like no other": "wrong",
        **({f"Like fewer than {words.number(k - 1)} others": "few"} if k > 2 else {}),
        f"Like {words.counted(k - 1, 'other')} or more": "right",
    }
    told = "in what the attacker knows" if words.events_known(shown) < 2 else "in what one record of a person tells"
    bars = (_bar(name, numbers, tuple(cuts.values())) for name, numbers in known.items())
    return Shares("Who stands out", _standing_out(list(known.values())[-1], k, told), tuple(cuts), tuple(bars))


def _by_size(table: Result, k: int) -> list[int | None] | None:
    """How many records are alone, in a class of 2 to k − 1 (for k > 2), in a larger one; None for what is hidden.

    Nothing where sizes are not told by k: an older document has bins of another one.
    """
    classes = table.classes
    if classes is None or k not in {each.low for each in classes.sizes}:
        return None
    found: dict[int, list[object]] = {low: [] for low in sorted({1, 2, k})}
    for each in classes.sizes:
        found[max(low for low in found if low <= each.low)].append(each.records)
    return [
        None if any(map(is_hidden, part)) else sum(n for n in part if isinstance(n, int)) for part in found.values()
    ]


def _standing_out(numbers: Sequence[int | None], k: int, told: str) -> str:
    """What the last bar says, in a sentence; `told` is in what records are alike."""
    *below, _ = numbers
    if None in numbers:
        return "Some of these numbers are hidden from this audience."
    if not any(below):
        return f"Nobody: {told}, each record is like at least {words.counted(k - 1, 'other')}."
    known = [number or 0 for number in numbers]
    standing, like = (known[0], "no other") if known[0] else (known[1], f"fewer than {words.number(k - 1)} others")
    return f"{words.percent(standing / sum(known))} of the records are like {like} {told}."


def _of_queries(shown: QueriesResult) -> Shares | None:
    """Records about which something follows from what was answered; where that is not counted, what was answered."""
    exposed, people = shown.exposed_count, shown.data.rows if shown.data else None
    if exposed is None or people is None:
        counts = Counter(map(queries.became, shown.queries))
        outcomes = [outcome for outcome in queries.OUTCOMES if counts[outcome]]
        cuts = {outcome.capitalize(): _DECIDED[outcome] for outcome in outcomes}
        bar = _bar("The queries", [counts[each] for each in outcomes], tuple(cuts.values()))
    else:
        cuts = {"A protected value follows": "wrong", "None follows": "right"}
        hidden = is_hidden(exposed) or is_hidden(people)
        bar = _bar("The records", [None] * 2 if hidden else [exposed, people - exposed], tuple(cuts.values()))
    return Shares("Who is disclosed", f"{_begun(queries.disclosed(shown))}.", tuple(cuts), (bar,)) if cuts else None


def _of_outputs(shown: OutputsResult) -> Shares | None:
    """What of each output is allowed, where all of it is known."""
    if any(each.status == "not-evaluated" for each in shown.requirements):
        return None
    counts = {each.file: _by_status(each) for each in shown.outputs}
    known = {name: count for name, count in counts.items() if count}
    if not known or len(known) < len(shown.outputs) or len(known) > MOST_BARS:
        return None
    kinds = [status for status in _STATUSES if any(count[status] for count in known.values())]
    looks = [_STATUSES[status][1] for status in kinds]
    bars = (
        _bar(words.shortened(name, 24), [count[status] for status in kinds], looks) for name, count in known.items()
    )
    cuts = tuple(_STATUSES[status][0].capitalize() for status in kinds)
    return Shares("What is published", f"{_begun(outputs.found(shown))}.", cuts, tuple(bars))


def _by_status(output: OutputResult) -> Counter[str]:
    """How many items have each status; none where not all is known.

    Of more than are drawn the worst are, so that where an allowed one is, all others are allowed. A lattice draws
    one channel of several.
    """
    picture = output.picture
    found = Counter(item.status for item in picture.items) if picture else Counter()
    if picture is None or not picture.left_out:
        return found
    if not found["safe"] or picture.kind == "lattice":
        return Counter()
    return found + Counter(safe=picture.left_out)


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _bar(name: str, numbers: Sequence[int | None], looks: Sequence[str]) -> ShareBar:
    whole = sum(number or 0 for number in numbers)
    if None in numbers or not whole:
        hidden = ("hidden" if number is None else words.number(number) for number in numbers)
        return ShareBar(name, tuple(Part(look, 0, 0, text) for look, text in zip(looks, hidden, strict=True)))
    return ShareBar(name, tuple(_parts([number or 0 for number in numbers], whole, looks)))


def _parts(numbers: Sequence[int], whole: int, looks: Sequence[str]) -> Iterator[Part]:
    ends = [WIDTH * end / whole for end in accumulate(numbers)]
    for number, begin, end, look in zip(numbers, [0.0, *ends], ends, looks, strict=False):
        yield Part(look, round(begin, 2), round(end - begin, 2), words.of_all(number, whole))
