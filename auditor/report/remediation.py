"""The words of a remediation: what was changed, at which cost, and how it was found, read from a redacted document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.report import words
from auditor.report.page import URGENCY

METRICS = {
    "height": "Steps climbed on all ladders together; 0 leaves every value as it was.",
    "precision": "How far up their ladders the values were moved, on average: 0 is not at all, 1 is to the top.",
    "loss": "How much detail the values lost, on average: 0 is none, 1 is all of it.",
    "discernibility": (
        "For each record the number of records that look like it, added up; a suppressed record counts as the whole "
        "table. The smaller, the more the records still differ."
    ),
    "discernibility-star": "The same, but a suppressed record counts as the class that it would have been in.",
    "average-class-size": "How many records share one combination of values, on average.",
    "non-uniform-entropy": "How many bits of what the values told are gone, over all records.",
}
"""Each loss metric in one plain sentence."""


SEARCHES = {
    "mondrian": "split the records into groups, each time along the column in which a group was widest",
    "constrained-local": "parted the table into regions and chose in each one level for every column",
    "mage": "put the categories into classes and divided those by their numbers, which are released as means",
    "mdav": "put records with numbers close to each other into groups, which are released as means",
    "kaca": "merged the combinations of values that do not meet the policy, each with the one at the least distance",
}
"""What each search for groups did, in words."""


@dataclass(frozen=True)
class Pair:
    """A requirement before and after: what was achieved, and what became of it in the end."""

    requirement: Mapping[str, Any]
    before: str
    after: str
    status: str
    words: str


def is_one(document: Mapping[str, Any]) -> bool:
    """Whether a document tells of a remediation."""
    return bool(document.get("before")) and "solution" in document


def compares(document: Mapping[str, Any]) -> bool:
    """Whether there is a release, or a masked table, to be compared with the table before."""
    return bool(document.get("before")) and document["after"] is not None


def released(document: Mapping[str, Any]) -> bool:
    """Whether a remediation found a release."""
    return is_one(document) and compares(document)


def pairs(document: Mapping[str, Any]) -> list[Pair]:
    """Every requirement of a document that compares, before and after, the most urgent first."""
    before = {requirement["id"]: requirement for requirement in document["before"]["requirements"]}
    after = {requirement["id"]: requirement for requirement in document["after"]["requirements"]}
    found = [_pair(before.get(id_), after.get(id_)) for id_ in {**after, **before}]
    return sorted(found, key=lambda pair: URGENCY.index(pair.status))


def _pair(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Pair:
    last = after or before or {}
    return Pair(
        requirement=last,
        before="–" if before is None else _was(before),
        after="–" if after is None else words.achieved(after),
        status=last["status"],
        words=words.STATUSES[last["status"]],
    )


def _was(requirement: Mapping[str, Any]) -> str:
    """What the table had before, and that it did not do where it did not."""
    achieved, status = words.achieved(requirement), requirement["status"]
    return achieved if status == "pass" else f"{achieved}, {words.STATUSES[status]}".removeprefix("–, ")


def suppression(document: Mapping[str, Any]) -> str:
    """What became of suppressed records: they are left out, or stay with every quasi-identifier as ``*``."""
    return "made *" if document["solution"]["suppress"] == "star" else "left out"


def suppressed(document: Mapping[str, Any]) -> str:
    """How many records were suppressed, and which share of the table that is."""
    count, rows = document["solution"]["suppressed_records"], document["before"]["data"]["rows"]
    if count == 0:
        return f"none of {words.number(rows)} records"
    known = isinstance(count, int) and isinstance(rows, int)
    share = f" ({words.percent(count / rows)})" if known else ""
    return f"{words.number(count)} of {words.number(rows)} records{share}"


def by_groups(solution: Mapping[str, Any]) -> bool:
    """Whether records were put into groups, each made coarser on its own, so that columns have no levels."""
    return solution["levels"] is None


def generalized(document: Mapping[str, Any], most: int = 12) -> str:
    """Which quasi-identifiers were made coarser, and which were not."""
    if by_groups(document["solution"]):
        return f"the records of each of {words.number(document['solution']['groups'])} groups, on its own"
    ladders = document["solution"]["ladders"]
    climbed = [each for each in ladders if each["level"]]
    coarser = [
        f"{each['attribute']} ({'' if i else 'level '}{each['level']} of {each['height']})"
        for i, each in enumerate(climbed)
    ]
    same = [each["attribute"] for each in ladders if not each["level"]]
    if not coarser:
        return "nothing: every value stays as it was"
    return words.listed(coarser, most) + (f"; as before: {words.listed(same, most)}" if same else "")


def reads_like(ladder: Mapping[str, Any]) -> str:
    """What a value of the release looks like, by an example of the ladder."""
    if not ladder["level"]:
        return "as it was"
    label = ladder["labels"][0] if ladder["labels"] else None
    if label == "*" or (label is not None and set(label) == {"*"}):
        return f"{label} (nothing of the value is left)"
    return f"such as {label}" if label is not None else "see the policy"


def coarser(ladder: Mapping[str, Any]) -> str:
    """What the levels above the chosen one look like, by the same example."""
    above = ladder["labels"] if not ladder["level"] else ladder["labels"][1:]
    return ", then ".join("as it was" if label is None else label for label in above) or "nothing coarser"


def node(levels: Mapping[str, int]) -> str:
    """A node in words: the levels that are above 0."""
    climbed = [f"{name} {level}" for name, level in levels.items() if level]
    if not climbed:
        return "every value as it was"
    same = [name for name, level in levels.items() if not level]
    return f"levels {', '.join(climbed)}" + (f"; as before: {words.listed(same)}" if same else "")


def losses(document: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each metric's name, its value at the chosen node, and what it means; nothing where they are hidden."""
    values = document["solution"]["losses"]
    if not isinstance(values, Mapping):
        return []
    return [(name, words.number(value), METRICS.get(name, "")) for name, value in values.items() if value is not None]


