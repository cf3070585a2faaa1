"""What ``remediate`` adds to the document: the generalization chosen, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.result._document import Result
from auditor.result._marks import Kind, Verdict, column, fact, run, total


@dataclass(frozen=True, kw_only=True)
class LatticeHeight:
    """The nodes whose levels sum to `height`: how many there are, and how many of them are known to solve.

    `minimal` counts the minimal generalizations among them; `undecided` those that the search did not have to decide.
    """

    height: int = fact()
    nodes: int = fact()
    solving: int = fact()
    minimal: int | None = fact(None)
    undecided: int = fact(0)


@dataclass(frozen=True, kw_only=True)
class LatticeNode:
    """One node of a small lattice: its levels, in the order of the solution's. `solves` is None where undecided."""

    levels: tuple[int, ...] = fact()
    solves: bool | None = fact()
    minimal: bool = fact(False)


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """How much of the generalization lattice was looked at. `solving` is None unless every node was decided.

    `by_height` has one entry per height of the searched lattice; `drawn` every node of a lattice that is small enough
    to be drawn.
    """

    nodes: int = fact()
    evaluated: int = fact()
    solving: int | None = fact(None)
    by_height: tuple[LatticeHeight, ...] = fact(())
    drawn: tuple[LatticeNode, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class LadderChoice:
    """The level that was chosen of one quasi-identifier's ladder, out of 0 (as is) to `height`.

    `labels` is an example of the ladder: the labels on one path from the chosen level (from level 1, where the values
    stay as they are) to the top. They follow from the policy alone and are never values of the data.
    """

    attribute: str = column()
    level: int = fact()
    height: int = fact()
    labels: tuple[str | None, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class AttributeCost:
    """What releasing one quasi-identifier at `level`, the finest searched, would cost.

    `loss` is the least loss of all solving nodes that have it there, `levels` the node; None where no such node solves.
    Where `proved` is false, the search for it was not ended: `loss` is the least that was found, and None says nothing.
    """

    attribute: str = column()
    level: int = fact()
    loss: float | None = total(None, Kind.LOSS)
    levels: Mapping[str, int] | None = column(None)
    proved: bool = fact(True)


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The generalization that was chosen: the level of each quasi-identifier, and what it loses.

    `ties` are all solving nodes of the least loss; `minimal_generalizations` those that generalize no solving node.
    Where records were put into groups that are each made coarser on their own (local recoding), `groups` says how many
    of them are released; there are no levels, ties, minimal generalizations and lattice then, and no metrics of nodes.
    """

    search: str = fact()
    objective: str | tuple[str, ...] = fact()
    levels: Mapping[str, int] | None = column()
    groups: int | None = total(None)
    suppressed_records: int = total()
    suppress: str = fact("remove")
    """What became of them: ``remove``, or ``star`` where they stay with every quasi-identifier as ``*``."""
    loss: float | None = total(None, Kind.LOSS)
    losses: Mapping[str, float | None] = total(kind=Kind.LOSS)
    bases: Mapping[str, str] | None = fact(None)
    """What each loss is worked out from: the ``levels`` alone, the number of records ``suppressed`` besides, the sizes
    of the release's ``classes``, or how many records have each of the ``values`` before. None in older documents.

    The public sees no loss from which a small number of these follows: it is null.
    """
    ties: tuple[Mapping[str, int], ...] | None = column(())
    minimal_generalizations: tuple[Mapping[str, int], ...] | None = column(None)
    lattice: Lattice | None = fact(None)
    proved_optimal: bool = fact(True)
    loss_bound: float | None = total(None, Kind.LOSS)
    """Where the time ran out, or levels were never tried: what every node that was not looked at loses at least."""
    never_tried: Mapping[str, tuple[int, ...]] | None = column(None)
    """The levels, by quasi-identifier, that the policy allows and whose class table did not fit the memory limit.

    Everything else here (ties, the lattice, costs) is of the levels that were searched.
    """
    arguments: Mapping[str, str] = fact()
    """For each requirement, by which argument nodes were decided without looking at them."""
    ladders: tuple[LadderChoice, ...] = fact(())
    costs: tuple[AttributeCost, ...] = fact(())
    """Empty for samarati, which minimizes no loss."""


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """A requirement that even the coarsest node does not meet, on its own and with the suppression that is allowed.

    Or one on `columns` that no searched level makes comply.
    """

    requirement: str = fact()
    model: str = fact()
    bound: float | str | None = fact(None)
    achieved: float | None = total(None, None)
    """Its number at the coarsest node, nothing suppressed."""
    kind: str | None = fact(None)
    """What `achieved` is, as in a `RequirementResult`."""
    to_suppress: int | None = total(None)
    """The records that would have to be suppressed there; None where no suppression helps."""
    enough: int | None = total(None)
    """For k-anonymity, the largest k that can be met."""
    columns: tuple[str, ...] = column(())
    of_release: bool = fact(False)
    """Whether `achieved` is that of the release that was found, which its audit refused; no other was tried then."""


@dataclass(frozen=True, kw_only=True)
class CoarserLadder:
    """A quasi-identifier that has several values even at the coarsest level searched.

    `enough` says whether the policy would be met, within its suppression limit, if it had one value (`*`) and every
    other one were at its coarsest level searched; None where the time was up before that was looked at.
    """

    attribute: str = column()
    enough: bool | None = fact()


@dataclass(frozen=True, kw_only=True)
class Shortfall:
    """Why no generalization meets the policy, and what would be enough.

    `nearest` is the node, of those looked at, that meets the policy with the least records suppressed, and
    `suppression_needed` how many; both None where none does. `exhaustive` says whether every node was looked at.
    """

    coarsest: Mapping[str, int] = column()
    obstacles: tuple[Obstacle, ...] = fact(())
    nearest: Mapping[str, int] | None = column(None)
    suppression_needed: int | None = total(None)
    exhaustive: bool = fact(True)
    coarser_ladders: tuple[CoarserLadder, ...] = fact(())
    never_tried: Mapping[str, tuple[int, ...]] | None = column(None)
    """As in a `Solution`; nothing finer than what was searched meets the policy where that does not."""


@dataclass(frozen=True, kw_only=True)
class AlternativeRelease:
    """A way to a release that the policy leaves open, or that would be one if it let it; searched, made and audited.

    `verdict` is that of the audit; None where there is no such release, or none was tried: `reason` says why, or
    that the search was not ended.
    """

    lines: str = fact()
    """What to paste into the policy for it."""
    taken: bool = fact(False)
    """Whether it is the release that this document is about."""
    verdict: Verdict | None = fact(None)
    loss: float | None = total(None, Kind.LOSS)
    suppressed_records: int | None = total(None)
    blank_columns: tuple[str, ...] | None = column(None)
    """As in a `ClassSummary`."""
    reason: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class RemediationResult(Result):
    """The answer of ``remediate``: what was chosen, the table before (as ``check --source``) and the release after.

    Everything else in it speaks of the release, where there is one, else of the table.
    """

    solution: Solution | None = fact(None)
    shortfall: Shortfall | None = fact(None)
    before: Result | None = fact(None)
    after: Result | None = fact(None)
    alternatives: tuple[AlternativeRelease, ...] | None = run(())
    """Not for the public: the losses of several releases of one table tell more of it than one release does."""
    written: bool = fact(False)
    """Whether the release was put in its place; a plan is audited and thrown away."""
