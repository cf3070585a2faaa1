"""The words of a remediation: what was changed, at which cost, and how it was found, read from a redacted document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from auditor.report import words
from auditor.report.page import URGENCY
from auditor.result import RequirementResult, Result, is_hidden, is_of_masking, is_of_remediation

if TYPE_CHECKING:
    from auditor.result.masking import MaskingResult
    from auditor.result.remediation import (
        AlternativeRelease,
        CoarserLadder,
        LadderChoice,
        Obstacle,
        RemediationResult,
        Solution,
    )

METRICS = {
    "height": "Steps climbed on all ladders together; 0 leaves every value as it was.",
    "precision": "How far up their ladders the values were moved, on average: 0 is not at all, 1 is to the top.",
    "loss": "How much detail the values lost, on average: 0 is none, 1 is all of it.",
    "discernibility": (
        "For each record the number of records that look like it, added up; a suppressed record counts as the whole "
        "table. The smaller the sum, the more the records still differ."
    ),
    "discernibility-star": "The same, but a suppressed record counts as the class that it would have been in.",
    "average-class-size": "How many records share one combination of values, on average.",
    "non-uniform-entropy": "How many bits of information the values lost, over all records.",
}
"""Each loss metric in one plain sentence."""


SEARCHES = {
    "mondrian": "split the records into groups, each time along the column in which a group was widest",
    "constrained-local": "divided the table into regions and chose one level for every column in each region",
    "mage": "grouped the records by categories and divided these groups by numbers, which are released as means",
    "mdav": "grouped records with similar numbers, which are released as means",
    "kaca": "merged the combinations of values that do not meet the policy, each with its nearest neighbour",
}
"""What each search for groups did, in words."""


@dataclass(frozen=True)
class BeforeAndAfter:
    """A requirement before and after: what was achieved, and what became of it in the end."""

    requirement: RequirementResult
    before: str
    after: str
    status: str
    words: str


@dataclass(frozen=True)
class AlternativeRow:
    """One way to a release, as the tables have it."""

    taken: bool
    loss: str
    suppressed: str
    blank: str
    lines: tuple[str, ...]
    reason: str


ALTERNATIVE_COLUMNS = ("Loss", "Suppressed", "Blank columns", "To paste into the policy")


def is_one(document: Result) -> TypeGuard[RemediationResult]:
    """Whether a document tells of a remediation."""
    return is_of_remediation(document) and document.before is not None


def compares(document: Result) -> TypeGuard[RemediationResult | MaskingResult]:
    """Whether there is a release, or a masked table, to be compared with the table before."""
    if not (is_of_remediation(document) or is_of_masking(document)):
        return False
    return document.before is not None and document.after is not None


def released(document: Result) -> TypeGuard[RemediationResult]:
    """Whether a remediation found a release."""
    return is_one(document) and compares(document)


def pairs(document: RemediationResult | MaskingResult) -> list[BeforeAndAfter]:
    """Every requirement of a document that compares, before and after, the most urgent first."""
    before, after = (
        {each.id: each for each in (audit.requirements if audit else ())} for audit in (document.before, document.after)
    )
    found = [_pair({**before, **after}[id_], before.get(id_), after.get(id_)) for id_ in {**after, **before}]
    return sorted(found, key=lambda pair: URGENCY.index(pair.status))


def _pair(last: RequirementResult, before: RequirementResult | None, after: RequirementResult | None) -> BeforeAndAfter:
    return BeforeAndAfter(
        requirement=last,
        before="–" if before is None else _was(before),
        after="–" if after is None else words.achieved(after),
        status=last.status,
        words=words.STATUSES[last.status],
    )


def _was(requirement: RequirementResult) -> str:
    """What the table had before, and that it did not do where it did not."""
    achieved, status = words.achieved(requirement), requirement.status
    return achieved if status == "pass" else f"{achieved}, {words.STATUSES[status]}".removeprefix("–, ")


def suppression(solution: Solution) -> str:
    """What became of suppressed records: they are left out, or stay with every quasi-identifier as ``*``."""
    return "made *" if solution.suppress == "star" else "left out"


def suppressed(solution: Solution, rows: int | None) -> str:
    """How many records were suppressed, and which share of the table that is."""
    count = solution.suppressed_records
    if count == 0:
        return f"none of {words.number(rows)} records"
    share = f" ({words.percent(count / rows)})" if isinstance(count, int) and isinstance(rows, int) else ""
    return f"{words.number(count)} of {words.number(rows)} records{share}"


def by_groups(solution: Solution) -> bool:
    """Whether records were put into groups, each made coarser on its own, so that columns have no levels."""
    return solution.levels is None


def generalized(solution: Solution, most: int = 12) -> str:
    """Which quasi-identifiers were made coarser, and which were not."""
    if by_groups(solution):
        return f"the records of each of {words.number(solution.groups)} groups, on its own"
    ladders = solution.ladders
    climbed = [each for each in ladders if each.level]
    coarser = [
        f"{each.attribute} ({'' if i else 'level '}{each.level} of {each.height})" for i, each in enumerate(climbed)
    ]
    same = [each.attribute for each in ladders if not each.level]
    if not coarser:
        return "nothing: every value stays as it was"
    return words.listed(coarser, most) + (f"; as before: {words.listed(same, most)}" if same else "")


def reads_like(ladder: LadderChoice) -> str:
    """What a value of the release looks like, by an example of the ladder."""
    if not ladder.level:
        return "as it was"
    label = ladder.labels[0] if ladder.labels else None
    if label == "*" or (label is not None and set(label) == {"*"}):
        return f"{label} (nothing of the value is left)"
    return f"such as {label}" if label is not None else "see the policy"


def coarser(ladder: LadderChoice) -> str:
    """What the levels above the chosen one look like, by the same example."""
    above = ladder.labels if not ladder.level else ladder.labels[1:]
    return ", then ".join("as it was" if label is None else label for label in above) or "nothing coarser"


def node(levels: Mapping[str, int]) -> str:
    """A node in words: the levels that are above 0."""
    climbed = [f"{name} {level}" for name, level in levels.items() if level]
    if not climbed:
        return "every value as it was"
    same = [name for name, level in levels.items() if not level]
    return f"levels {', '.join(climbed)}" + (f"; as before: {words.listed(same)}" if same else "")


def losses(solution: Solution) -> list[tuple[str, str, str]]:
    """Each metric's name, its value at the chosen node, and what it means; nothing where they are hidden."""
    if is_hidden(solution.losses):
        return []
    told = ((name, value) for name, value in solution.losses.items() if value is not None)
    return [(name, words.number(value), METRICS.get(name, "")) for name, value in told]


