"""`audit_queries`: what the answers of a log give away, judged by a policy."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.distribution import version
from auditor.engines import RunLimits, Source, Spill, open_data
from auditor.errors import DataError, UsageError
from auditor.judge import Granted, doubts, findings
from auditor.policy import Policy, bind, demands, load_policy
from auditor.policy.attributes import Attribute
from auditor.policy.demands import Demand
from auditor.policy.facts import data_facts, policy_facts
from auditor.policy.queries import Queries, QueryLimit
from auditor.policy.waivers import Covered
from auditor.queries import _document
from auditor.queries._answers import agrees, answer_of
from auditor.queries._query import Extreme, Public, Query, Refused, Statement, check_texts
from auditor.queries._verdicts import Facts, requirements
from auditor.queries.attack.disclosures import Auditor, Disclosures
from auditor.queries.attack.discovery import Discovery
from auditor.queries.attack.insiders import insiders_of
from auditor.queries.attack.null import as_told
from auditor.queries.attack.shape import LogShape
from auditor.queries.attack.views import Knowledge
from auditor.queries.logs import read_log
from auditor.queries.online.ledger import StatementLedger
from auditor.queries.online.online import Decider
from auditor.queries.records.domains import in_words
from auditor.queries.records.memory import RECORD_BYTES, check_memory
from auditor.queries.records.records import RecordProfiles, read_profiles
from auditor.queries.records.schema import schema_of
from auditor.queries.records.snapshots import named, with_history
from auditor.queries.sql.reader import used_columns
from auditor.queries.sql.versions import reader_of
from auditor.report import Rendered
from auditor.result import DataFacts, Finding, RequirementResult, Tool, verdict_of, work_of
from auditor.result.queries import LogFacts, QueriesResult
from auditor.stages import Stage, recorded, stage, tell

ANSWERED = ("answered", "answer")
"""The decisions that mean that a query was answered."""

Logged = str | os.PathLike[str] | Iterable[Statement | str]
"""A log file, or the statements themselves."""

_DENIED = "Some queries were denied by this limit; nothing was answered that breaks it."
_MISMATCH = (
    "Some logged answers differ from those of the table: it is not the table that was queried, or it has changed."
)


class QueryAudit(Rendered, QueriesResult):
    """The result of `audit_queries`: the JSON document as a Python value, which can render itself."""


def audit_queries(
    log: Logged,
    policy: Policy | str | Path | Any,
    data: Any,
    *,
    online: bool = False,
    log_format: str | None = None,
    dialect: str = "postgres",
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | Spill | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    release: str | None = None,
    reproduce: str | None = None,
) -> QueryAudit:
    """Audit a log of aggregate queries against the limits of a policy.

    Every query of the log counts as answered, and the result says what the answers disclose together. With `online`,
    each query is instead decided in order, as a server would answer or deny it.

    Args:
        log: a log file, or an iterable of statements (SQL text, or `Statement` with user and time).
        policy: a policy, the path of a policy file, or a mapping with its contents; it has a block ``queries``.
        data: the table that was queried; see `auditor.engines.open_data`. For a table that changed, a mapping from
            the time (ISO 8601) at which a snapshot becomes valid to the snapshot; or a history of versions, with the
            columns that the policy names under ``versions``.
        online: decide each query on the basis of those answered before it.
        log_format: the format of the log (docs/queries.md lists them); by default it is detected from the log.
        dialect: the dialect of the SQL.
        as_of: the day that the result names; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time; what is not decided by then is undetermined, never safe.
        csv: how CSV files are written; what it leaves open is found in the files.
        release: the name of the release that the log belongs to, for waivers that are limited to certain releases.
        reproduce: the command that verifies the result, for the reports.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the log or the data is missing, empty or unreadable, or a limit was reached.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    loaded = load_policy(policy)
    limits = RunLimits.of(memory, time_limit, spill, loaded.spill).for_rows(RECORD_BYTES)
    csv = loaded.dialect(csv)
    with recorded() as record, ExitStack() as opened:
        with stage(Stage.READING) as here:
            table, versions = with_history(data, loaded, limits=limits, csv=csv)
            source = opened.enter_context(open_data(table, limits=limits, csv=csv))
            schema = schema_of(loaded, source, limits, versions, csv)
            statements, facts = _statements(log, log_format)
            used = schema.public if online else used_columns(statements, schema, dialect)
            profiles = read_profiles(source, schema, used)
            here.rows = profiles.records
        if not profiles.records:
            raise DataError(f"{source.facts.name}: has no records, so nothing was asked about anybody")
        run = LogRun(loaded, source, profiles, facts, deadline, bounds=limits, release=release)
        if isinstance(data, Mapping):
            run.snapshots = named(data)
        with stage(Stage.SOLVING):
            asked = run.decided(statements, dialect) if online else run.answered(statements, dialect)
        with stage(Stage.JUDGING):
            result = run.result(asked, as_of or date.today(), reproduce)  # noqa: DTZ011  (the day of whoever runs it)
    return replace(result, work=work_of(record))


