"""The rows of a sample, generalized to a node: for requirements whose number does not follow from class sizes alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.audit import AuditRun, microdata, sums_of
from auditor.classes import BoolArray, IntArray
from auditor.engines import ColumnUse
from auditor.errors import DataError
from auditor.microdata import MISSING, Categorical, Microdata, Variable
from auditor.models import SampleRequirement
from auditor.remediate._keys import Rolled
from auditor.remediate._rollup import Tower
from auditor.remediate._rungs import Rungs


@dataclass(frozen=True)
class SampleRows:
    """The rows of a sample.

    Args:
        names: the quasi-identifiers, by place.
        codes: for each of them int64[n], the code of each row at its finest level, in tree order.
        missing: for each of them and each level the node of a missing value; −1 where there is none.
        besides: the columns of weights and households.
    """

    names: Sequence[str]
    codes: Sequence[IntArray]
    missing: Sequence[Sequence[int]]
    besides: Mapping[str, Variable]

    @classmethod
    def of(
        cls, run: AuditRun, rungs: Sequence[Rungs], labels: Sequence[Sequence[str | None]], besides: Sequence[str]
    ) -> SampleRows:
        """Read the rows of a run's data; `labels` are those of the codes of its quasi-identifiers."""
        names = [each.column for each in rungs]
        coded = run.source.coded([ColumnUse(name, run.binding.roles[name].missing) for name in names])
        codes, missing = [], []
        for place, (each, values) in enumerate(zip(rungs, labels, strict=True)):
            known = {label: code for code, label in enumerate(values)}
            table = np.array([known[label] for label in coded.dictionaries[place]], dtype=np.int64)
            codes.append(each.code[table[coded.codes[:, place]]])
            missing.append(each.labelled(None, values))
        read = microdata(run.source, run.binding, besides, run.limits).variables if besides else ()
        return cls(names, codes, missing, {variable.name: variable for variable in read})

    def holds(
        self, model: SampleRequirement, tower: Tower, table: Rolled, levels: Mapping[int, int], kept: BoolArray
    ) -> bool:
        """Whether the kept classes of a node meet a requirement; not where it is not defined for them."""
        try:
            return model.met_by(self.number(model, tower, table, levels, kept))
        except DataError:
            return False

    def number(
        self, model: SampleRequirement, tower: Tower, table: Rolled, levels: Mapping[int, int], kept: BoolArray
    ) -> float:
        """The number of a requirement for the kept classes of a node, given its table.

        Raises:
            DataError: it is not defined for them.
        """
        nodes = {place: tower.ladders[place][level][self.codes[place]] for place, level in levels.items()}
        theirs = [tower.nodes_of(table, place) for place in nodes]
        inside = np.flatnonzero(sums_of(theirs, kept.astype(np.int64), list(nodes.values())))
        chosen = model.attributes or self.names
        keys = tuple(
            self._variable(place, levels[place], codes[inside])
            for place, codes in nodes.items()
            if self.names[place] in chosen
        )
        besides = Microdata(tuple(self.besides[name] for name in model.besides)).rows(inside).variables
        released = Microdata((*keys, *besides))
        return model.measure(released, released)

    def _variable(self, place: int, level: int, codes: IntArray) -> Categorical:
        known = self.missing[place]
        # a level on top of all others has one value
        missing = known[level] if level < len(known) else -1
        labels = tuple(map(str, range(int(codes.max(initial=-1)) + 1)))
        return Categorical(self.names[place], np.where(codes == missing, MISSING, codes).astype(np.int32), labels)