def aim(solution: Solution) -> str:
    """What the search looked for."""
    if by_groups(solution):
        return f"a small {objective(solution)}"
    return f"the least {objective(solution)}"


def objective(solution: Solution) -> str:
    """What the search minimized, where it did."""
    if solution.search == "samarati":
        return "height"
    return words.listed([solution.objective] if isinstance(solution.objective, str) else solution.objective)


def _least(solution: Solution) -> float | None:
    """The value that was minimized; samarati's height is a sum of levels."""
    return sum((solution.levels or {}).values()) if solution.search == "samarati" else solution.loss


def lost(solution: Solution) -> str:
    """How much the release lost of what the search minimized."""
    least = "the least that meets the policy" if solution.proved_optimal else "the least that was found"
    if by_groups(solution):
        least = f"by search: {solution.search}"
    return f"{objective(solution)} {words.number(_least(solution))}, {least}"


def found(solution: Solution) -> list[str]:
    """How the generalization was found, in a few sentences."""
    if by_groups(solution):
        did = SEARCHES.get(solution.search, "put the records into groups")
        lost = f"The release has {objective(solution)} {words.number(solution.loss)}"
        return [
            f"The search ({solution.search}) {did}; {words.number(solution.groups)} groups are released.",
            f"{lost}; nothing proves that no other release has less.",
        ]
    sentences = [*_decided(solution), _choice(solution)]
    if solution.never_tried:
        sentences.append(not_searched(solution.never_tried))
    if not solution.proved_optimal:
        bound = solution.loss_bound
        limit = "" if bound is None else f", but none that loses less than {words.number(bound)}"
        ended = "Not every way was decided" if solution.never_tried else "The search ended before every way was decided"
        sentences.append(f"{ended}, so one that loses less may exist{limit}.")
    return sentences


def untried(levels: Mapping[str, Sequence[int]]) -> str:
    """The levels, by quasi-identifier, that were never tried."""
    return words.listed(
        [
            f"level{'s' if len(own) > 1 else ''} {words.listed([str(level) for level in own])} of {name}"
            for name, own in levels.items()
        ]
    )


def not_searched(levels: Mapping[str, Sequence[int]]) -> str:
    """What the search left out, because the class table of finer values did not fit the memory limit."""
    return f"Never tried, because the class table was too large for the memory limit: {untried(levels)}."


def _choice(solution: Solution) -> str:
    """Which of the ways that meet the policy was chosen."""
    ties = len(solution.ties or ())
    one = "One way has the least" if ties == 1 else f"{words.number(ties)} share the least"
    of_those = "" if solution.proved_optimal else " of those found"
    value = f"{objective(solution)}{of_those} ({words.number(_least(solution))})"
    return f"{one} {value}; {'it' if ties == 1 else 'the first of them'} was chosen."


def _decided(solution: Solution) -> list[str]:
    """How many ways to generalize there are, how many meet the policy, and how many of those are minimal."""
    lattice, minimal = solution.lattice, solution.minimal_generalizations
    if lattice is None:
        return []
    ways = words.counted(lattice.nodes, "way") + " to generalize"
    ways += " at the levels that were tried" if solution.never_tried else ""
    looked = f"{words.counted(lattice.evaluated, 'was', 'were')} examined one by one"
    if lattice.solving is None:
        return [f"There are {ways}; {looked}, and not all of the others were decided."]
    least = "" if minimal is None else f", {words.number(len(minimal))} of them minimal: nothing finer meets it"
    sentences = [f"Of {ways}, {words.counted(lattice.solving, 'meets', 'meet')} the policy{least}."]
    if lattice.evaluated < lattice.nodes:
        sentences.append(f"{looked}; the others follow from these.")
    return sentences


