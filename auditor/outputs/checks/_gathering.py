"""Outputs of a run and of the ledger that contradict each other: which of them can be of the same records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Context
from auditor.outputs.checks._releases import Released
from auditor.outputs.checks._together import joints_of
from auditor.outputs.linked import UNKNOWN
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Published

MOST_SYSTEMS = 60
"""So many sets of outputs are tried."""


class Gathering:
    """Around each pair of one output and one of the run: as many others as fit the two together.

    What has two counts of one group is of different records; the rest is found by halves. `settled` is False where
    there were more sets to try than are tried.
    """

    def __init__(self, released: Released, context: Context) -> None:
        self.released, self.context = released, context
        self.tries = MOST_SYSTEMS
        self._said = {id(each): self._exact(each) for each in released.outputs}

    @property
    def settled(self) -> bool:
        """Whether every set that was asked for was tried."""
        return self.tries >= 0

    def around(self, owners: Sequence[Published]) -> Iterator[Released]:
        """The sets, each pair in one of them."""
        earlier, run = self.released.outputs[: self.released.earlier], self.released.outputs[self.released.earlier :]
        together: list[set[int]] = []
        for owner, own in ((owner, own) for owner in owners for own in run if own is not owner):
            known = self._said[id(owner)]
            if any({id(owner), id(own)} <= ids for ids in together) or _apart(known, self._said[id(own)]):
                continue
            if self._fits([owner, own]):
                known = known | self._said[id(own)]
                others = [each for each in (*run, *earlier) if each is not owner and each is not own]
                kept = self._with([owner, own], [each for each in others if not _apart(known, self._said[id(each)])])
                together.append({id(each) for each in kept})
                yield self._level(kept)

    def of_data(self, counts: Counts) -> Released:
        """The outputs whose counts are the data's, as far as it has their columns."""
        return self._level([each for each in self.released.outputs if self._agrees(each, counts)])

    def _agrees(self, output: Published, counts: Counts) -> bool:
        try:
            return all(counts.count(group) == count for group, count in self._said[id(output)].items())
        except NotEvaluated:
            return True

    def _with(self, kept: list[Published], more: list[Published]) -> list[Published]:
        """Some outputs and as many more as fit."""
        if not more or self._fits([*kept, *more]):
            return [*kept, *more]
        if len(more) == 1:
            return kept
        half = len(more) // 2
        return self._with(self._with(kept, more[:half]), more[half:])

    def _fits(self, outputs: Sequence[Published]) -> bool:
        self.tries -= 1
        return self.settled and bool(joints_of(self._level(outputs), self.context))

    def _level(self, outputs: Sequence[Published]) -> Released:
        """Some of the outputs, in the order of release."""
        chosen = {id(each) for each in outputs}
        kept = tuple(each for each in self.released.outputs if id(each) in chosen)
        return Released(kept, 0, sum(id(each) in chosen for each in self.released.outputs[: self.released.earlier]))

    def _exact(self, output: Published) -> dict[Group, Fraction]:
        """The counts of groups that an output says exactly."""
        numbers = Released((output,), 0, 0).numbers(self.context.policy, [UNKNOWN])
        return {number.group: count for number in numbers if (count := number.ends.point) is not None}


def _apart(one: Mapping[Group, Fraction], other: Mapping[Group, Fraction]) -> bool:
    """Whether a group has two counts."""
    return any(group in one and one[group] != count for group, count in other.items())