def aim(solution: Mapping[str, Any]) -> str:
    """What the search looked for."""
    if by_groups(solution):
        return f"a small {objective(solution)}"
    return f"the least {objective(solution)}"


def objective(solution: Mapping[str, Any]) -> str:
    """What the search minimized, where it did."""
    if solution["search"] == "samarati":
        return "height"
    return words.listed([solution["objective"]] if isinstance(solution["objective"], str) else solution["objective"])


def _least(solution: Mapping[str, Any]) -> Any:
    """The value that was minimized; samarati's height is a sum of levels."""
    return sum(solution["levels"].values()) if solution["search"] == "samarati" else solution["loss"]


def lost(document: Mapping[str, Any]) -> str:
    """How much the release lost of what the search minimized."""
    solution = document["solution"]
    least = "the least that meets the policy" if solution["proved_optimal"] else "the least that was found"
    if by_groups(solution):
        least = f"by search: {solution['search']}"
    return f"{objective(solution)} {words.number(_least(solution))}, {least}"


def found(document: Mapping[str, Any]) -> list[str]:
    """How the generalization was found, in a few sentences."""
    solution = document["solution"]
    if by_groups(solution):
        did = SEARCHES.get(solution["search"], "put the records into groups")
        lost = f"The release has {objective(solution)} {words.number(solution['loss'])}"
        return [
            f"The search ({solution['search']}) {did}; {words.number(solution['groups'])} groups are released.",
            f"{lost}; nothing proves that no other release has less.",
        ]
    sentences = [*_decided(solution), _choice(solution)]
    if solution["never_tried"]:
        sentences.append(not_searched(solution["never_tried"]))
    if not solution["proved_optimal"]:
        bound = solution["loss_bound"]
        limit = "" if bound is None else f", but none that loses less than {words.number(bound)}"
        ended = (
            "Not every way was decided" if solution["never_tried"] else "The search ended before every way was decided"
        )
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


