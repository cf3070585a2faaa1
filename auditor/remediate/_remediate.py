"""`remediate`: find the least generalization that meets the policy, write it, and audit what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import Any

from auditor import release as releases
from auditor.audit import AuditRun, EarlierRelease, judged, open_population, open_reference, uses
from auditor.dialect import CsvDialect
from auditor.engines import (
    Address,
    Counted,
    Engine,
    RunLimits,
    engine_for,
    open_data,
)
from auditor.errors import EXIT_MET, EXIT_NOT_MET, OutOfMemory, Unsupported, UsageError
from auditor.policy import Policy, bind, load_policy
from auditor.policy.remediation import LOCAL, Remediation
from auditor.remediate import _account as account
from auditor.remediate._alternatives import Alternatives, ReleaseWay, left_open, ways_out
from auditor.remediate._chosen import Chosen
from auditor.remediate._compliance import unsearched
from auditor.remediate._losses import BASES
from auditor.remediate._outputs import Outputs, Place, Staging
from auditor.remediate._problem import SearchProblem, by_column, problem
from auditor.remediate._remediated import Remediated, RemediateResult
from auditor.remediate._search import SearchResult, search
from auditor.remediate._shortfall import findings as obstacles
from auditor.remediate._shortfall import refused, shortfall
from auditor.remediate._tables import lattice_file, mapping_file
from auditor.remediate._written import RemediationWriter
from auditor.remediate.local import Recoded, recoded
from auditor.report import remediation
from auditor.result import Finding, Result, Status, Verdict, work_of
from auditor.result.remediation import AlternativeRelease, Shortfall, Solution
from auditor.stages import Record, Stage, recorded, stage

Choice = Callable[[tuple[AlternativeRelease, ...]], int]
"""Which of the ways to take, by its place."""
_RELEASING = (Stage.WRITING, Stage.AUDITING_RELEASE)
PLANNED = "planned-release.parquet"
"""The file that a plan is audited in; it never leaves the temporary folder."""


def remediate(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    output: Place = None,
    mapping: Place = None,
    lattice: Place = None,
    keep_order: bool = False,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    reproduce: str | None = None,
    engine: Engine | None = None,
    choose: Choice | None = None,
    previous: Sequence[Any] | None = None,
) -> Remediated:
    """Find the release with the least loss that meets a policy, write it if asked to, and audit what was written.

    Args:
        data: anything that `auditor.check` takes.
        policy: a policy, the path of a policy file, or a mapping with its contents; its ``remediation`` block says
            how to search.
        output: the file to write, with Spark the folder or its address; with None, nothing is written. It is written to
            a temporary name next to it, audited there as a stranger would read it, and renamed only if it meets the
            policy.
        mapping: a CSV file for the value mappings that were applied; it contains values of the data.
        lattice: a CSV file for every node of the lattice.
        keep_order: keep the rows in the order of the data; by default they are sorted by what is released, because
            the position of a record can reveal whose it is.
        as_of: the day on which waivers are judged; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time.
        csv: how CSV files are written; what it leaves open is found in the files.
        reproduce: the command that verifies the result, for the reports.
        engine: the engine that counts the data, and writes and counts the release; by default DuckDB in this process.
        choose: asked which of the ways to take that the policy leaves open (its place in what it is given); by default,
            on a cluster, and where a time limit could be up before the answer, the policy's own is taken.
        previous: the releases before, as `auditor.check` takes them, beside which the release is judged.

    Returns:
        What was chosen and what it loses, and the audits of the original table and of the release. `solution` is None
        if no generalization meets the policy; then nothing was written. `data` is the released table if a table was
        passed in.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data is missing or unreadable, a limit was reached, or the policy demands something that is
            not implemented.
    """
    loaded = load_policy(policy)
    engine = engine_for(data, engine)
    inputs = [data, policy, *loaded.referenced_files]
    folder = engine is not None and engine.folders
    outputs = Outputs.of(output, mapping, lattice, inputs, keep_order=keep_order, folder=folder)
    limits, csv = RunLimits.of(memory, time_limit, spill, loaded.spill), loaded.dialect(csv)
    earlier = None if previous is None else [EarlierRelease.of(each) for each in previous]
    with recorded() as record, ExitStack() as stack:
        beside = stack.enter_context(outputs.beside(inputs, engine, limits))
        workspace = (
            stack.enter_context(releases.unfinished(outputs.release)) if isinstance(outputs.release, Path) else None
        )
        with stage(Stage.AUDITING_DATA):
            asked: dict[str, Any] = {"csv": csv, "engine": engine, "as_of": as_of, "workspace": workspace}
            before = judged(data, loaded, limits, source=True, previous=earlier, **asked)
        if any(each.status is Status.NOT_EVALUATED and each.severity == "error" for each in before.requirements):
            unjudged = _document(before, verdict=Verdict.NOT_EVALUATED, reproduce=None, before=before)
            return _timed(Remediated(unjudged), record)
        source = stack.enter_context(open_data(data, limits=limits, workspace=workspace, csv=csv, engine=engine))
        reference = open_reference(loaded, data, limits, None, before_release=True)
        if reference is not None:
            stack.enter_context(reference)
        population = open_population(loaded, limits, None)
        if population is not None:
            stack.enter_context(population)
        binding = bind(loaded, [column.name for column in source.columns])
        day = as_of or date.today()  # noqa: DTZ011
        run = AuditRun(loaded, binding, source, reference, day, True, False, limits, population=population)
        writer = RemediationWriter(
            data, run, as_of, workspace, csv, engine, None if beside is None else beside.storage, earlier
        )
        return _timed(_RemediationRun(run, outputs, before, reproduce, writer, beside).done(choose, record), record)


def _timed(done: Remediated, record: Record) -> Remediated:
    """What was done, with the times of its own stages."""
    return replace(done, result=replace(done.result, work=work_of(record)))


@dataclass(frozen=True)
class _RemediationRun:
    """One remediation once its data is open."""

    run: AuditRun
    outputs: Outputs
    before: Result
    reproduce: str | None
    writer: RemediationWriter
    beside: Staging | None
    planned: bool = False
    """Whether nothing is written and no table given back."""

    def done(self, choose: Choice | None, record: Record) -> Remediated:
        """Search, write, audit what was written, and put it in place; and look at what else the policy leaves open."""
        with stage(Stage.COUNTING) as counting:
            counted = self.run.source.count(uses(self.run))
            counting.rows = counted.records
        ways = left_open(self.run.policy.remediation)
        began = monotonic()
        asked = choose is not None and len(ways) > 1 and self.run.limits.seconds is None and not self._on_cluster
        done = (self.plan() if asked else self).made(counted)
        releasing = sum(record.spent[each].seconds for each in _RELEASING if each in record.spent)
        told = self._alternatives(done.result, ways, counted, (monotonic() - began, releasing))
        if choose is not None and asked:
            place = choose(told[: len(ways)])
            if place not in range(len(ways)):
                raise UsageError(f"choose: gave {place!r}, which is not the place of one of {len(ways)} ways")
            told = tuple(replace(each, taken=each is told[place]) for each in told)
            done = self.going(ways[place], self.run.limits).made(counted)
        return replace(done, result=replace(done.result, alternatives=told))

    def _alternatives(
        self, own: RemediateResult, ways: Sequence[ReleaseWay], counted: Counted, seconds: tuple[float, float]
    ) -> tuple[AlternativeRelease, ...]:
        """The policy's own way, and what was found on those that it leaves open; where it has no release, ways out.

        `seconds` are those of `Alternatives`. Nothing where there is no other way, and on a cluster, which would have
        to write and count every release.
        """
        others = list(ways[1:])
        if own.shortfall is not None:
            others += ways_out(own.shortfall, counted.records, self.run.policy.attributes)
        if not others or self._on_cluster:
            return ()

        def planned(way: ReleaseWay, limits: RunLimits) -> RemediateResult:
            return self.going(way, limits).plan().made(counted).result

        looked = Alternatives(self.run, planned, *seconds)
        with stage(Stage.ALTERNATIVES):
            return (looked.told(ways[0], own, taken=True), *looked.of(tuple(dict.fromkeys(others))))

    def plan(self) -> _RemediationRun:
        """The same work, refused for the same reasons, without anything written in the end."""
        return replace(self, planned=True)

    @property
    def _on_cluster(self) -> bool:
        return self.writer.engine is not None and self.writer.engine.folders

    def going(self, way: ReleaseWay, limits: RunLimits) -> _RemediationRun:
        """The same work, searched on another way; what it finds is audited under the policy as it stands."""
        return replace(self, run=way.of(self.run, limits))

    def made(self, counted: Counted) -> Remediated:
        """Search, write, audit what was written, and put it in place."""
        policy = self.run.policy
        settings = policy.remediation or Remediation()
        if settings.search in LOCAL:
            return self._regrouped(counted, settings.search)
        with stage(Stage.SEARCHING):
            searched = problem(self.run, counted)
            found = search(searched, settings, self.run.limits)
        if not found.best:
            if searched.never_tried and not searched.monotone:
                untried = remediation.untried(searched.never_tried)
                raise OutOfMemory(
                    f"no generalization that was searched meets the policy; {untried} did not fit the memory limit, "
                    "and finer ones may meet it; allow more with --memory"
                )
            self._deliver_lattice(searched)
            return Remediated(_unachievable(self.before, shortfall(searched, self.before, self.run.limits)))
        chosen = Chosen(searched, found.best[0])
        done = self._delivered(counted, chosen, _solution(policy, searched, found, chosen), lambda: searched)
        self._deliver_lattice(searched)
        return done

    def _regrouped(self, counted: Counted, search: str) -> Remediated:
        """By groups of records, each made coarser on its own."""
        if self.outputs.lattice is not None:
            raise Unsupported(f"--lattice: search: {search} has no lattice; every group is made coarser on its own")
        with stage(Stage.SEARCHING):
            found = recoded(self.run, counted)
        if not found.solves:
            lacking = shortfall(found.problem(), self.before, self.run.limits)
            # the one node that was looked at has no levels to be told by
            lacking = replace(lacking, coarsest={}, nearest=None, suppression_needed=None, exhaustive=False)
            return Remediated(_unachievable(self.before, lacking))
        if self.outputs.mapping is not None:
            found.check_mapping()
        return self._delivered(counted, found, found.solution(), found.problem)

    def _delivered(
        self, counted: Counted, chosen: Chosen | Recoded, solution: Solution, searched: Callable[[], SearchProblem]
    ) -> Remediated:
        """Write what was found, audit what was written, and put it in place."""
        release = chosen.release(self.run, keep_order=self.outputs.keep_order)
        target = None if self.planned else self.outputs.release
        folder = self.run.source.workspace if self.beside is None else self.beside.folder
        written = folder / (target.name if target else PLANNED)
        after = self.writer.written(counted, release, written, counted.records - chosen.left_out)
        if after.exit_code == EXIT_NOT_MET:
            return Remediated(_unachievable(self.before, refused(searched(), after)))
        met = after.exit_code == EXIT_MET
        table = self.writer.table(counted, release) if met and not self.planned else None
        if met and self.outputs.mapping is not None and not self.planned:
            releases.put_beside_release(self.outputs.mapping, mapping_file(chosen, counted))
        if met and target is not None:
            self._put_in_place(written, target)
        kept, ids = met and target is not None, unsearched(self.run)
        unit = self.run.policy.unit
        # without the unit's column nobody can count the release by it: there is no command that verifies it
        again = None if unit is not None and unit.rows == "many-per-unit" else self.reproduce
        told = [_UNSEARCHED.format(", ".join(ids))] if ids else []
        return Remediated(_assembled(self.before, solution, after, told, written=kept, reproduce=again), table)

    def _put_in_place(self, written: Path | Address, target: Path | Address) -> None:
        if isinstance(written, Path) and isinstance(target, Path):
            releases.put_in_place(written, target)
        elif self.beside is not None:
            releases.put_in_place_at(Address(written), Address(target), self.beside.storage)

    def _deliver_lattice(self, searched: SearchProblem) -> None:
        if self.outputs.lattice is not None and not self.planned:
            releases.put_beside_release(self.outputs.lattice, lattice_file(searched, self.run.limits))


def _solution(policy: Policy, searched: SearchProblem, found: SearchResult, chosen: Chosen) -> Solution:
    settings = policy.remediation or Remediation()
    metrics = (settings.objective,) if isinstance(settings.objective, str) else settings.objective
    names = searched.quasi_identifiers
    return Solution(
        search=settings.search,
        objective=settings.objective,
        levels=by_column(names, chosen.node),
        suppressed_records=chosen.outcome.suppressed,
        suppress=settings.suppress,
        loss=found.loss,
        loss_bound=account.bound(searched, found, metrics[0]),
        proved_optimal=found.bound is None and not searched.never_tried,
        never_tried=searched.never_tried,
        losses=searched.losses.all(chosen.outcome, chosen.table),
        bases=BASES,
        ties=tuple(by_column(names, node) for node in found.best),
        minimal_generalizations=account.minimal_generalizations(searched, found),
        lattice=account.lattice(searched, found),
        arguments=searched.arguments,
        ladders=account.ladders(searched, chosen.node),
        costs=account.costs(searched, found),
    )


def _assembled(
    before: Result, solution: Solution, after: Result, told: Sequence[str], *, written: bool, reproduce: str | None
) -> RemediateResult:
    """The document of a solution; what it says at its top is of the release. `told` is what is to be said besides."""
    planned = [_PLANNED] if after.data and after.data.source == PLANNED else []
    planned += [remediation.not_searched(solution.never_tried)] if solution.never_tried else []
    planned += [_WITH_UNITS] if after.data and after.data.units is not None else []
    return _document(
        after,
        findings=after.findings if after.exit_code == EXIT_MET else (_NOT_JUDGED, *after.findings),
        assumptions=(*planned, *told, *after.assumptions),
        reproduce=reproduce,
        solution=solution,
        before=before,
        after=after,
        written=written,
    )


def _unachievable(before: Result, found: Shortfall) -> RemediateResult:
    """The document where there is no solution; what it says at its top is of the table."""
    return _document(
        before,
        verdict=Verdict.FAIL,
        findings=(*obstacles(found), *before.findings),
        reproduce=None,
        shortfall=found,
        before=before,
    )


def _document(shown: Result, **own: Any) -> RemediateResult:
    top = {each.name: getattr(shown, each.name) for each in fields(Result)}
    not_checked = tuple(block for block in shown.not_checked if block != "remediation")
    return RemediateResult(**{**top, "command": "remediate", "not_checked": not_checked, **own})


_PLANNED = "Nothing was written: the release was made and audited in a temporary folder, which was removed."
_UNSEARCHED = (
    "The search does not look at {}: the number of ways that meet the policy leaves that out. The release was judged "
    "by everything."
)
_WITH_UNITS = "The rows were audited with their units; the column that names the units is not in the release."
_NOT_JUDGED = Finding(message="The release that was found could not be judged in its audit; nothing was written.")
