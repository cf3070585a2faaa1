"""`check`: judge a dataset as a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from auditor.audit import _columns, _facts, _figures, _header, _near_duplicates, _persons
from auditor.audit._nothing import looked_at_nothing
from auditor.audit._patterns import PatternQuestion
from auditor.audit._plan import Plan, ask, uses
from auditor.audit._previous import beside_previous
from auditor.audit._release_table import EarlierRelease
from auditor.audit._results import Results
from auditor.audit._run import AuditRun
from auditor.audit._sizes import Sizes
from auditor.audit._views import answer
from auditor.dialect import CsvDialect
from auditor.distribution import version
from auditor.engines import Counted, Engine, RunLimits, Source, Spill, open_data
from auditor.errors import DataError, OutOfMemory, Unsupported, UsageError
from auditor.judge import doubts, findings
from auditor.models import GroupedRequirement, RecordRequirement, SequenceRequirement, TableModel
from auditor.policy import BoundRequirement, Policy, bind, load_policy
from auditor.policy.facts import data_facts, least_class_size, policy_facts
from auditor.report import Rendered
from auditor.result import RequirementResult, Result, Status, Tool, verdict_of, work_of
from auditor.stages import Stage, recorded, stage

BESIDE_ORIGINAL = (RecordRequirement, SequenceRequirement)
"""Requirements that look at the table that a release was made from."""


class CheckResult(Rendered, Result):
    """The result of `check`: the JSON document as a Python value, which can render itself."""


def check(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    source: bool = False,
    original: Any = None,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | Spill | None = None,
    time_limit: float | None = None,
    expose: bool = False,
    csv: CsvDialect | None = None,
    reproduce: str | None = None,
    workspace: Path | None = None,
    engine: Engine | None = None,
    since: str | Path | None = None,
    counts: str | Path | None = None,
    weight: str | None = None,
    recipients: str | Sequence[str] = (),
    purpose: str | None = None,
    previous: Sequence[Any] | None = None,
) -> CheckResult:
    """Judge a dataset against a policy.

    Args:
        data: a path, a database URL, or a dataframe; see `auditor.engines.open_data`.
        policy: a policy, the path of a policy file, or a mapping with its contents.
        source: judge a table before release: identifiers are allowed in it.
        original: the table from which the release was made, for policies with ``reference: original``.
        as_of: the day on which waivers are judged; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time.
        expose: include the keys of the worst classes (only documents for the internal audience show them).
        csv: how CSV files are written; what it leaves open is found in the files.
        reproduce: the command that verifies the result, for the reports.
        workspace: a folder for temporary files, which is not removed; by default a temporary one, which is removed.
        engine: the engine that counts the data; by default DuckDB in this process.
        since: a JSON file with an earlier result of this data, before rows were appended. If that is exact, the new
            rows are added to its counts. The result is the same; its `since` says whether that was done.
        counts: a file in which to keep the counts, so that a later audit can add to them. It holds values of the data.
        weight: the column that says how many records each row of the data represents; by default one.
        recipients: who gets the release, a name or several, for the reports.
        purpose: what they get it for.
        previous: the releases before this one, from the first: each as `data` is given, or a pair of that and the table
            that it was made from; an empty list where this is the first release.

    Returns:
        What is met and what is not. A requirement that could not be judged is included as not-evaluated.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data is missing, empty or unreadable, or a limit was reached.
    """
    if weight is not None and (since is not None or counts is not None):
        raise UsageError(
            "rows that stand for several records have to be counted again each time; leave out since and counts"
        )
    loaded, limits = load_policy(policy), RunLimits.of(memory, time_limit, spill)
    earlier_releases = None if previous is None else [EarlierRelease.of(each) for each in previous]

    def judging(counting: Engine | None, folder: Path | None) -> CheckResult:
        return judged(
            data,
            loaded,
            limits,
            source=source,
            original=original,
            csv=csv,
            weight=weight,
            engine=counting or engine,
            original_engine=engine,
            as_of=as_of,
            expose=expose,
            reproduce=reproduce,
            workspace=folder or workspace,
            previous=earlier_releases,
        )

    if since is None and counts is None:
        found = judging(None, None)
    else:
        from auditor.audit._since import CountsPlan

        earlier, keep = (None if place is None else Path(place) for place in (since, counts))
        found = CountsPlan(earlier, keep, loaded, limits, engine).judged(judging, data, [policy, original])
    if found.data is None or not (recipients or purpose):
        return found
    names = (recipients,) if isinstance(recipients, str) else tuple(recipients)
    return replace(found, data=replace(found.data, recipients=names, purpose=purpose))


def judged(
    data: Any,
    policy: Policy,
    limits: RunLimits,
    *,
    source: bool = False,
    original: Any = None,
    csv: CsvDialect | None = None,
    original_csv: CsvDialect | None = None,
    engine: Engine | None = None,
    original_engine: Engine | None = None,
    weight: str | None = None,
    as_of: date | None = None,
    expose: bool = False,
    reproduce: str | None = None,
    workspace: Path | None = None,
    dropped: str | None = None,
    release: str | None = None,
    followed: NDArray[np.intp] | None = None,
    made: bool = False,
    not_released: tuple[str, ...] = (),
    previous: Sequence[EarlierRelease] | None = None,
) -> CheckResult:
    """`check` within limits that run already.

    `csv` is how the files of the data are written, and `original_csv` those of its original.
    `dropped` is a column that the data is counted by and that will not be released: nothing else is said of it.
    `release` is the name of the release in the manifest, to which waivers may be limited. `followed` says of each row
    of the data which row of its original it is, where whoever made the release knows; `made` says that it was made
    from a table that was judged, so that what the policy lists may be suppressed in it.
    `not_released` are files beside the data that are not part of it, besides those that the policy names.
    `previous` are the releases before this one, from the first; None where nobody says which there are.
    """
    if not policy.requirements:
        raise UsageError(f"policy {policy.name!r} has no requirements, so there is nothing to judge a dataset by")
    limits, csv, original_csv = limits.spilling(policy.spill), policy.dialect(csv), policy.dialect(original_csv)
    with recorded() as record, ExitStack() as opened:
        table = opened.enter_context(
            open_data(data, limits=limits, workspace=_folder(workspace), csv=csv, engine=engine, weight=weight)
        )
        how: dict[str, Any] = {"csv": original_csv, "engine": original_engine}
        reference = open_reference(policy, original, limits, _folder(workspace), before_release=source, **how)
        if reference is not None:
            opened.enter_context(reference)
        population = open_population(policy, limits, _folder(workspace))
        if population is not None:
            opened.enter_context(population)
        compared = None
        if original is not None and any(isinstance(each, BESIDE_ORIGINAL) for each in policy.requirements):
            compared = opened.enter_context(open_data(original, limits=limits, workspace=_folder(workspace), **how))
        run = AuditRun(
            policy=policy,
            binding=bind(policy, [column.name for column in table.columns]),
            source=table,
            reference=reference,
            day=as_of or date.today(),  # noqa: DTZ011  (a waiver ends with the day of whoever runs the audit)
            before_release=source,
            expose=expose,
            limits=limits,
            dropped=dropped,
            release=release,
            original=compared,
            earlier=None if previous is None else tuple(previous),
            csv=csv,
            original_csv=original_csv,
            followed=followed,
            made=made,
            not_released=not_released,
            population=population,
        )
        _header.refuse_records(run)
        result = _audited(run, reproduce)
    if previous:
        result = beside_previous(result, data, previous, policy, limits=limits, csv=csv)
    return replace(result, work=work_of(record))


@cache
def _version() -> str:
    return version()


def _folder(workspace: Path | None) -> Path | None:
    """A folder of its own in a workspace, for one source, which makes it; None without a workspace."""
    return None if workspace is None else workspace / f"source-{uuid4().hex}"


def open_reference(
    policy: Policy,
    original: Any,
    limits: RunLimits,
    workspace: Path | None,
    *,
    before_release: bool,
    csv: CsvDialect | None = None,
    engine: Engine | None = None,
) -> Source | None:
    """The table that q is read from; None for the data under audit itself."""
    if policy.reference == "released" or (policy.reference == "original" and before_release):
        return None
    if policy.reference != "original":
        return open_data(policy.reference_file, limits=limits, workspace=workspace, csv=policy.dialect())
    if original is None:
        raise Unsupported(
            "the policy says reference: original; name the table that the release was made from with --original"
        )
    return open_data(original, limits=limits, workspace=workspace, csv=policy.dialect(csv), engine=engine)


def open_population(policy: Policy, limits: RunLimits, workspace: Path | None) -> Source | None:
    """The table of the population; None where no requirement reads it."""
    said = policy.sample.population if policy.sample else None
    if said is None or not policy.reads_population:
        return None
    file = policy.population_file
    return open_data(file, limits=limits, workspace=workspace, csv=policy.dialect(), weight=said.counts)


def _audited(run: AuditRun, reproduce: str | None) -> CheckResult:
    """Count, measure, judge."""
    with stage(Stage.COUNTING) as counting:
        counted = run.source.count(uses(run))
        counting.rows = counted.records
    if not counted.records:
        raise DataError(f"{run.source.facts.name}: has no records; there is nothing to judge")
    with stage(Stage.JUDGING, counted.records):
        results = Results(run.policy, run.granted)
        asked = ask(run, counted, results)
        sizes = answer(
            counted,
            [question for _, question in asked.questions if not isinstance(question, PatternQuestion)],
            run.binding.quasi_identifiers,
            run.unit,
            wildcard=run.policy.missing == "wildcard",
        )
        return _document(run, counted, asked, results, sizes=sizes, reproduce=reproduce)


def _least(asked: Plan, quasi_identifiers: Sequence[str]) -> int | None:
    """The size below which classes of quasi-identifiers count against the policy, where that is no secret."""
    edges = (
        bound.requirement.edge
        for bound, _ in asked.questions
        if isinstance(bound.requirement, GroupedRequirement)
        and not bound.confidential
        and set(bound.quasi_identifiers) == set(quasi_identifiers)
    )
    return max((edge for edge in edges if edge is not None), default=None)


def _document(
    run: AuditRun, counted: Counted, asked: Plan, judging: Results, *, sizes: Sizes, reproduce: str | None
) -> CheckResult:
    """What was found, as a document."""
    requirements = _judged(run, counted, asked, judging)
    absent = any(attribute.role == "quasi-identifier" for attribute in run.binding.absent.values())
    names = run.binding.quasi_identifiers
    complete = bool(names) and not absent
    k = least_class_size(run.policy) or _figures.DEFAULT_K
    same = tuple(name for name in names if counted.cardinality(name) == 1)
    blank = None if run.before_release or counted.records == 1 else same
    doubtful, unseen = _persons.names_of_persons(run)
    infeasible = (_facts.feasibility(run, bound, question, counted) for bound, question in asked.questions)
    return CheckResult(
        tool=Tool(version=_version()),
        command="check",
        evaluated_on=run.day.isoformat(),
        verdict=verdict_of(requirements),
        policy=policy_facts(run.policy),
        data=data_facts(
            run.source,
            run.binding,
            dropped=run.dropped,
            rows=counted.records,
            unit=run.unit or "rows",
            units=counted.units(run.unit) if run.unit else None,
            before_release=run.before_release,
        ),
        classes=_figures.class_summary(sizes, names, k, _least(asked, names), blank) if complete else None,
        risk=_figures.risk(sizes, run.policy.risk.threshold) if complete else None,
        requirements=requirements,
        findings=(
            *findings(requirements, _facts.sentence),
            *doubts(run.granted, requirements, run.excusable),
            *doubtful,
            *_near_duplicates.near_duplicates(run, counted),
        ),
        not_checked=run.policy.blocks(),
        assumptions=tuple(
            dict.fromkeys(
                (*_facts.assumptions(run, counted, sizes), *_facts.doubts(asked.questions), *asked.told, *unseen)
            )
        ),
        dimensionality=_figures.dimensionality(sizes, counted, k),
        feasibility=tuple(found for found in infeasible if found is not None),
        reproduce=reproduce,
    )


def _judged(run: AuditRun, counted: Counted, asked: Plan, judging: Results) -> tuple[RequirementResult, ...]:
    """Every requirement's result in the order of the policy, after those that every release must meet."""
    results = dict(asked.decided)
    label = _labels(counted) if run.expose else None
    for bound, question in asked.questions:
        if isinstance(bound.requirement, TableModel):
            results[str(bound.requirement.id)] = judging.table(bound, question, counted)
        else:
            results[str(bound.requirement.id)] = judging.classes(bound, question, label)
    always = _columns.forbidden_columns(run.binding, before_release=run.before_release, dropped=run.dropped)
    unread = () if run.before_release else _columns.unread(run.source, (*run.policy.not_released, *run.not_released))
    return (
        *(judging.present(result) for result in always),
        *unread,
        *(_told(run, counted, bound, results[str(bound.requirement.id)]) for bound in run.binding.requirements),
    )


def _told(run: AuditRun, counted: Counted, bound: BoundRequirement, result: RequirementResult) -> RequirementResult:
    """A result, with a note where the requirement holds because there was nothing to look at."""
    if result.status is not Status.PASS or isinstance(bound.requirement, RecordRequirement):
        return result
    return replace(result, notes=(*result.notes, *looked_at_nothing(run, counted, bound)))


def _labels(counted: Counted) -> Callable[[str, int], str | None]:
    """Decode a column's code; each column's values are fetched once.

    Raises:
        OutOfMemory: an engine cannot bring so many values here; nothing but the naming of classes needs them.
    """

    @cache
    def fetch(column: str) -> tuple[str | None, ...]:
        try:
            return counted.labels(column)
        except OutOfMemory as error:
            raise OutOfMemory(
                f"{error}; or ask for the document of another audience (--audience reviewer), which names no class"
            ) from None

    return lambda column, code: fetch(column)[code]