def facts(document: RemediationResult) -> list[tuple[str, str]]:
    """What was done, as pairs of a short name and a text; nothing where nothing was found."""
    before, solution = document.before and document.before.data, document.solution
    source = before.source if before else "–"
    if solution is None:
        return [("table", source)]
    rows = rows_before(document)
    return [
        ("table", f"{source}, {words.number(rows)} rows"),
        ("coarser", generalized(solution)),
        (suppression(solution), suppressed(solution, rows)),
        ("lost", lost(solution)),
    ]


def rows_before(document: RemediationResult) -> int | None:
    """The rows of the table before."""
    data = document.before and document.before.data
    return data.rows if data else None


def alternatives(document: Result) -> list[AlternativeRow]:
    """The ways to a release that were tried; where nothing meets the policy, those alone that would."""
    found = document.alternatives or () if is_of_remediation(document) else ()
    if is_of_remediation(document) and document.solution is None:
        found = tuple(each for each in found if each.verdict in ("pass", "waived"))
    return [
        AlternativeRow(
            taken=each.taken,
            loss=words.number(each.loss),
            suppressed=words.number(each.suppressed_records),
            blank="–" if each.blank_columns is None else words.number(len(each.blank_columns)),
            lines=tuple(each.lines.splitlines()),
            reason=each.reason or "",
        )
        for each in found
    ]


def way(alternative: AlternativeRelease) -> str:
    """One way in a line: what its release loses, and what to paste for it."""
    blank = len(alternative.blank_columns or ())
    suppressed = words.counted(alternative.suppressed_records or 0, "record")
    lost = f"loss {words.number(alternative.loss)}, {suppressed} suppressed, {words.counted(blank, 'blank column')}"
    return f"{lost}: {'; '.join(alternative.lines.splitlines())}"


def left_open(document: Result) -> str:
    """What stands above the table of alternatives."""
    if is_of_remediation(document) and document.solution is None:
        return "Each of these meets the policy; it was searched, made and audited."
    taken = [each.taken for each in alternatives(document)]
    own = "its default was taken" if taken[:1] == [True] else "another way than its default was chosen"
    open_ = "The policy leaves open how to search, or what may be suppressed"
    return f"{open_}; {own}. Each that has a loss was made and audited."


def lacking(document: RemediationResult) -> list[str]:
    """What stands in the way of any release, and what would be enough."""
    shortfall = document.shortfall
    if shortfall is None:
        return []
    sentences = [_obstacle(obstacle) for obstacle in shortfall.obstacles]
    if not sentences:
        sentences = ["Each requirement can be met alone; together they cannot."]
    if shortfall.nearest is not None:
        looked = "" if shortfall.exhaustive else ", of those looked at"
        enough = f"{words.number(shortfall.suppression_needed)} records would have to be suppressed there"
        sentences.append(f"The nearest release{looked}: {node(shortfall.nearest)}; {enough}.")
    if shortfall.never_tried:
        sentences.append(not_searched(shortfall.never_tried))
    return [*sentences, *_coarser_ladders(shortfall.coarser_ladders)]


def _coarser_ladders(ladders: Sequence[CoarserLadder]) -> list[str]:
    """Which of the ladders that end in several values would only have to be coarser, and which do not help alone."""
    sentences = []
    enough = [each.attribute for each in ladders if each.enough]
    short = [each.attribute for each in ladders if each.enough is False]
    if enough:
        which = f"{'any one of ' if len(enough) > 1 else ''}{words.listed(enough)}"
        sentences.append(
            f"A coarser ladder would be enough: the policy could be met with a single value for {which}, "
            "everything else at its coarsest."
        )
    if short:
        which = f"{'any one of ' if len(short) > 1 else ''}{words.listed(short)}"
        sentences.append(f"A coarser ladder alone would not be enough for {which}, not even one up to a single value.")
    return sentences


def _obstacle(obstacle: Obstacle) -> str:
    bound = obstacle.bound
    if obstacle.columns:
        columns = words.listed(obstacle.columns)
        return f"{obstacle.requirement}: {columns} would not comply at any level that may be searched."
    achieved = words.number(obstacle.achieved, bound)
    if obstacle.of_release:
        reached = f"the release that was found reaches {achieved} ({words.number(bound)} required)"
        return f"{obstacle.requirement}: {reached}; no other release was tried."
    if obstacle.enough is not None and isinstance(obstacle.achieved, int | float):
        achieved = f"the smallest group still has {words.counted(int(obstacle.achieved), 'record')}"
    else:
        achieved = f"the number is still {achieved}"
    ways = []
    if obstacle.to_suppress is not None:
        ways.append(f"{words.number(obstacle.to_suppress)} records would have to be suppressed")
    if obstacle.enough is not None:
        ways.append(f"the largest k that can be met is {words.number(obstacle.enough)}")
    outcome = words.listed(ways) if ways else "no suppression helps"
    return f"{obstacle.requirement}: at the coarsest levels {achieved} ({words.number(bound)} required); {outcome}."
