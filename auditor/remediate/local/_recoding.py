"""The setting up of a search for groups, and what it found: the release, the solution, the mapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auditor.audit import AuditRun
from auditor.classes import IntArray, distinct
from auditor.engines import Counted, Recoding, Regrouping, ReleaseRequest
from auditor.errors import Unsupported
from auditor.remediate._lattice import Sublattice
from auditor.remediate._losses import BASES, Losses
from auditor.remediate._problem import SearchProblem
from auditor.remediate.local._constrained import constrained
from auditor.remediate.local._judge import Judge
from auditor.remediate.local._kaca import kaca
from auditor.remediate.local._mage import mage
from auditor.remediate.local._mend import mended
from auditor.remediate.local._mondrian import mondrian
from auditor.remediate.local._partition import CombinationTable, Partition
from auditor.remediate.local._scales import MeanScale
from auditor.remediate.local._setup import Setup, setup
from auditor.remediate.local._whole import DecidedRelease, decided
from auditor.result.remediation import Solution


def recoded(run: AuditRun, counted: Counted) -> Recoded:
    """Search for groups as the policy says, and merge them until their release meets it.

    Raises:
        Unsupported: the policy asks for what this kind of search cannot do; the text says what, and why.
        OutOfTime: the time limit was reached.
    """
    made = setup(run, counted)
    whole = mended(_searched(made, run), made.rules, made.objectives[0], run.limits.check)
    return Recoded(run, made, whole)


def _searched(made: Setup, run: AuditRun) -> Partition:
    settings = made.settings
    judge = Judge(made.rules.demands, made.rules.kinds)
    if settings.search == "kaca":
        return kaca(made.table, judge, settings.weights, run.limits.check)
    if settings.search == "constrained-local":
        return constrained(made.table, judge, run.limits.check)
    if settings.search in ("mage", "mdav"):
        return mage(made.table, judge, settings.weights, run.limits.check)
    return mondrian(made.table, judge, relaxed=settings.relaxed, check=run.limits.check)


@dataclass(frozen=True)
class Recoded:
    """What a search for groups found."""

    run: AuditRun
    made: Setup
    whole: DecidedRelease

    @property
    def solves(self) -> bool:
        """Whether there is a release that meets the policy."""
        return self.whole.solves

    @property
    def left_out(self) -> int:
        """The records of the table that the release does not have."""
        return 0 if self.made.rules.starred else self.whole.suppressed

    @property
    def table(self) -> CombinationTable:
        """What was divided into groups."""
        return self.made.table

    def solution(self) -> Solution:
        """What was found, as the result has it."""
        settings = self.made.settings
        return Solution(
            search=settings.search,
            objective=settings.objective,
            levels=None,
            groups=int(self.whole.outcome.kept.sum()),
            suppressed_records=self.whole.suppressed,
            suppress=settings.suppress,
            loss=self.whole.losses[self.made.objectives[0]],
            losses=self.whole.losses,
            bases=BASES,
            ties=None,
            arguments={},
            proved_optimal=False,
        )

    def problem(self) -> SearchProblem:
        """The coarsest release of this kind as a lattice of one node, for telling what it lacks."""
        whole = decided(Partition.whole(self.table), self.made.rules)
        names = self.run.binding.quasi_identifiers
        node = (0,) * len(names)
        losses = Losses(whole.evaluator.tower, ())
        starred = self.made.rules.starred
        return SearchProblem(names, (), whole.evaluator, losses, Sublattice(node, node), node, (), {}, starred)

    def release(self, run: AuditRun, *, keep_order: bool = False) -> ReleaseRequest:
        """What to write: every column but identifiers, texts and the unit, by groups, without what is suppressed."""
        hidden = {*run.binding.identifiers, run.unit}
        names = run.binding.quasi_identifiers
        left_out = self.whole.evaluator.suppressed(self.whole.outcome, self.whole.table)
        return ReleaseRequest(
            columns=tuple(name for name in run.columns if name not in hidden),
            recodings=(),
            told_by=tuple(names[column] if isinstance(column, int) else column for column in left_out),
            suppressed=np.stack(list(left_out.values()), axis=1),
            starred=self.made.rules.starred,
            keep_order=keep_order,
            regrouping=self._regrouping(),
        )

    def check_mapping(self) -> None:
        """Raise `Unsupported` where some combination is released in several ways, so that there is no mapping."""
        combination, example = self._combinations()
        released = self._released()
        if (released != released[example[combination]]).any():
            raise Unsupported(
                "--mapping: some records with the same values are released under different labels, so that no mapping "
                f"from values to labels says what was done (search: {self.made.settings.search})"
            )

    def mapping(self, counted: Counted) -> Iterator[tuple[str | int | None, ...]]:
        """A header, and for each combination of values: the values, and the labels released for them."""
        names = self.run.binding.quasi_identifiers
        _, example = self._combinations()
        released, cells, partition = self._released(), self.made.cells, self.whole.partition
        values = [(counted.labels(name), cells.codes[name][partition.cell]) for name in names]
        yield (*names, *(f"{name} (released)" for name in names))
        for entry in example.tolist():
            yield (
                *(labels[codes[entry]] for labels, codes in values),
                *(each.labels[released[entry, place]] for place, each in enumerate(self.whole.labelled)),
            )

    def _released(self) -> IntArray:
        """int64[e, d]: the nodes that each entry is released by."""
        return np.stack([each.nodes[self.whole.partition.group] for each in self.whole.labelled], axis=1)

    def _combinations(self) -> tuple[IntArray, IntArray]:
        """int64[e]: the combination of quasi-identifiers of each entry; and an entry of each."""
        partition = self.whole.partition
        number = np.zeros(len(partition.cell), dtype=np.int64)
        for codes in partition.table.codes:
            _, number = distinct(number * (int(codes.max()) + 1) + codes[partition.cell])
        example = np.zeros(int(number.max()) + 1, dtype=np.int64)
        example[number] = np.arange(len(number))
        return number, example

    def _regrouping(self) -> Regrouping:
        """How records are told which group they are in: by all that their combination tells, or less where that does.

        Where every combination of quasi-identifiers is released in one way, these alone tell it.
        """
        partition, cells = self.whole.partition, self.made.cells
        names = self.run.binding.quasi_identifiers
        entries, told_by = np.arange(len(partition.cell)), tuple(cells.codes)
        combination, example = self._combinations()
        whole = partition.is_function()
        if (partition.group == partition.group[example[combination]]).all():
            entries, told_by, whole = example, names, True
        return Regrouping(
            told_by=told_by,
            codes=np.stack([cells.codes[name][partition.cell[entries]] for name in told_by], axis=1),
            groups=partition.group[entries],
            records=None if whole else partition.counts[entries],
            recodings=tuple(
                Recoding(
                    scale.column,
                    each.nodes,
                    each.labels if scale.changes(low, high, partition.floor(place)) else None,
                    numbers=isinstance(scale, MeanScale),
                )
                for place, (scale, each, low, high) in enumerate(
                    zip(partition.table.scales, self.whole.labelled, partition.low, partition.high, strict=True)
                )
            ),
        )
