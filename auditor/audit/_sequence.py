"""Requirements on releases in sequence: who is in which class of which release, and what that tells.

People are followed by the policy's unit: as the releases have it, or as the tables do that they were made from. Where
they cannot be followed, the classes alone may still tell: whoever is in two releases is in classes whose labels share a
value. So each combination of such classes is taken for somebody's. If all of them meet the bound, it is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from auditor.audit._followed import NOT_HELD, Followed, followed
from auditor.audit._labels import meeting
from auditor.audit._release_table import ReleaseTable, TableReader
from auditor.audit._results import Results
from auditor.audit._run import AuditRun
from auditor.classes import IntArray
from auditor.engines import open_data
from auditor.errors import DataError, NotEvaluated, OutOfMemory
from auditor.models import ReleaseSequence, SequenceRequirement
from auditor.policy import BoundRequirement
from auditor.result import RequirementResult

MOST_COMPARED = 20_000_000
"""So many combinations of classes are looked at where people cannot be followed."""
PERSON_BYTES = 100
"""What a person takes in each release while they are followed, measured."""
FIRST = (
    "the release is to be judged beside earlier ones; say which releases came before (--previous, previous:), or that "
    "none did (--first-release, previous: [])"
)


@dataclass
class Sequences:
    """Judges the requirements of one audit; releases are read once for all that group by the same columns."""

    run: AuditRun
    results: Results
    found: dict[object, tuple[tuple[ReleaseTable, ...], Followed | None] | NotEvaluated] = field(default_factory=dict)

    def judged(self, bound: BoundRequirement, requirement: SequenceRequirement) -> RequirementResult:
        """One requirement.

        Raises:
            NotEvaluated: why it cannot be judged.
        """
        place = requirement.quasi_identifiers, requirement.counterfeits
        if place not in self.found:
            try:
                self.found[place] = self._read(requirement)
            except DataError as reason:
                self.found[place] = NotEvaluated(str(reason))
            except NotEvaluated as reason:
                self.found[place] = reason
        found = self.found[place]
        if isinstance(found, NotEvaluated):
            raise found
        tables, people = found
        releases = tuple(table.released(bound.sensitive) for table in tables)
        if people is not None:
            if requirement.is_permanent and bound.sensitive in people.changed:
                raise NotEvaluated(
                    f"the sensitive value ({bound.sensitive!r}) of some people is another one in a later release, and "
                    f"{requirement.name} intersects what stays the same; cross-release-diversity with changes: allowed "
                    "does not"
                )
            sequence = ReleaseSequence(releases, people.paths, people.people)
            return self.results.sequence(bound, requirement.measure(sequence), people.people)
        return self._from_classes(bound, requirement, tables, ReleaseSequence(releases, *_alone(tables)))

    def _read(self, requirement: SequenceRequirement) -> tuple[tuple[ReleaseTable, ...], Followed | None]:
        run = self.run
        if run.earlier is None:
            raise NotEvaluated(FIRST)
        sensitive = dict.fromkeys(
            each.sensitive
            for each in run.binding.requirements
            if isinstance(each.requirement, SequenceRequirement) and each.sensitive is not None
        )
        reader = TableReader(run.policy, str(requirement.id), tuple(sensitive), requirement.counterfeits)
        tables = []
        for release, original in run.earlier:
            with ExitStack() as opened:
                source = opened.enter_context(open_data(release, limits=run.limits, csv=run.csv))
                made_from = None
                if original is not None:
                    made_from = opened.enter_context(open_data(original, limits=run.limits, csv=run.original_csv))
                tables.append(reader.read(source, made_from))
        tables.append(reader.read(run.source, run.original))
        if sum(int(each.records.sum()) for each in tables) * PERSON_BYTES > run.limits.rows_memory:
            raise OutOfMemory(f"the people of all releases do not fit the memory limit; {run.limits.advice}")
        unit = None if run.policy.unit is None else run.policy.unit.column
        told = unit is not None and all(table.people is not None for table in tables)
        return tuple(tables), followed(tables, str(unit)) if told else None

    def _from_classes(
        self,
        bound: BoundRequirement,
        requirement: SequenceRequirement,
        tables: Sequence[ReleaseTable],
        alone: ReleaseSequence,
    ) -> RequirementResult:
        """By the classes alone: one release certainly breaks a bound that it breaks by itself."""
        numbers = requirement.measure(alone)
        if len(tables) == 1:
            return self.results.sequence(bound, numbers, alone.people)
        untold = "; ".join(dict.fromkeys(table.untold for table in tables if table.untold))
        paths = possible_paths(tables)
        several = paths[(paths != NOT_HELD).sum(axis=1) > 1]
        if len(several) and not requirement.of_classes:
            return self.results.sequence(bound, numbers, alone.people, left_open=untold)
        none = np.zeros(len(several), dtype=np.int64)
        together = requirement.measure(ReleaseSequence(alone.releases, several, none))
        if (together < requirement.bound).any():
            why = f"classes whose labels share a value would break it for whoever is in them, and {untold}"
            return self.results.sequence(bound, numbers, alone.people, left_open=why)
        note = "People were not followed: any two classes whose labels share a value were taken to hold somebody."
        every = np.concatenate([numbers, together])
        return self.results.sequence(bound, every, np.concatenate([alone.people, none]), notes=(note,))


def _alone(tables: Sequence[ReleaseTable]) -> tuple[IntArray, IntArray]:
    """The paths through one class of one release, and how many people at most take them."""
    sizes = [len(table.keys) for table in tables]
    paths = np.full((sum(sizes), len(tables)), NOT_HELD, dtype=np.int64)
    first = 0
    for place, size in enumerate(sizes):
        paths[first : first + size, place] = np.arange(size)
        first += size
    return paths, np.concatenate([table.records - table.counterfeits for table in tables])


def possible_paths(tables: Sequence[ReleaseTable]) -> IntArray:
    """The combinations of classes, one of a release at most, any two of which may hold one person.

    Labels are intervals or stand in one hierarchy, so that labels share a value if any two of them do.

    Raises:
        NotEvaluated: they are too many.
    """
    paths = np.full((1, 0), NOT_HELD, dtype=np.int64)
    for place, table in enumerate(tables):
        size = len(table.keys)
        if len(paths) * size > MOST_COMPARED:
            raise NotEvaluated(
                "there are too many combinations of classes to look at without following people; name the tables that "
                "the releases were made from"
            )
        able = np.ones((len(paths), size), dtype=np.bool_)
        for before, earlier in enumerate(tables[:place]):
            meet = np.vstack([_meet(earlier, table), np.ones((1, size), dtype=np.bool_)])
            able &= meet[paths[:, before]]
        rows, classes = np.nonzero(able)
        longer = np.column_stack([paths[rows], classes])
        paths = np.vstack([np.column_stack([paths, np.full(len(paths), NOT_HELD)]), longer])
    return paths


def _meet(first: ReleaseTable, second: ReleaseTable) -> np.ndarray:
    """bool[c, d]: whether all labels of two classes share a value, in the columns that both releases have."""
    found = np.ones((len(first.keys), len(second.keys)), dtype=np.bool_)
    for place, column in enumerate(first.columns):
        if column in second.columns:
            other = second.columns.index(column)
            meet = meeting(first.labels[place], second.labels[other], first.attributes[place])
            found &= meet[np.ix_(first.keys[:, place], second.keys[:, other])]
    return found