def _choice(solution: Mapping[str, Any]) -> str:
    """Which of the ways that meet the policy was chosen."""
    ties = len(solution["ties"])
    one = "One way has the least" if ties == 1 else f"{words.number(ties)} share the least"
    of_those = "" if solution["proved_optimal"] else " of those found"
    value = f"{objective(solution)}{of_those} ({words.number(_least(solution))})"
    return f"{one} {value}; {'it' if ties == 1 else 'the first of them'} was chosen."


def _decided(solution: Mapping[str, Any]) -> list[str]:
    """How many ways to generalize there are, how many meet the policy, and how many of those are minimal."""
    lattice, minimal = solution["lattice"], solution["minimal_generalizations"]
    if lattice is None:
        return []
    ways = words.counted(lattice["nodes"], "way") + " to generalize"
    ways += " at the levels that were tried" if solution["never_tried"] else ""
    looked = f"{words.counted(lattice['evaluated'], 'was', 'were')} looked at one by one"
    if lattice["solving"] is None:
        return [f"There are {ways}; {looked}, and not all of the others were decided."]
    least = "" if minimal is None else f", {words.number(len(minimal))} of them minimal: nothing finer meets it"
    sentences = [f"Of {ways}, {words.counted(lattice['solving'], 'meets', 'meet')} the policy{least}."]
    if lattice["evaluated"] < lattice["nodes"]:
        sentences.append(f"{looked}; the others follow from these.")
    return sentences


def facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was done, as pairs of a short name and a text; nothing where nothing was found."""
    before, solution = document["before"], document["solution"]
    source = before["data"]["source"] if before["data"] else "–"
    if solution is None:
        return [("table", source)]
    return [
        ("table", f"{source}, {words.number(before['data']['rows'])} rows"),
        ("coarser", generalized(document)),
        (suppression(document), suppressed(document)),
        ("lost", lost(document)),
    ]


def lacking(document: Mapping[str, Any]) -> list[str]:
    """What stands in the way of any release, and what would be enough."""
    shortfall = document["shortfall"]
    if not shortfall:
        return []
    sentences = [_obstacle(obstacle) for obstacle in shortfall["obstacles"]]
    if not sentences:
        sentences = ["Each requirement can be met alone; together they cannot."]
    if shortfall["nearest"] is not None:
        looked = "" if shortfall["exhaustive"] else ", of those looked at"
        enough = f"a suppression limit of {words.number(shortfall['suppression_needed'])} records would do"
        sentences.append(f"What comes nearest{looked}: {node(shortfall['nearest'])}; {enough}.")
    if shortfall["never_tried"]:
        sentences.append(not_searched(shortfall["never_tried"]))
    return [*sentences, *_coarser_ladders(shortfall["coarser_ladders"])]


def _coarser_ladders(ladders: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which of the ladders that end in several values would only have to be coarser, and which do not help alone."""
    sentences = []
    enough = [each["attribute"] for each in ladders if each["enough"]]
    short = [each["attribute"] for each in ladders if each["enough"] is False]
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


def _obstacle(obstacle: Mapping[str, Any]) -> str:
    bound = obstacle["bound"]
    if obstacle.get("columns"):
        columns = words.listed(obstacle["columns"])
        return f"{obstacle['requirement']}: no level that may be searched makes {columns} comply."
    achieved = words.number(obstacle["achieved"], bound)
    if obstacle["enough"] is not None and isinstance(obstacle["achieved"], int | float):
        achieved = f"the smallest group still has {words.counted(int(obstacle['achieved']), 'record')}"
    else:
        achieved = f"the number is still {achieved}"
    ways = []
    if obstacle["to_suppress"] is not None:
        ways.append(f"suppressing {words.number(obstacle['to_suppress'])} records would do")
    if obstacle["enough"] is not None:
        ways.append(f"the largest k that can be met is {words.number(obstacle['enough'])}")
    outcome = words.listed(ways) if ways else "no suppression helps"
    return f"{obstacle['requirement']}: at the coarsest levels {achieved} ({words.number(bound)} required); {outcome}."
