"""`QueryAuditor`: decide each query before it is answered, and remember what was."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from auditor.closing import Closing
from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, open_data
from auditor.errors import DataError
from auditor.policy import Policy, bind, load_policy
from auditor.policy.attributes import Attribute
from auditor.policy.queries import Coalition, Queries
from auditor.queries._query import Query, Refused, Statement, check_texts
from auditor.queries.attack.insiders import insiders_of
from auditor.queries.attack.ranges import Domains
from auditor.queries.attack.views import Knowledge, User, View, pooled, view_of
from auditor.queries.measures import AskedQueries
from auditor.queries.online import _run_sql
from auditor.queries.online._position import Position
from auditor.queries.online.ledger import StatementLedger
from auditor.queries.records.domains import check_declared
from auditor.queries.records.memory import RECORD_BYTES
from auditor.queries.records.records import RecordProfiles, read_profiles
from auditor.queries.records.schema import schema_of
from auditor.queries.records.snapshots import with_history
from auditor.queries.records.validity import moment_of
from auditor.queries.sql.versions import reader_of, valid_only
from auditor.stages import tell

Execute = Callable[[Statement], Sequence[Sequence[Any]]]
"""Runs a statement with its parameters where the data lives, and returns the rows."""


@dataclass(frozen=True)
class Decided:
    """What was decided about one statement: ``answer``, ``deny`` or ``unsupported``.

    `violations` names the rules that an answer would break, or the construct that cannot be audited; never a record.
    `rows` is the answer, if the auditor itself ran the statement.
    """

    number: int
    decision: str
    violations: tuple[str, ...] = ()
    rows: Sequence[Sequence[Any]] | None = None

    @property
    def answered(self) -> bool:
        """Whether the statement may be, or was, answered."""
        return self.decision == "answer"


class Decider:
    """Decides queries about records that are already in memory, one by one, as they arrive."""

    def __init__(
        self,
        policy: Policy,
        profiles: RecordProfiles,
        roles: Mapping[str, Attribute],
        *,
        ledger: StatementLedger,
        dialect: str,
        execute: Execute | None = None,
    ) -> None:
        assert policy.queries is not None  # noqa: S101  (the profiles were read by it)
        self.profiles = profiles
        self._policy = policy
        self._limits: Queries = policy.queries
        self._reader = reader_of(profiles, dialect)
        self._dialect = dialect
        self._execute = execute or self._run_here
        self._insiders: Knowledge = insiders_of(self._limits, profiles)
        check_declared(profiles, roles)
        self._domains = Domains(profiles, roles)
        self._ledger = ledger
        self._forget()

    def decide(
        self, sql: str, *, user: User = None, parameters: Sequence[str | None] = (), time: str | None = None
    ) -> Decided:
        """Decide a statement; if the decision is ``answer``, it counts as answered from now on."""
        return self._decided(Statement(0, sql, user, time, tuple(parameters)), run=False)

    def answer(
        self, sql: str, *, user: User = None, parameters: Sequence[str | None] = (), time: str | None = None
    ) -> Decided:
        """Decide a statement, run it if it may be answered, and record both together or not at all."""
        return self._decided(Statement(0, sql, user, time, tuple(parameters)), run=True)

    def each(self, statements: Iterable[Statement]) -> Iterator[tuple[Decided, list[Query]]]:
        """Decide the statements of a log in order, and what each of them asks."""
        for done, statement in enumerate(statements):
            tell(done, unit="statements decided")
            decided = self._decided(statement, run=False)
            yield decided, self._reader.read(statement)

    def _decided(self, asked: Statement, *, run: bool) -> Decided:
        check_texts(asked)
        if asked.time is None and self.profiles.validity is not None:
            asked = replace(asked, time=datetime.now(UTC).isoformat())
        try:
            with self._ledger.turn():
                self._catch_up()
                number = self._ledger.next_number()
                statement = Statement(number, asked.sql, asked.user, asked.time, asked.parameters)
                queries = self._reader.read(statement)
                decision, violations = self._judged(queries)
                rows = self._execute(statement) if run and decision == "answer" else None
                self._ledger.append(statement, decision, violations, self._policy.sha256, _run_sql.as_json(rows))
                if decision == "answer":
                    self._take(queries)
                self._seen = number
        except BaseException:
            self._forget()  # what is in memory may be ahead of the ledger
            raise
        return Decided(number, decision, violations, rows)

    def _run_here(self, statement: Statement) -> Sequence[Sequence[Any]]:
        profiles = self.profiles
        if profiles.validity is not None and statement.time is not None:
            profiles = valid_only(profiles, profiles.validity.at(moment_of(statement.time) or 0))
        return _run_sql.run(profiles, statement.sql, statement.parameters, self._dialect)

    # What was answered

    def _forget(self) -> None:
        self._seen = 0
        self._standings: dict[frozenset[User] | tuple[str, ...], Position] = {}
        self._answered: list[Query] = []
        self._asked: set[tuple[object, ...]] = set()

    def _catch_up(self) -> None:
        """Take up what other processes answered."""
        for entry in self._ledger.after(self._seen):
            if entry.decision == "answer":
                self._take(self._reader.read(entry.statement))
            self._seen = entry.number

    def _take(self, queries: Sequence[Query]) -> None:
        user = queries[0].statement.user
        if self._is_repeat(queries):
            return
        for standing in self._of(user):
            standing.take(queries)
        self._answered += queries
        self._asked.add(self._identity(queries[0]))

    def _of(self, user: User) -> list[Position]:
        """The standings of all views that a user's answers go to; one that is new begins with what it saw."""
        return [self._standing(view) for view in self._views(user)]

    def _views(self, user: User) -> list[View]:
        users = list(dict.fromkeys([*(query.statement.user for query in self._answered), user]))
        if self._limits.scope == "pooled":
            return list(pooled(self._insiders))
        largest = 1
        if isinstance(self._limits.scope, Coalition):
            largest, users = self._limits.scope.coalition, list(dict.fromkeys([*users, *self._insiders]))
        others = [other for other in users if other != user]
        most = min(largest - 1, len(others))
        # More users learn more; but what an ally knows already is still disclosed to those who do without him.
        least = 0 if self._insiders else most
        allies = chain.from_iterable(combinations(others, count) for count in range(least, most + 1))
        return [view_of((user, *each), self._insiders) for each in allies]

    def _standing(self, view: View) -> Position:
        key = view.users if view.users is not None else view.insiders
        if key not in self._standings:
            standing = Position(self.profiles, self._limits, view, self._domains)
            earlier = [query for query in self._answered if view.sees(query.statement.user)]
            if earlier:
                standing.take(earlier)
            self._standings[key] = standing
        return self._standings[key]

    # The decision

    def _judged(self, queries: Sequence[Query]) -> tuple[str, tuple[str, ...]]:
        refused = [query.asked.construct for query in queries if isinstance(query.asked, Refused)]
        if refused:
            return "unsupported", tuple(dict.fromkeys(refused))
        if self._is_repeat(queries):
            return "answer", ()
        log = AskedQueries(self.profiles, self._limits, [*self._answered, *queries], new=len(self._answered))
        broken = dict.fromkeys(log.broken(*log.places))
        if not broken:
            for standing in self._of(queries[0].statement.user):
                broken |= dict.fromkeys(standing.violations(queries))
        return ("deny", tuple(broken)) if broken else ("answer", ())

    def _is_repeat(self, queries: Sequence[Query]) -> bool:
        """Whether the same user (of whom answers are put together) was answered exactly this; it tells nothing new."""
        return self._identity(queries[0]) in self._asked

    def _identity(self, query: Query) -> tuple[object, ...]:
        statement = query.statement
        user = None if self._limits.scope == "pooled" else statement.user
        return user, statement.sql, statement.parameters, self._valid(statement)

    def _valid(self, statement: Statement) -> bytes:
        """Which versions a statement speaks of: the same words about a changed table are another question."""
        validity = self.profiles.validity
        if validity is None or statement.time is None:
            return b""
        return np.packbits(validity.at(moment_of(statement.time) or 0)).tobytes()


