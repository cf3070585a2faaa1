"""Who may see what: the one layer between a result and every renderer.

It reads the marks that `auditor.result` puts on each field, and nothing else about the document's shape. What it gives
is a `Redacted`: a value of the same classes, with `HIDDEN` where a number is not to be seen, and None where a cell is
not. In the JSON document both are null, and ``redacted`` lists the paths of the former.

* internal: everything;
* reviewer: cells (values, keys, records of the data) are null, and a place stands for a name that may be a value
  (`auditor.report.names`), and a digest that would confirm a guess of the data is null (`auditor.report._digests`);
* public: besides, a total from 1 to k − 1 is hidden, and so is every total from which such a number follows: its
  complement in the table, a share, a risk or an average of it, or a histogram bin that the others give away
  (`auditor.report._ladder`); of the hidden bins on one side of a bound nobody learns which they are
  (`auditor.report._bins`). A number of one class is hidden unless every group that it may tell of has k records, and 10
  in any case; an amount in the data's own unit, and a number of unknown kind, always are (`auditor.result.Kind`).
  Facts (status, bound) stay.

How long a run took in its stages is not for the public: it is of a machine, and differs from run to run.

Of the disclosures of a query audit, and of the violations of mining outputs, the public sees the first of each kind
(`auditor.report._exposure`).

Of masked columns before and after, the public sees counts as multiples of k, and none where one is small
(`auditor.report._distributions`).

Of a hiding run the public sees no threshold, which would tell where to look (`auditor.report._hiding_run`); of a sweep
no histogram in which a bin is small (`auditor.report._sweep`).

The audits before and after a remediation or a masking are documents of their own in it, each redacted as such; where
the records left out between them are too few to be told, so are all totals of the table before, because the difference
tells.

k is the largest number of people that a demand of the policy asks for, or 10 (the usual threshold of output checking)
where none does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from auditor.report import (
    _bins,
    _digests,
    _distributions,
    _excuses,
    _exposure,
    _hiding_run,
    _ladder,
    _losses,
    _sweep,
    names,
)
from auditor.report._parts import Field, Part, Record, changed, hidden_paths, is_part, marked
from auditor.result import (
    HIDDEN,
    SCHEMA_VERSION,
    Audience,
    Document,
    Kind,
    RequirementResult,
    Result,
    Verdict,
    Visibility,
    is_of_hiding,
    is_of_masking,
    is_of_outputs,
    is_of_queries,
    is_of_remediation,
    is_of_tradeoff,
    plain,
)

if TYPE_CHECKING:
    from auditor.result.masking import LinkedBy, Masking, MaskingResult
    from auditor.result.outputs import OutputsResult

DEFAULT_THRESHOLD = 10


Shown_co = TypeVar("Shown_co", bound="Part", covariant=True)
Kept = TypeVar("Kept", bound=Document)


@dataclass(frozen=True)
class Redacted(Generic[Shown_co]):
    """A result as an audience may see it."""

    result: Shown_co
    audience: Audience

    @cached_property
    def redacted(self) -> tuple[str, ...]:
        """The paths of what is hidden, in document order."""
        return hidden_paths(self.result)

    def to_dict(self) -> dict[str, object]:
        """The JSON document as plain values."""
        written = {"schema_version": SCHEMA_VERSION, "audience": self.audience.value, "redacted": [*self.redacted]}
        return {**written, **plain(self.result)}


def redact(result: Kept, audience: Audience, files: Mapping[str, str] | None = None) -> Redacted[Kept]:
    """`result` as `audience` may see it.

    `files` are the places of files of the release that it is of (`auditor.report.names`).
    """
    if audience is Audience.INTERNAL:
        return Redacted(result, audience)
    shown: Document = _digests.without_guessable(names.placed(result, files), audience)
    hidden: frozenset[str] = frozenset()
    if audience is Audience.PUBLIC:
        if is_of_queries(shown):
            shown = _exposure.first_of_each(_exposure.folded(shown, threshold(shown)))
        if is_of_outputs(shown):
            shown = _exposure.without_items(shown)
        shown = _without_hints(_excuses.without_texts(shown))
        hidden = _hidden(shown)
        shown, hidden = _without_sides(shown, hidden)
        if is_of_remediation(shown):
            shown = _losses.without_told(shown, hidden)
        if is_of_masking(shown):
            shown = _distributions.rounded(shown, _of_one(threshold(shown)))
    return Redacted(concealed(cast("Kept", shown), audience, hidden), audience)


def concealed(owner: Record, audience: Audience, hidden: AbstractSet[str], path: str = "") -> Record:
    """A part of a document, at `path`, with `HIDDEN` at the paths `hidden` and without cells."""

    def seen(field: Field, value: object) -> object:
        here = f"{path}{field.name}"
        if _is_concealed(field, audience):
            return None
        if here in hidden:
            return HIDDEN
        if isinstance(value, tuple):
            parts = [
                concealed(part, audience, hidden, f"{here}/{i}/") if is_part(part) else part
                for i, part in enumerate(value)
            ]
            return tuple(parts) if any(new is not old for new, old in zip(parts, value, strict=True)) else value
        return concealed(value, audience, hidden, f"{here}/") if is_part(value) else value

    return changed(owner, seen)


def _without_hints(result: Document) -> Document:
    """The document, and the audits in it, where no word and no bin tells a number that is hidden.

    Bins are wider where in which one a class lies tells a count; that the bound of a waiver is too wide is not said.
    """
    if not isinstance(result, Result):
        return result
    if result.classes is not None and result.verdict not in (Verdict.PASS, Verdict.WAIVED):
        # of a table that does not go out, nobody else sees that all of its people have something in common
        result = replace(result, classes=replace(result.classes, blank_columns=None))
    hidden = hidden_totals(result)
    result = _excuses.without_width(result, hidden)
    if is_of_queries(result) or is_of_outputs(result):
        return result
    requirements = _bins.widened(result.requirements, hidden)
    if not (is_of_remediation(result) or is_of_masking(result)):
        return replace(result, requirements=requirements)
    before, after = (audit and cast("Result", _without_hints(audit)) for audit in (result.before, result.after))
    return replace(result, requirements=requirements, before=before, after=after)


def _without_sides(result: Kept, hidden: frozenset[str], path: str = "") -> tuple[Kept, frozenset[str]]:
    """The document, and the audits in it, where no bin tells on which side of a bound that is broken a class lies."""
    if not isinstance(result, Result):
        return result, hidden
    requirements, gone = _bins.told(result.requirements, hidden, path)
    hidden -= gone
    if not (is_of_remediation(result) or is_of_masking(result)):
        return cast("Kept", replace(result, requirements=requirements)), hidden
    before, after = result.before, result.after
    if before is not None:
        before, hidden = _without_sides(before, hidden, f"{path}before/")
    if after is not None:
        after, hidden = _without_sides(after, hidden, f"{path}after/")
    return cast("Kept", replace(result, requirements=requirements, before=before, after=after)), hidden


def _hidden(result: Document) -> frozenset[str]:
    if is_of_tradeoff(result):
        return _sweep.hidden(result, result.policy.protection_threshold or DEFAULT_THRESHOLD)
    if is_of_hiding(result):
        return _hiding_run.hidden(result, DEFAULT_THRESHOLD)
    return hidden_totals(result)


def threshold(result: Result) -> int:
    """Give the k of the public audience: totals from 1 to k − 1 are hidden."""
    demanded = result.policy.protection_threshold
    return DEFAULT_THRESHOLD if demanded is None else demanded


def hidden_totals(result: Result) -> frozenset[str]:
    """The paths of all totals that the public may not see."""
    k = threshold(result)
    populations = _populations(result)
    small = {path for path, kind, value, owner in _totals(result) if _tells(kind, value, k, populations, owner)}
    paths = small | _ladder.derivable(result, k) | _of_patterns(result)
    if is_of_queries(result):
        numbers = {path: (kind, value) for path, kind, value, _ in _totals(result)}
        paths |= _exposure.derivable(result, numbers, paths, k)
    if is_of_masking(result):
        paths |= _masked(result, paths, k)
        if result.masking is not None:
            paths |= _pictured(result.masking, paths, k, populations)
    if is_of_outputs(result):
        paths |= _of_items(result) | _of_records(result, k)
    paths |= {*_excuses.derivable(result, lambda kind, number, of: _tells(kind, number, k, populations, of))}
    paths |= {f"{name}/{path}" for name, audit in _audits(result) for path in hidden_totals(audit)}
    return frozenset(paths | _echoes(result, paths) | _differences(result, paths))


def _of_patterns(result: Result) -> set[str]:
    """What is told of an attacker with bounded knowledge: of whatever size.

    Patterns overlap: whom three columns expose, and not two of them, is a number between two that are told. How many
    there are of some columns, less those of others, is how many values one has: all records but a few. Where some
    break a bound, no 0 is told: no pattern of 1, and some below 3, is one of 2.
    """
    paths: set[str] = set()
    broken = any(each.patterns is not None and each.patterns.below for each in result.requirements)
    for index, each in enumerate(result.requirements):
        if each.patterns is not None:
            told = {f"patterns/{name}": number for name, number in vars(each.patterns).items()}
            told |= {"achieved": each.achieved} if each.kind == Kind.SHARE else {}
            counts = {name: getattr(each, name) for name in ("classes_violating", "records_violating")}
            hidden = [name for name, number in told.items() if broken or number]
            hidden += [name for name, number in counts.items() if number]
            paths |= {f"requirements/{index}/{name}" for name in hidden}
    return paths


def _of_items(result: OutputsResult) -> set[str]:
    """How many records and items violate, of whatever size.

    The records of one suppressed cell are its count, and margins are public; that a count of 3 is a multiple of a base
    of 3, and one of 2 is not, is told by how many items are none. What a limit reached is the number of one item: with
    a margin it may tell a small one, unless the outputs pass and all items are published anyhow.
    """
    records = {
        f"requirements/{i}/records_violating" for i, each in enumerate(result.requirements) if each.records_violating
    }
    items = {f"outputs/{i}/violations_count" for i, each in enumerate(result.outputs) if each.violations_count}
    reached = {f"requirements/{i}/achieved" for i, each in enumerate(result.requirements) if each.achieved is not None}
    return records | items | (set() if result.verdict is Verdict.PASS else reached)


def _of_records(result: OutputsResult, k: int) -> set[str]:
    """How many records outputs that do not pass are of, where two are of nearly as many: a few lack a value of one."""
    found = {f"outputs/{i}/records": each.records for i, each in enumerate(result.outputs) if each.records is not None}
    close = any(0 < after - before < k for before, after in pairwise(sorted(found.values())))
    return set(found) if close and result.verdict is not Verdict.PASS else set()


def _audits(result: Result) -> list[tuple[str, Result]]:
    """The documents inside the document: the audits before and after a remediation or a masking."""
    if not (is_of_remediation(result) or is_of_masking(result)):
        return []
    return [(name, audit) for name, audit in (("before", result.before), ("after", result.after)) if audit is not None]


def _differences(result: Result, hidden: set[str]) -> set[str]:
    """What tells how many records were left out, where that is hidden: losses, and the sizes of the table before."""
    if not is_of_remediation(result):
        return set()
    losses = _losses.derivable(result, hidden)
    if "solution/suppressed_records" not in hidden or result.before is None:
        return losses
    return losses | {f"before/{path}" for path, _, _, _ in _totals(result.before)}


def _masked(result: MaskingResult, hidden: set[str], k: int) -> set[str]:
    """The figures of a masking from which one that is hidden follows: sums, the highest, and shares one by one."""
    figures, populations = result.protection, _populations(result)
    if figures is None:
        return set()
    place = "protection"
    found = set()
    for i, linked in enumerate(figures.linkage):
        found |= _linked(linked, f"{place}/linkage/{i}", hidden, k, populations)
    if found:
        found.add(f"{place}/linkage_risk")
    found |= {f"{place}/information_loss/{name}" for name in _losses_of_few(result, k)}
    if found or hidden & {f"{place}/interval_disclosure", f"{place}/linkage_risk", f"{place}/disclosure_risk"}:
        found |= {f"{place}/disclosure_risk", f"{place}/score"}
    return found


def _linked(linked: LinkedBy, place: str, hidden: set[str], k: int, populations: tuple[int, ...]) -> set[str]:
    """What is hidden of a linkage: all of it where one of its rates, or their mean, tells of few."""
    small = any(_reveals(Kind.PERCENT, rate, k, populations) for rate in linked.rates or ())
    return {f"{place}/percent", f"{place}/rates"} if small or f"{place}/percent" in hidden else set()


def _pictured(masking: Masking, hidden: set[str], k: int, populations: tuple[int, ...]) -> set[str]:
    """What is hidden of the columns before and after, and of those that may be codes."""
    others = masking.codes.others if masking.codes else None
    found = set() if others is None else _linked(others, "masking/codes/others", hidden, k, populations)
    return found | _distributions.hidden(masking, hidden, _of_one(k))


def _losses_of_few(result: MaskingResult, k: int) -> list[str]:
    """The losses that were measured, where they are of the values of fewer than k records: all others kept theirs."""
    figures, masking = result.protection, result.masking
    if figures is None or figures.information_loss is None or masking is None:
        return []
    changed = [each.changed for each in masking.columns if each.name in figures.numbers]
    if not any(0 < count < k for count in changed):
        return []
    return [name for name, value in vars(figures.information_loss).items() if value is not None]


def _populations(result: Result) -> tuple[int, ...]:
    if result.data is None:
        return ()
    return tuple(n for n in (result.data.rows, result.data.units) if n)


def _tells(kind: Kind | None, value: float, k: int, populations: tuple[int, ...], owner: object) -> bool:
    """Whether the public may not see a number: it reveals a small count, or nobody knows what it reveals.

    A number of one class is made of the counts in it, so it is public only where none of them is small: below k, or
    below the usual threshold, because it tells of one group of people exactly whatever the policy lets be counted. So
    is what a requirement finds lost, of the values that were changed.
    """
    if kind is None or kind is Kind.AMOUNT:
        return True
    of_one = _of_one(k)
    if kind is Kind.OF_CLASS or (kind is Kind.LOSS and isinstance(owner, RequirementResult)):
        smallest = getattr(owner, "smallest_group", None)
        return not math.isinf(value) and (smallest is None or smallest < of_one)
    return _reveals(kind, value, of_one if kind is Kind.RISK else k, populations)


def _of_one(k: int) -> int:
    """How many people a group has at least of which a number may be told."""
    return max(k, DEFAULT_THRESHOLD)


def _reveals(kind: Kind, value: float, k: int, populations: tuple[int, ...]) -> bool:
    """Whether a total is, or gives away, a count below k: in itself, or as what it leaves of the table."""
    if value <= 0 or math.isinf(value):
        return False
    counts = [round(count, 6) for count in _counts(kind, value, populations)]
    return any(0 < count < k or any(0 < n - count < k for n in populations) for count in counts)


def _counts(kind: Kind, value: float, populations: tuple[int, ...]) -> list[float]:
    """List the counts that a reader of this total can compute."""
    if kind in (Kind.LOSS, Kind.DERIVED, Kind.QUERIES):
        return []
    if kind is Kind.RISK:
        return [1 / value]
    if kind is Kind.PERCENT:
        return [value / 100 * n for n in populations]
    if kind is Kind.SHARE:
        return [*([value] if value >= 1 else []), *(value * n for n in populations)]
    return [value, *(n / value for n in populations)] if kind is Kind.AVERAGE else [value]


def _echoes(result: Result, hidden: set[str]) -> set[str]:
    """Findings repeat a requirement's count, so they are hidden with it."""
    ids = {r.id for i, r in enumerate(result.requirements) if f"requirements/{i}/records_violating" in hidden}
    return {f"findings/{i}/records_count" for i, f in enumerate(result.findings) if f.requirement in ids}


def _totals(result: Result) -> Iterator[tuple[str, Kind | None, float, object]]:
    """Every number of the document itself, without the audits inside it."""
    audits = tuple(f"{name}/" for name, _ in _audits(result))
    for path, field, value, owner in marked(result):
        if path.startswith(audits):
            continue
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if field.metadata["visibility"] is Visibility.TOTAL and number:
            yield path, _kind(field, owner), cast("float", value), owner


def _kind(field: Field, owner: object) -> Kind | None:
    """What a number is: as its field is marked, or as its owner says; None where nobody knows."""
    kind: Kind | None = field.metadata["kind"]
    said = getattr(owner, "kind", None)
    return kind or (Kind(said) if said in set(Kind) else None)


def _is_concealed(field: Field, audience: Audience) -> bool:
    visibility = field.metadata["visibility"]
    if visibility is Visibility.RUN:
        return audience is Audience.PUBLIC
    return visibility is Visibility.CELL and audience is not Audience.INTERNAL