def _statements(log: Logged, log_format: str | None) -> tuple[list[Statement], LogFacts]:
    if isinstance(log, str | os.PathLike):
        read = read_log(log, log_format)
        statements = list(read)
        if not statements:
            raise DataError(f"{Path(log).name}: holds no statement that could answer with data; nothing was audited")
        return statements, read.facts
    given = [Statement(i, each) if isinstance(each, str) else each for i, each in enumerate(log, start=1)]
    if not given:
        raise DataError("the log holds no statement; nothing was audited")
    if not all(isinstance(each, Statement) for each in given):
        raise UsageError("a log is a file, or statements: SQL texts, or `Statement` with user and time")
    for each in given:
        check_texts(each)
    users = tuple(dict.fromkeys(each.user for each in given if each.user is not None))
    failed = sum(each.failed for each in given)
    return given, LogFacts(source="statements", format="python", statements=len(given), failed=failed, users=users)


@dataclass(frozen=True)
class Transcript:
    """The queries of a log, what was decided about each, which rules it breaks by itself, and what was answered."""

    queries: Sequence[Query]
    decisions: Sequence[str]
    violations: Sequence[tuple[str, ...]]
    shape: LogShape
    disclosed: Disclosures
    online: bool


class LogRun:
    """One audit: the policy, the table, and the log."""

    def __init__(
        self,
        policy: Policy,
        source: Source,
        profiles: RecordProfiles,
        log: LogFacts,
        deadline: float,
        *,
        bounds: RunLimits,
        release: str | None = None,
    ) -> None:
        assert policy.queries is not None  # noqa: S101  (the schema was read from it)
        self.policy = policy
        self.limits: Queries = policy.queries
        self.source = source
        self.profiles = profiles
        self.log = log
        self.deadline = deadline
        self.bounds = bounds
        self.release = release
        self.snapshots: str | None = None
        """What the table is called where it is a history made of snapshots."""
        self._answers: dict[int, Fraction | None] = {}

    def answered(self, statements: Sequence[Statement], dialect: str) -> Transcript:
        """Take every query as answered, and find what follows from the answers."""
        reader = reader_of(self.profiles, dialect)
        queries: list[Query] = []
        for done, statement in enumerate(statements):
            tell(done, len(statements), "statements read")
            queries += reader.read(statement)
        check_memory(self.profiles, queries, self.bounds, self.source.facts.name)
        return self.judged(queries)

    def judged(self, queries: Sequence[Query]) -> Transcript:
        """What follows from the answers of queries that were all answered."""
        told = [as_told(query, self.profiles) for query in queries]
        auditor = Auditor(self.profiles, told, self.limits, self.roles, self.insiders, self.deadline)
        shape = LogShape(self.profiles, queries, self.limits, self._known_at_most)
        decisions = [_decision(query) for query in queries]
        return Transcript(queries, decisions, shape.violations, shape, auditor.disclosed(), online=False)

    def decided(self, statements: Sequence[Statement], dialect: str) -> Transcript:
        """Decide each query in order; what is denied is not answered, so that nothing is disclosed."""
        memory = StatementLedger(None, self.profiles.digest())
        decider = Decider(self.policy, self.profiles, self.roles, ledger=memory, dialect=dialect)
        each = [(query, decided) for decided, queries in decider.each(statements) for query in queries]
        memory.close()
        told = [query for query, decided in each if decided.decision in ANSWERED]
        return Transcript(
            [query for query, _ in each],
            [decided.decision for _, decided in each],
            [decided.violations for _, decided in each],
            LogShape(self.profiles, told, self.limits, self._known_at_most),
            Disclosures(),
            online=True,
        )

    def result(self, asked: Transcript, day: date, reproduce: str | None) -> QueryAudit:
        """Judge every limit, and write down what was found."""
        queries = asked.queries
        found = _found(asked)
        told = [query for query, decision in zip(queries, asked.decisions, strict=True) if decision in ANSWERED]
        facts = self.facts(asked)
        # no waiver answers what was denied
        granted = None if asked.online else self._granted(day)
        judged = tuple(requirements(self.policy, facts, granted, partial(self._again, asked)))
        return QueryAudit(
            tool=Tool(version=version()),
            command="queries",
            evaluated_on=day.isoformat(),
            verdict=verdict_of(judged),
            policy=policy_facts(self.policy),
            data=self._data(),
            requirements=judged,
            findings=(
                *findings(judged, partial(_sentence, self.policy, online=asked.online)),
                *doubts(self._granted(day), judged, {demand.id: {demand.id} for demand in self._waivable}),
                *self._mismatches(told),
            ),
            not_checked=tuple(block for block in self._blocks() if block != "queries"),
            assumptions=tuple(self._assumptions(queries)),
            reproduce=reproduce,
            log=self.log,
            online=asked.online,
            queries=facts.queries,
            disclosures=facts.disclosures,
            disclosures_count=len(facts.disclosures),
            exposed_count=len({record for each in found for record in each.records}),
            first_compromise=queries[found[0].first].index if found else None,
            coverage=_document.coverage(queries, asked.decisions, self.profiles),
            unsupported=facts.unsupported,
            structural=facts.structural,
        )

    def facts(self, asked: Transcript) -> Facts:
        """What the limits are judged by, as the document has it."""
        queries, limits = asked.queries, tuple(demands.of_queries(self.policy))
        return Facts(
            tuple(
                _document.query_result(query, asked.decisions[i], asked.violations[i], self._answer(query))
                for i, query in enumerate(queries)
            ),
            tuple(_document.disclosure(each, queries, self.profiles, limits) for each in _found(asked)),
            asked.shape.facts,
            _document.unsupported(queries),
            asked.disclosed.undetermined,
            asked.shape.worst,
        )

    def _again(self, asked: Transcript, policy: Policy) -> Facts:
        """What is found by another policy in the same answers."""
        run = LogRun(policy, self.source, self.profiles, self.log, self.deadline, bounds=self.bounds)
        return run.facts(run.judged(asked.queries))

    def _granted(self, day: date) -> Granted:
        facts = self.source.facts
        return Granted(self.policy, day, (Covered(facts.name, lambda: facts.sha256, self.release),))

    @property
    def _waivable(self) -> list[Demand[QueryLimit]]:
        known = demands.waivable(self.policy)
        return [demand for demand in demands.of_queries(self.policy) if demand.id in known]

    @cached_property
    def roles(self) -> Mapping[str, Attribute]:
        """What the policy says of each column."""
        return bind(self.policy, [column.name for column in self.source.columns]).roles

    @property
    def _known_at_most(self) -> int:
        return max((len(records) for records in self.insiders.values()), default=0)

    @cached_property
    def insiders(self) -> Knowledge:
        """The records that insiders know."""
        return insiders_of(self.limits, self.profiles)

    def _answer(self, query: Query) -> Any:
        if isinstance(query.asked, Refused | Public) or query.statement.failed:
            return None
        if id(query.asked) not in self._answers:  # a statement asked again asks by the same object
            self._answers[id(query.asked)] = answer_of(query.asked, self.profiles)
        return self._answers[id(query.asked)]

    def _mismatches(self, queries: Sequence[Query]) -> Iterable[Finding]:
        """A logged answer that the table does not give, of statements that ask for one number."""
        numbers: dict[int, list[Query]] = {}
        for query in queries:
            numbers.setdefault(query.statement.number, []).append(query)
        asked = [each[0] for each in numbers.values() if len(each) == 1 and each[0].statement.answer is not None]
        known = [query for query in asked if not isinstance(query.asked, Refused | Public)]
        if any(agrees(str(query.statement.answer), self._answer(query)) is False for query in known):
            yield Finding(message=_MISMATCH, level="warning")

    def _data(self) -> DataFacts:
        named = {} if self.snapshots is None else {"source": self.snapshots}
        binding = bind(self.policy, [column.name for column in self.source.columns])
        unit = self.profiles.schema.unit or "rows"
        return data_facts(self.source, binding, rows=self.profiles.records, unit=unit, **named)

    def _blocks(self) -> Iterable[str]:
        if self.policy.requirements:
            yield "requirements"
        yield from self.policy.blocks()

    def _assumptions(self, queries: Sequence[Query]) -> Iterable[str]:
        """What the verdict takes for granted, in words."""
        yield (
            "The users know the public columns of every record and the exact answers, and nothing else unless it is "
            "listed here."
        )
        if self.profiles.validity is None:
            yield "The table did not change while the queries of the log were answered."
        else:
            yield "Each query was answered from the versions that were valid at its time in the log."
        yield from in_words(self.profiles, self.roles)
        if self.limits.assume.null_is_public:
            yield "Everybody knows which values are missing."
        extremes = any(isinstance(query.asked, Extreme) for query in queries)
        if extremes and self.limits.assume.equal_values is None:
            yield "Maxima and minima were judged both ways: with equal values, and with all values distinct."
        if self.log.statements and not self.log.users and self.limits.scope != "pooled":
            yield "The log names no users; all statements count as one user's."


def _found(asked: Transcript) -> list[Discovery]:
    return sorted(asked.disclosed.found.values(), key=lambda each: (each.first, each.kind, each.records))


def _decision(query: Query) -> str:
    if query.statement.failed:
        return "failed"
    return "unsupported" if isinstance(query.asked, Refused) else "answered"


def _sentence(policy: Policy, result: RequirementResult, *, online: bool) -> str:
    """What is found of a limit that a log breaks."""
    finding = next(demand.limit.finding for demand in demands.of_queries(policy) if demand.id == result.id)
    return " ".join([_DENIED if online else finding, *result.notes])
