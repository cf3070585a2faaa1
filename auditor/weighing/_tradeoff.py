"""`tradeoff`: what each masking method would cost this table, and what it would protect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from auditor.audit import judged, microdata
from auditor.dialect import CsvDialect
from auditor.distribution import version
from auditor.engines import RunLimits, open_data
from auditor.errors import DataError, InternalError, Unsupported, UsageError, nearest
from auditor.microdata import Microdata, Numeric
from auditor.policy import Policy, bind, load_policy
from auditor.policy.applied import bound
from auditor.report import Rendered
from auditor.report.words import listed
from auditor.result import Finding, Result, Tool, work_of
from auditor.result.tradeoff import Recommended, TradeoffResult, UseFacts, WeighedMethod
from auditor.risk import known_first
from auditor.stages import Stage, recorded, stage
from auditor.weighing._candidates import MOST, Trial, Tried, candidates, named
from auditor.weighing._changes import changes
from auditor.weighing._measure import MethodFigures
from auditor.weighing._policy_judge import PolicyJudge
from auditor.weighing._presets import PRESETS
from auditor.weighing._state import State, key_of
from auditor.weighing._sweep import Bench, MaskingTask, Progress, Way, apply, generator_of, sweep
from auditor.weighing._uses import PreparedUse, prepared
from auditor.weighing._weigh import best, best_by_use, ranked, weighed

SEEDS = 5
AS_IT_IS = "as it is"
RELEASED = frozenset({"quasi-identifier", "sensitive", "insensitive", "pseudonym"})
"""The roles whose columns a release may have."""


class Weighed(Rendered, TradeoffResult):
    """The result of `tradeoff`: the JSON document as a Python value, which can render itself."""


def tradeoff(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    preset: str | None = None,
    seeds: int = SEEDS,
    seed: int = 0,
    state: str | Path | None = None,
    processes: int | None = None,
    progress: Progress = lambda _done, _all: None,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    reproduce: str | None = None,
) -> Weighed:
    """Mask a table by every method that the policy's protection lists, and compare what each loses and discloses.

    Args:
        data: anything that `auditor.check` takes.
        policy: a policy, the path of a policy file, or a mapping with its contents. Each method of its ``protection``
            is tried with its parameters and with each combination of its ``sweep``; methods for different columns are
            also tried together, if there are not too many combinations.
        preset: a named list of methods to try instead (``table-35.1``), on the columns that the protection names, or
            on all numeric columns that may be released.
        seeds: how often each method is tried; a method without randomness is tried once.
        seed: a different seed gives different random numbers; the same seed gives the same figures.
        state: a file of JSON lines that records what was measured, so that an interrupted sweep can continue.
        processes: how many processes work at once; by default as many as there are processors, if that is faster.
        progress: called after each measurement with the number done and the total.
        as_of: the day on which waivers are judged; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time.
        csv: how CSV files are written; what it leaves open is found in the files.
        reproduce: the command that does the same, for the reports.

    Returns:
        Every method in the order of its Score, and which to take: the one with the lowest Score that meets the policy.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data is missing or unreadable, a method does not apply to it, or a limit was reached.
    """
    loaded = load_policy(policy)
    if state is not None and not isinstance(data, str | Path):
        raise UsageError("state: only the data of a file is found again by its digest; write the table to a file")
    limits, csv = RunLimits.of(memory, time_limit, spill, loaded.spill), loaded.dialect(csv)
    if seeds < 1:
        raise UsageError(f"{seeds} seeds: at least one is needed")
    with recorded() as record:
        with stage(Stage.AUDITING_DATA):
            before = judged(data, loaded, limits, source=True, csv=csv, as_of=as_of)
        with open_data(data, limits=limits, csv=csv) as source, stage(Stage.READING) as reading:
            binding = bind(loaded, [column.name for column in source.columns])
            table = microdata(source, binding, binding.with_role(*RELEASED), limits)
            reading.rows = table.records
        tried = _tried(loaded, preset, table)
        columns = _columns(tried.candidates, table)
        judge = PolicyJudge(loaded, table, limits.memory, as_of, limits.spill)
        bench = Bench(table, columns, judge, seed, prepared(loaded, binding, table))
        memo = State(None if state is None else Path(state))
        way = Way(limits, progress, processes)
        with stage(Stage.WEIGHING, table.records):
            measured = _measured(bench, tried.candidates, seeds, memo, way=way, sweep_of=_sweep_of(before, loaded))
        with stage(Stage.MEASURING, table.records):
            answer = _answer(bench, before, tried, measured, {"preset": preset, "reproduce": reproduce})
    return replace(answer, work=work_of(record))


def _sweep_of(before: Result, policy: Policy) -> dict[str, Any]:
    """What every figure of a sweep depends on, for the state file.

    The policy's own digest knows secrets by their names and files by theirs: what they hold counts too.
    """
    data = before.data
    return {
        "version": version(),
        "policy": before.policy.sha256,
        "requirements": [each.model_dump_json() for each in policy.requirements] if policy.secret_names else [],
        "files": [sha256(path.read_bytes()).hexdigest() for path in policy.referenced_files if path.is_file()],
        "data": None if data is None else [data.source, data.sha256, data.rows, data.columns],
        "day": before.evaluated_on,
    }


def _tried(policy: Policy, preset: str | None, table: Microdata) -> Tried:
    """The methods to try."""
    if preset is None:
        if not policy.protection:
            raise UsageError(
                f"policy {policy.name!r} has no protection to weigh; list methods there, or use --preset {_PRESETS}"
            )
        applied = bound(policy, table.names)
        return candidates([each.method for each in applied], [each.confidential for each in applied])
    if preset not in PRESETS:
        raise UsageError(f"there is no preset {preset!r}{nearest(preset, list(PRESETS))}; known: {_PRESETS}")
    numbers = [variable.name for variable in table.variables if isinstance(variable, Numeric)]
    meant = {name for each in bound(policy, table.names) for name in each.method.attributes}
    listed = [name for name in numbers if name in meant]
    columns = listed or numbers
    if not columns:
        raise DataError("the table has no column of numbers that may be released, so the preset has nothing to mask")
    return Tried(named(PRESETS[preset](columns)))


def _columns(tried: Sequence[Trial], table: Microdata) -> tuple[str, ...]:
    """The numbers that any method masks, in the table's order: loss and risk of every method are measured over them."""
    masked = {name for candidate in tried for name in candidate.attributes}
    for name in masked:
        table[name]
    found = tuple(v.name for v in table.variables if isinstance(v, Numeric) and v.name in masked)
    if not found:
        raise Unsupported(
            "loss and risk are measured on numbers, but the methods mask only categories; "
            "mask and check the release instead"
        )
    return found