class QueryAuditor(Decider, Closing):
    """Decides queries one by one, as they arrive.

    A decision depends only on earlier queries and answers. Answers are recorded in a ledger: a file that several
    processes may use at once, bound to the data by a digest of its contents. Without a ledger, they are kept in
    memory. Use the object as a context manager, or close it.
    """

    def __init__(
        self,
        data: Any,
        policy: Policy | str | Path | Mapping[str, Any],
        *,
        ledger: str | os.PathLike[str] | None = None,
        dialect: str = "postgres",
        execute: Execute | None = None,
        memory: str | int | None = None,
        spill: str | os.PathLike[str] | None = None,
        csv: CsvDialect | None = None,
    ) -> None:
        """Open the data, and load what was answered according to the ledger.

        Args:
            data: the table that is queried; see `auditor.engines.open_data`. It is read once.
            policy: a policy, the path of a policy file, or a mapping with its contents; it has a block ``queries``.
            ledger: the file of answers; created if it does not exist.
            dialect: the dialect of the SQL.
            execute: runs the statements that `answer` gets; by default DuckDB does, on the table as it was read.
            memory: a size such as ``1GB``; by default half of the machine's memory.
            spill: the folder for temporary data; by default the machine's temporary folder.
            csv: how CSV files are written; what it leaves open is found in the files.

        Raises:
            PolicyError, UsageError: the policy or the call is wrong.
            DataError: the data cannot be read, or the ledger belongs to other data.
        """
        loaded = load_policy(policy)
        limits, csv = RunLimits.of(memory, None, spill, loaded.spill).for_rows(RECORD_BYTES), loaded.dialect(csv)
        table, versions = with_history(data, loaded, limits=limits, csv=csv)
        with open_data(table, limits=limits, csv=csv) as source:
            schema = schema_of(loaded, source, limits, versions, csv)
            profiles = read_profiles(source, schema, schema.public)
            roles = bind(loaded, [column.name for column in source.columns]).roles
            if not profiles.records:
                raise DataError(f"{source.facts.name}: has no records to ask about")
        kept = StatementLedger(None if ledger is None else Path(ledger), profiles.digest())
        super().__init__(loaded, profiles, roles, ledger=kept, dialect=dialect, execute=execute)

    def close(self) -> None:
        """Release the ledger."""
        self._ledger.close()
