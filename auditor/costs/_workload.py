"""One dry run, once the metadata is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.audit import columns_to_count, masking_bytes
from auditor.costs._document import DryRun, Grouping, Memory, Move, ReleaseEstimate, TableRead
from auditor.costs._sizes import WORD, classes_at_most, counting_bytes, packed_bytes, width
from auditor.distribution import version
from auditor.engines import BYTES_PER_COMBINATION, Column, Preview, RunLimits
from auditor.files import shown_name
from auditor.models import ColumnRequirement, GroupedRequirement, Knowledge, RecordRequirement, largest_decide
from auditor.policy import Binding, BoundRequirement, Policy, bind
from auditor.policy.applied import bound
from auditor.policy.remediation import Remediation
from auditor.stages import Stage

MOST_LISTED = 100_000
"""Of an attacker with more combinations of columns, nothing is said of their patterns."""
DUCKDB, POSTGRESQL, SPARK = "duckdb", "postgresql", "spark"


@dataclass(frozen=True)
class Where:
    """How the work would be done.

    By which engine, whether a server groups, the name of the release that would be written, the column of weights, and
    whether earlier counts would be added to.
    """

    engine: str = DUCKDB
    push_down: bool = False
    output: str | None = None
    weight: str | None = None
    adding: bool = False


class Workload:
    """What a command would do with some data under a policy."""

    def __init__(
        self,
        command: str,
        policy: Policy,
        found: Preview,
        others: Mapping[str, Preview],
        *,
        limits: RunLimits,
        where: Where,
    ) -> None:
        """`found` is the data, `others` what is read beside it, by its role."""
        self.command = command
        self.policy = policy
        self.found = found
        self.others = others
        self.limits = limits
        self.where = where
        self.columns = {column.name: column for column in found.columns}
        self.binding: Binding = bind(policy, list(self.columns))
        unit = policy.unit
        self.unit = unit.column if unit is not None and unit.column in self.columns else None
        self.counted = columns_to_count(self.binding, self.unit)
        self.masked = self._masked()
        self.combinations = classes_at_most(self._of(self.counted), found.rows)

    def answer(self) -> DryRun:
        """The document."""
        return DryRun(
            tool=f"auditor {version()}",
            command=self.command,
            policy=self.policy.name,
            policy_sha256=self.policy.sha256,
            engine=POSTGRESQL if self.where.push_down else self.where.engine,
            tables=(self._table(), *(self._beside(role, each) for role, each in self.others.items())),
            groupings=tuple(self._groupings()),
            memory=self._memory(),
            moved=tuple(self._moved()),
            written=self._written(),
            not_evaluated={str(b.requirement.id): b.reason for b in self.binding.requirements if b.reason is not None},
            assumptions=tuple(self._assumptions()),
        )

    def _of(self, names: Sequence[str]) -> list[Column]:
        return [self.columns[name] for name in names]

    def _masked(self) -> tuple[str, ...]:
        """The columns whose rows are held in memory."""
        if self.command != "mask":
            return ()
        return tuple(dict.fromkeys(c for each in bound(self.policy, list(self.columns)) for c in each.method.reads))

    @property
    def _released(self) -> tuple[str, ...]:
        """The columns of a release."""
        hidden = {*self.binding.identifiers, None if self.binding.unit in self.masked else self.binding.unit}
        return tuple(name for name in self.columns if name not in hidden)

    def _table(self) -> TableRead:
        judged = [b.requirement.attribute for b in self._evaluated() if isinstance(b.requirement, ColumnRequirement)]
        records = [b.requirement for b in self._evaluated() if isinstance(b.requirement, RecordRequirement)]
        needed = {
            *self.counted,
            *judged,
            *(name for each in records for name in (*(each.attributes or ()), *each.besides)),
            *self.masked,
            self.where.weight,
            *(self._released if self.command != "check" else ()),
        }
        read = tuple(name for name in self.columns if name in needed)
        return self._described("data", self.found, read, tuple(self._passes()))

    def _evaluated(self) -> list[BoundRequirement]:
        return [each for each in self.binding.requirements if each.reason is None]

    def _passes(self) -> Iterator[str]:
        """What goes through all of the data: the audit, and after it the release is made."""
        hashing = [Stage.HASHING.value] if self.found.in_files else []
        if self.command == "mask":
            yield from hashing
        yield from [*hashing, Stage.COUNTING.value]
        if self.where.engine == SPARK:
            yield Stage.JUDGING.value  # the values are found out first, then their combinations are counted
        for each in self._evaluated():
            if isinstance(each.requirement, ColumnRequirement | RecordRequirement):
                yield f"{Stage.JUDGING.value} {each.requirement.id}"
        if self.command == "remediate":
            # on Spark the combinations are counted when the search first asks for them
            searching = [Stage.SEARCHING.value] if self.where.engine == SPARK else []
            yield from [*hashing, Stage.COUNTING.value, *searching, Stage.WRITING.value]
        if self.command == "mask":
            yield from [Stage.READING.value, Stage.WRITING.value]

    def _beside(self, role: str, other: Preview) -> TableRead:
        """A table of its own is read for the distribution of sensitive values, or record by record.

        The population is counted by what classes are grouped by.
        """
        known = {column.name for column in other.columns}
        if role == "population":
            grouping = dict.fromkeys(name for b in self._evaluated() for name in b.quasi_identifiers)
            read = tuple(name for name in grouping if name in known)
            return self._described(role, other, read, (Stage.COUNTING.value,))
        records = [b.requirement for b in self._evaluated() if isinstance(b.requirement, RecordRequirement)]
        names = [*self.binding.sensitive]
        for each in records:
            names += each.attributes or [*self.binding.roles]
        read = tuple(name for name in dict.fromkeys(names) if name in known)
        passes = [Stage.HASHING.value] if other.in_files else []
        return self._described(role, other, read, (*passes, Stage.READING.value))

    @staticmethod
    def _described(role: str, found: Preview, read: tuple[str, ...], passes: tuple[str, ...]) -> TableRead:
        apart = found.of_column
        return TableRead(
            role=role,
            source=shown_name(found.name),
            format=found.format,
            files=found.files,
            bytes=found.bytes,
            rows=found.rows,
            rows_known=found.known,
            columns=len(found.columns),
            columns_read=read,
            bytes_read=sum(apart.get(name, 0) for name in read) if apart else found.bytes,
            passes=passes,
        )

    def _groupings(self) -> Iterator[Grouping]:
        """Every grouping that the requirements ask for, and that of all quasi-identifiers, which risk is told by."""
        asked: dict[tuple[frozenset[str], str | None], list[str]] = {}
        for each in self._evaluated():
            if isinstance(each.requirement, GroupedRequirement) and each.requirement.attacker is not None:
                yield self._known(each, each.requirement, each.requirement.attacker)
            elif each.quasi_identifiers and isinstance(each.requirement, GroupedRequirement):
                place = frozenset(each.quasi_identifiers), each.sensitive
                asked.setdefault(place, []).append(str(each.requirement.id))
        everything = frozenset(self.binding.quasi_identifiers)
        if everything and not any(by == everything for by, _ in asked):
            asked[everything, None] = []
        for (by, sensitive), requirements in asked.items():
            names = tuple(name for name in self.columns if name in by)
            at_most = classes_at_most(self._of(names), self.found.rows)
            yield Grouping(
                by=names,
                sensitive=sensitive,
                unit=self.unit,
                requirements=tuple(requirements),
                classes_at_most=at_most,
            )

    def _known(self, bound: BoundRequirement, requirement: GroupedRequirement, attacker: Knowledge) -> Grouping:
        """Every combination of the columns that an attacker with bounded knowledge may know."""
        names = bound.quasi_identifiers
        found = Grouping(
            by=names,
            sensitive=bound.sensitive,
            unit=self.unit,
            requirements=(str(requirement.id),),
            classes_at_most=None,
            events=attacker.events,
        )
        if attacker.columns is None:
            return found
        every = not largest_decide(requirement, units=self.unit is not None)
        many = attacker.many(len(names), every=every)
        listed = attacker.combinations(names, every=every) if many <= MOST_LISTED else ()
        each = [classes_at_most(self._of(columns), self.found.rows) for columns in listed]
        known = [classes for classes in each if classes is not None]
        at_most = sum(known) if each and len(known) == len(each) else None
        return replace(found, classes_at_most=at_most, known=min(attacker.columns, len(names)), combinations=many)

    def _memory(self) -> Memory:
        here = self.where.engine != SPARK
        counting = counting_bytes(self._of(self.counted), self.combinations) if here else None
        share = self.limits.engine_memory
        arrays = None if self.combinations is None or not here else self.combinations * BYTES_PER_COMBINATION
        rows = self.found.rows
        return Memory(
            limit=self.limits.memory,
            engine=share,
            counting=counting,
            spill=None if counting is None else max(0, counting - share),
            spill_form=self.limits.spill.form,
            batches=None if arrays is None else max(1, -(-arrays // self.limits.batch_memory)),
            rows=masking_bytes(rows, len(self.masked)) if self.masked and rows is not None else None,
        )

    def _moved(self) -> Iterator[Move]:
        """What leaves a server, or goes from one executor to another."""
        combined = width(self._of(self.counted)) + 8
        groups = self.combinations
        if self.found.format == "postgresql" and self.where.push_down:
            size = None if groups is None else groups * combined
            yield Move(what="classes, grouped in the server, are sent to this process", rows=groups, bytes=size)
        elif self.found.format == "postgresql":
            yield Move(
                what="all rows are copied from the server into this process",
                rows=self.found.rows,
                bytes=self.found.bytes,
            )
        if self.where.engine == SPARK:
            size = None if groups is None else groups * combined
            yield Move(what="classes are shuffled between executors", rows=groups, bytes=size)
        if self.where.engine == SPARK and self.command == "remediate":
            yield from self._moved_by_release()

    def _moved_by_release(self) -> Iterator[Move]:
        """What the cluster moves to make a release."""
        groups, rows, columns = self.combinations, self.found.rows, len(self.counted)
        yield Move(
            what="classes, as the search asks for them, come to the driver",
            rows=groups,
            bytes=packed_bytes(columns, groups),
        )
        limit = (self.policy.remediation or Remediation()).suppression_limit
        lost = None if rows is None else min(limit.of(rows), rows if groups is None else groups)
        yield Move(
            what="suppressed classes travel to the executors, beside the ladders",
            rows=lost,
            bytes=None if lost is None else lost * WORD * columns,
        )
        size = None if rows is None else rows * width(self._of(self._released))
        yield Move(what="rows of the release are shuffled between executors", rows=rows, bytes=size)

    def _written(self) -> ReleaseEstimate | None:
        if self.command == "check":
            return None
        size, columns = self.found.bytes, max(1, len(self.columns))
        apart = self.found.of_column
        about = sum(apart.get(name, 0) for name in self._released) if apart else None
        if not apart and size is not None:
            about = round(size * len(self._released) / columns)
        return ReleaseEstimate(file=self.where.output, rows_at_most=self.found.rows, bytes_about=about)

    def _assumptions(self) -> Iterator[str]:
        if self.found.known == "estimated":
            yield _ESTIMATED.get(self.found.format, _OF_DATABASE)
        if self.found.known == "unknown":
            yield "The number of rows, and everything that depends on it, is not known without reading them."
        yield "Classes and memory are upper bounds for any values; the real figures are usually far lower."
        if self.found.format == "json":
            yield "The columns are the keys of the first lines; later ones may have more."
        if self.where.adding:
            yield (
                "Where the earlier counts can be extended, only new rows are counted; these figures are for a "
                "full count."
            )
        if self.where.engine == SPARK:
            yield "Spark manages the memory and disks of the cluster; this process needs memory for results only."
            if self.limits.spill.form == "never":
                yield "The policy says spill: never, and Spark always writes to its executors' disks: it would fail."
        if self.command == "remediate" and self.where.engine == SPARK:
            yield "Classes that do not fit into memory are counted again, one level of a ladder coarser at a time."
            yield "The cluster writes and audits the whole release, if there is one."
        elif self.command != "check":
            yield "The whole release is written and audited, if there is one; the search itself reads no rows."


_ESTIMATED = dict.fromkeys(
    ("csv", "json"),
    "The number of rows is estimated from line breaks in a few places; quoted ones count, and lines may differ "
    "in length.",
)
_OF_DATABASE = "The number of rows is the database's estimate."