def _measured(
    bench: Bench, tried: Sequence[Trial], seeds: int, memo: State, *, way: Way, sweep_of: Mapping[str, Any]
) -> dict[str, list[MethodFigures]]:
    """Every candidate's figures, seed by seed."""
    tasks = [
        MaskingTask(
            each, n, key_of(**sweep_of, columns=bench.columns, methods=each.methods, seed=bench.seed, repetition=n)
        )
        for each in tried
        for n in range(seeds)
    ]
    sweep(bench, tasks, memo, way)
    found: dict[str, list[MethodFigures]] = {each.name: [] for each in tried}
    for task in tasks:
        found[task.candidate.name].append(memo.known[task.key])
    return found


def _answer(
    bench: Bench,
    before: Result,
    tried: Tried,
    measured: Mapping[str, Sequence[MethodFigures]],
    shown: Mapping[str, str | None],
) -> Weighed:
    if before.data is None:
        raise InternalError("a table that was judged has no facts")
    lines = ranked([weighed(each, measured[each.name]) for each in tried.candidates])
    known = tuple(bench.columns[n] for n in known_first(len(bench.columns)))
    as_it_is = bench.yardstick().measured(bench.data, met=bench.judge(bench.data))
    return Weighed(
        tool=Tool(version=version()),
        evaluated_on=before.evaluated_on,
        policy=before.policy,
        data=before.data,
        attributes=tuple(bench.columns),
        methods=lines,
        identity=weighed(Trial(AS_IT_IS, ()), [as_it_is]),
        recommended=_recommended(bench, {each.name: each for each in tried.candidates}, lines),
        uses=tuple(_use_facts(made, best_by_use(lines, place)) for place, made in enumerate(bench.uses)),
        findings=(*_findings(tried, lines), *_unmeasured(bench, lines)),
        known=known,
        assumptions=(_knows(known), *_ASSUMED),
        preset=shown["preset"],
        reproduce=shown["reproduce"],
    )


def _recommended(bench: Bench, tried: Mapping[str, Trial], lines: Sequence[WeighedMethod]) -> Recommended | None:
    """The best method, and what its first masking does."""
    found = best(lines)
    if found is None:
        return None
    masked = apply(tried[found.name], bench.data, generator_of(bench.seed, found.name, 0))
    distributions, correlations = changes(bench.data, masked, bench.columns)
    return Recommended(
        name=found.name,
        reason=_REASON,
        distributions=distributions,
        correlations=correlations,
    )


def _use_facts(made: PreparedUse, found: WeighedMethod | None) -> UseFacts:
    return UseFacts(
        name=made.use.title,
        attributes=tuple(name for name in made.columns if name != made.use.target),
        says=made.use.SAYS,
        chance=made.baseline.chance,
        best=None if found is None else found.name,
    )


def _unmeasured(bench: Bench, lines: Sequence[WeighedMethod]) -> Iterator[Finding]:
    """The methods with which a use cannot be measured, each reason once."""
    for place, made in enumerate(bench.uses):
        reasons: dict[str, list[str]] = {}
        for each in lines:
            if (reason := each.uses[place].reason) is not None:
                reasons.setdefault(reason, []).append(each.name)
        for reason, names in reasons.items():
            message = f"{made.use.title} is not measured with {listed(names)}: {reason}."
            yield Finding(message=message, level="warning")


def _findings(tried: Tried, lines: Sequence[WeighedMethod]) -> Iterator[Finding]:
    if tried.narrowed:
        yield Finding(
            message="Methods of different columns were tried together with their own parameters only: with every "
            f"value of their sweeps, there would be more than {MOST:,} methods. Sweep fewer values, or list fewer "
            "methods, to try all."
        )
    if not any(each.compliant for each in lines):
        yield Finding(message="No method meets the policy: see auditor check on a masked table for what is missing.")
    elif best(lines) is None:
        yield Finding(message="Every method that meets the policy has a Score that is gamed.")


def _knows(known: Sequence[str]) -> str:
    """What an attacker is taken to know."""
    part = "" if len(known) == 1 else "the first, the first two, … of "
    names = listed([repr(name) for name in known])
    return f"An attacker knows the original values of {part}{names}, and links by distance."


_PRESETS = ", ".join(PRESETS)
_REASON = "It has the least Score of the methods that meet the policy."
_ASSUMED = (
    "Knowledge of columns that no method masks is not counted: an attacker who has it links more records.",
    "Each link is judged by the record, not by its position in the table.",
    "Loss and risk are measured over all attributes that any method masks; attributes left unchanged are disclosed.",
    "The figures are means over maskings that are not released; a release is judged when it is made (auditor mask).",
)
