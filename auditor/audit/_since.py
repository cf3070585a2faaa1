"""Keeping the counts of an audit, and adding to those of an earlier one.

Counts add up, so data that is what was audited earlier and an append needs its new rows counted alone. The counts of
the whole are then judged by the same code as rows are, and the result is that of an audit of the whole. Where it
cannot be shown that this is so, all of the data is counted anew, and the result says why.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, TypeVar

from auditor.engines import CannotAdd, DuckDB, Earlier, Engine, Keeping, RunLimits, is_counts, kept_in
from auditor.errors import DataError, UsageError
from auditor.models import ColumnRequirement, RecordRequirement, SequenceRequirement
from auditor.policy import Policy, bind
from auditor.release import check_targets, put_in_place, unfinished
from auditor.report.stored import Stored, parse
from auditor.result import CountsFacts, Result, SinceFacts

R = TypeVar("R", bound=Result)
Judging = Callable[[Engine | None, Path | None], R]
"""Judges the data by an engine (None: the one that was chosen anyway), with temporary files in a folder."""
FOR_THE_OWNER = 0o600
"""Counts are values of the data, so a new file of them is for nobody else to read."""


@dataclass(frozen=True)
class CountsPlan:
    """What is to be done with counts.

    Args:
        since: the earlier result, to whose counts is to be added; None where all of the data is to be counted.
        keep: where the counts of the whole are to be kept; None where they are not.
        policy: what the data is judged by.
        limits: memory and time.
        engine: what was chosen to count; None for DuckDB.
    """

    since: Path | None
    keep: Path | None
    policy: Policy
    limits: RunLimits
    engine: Engine | None

    def judged(self, judging: Judging[R], data: Any, inputs: Sequence[Any]) -> R:
        """Judge by adding where that is exact, else by counting anew; keep the counts that are wanted.

        `inputs` are what else is read.

        Raises:
            UsageError: counts are to be kept that nothing could be added to, or where something else is.
            NotEvaluated: as an audit of all of the data would; or there is no earlier result that can be read.
        """
        if self.keep is None:
            return self._judged(judging, None)
        self._check_target(self.keep, data, inputs)
        with unfinished(self.keep) as folder:
            result = self._judged(judging, folder)
            put_in_place(folder / self.keep.name, self.keep)
        return result

    def _judged(self, judging: Judging[R], folder: Path | None) -> R:
        """The result, and in the folder the counts."""
        told, reason = None, None
        if self.since is not None:
            earlier = _Earlier.of(self.since)
            try:
                return self._by_counts(judging, folder, earlier)
            except (CannotAdd, DataError) as error:
                # What is wrong with the data, an audit of all of it will say.
                reason = str(error) if isinstance(error, CannotAdd) else "what is new could not be counted by itself"
            told = replace(earlier.facts, added=False, reason=reason)
        if folder is None:
            return replace(judging(None, None), since=told)
        try:
            return replace(self._by_counts(judging, folder, None), since=told)
        except CannotAdd as error:
            raise UsageError(f"counts cannot be kept: {error}") from None

    def _by_counts(self, judging: Judging[R], folder: Path | None, earlier: _Earlier | None) -> R:
        """Judge the counts of the whole; `CannotAdd` where they are not to be had."""
        if not isinstance(self.engine, DuckDB | None):
            raise CannotAdd("only counts that DuckDB made in this process can be added to")
        keep = folder / self.keep.name if folder is not None and self.keep is not None else None
        kept = earlier.counts(self.limits) if earlier else None
        keeping = Keeping(self._read, kept, keep)
        result, source = judging(keeping, folder), keeping.source
        if source is None:
            raise CannotAdd("the data was not opened")
        if keep is not None:
            keep.chmod(FOR_THE_OWNER)
            found = CountsFacts(file=keep.name, sha256=_digest(keep), columns=source.counted)
            result = replace(result, counts=found)
        if earlier is not None and result.data is not None:
            before = source.before
            told = replace(earlier.facts, records_before=before, records_added=result.data.rows - before)
            result = replace(result, since=told)
        return result

    def _read(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns that the audit reads, in their order.

        Raises:
            CannotAdd: it counts what does not add up.
        """
        policy = self.policy
        binding = bind(policy, names)
        if policy.unit is not None and policy.unit.column in names:
            raise CannotAdd(
                f"the policy counts by {policy.unit.column!r}: counts do not show whether somebody in a new row was "
                "there before"
            )
        read = {*binding.quasi_identifiers, *binding.sensitive}
        for bound in binding.requirements:
            if bound.reason is not None:
                continue
            if isinstance(bound.requirement, SequenceRequirement):
                raise CannotAdd(
                    f"requirement {bound.requirement.id!r} looks at single records, which counts do not show"
                )
            if isinstance(bound.requirement, RecordRequirement):
                columns = bound.requirement.attributes or binding.quasi_identifiers
                if bound.requirement.counted(columns, {*binding.quasi_identifiers, *binding.sensitive}):
                    continue
                raise CannotAdd(
                    f"requirement {bound.requirement.id!r} looks at single records, which counts do not show"
                )
            if isinstance(bound.requirement, ColumnRequirement):
                read.add(bound.requirement.attribute)
            read |= {*bound.quasi_identifiers, *([bound.sensitive] if bound.sensitive else [])}
        return tuple(name for name in names if name in read)

    def _check_target(self, keep: Path, data: Any, inputs: Sequence[Any]) -> None:
        """Refuse to put counts in the place of anything but counts, or among the data."""
        check_targets({"--counts": keep}, [data, *inputs, self.since])
        if isinstance(data, str | os.PathLike) and fnmatchcase(str(keep.absolute()), str(Path(data).absolute())):
            raise UsageError(f"--counts {keep}: would be one of the files of the data")
        if keep.exists() and not is_counts(keep, self.limits):
            raise UsageError(f"--counts {keep}: exists, and is not a file of counts; it is not overwritten")


@dataclass(frozen=True)
class _Earlier:
    """An earlier result: where it is, and what is said of it where its counts are added to."""

    path: Path
    stored: Result
    facts: SinceFacts

    @classmethod
    def of(cls, path: Path) -> _Earlier:
        """Read a stored result.

        Raises:
            DataError: there is none, or it is no result of one audit.
        """
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise DataError(f"--since {path.name}: cannot be read ({error.strerror})") from None
        stored = parse(raw)
        if not isinstance(stored, Stored) or not isinstance(stored.result, Result):
            raise DataError(f"--since {path.name}: is not the result of a check")
        day = stored.result.evaluated_on
        facts = SinceFacts(result=path.name, sha256=sha256(raw).hexdigest(), evaluated_on=day, added=True)
        return cls(path, stored.result, facts)

    def counts(self, limits: RunLimits) -> Earlier:
        """The counts that were kept with it.

        Raises:
            CannotAdd: there are none, or others.
        """
        told = self.stored.counts
        if told is None:
            raise CannotAdd(f"{self.path.name} kept no counts")
        file = self.path.parent / Path(told.file).name
        if not file.is_file():
            raise CannotAdd(f"{file.name} is not beside {self.path.name}")
        if _digest(file) != told.sha256:
            raise CannotAdd(f"{file.name} is not the file of counts that {self.path.name} was made with")
        return Earlier(file, kept_in(file, limits))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CannotAdd(f"{path.name} cannot be read ({error.strerror})") from None
