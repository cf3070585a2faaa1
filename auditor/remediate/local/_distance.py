"""The weighted hierarchical distance between classes of records (Li, Wong, Fu & Pei 2006).

A ladder has levels 0 (the values) to H. A step from level l to l + 1 weighs 1 (``uniform``) or 1/(H − l) (``height``:
a step near the top costs more); a step at which the label of a value stays what it was weighs nothing. Climbing from
level p to q costs the weights of the steps between them over those of the value's whole path: 0 is unchanged, 1 is from
a value to the top. The distortion of a tuple is the sum over its attributes, and the distance of two tuples what both
cost together when each climbs to their closest common generalization. On balanced ladders it is a metric. Of two
classes of n1 and n2 equal tuples, n1 and n2 times that are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from auditor.classes import FloatArray, IntArray
from auditor.remediate.local._scales import LadderScale

Weights = Literal["uniform", "height"]


def step_costs(scale: LadderScale, weights: Weights) -> FloatArray:
    """float64[H, m]: what each step of each value's path costs; the costs of a path sum to 1 (0 where it has none)."""
    height = len(scale.levels) - 1
    levels = np.arange(height)
    weight = np.ones(height) if weights == "uniform" else 1.0 / (height - levels)
    costs: FloatArray = weight[:, None] * scale.real_steps()
    whole = costs.sum(axis=0)
    costs /= np.where(whole > 0, whole, 1.0)
    return costs


class RecordClasses:
    """Classes of records, each generalized to its closest common generalization, and the distances between them.

    Every step of every ladder is a row: `nodes` is int32[s, e], the node of each class below that step, and `costs`
    float64[s, e], what the step costs all records of the class. Steps below the level of a class are behind it: they
    cost nothing, and a number of its own stands for its node there, so that it differs from every other.

    Args:
        scales: the quasi-identifiers.
        low: int64[d, e], the least code of each class.
        high: int64[d, e], the largest code.
        sizes: int64[e], the records of each class.
        weights: what a step weighs.
    """

    def __init__(
        self, scales: Sequence[LadderScale], low: IntArray, high: IntArray, sizes: IntArray, weights: Weights
    ) -> None:
        self._scales = scales
        self._steps = [step_costs(scale, weights) for scale in scales]
        self.low, self.high, self.sizes = low, high, sizes
        self.number = np.arange(len(sizes))
        rows = sum(map(len, self._steps))
        self.nodes = np.zeros((rows, len(sizes)), dtype=np.int32)
        self.costs = np.zeros((rows, len(sizes)))
        self._describe(np.arange(len(sizes)))

    def distances(self, place: int) -> FloatArray:
        """float64[e]: the distance of one class to each; what it says of the class itself means nothing."""
        together = self.costs + self.costs[:, [place]]
        together *= self.nodes != self.nodes[:, [place]]
        summed: FloatArray = together.sum(axis=0)
        return summed

    def unite(self, place: int, other: int) -> None:
        """Let one class be the closest common generalization of itself and another; that one stays as it was."""
        self.low[:, place] = np.minimum(self.low[:, place], self.low[:, other])
        self.high[:, place] = np.maximum(self.high[:, place], self.high[:, other])
        self.sizes[place] += self.sizes[other]
        self._describe(np.array([place]))

    def keep(self, places: IntArray) -> None:
        """Forget all other classes."""
        self.low, self.high, self.sizes = self.low[:, places], self.high[:, places], self.sizes[places]
        self.nodes, self.costs = (
            np.ascontiguousarray(self.nodes[:, places]),
            np.ascontiguousarray(self.costs[:, places]),
        )
        self.number = self.number[places]

    def _describe(self, places: IntArray) -> None:
        row = 0
        for scale, steps, low, high in zip(self._scales, self._steps, self.low, self.high, strict=True):
            own = scale.meeting(low[places], high[places])
            for level, cost in enumerate(steps):
                ahead = own <= level
                self.nodes[row, places] = np.where(ahead, scale.levels[level][low[places]], -1 - self.number[places])
                self.costs[row, places] = np.where(ahead, cost[low[places]] * self.sizes[places], 0.0)
                row += 1
