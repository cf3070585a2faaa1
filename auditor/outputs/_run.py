"""One audit of mining outputs: they are read, every rule is asked of them, and the answers are written down."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from auditor import registry
from auditor.distribution import version
from auditor.engines import Source
from auditor.errors import NotEvaluated, OutOfMemory, OutOfTime
from auditor.files import shown_name
from auditor.judge import Evidence, Granted, decided, doubts, findings, of_columns
from auditor.ledger import Ledger
from auditor.outputs import _assumptions, _document, _waivers, checks, fitted
from auditor.outputs._column_names import as_in_the_data, named
from auditor.outputs._columns import forbidden_columns
from auditor.outputs._complete_cases import cases_of
from auditor.outputs._cuts import with_cuts
from auditor.outputs._examination import MISMATCH, Context, Examination, Violation
from auditor.outputs._history import released
from auditor.outputs._indicator import marked
from auditor.outputs._margins import with_margins
from auditor.outputs._shares import with_counts_of_shares
from auditor.outputs._spellings import columns_listed, look_up
from auditor.outputs._verdicts import Judged, requirements, sentences, unsaid
from auditor.outputs._waivers import Waived
from auditor.outputs.checks._beside import judge_beside
from auditor.outputs.checks._earlier import judge_earlier
from auditor.outputs.checks._namesakes import with_known_columns
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.nothing import nothing_in
from auditor.outputs.published.outputs import Published
from auditor.outputs.published.repetition import distinct
from auditor.outputs.readers import Hints, neutral, read, with_counts
from auditor.policy import Policy, bind
from auditor.policy.demands import relaxed, set_by
from auditor.policy.facts import data_facts, policy_facts
from auditor.policy.outputs import Output
from auditor.policy.waivers import Covered
from auditor.report import Rendered
from auditor.result import DataFacts, RequirementResult, Status, Tool, verdict_of
from auditor.result.outputs import OutputsResult

PYTHON = "given from Python"
"""What an output is called that came in no file."""
Given = str | os.PathLike[str] | Mapping[str, Any] | Published | Any
"""A file, an output in the neutral form, one that was read already, or a fitted model or data frame (`fitted`)."""

OF_RECORDS = (
    "The counts are of records, while the policy counts units: count each unit once in each of them (in pandas, with "
    "nunique of the unit's column)."
)
IDENTIFIERS = "outputs-identifiers"
_FATAL = (OutOfMemory, OutOfTime)


class OutputsAudit(Rendered, OutputsResult):
    """The result of `check_outputs`: the JSON document as a Python value, which can render itself."""


@dataclass(frozen=True)
class Unread:
    """A file whose outputs could not be read, and why."""

    file: str
    reason: str


@dataclass
class Run:
    """One audit: the policy, the data if there is any, the outputs, and what was released before, or is beside them."""

    policy: Policy
    source: Source | None
    ledger: Ledger | None
    deadline: float
    day: date
    release: str | None = None
    beside: tuple[Published, ...] = ()
    published: list[Published] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    shared: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Counts | None:
        """The records of the data."""
        return None if self.source is None else Counts(self.source, self.policy)

    @cached_property
    def remembered(self) -> tuple[Published, ...]:
        """The outputs that the ledger remembers."""
        before = () if self.ledger is None else released(self.ledger)
        return tuple(marked(each, self.policy, self.counts) for each in before)

    @property
    def before(self) -> tuple[Published, ...]:
        """What outputs are looked at with: what was released, and what others release at the same time."""
        return (*self.remembered, *self.beside)

    @property
    def columns(self) -> frozenset[str]:
        """The names of columns that the policy and the data know."""
        declared = frozenset(name for name in self.policy.attributes if "*" not in name)
        declared |= {column for rule in self.policy.outputs for column in columns_listed(rule)}
        return declared if self.counts is None else declared | self.counts.names

    def read(self, outputs: Iterable[Given], hints: Hints) -> None:
        """Read every output; one that cannot be read is not evaluated, and stops no other."""
        hints = replace(hints, columns=self.columns)
        for output in outputs:
            try:
                self.published += self._of_the_data(output, hints)
            except NotEvaluated as reason:
                if isinstance(reason, _FATAL):
                    raise
                name = Path(output).name if isinstance(output, str | os.PathLike) else PYTHON
                self.unread.append(Unread(name, str(reason)))
        self.published = [with_counts_of_shares(each, self.counts, self._beside(each)) for each in self.published]
        if self.counts is None:
            self.published = with_known_columns(self._context())

    def _beside(self, output: Published) -> list[Published]:
        """The outputs that may say of how many records the shares of another are."""
        return [each for each in (*self.before, *self.published) if each is not output]

    def _of_the_data(self, output: Given, hints: Hints) -> Sequence[Published]:
        """What an output publishes, its numbers read as those that they are in the data, where nothing else says it."""
        if self.counts is None or hints.of or isinstance(output, Published | Mapping):
            return self._with_the_data(self._read(output, hints))
        return as_in_the_data(lambda of: self._with_the_data(self._read(output, replace(hints, of=of))), self.counts)

    def _read(self, output: Given, hints: Hints) -> Sequence[Published]:
        if isinstance(output, Published):
            return [output]
        if isinstance(output, Mapping):
            return [with_counts(neutral.from_json(output, source=PYTHON, columns=self.columns))]
        if not isinstance(output, str | os.PathLike):
            return fitted.published(output, replace(hints, points_may_group=False))
        found = read(
            Path(output),
            columns=hints.columns,
            type_=hints.type,
            records=hints.records,
            by=hints.by,
            of=hints.of,
            points_may_group=hints.points_may_group,
        )
        return [replace(each, source=shown_name(output)) for each in found]

    def _with_the_data(self, given: Sequence[Published]) -> Sequence[Published]:
        return [self._known(distinct(with_margins(each, self.counts, self.policy))) for each in given]

    def _known(self, output: Published) -> Published:
        """An output with what its file does not say and the data does: columns without a name, and N."""
        if self.counts is None:
            return marked(output, self.policy, None)
        output = with_counts_of_shares(with_cuts(named(output, self.counts), self.counts), self.counts)
        output = marked(output, self.policy, self.counts)
        if output.records is not None:
            return output
        # Whoever writes shares writes them of records, also where the policy counts units.
        records = self.counts.records_in(cases_of(output, self.counts))
        return with_counts(replace(output, records=records, records_told=False))

    def result(self, reproduce: str | None) -> OutputsAudit:
        """Judge every rule on every output of its type, and write down what was found."""
        granted = Granted(self.policy, self.day, tuple(self._covered(output) for output in self.published))
        judged = [self._judged(index, rule) for index, rule in enumerate(self.policy.outputs)]
        said = sentences(judged) | {IDENTIFIERS: "The outputs have columns that identify people or hold free text."}
        checked = {id(output): list(self._of(output, judged)) for output in self.published}
        found = (
            *requirements(granted, [each for each in judged if each.checked], self._exposed),
            *self._identifiers(),
            *self._unjudged(judged),
        )
        return OutputsAudit(
            tool=Tool(version=version()),
            command="outputs",
            evaluated_on=self.day.isoformat(),
            verdict=verdict_of(found),
            policy=policy_facts(self.policy),
            data=self._data(),
            requirements=found,
            findings=(
                *findings(found, lambda result: said[result.id]),
                *doubts(granted, found, _waivers.excusable(self.policy)),
            ),
            not_checked=tuple(self._not_checked(judged)),
            assumptions=tuple(self._assumptions()),
            reproduce=reproduce,
            outputs=(
                *(_document.output(each, checked[id(each)], self.policy, self.counts) for each in self.published),
                *(_document.unread(each.file, each.reason) for each in self.unread),
            ),
            ledger=self.ledger.name if self.ledger is not None else None,
            released_before=len(self.remembered),
        )

    def _judged(self, index: int, rule: Output) -> Judged:
        outputs = [output for output in self.published if output.type == rule.type]
        checked = tuple(self._checked(output, rule) for output in outputs)
        waived = tuple(tuple(self._waived(output, rule)) for output in outputs)
        return Judged(index, rule, checked, waived)

    def _waived(self, output: Published, rule: Output) -> Iterator[Waived]:
        """The waivers of a rule that cover an output, and what the rule says with the bounds that each leaves."""
        granted = Granted(self.policy, self.day, (self._covered(output),))
        for limit, waiver in _waivers.of(rule, granted):
            left = relaxed(rule, waiver) if waiver.at_least else None
            yield Waived(waiver, limit, None if left is None else (left, self._checked(output, left)))

    def _covered(self, output: Published) -> Covered:
        """What a waiver may be limited to: the data, or the output where there is none."""
        if self.source is None:
            return Covered(output.source, lambda: output.sha256 or None, self.release)
        facts = self.source.facts
        return Covered(facts.name, lambda: facts.sha256, self.release)

    def _checked(self, output: Published, rule: Output) -> Examination:
        context = self._context()
        try:
            checked: Examination = _check_of(rule.type)(output, rule, context)
        except NotEvaluated as reason:
            if isinstance(reason, _FATAL):
                raise
            checked = Examination(open_limits={"": str(reason)})
        self._tell_records(output, rule, checked)
        self._mismatch(output, checked)
        look_up(output, rule, context, checked)
        checked.add(judge_earlier(output, context))
        checked.add(judge_beside(output, context))
        nothing = nothing_in(output)
        if nothing is not None:
            checked.open_limits[""] = nothing
        elif output.unread:
            checked.open_limits.setdefault("", f"{output.source} holds what could not be read")
        return checked

    def _tell_records(self, output: Published, rule: Output, checked: Examination) -> None:
        """Say it once where numbers are not the data's because they count its records, and the policy its units."""
        if self.counts is None or self.counts.unit is None or not checked.breaks(MISMATCH):
            return
        policy, counts = self._of_records
        try:
            context = replace(self._context(), policy=policy, counts=counts, shared={})
            if _check_of(rule.type)(output, type(rule)(), context).breaks(MISMATCH):
                return
        except NotEvaluated:
            return
        others = [each for each in checked.violations if each.limit != MISMATCH]
        checked.violations = [Violation(item="counts", limit=MISMATCH, sentence=OF_RECORDS), *others]

    @cached_property
    def _of_records(self) -> tuple[Policy, Counts]:
        """The policy without its unit, and the data by it."""
        assert self.source is not None  # noqa: S101  (who asks has looked)
        policy = self.policy.model_copy(update={"unit": None})
        return policy, Counts(self.source, policy)

    def _context(self) -> Context:
        return Context(
            policy=self.policy,
            counts=self.counts,
            together=self.published,
            before=self.before,
            remembered=self.remembered,
            deadline=self.deadline,
            shared=self.shared,
        )

    def _mismatch(self, output: Published, checked: Examination) -> None:
        """An output of another number of records was not made from this data: nor of the cases complete for it."""
        if self.counts is None or output.records in (None, self.counts.records, self.counts.people):
            return
        cases = cases_of(output, self.counts)
        if output.records not in (self.counts.records_in(cases), self.counts.count(cases)):
            checked.violations.append(
                Violation(
                    item="records",
                    limit=MISMATCH,
                    sentence="The stated number of records differs from the data's.",
                    reached=output.records,
                    needed=self.counts.people,
                )
            )

    def _of(self, output: Published, judged: Sequence[Judged]) -> Iterator[tuple[Judged, Examination]]:
        """What each rule says of one output."""
        for each in judged:
            outputs = [other for other in self.published if other.type == each.rule.type]
            yield from (
                (each, checked) for other, checked in zip(outputs, each.checked, strict=True) if other is output
            )

    def _exposed(self, violations: Sequence[Violation]) -> int | None:
        """How many different records the violations expose; None without data."""
        if self.counts is None:
            return None
        rows: set[int] = set()
        for each in violations:
            if each.rows is not None:
                rows.update(each.rows)
            elif each.about is not None:
                rows.update(self.counts.members(each.about).tolist())
        return len(rows)

    def _identifiers(self) -> Iterator[RequirementResult]:
        """Columns that must not be in a release are not in it either where cells are called by their values."""
        found = sorted({name for output in self.published for name in forbidden_columns(self.policy, output)})
        if found:
            result = of_columns(IDENTIFIERS, "identifiers", tuple(found))
            yield decided(result, [Evidence(broken=True, open=None)])

    def _unjudged(self, judged: Sequence[Judged]) -> Iterable[RequirementResult]:
        """Outputs that no rule speaks of, and files that could not be read, are never a pass."""
        known = {each.rule.type for each in judged}
        limited = {each.rule.type for each in judged if {name for name, _ in set_by(each.rule)} - unsaid(each)}
        for kind in dict.fromkeys(output.type for output in self.published if output.type not in limited):
            lacks = f"the rules for outputs of type {kind} set no limit"
            missing = lacks if kind in known else f"the policy has no rule for outputs of type {kind}"
            yield not_evaluated(f"outputs-{kind}", "undeclared", missing, "a rule")
        if self.unread:
            reasons = "; ".join(dict.fromkeys(each.reason for each in self.unread))
            yield not_evaluated("outputs-unread", "unread", reasons, "all can be read")

    def _not_checked(self, judged: Sequence[Judged]) -> Iterable[str]:
        if self.policy.requirements:
            yield "requirements"
        yield from (block for block in self.policy.blocks() if block != "outputs")
        for each in judged:
            if each.checked:
                yield from (f"outputs/{each.rule.id}/{limit}" for limit in sorted(unsaid(each)))
            else:
                yield f"outputs/{each.rule.id}"

    def _assumptions(self) -> Iterable[str]:
        """What the verdict takes for granted, in words."""
        yield _assumptions.OF_FILES if self.counts is None else _assumptions.OF_DATA
        if self.ledger is None:
            yield _assumptions.NOTHING_BEFORE
        else:
            yield _assumptions.LEDGER_IS_WHOLE if self.remembered else _assumptions.LEDGER_BEGINS
        yield from _assumptions.of_attacker(self.published, self.policy.outputs)
        if self.counts is None:
            yield from _assumptions.of_columns((*self.published, *self.before))
            yield from _assumptions.of_units(self.published, self.policy)
        else:
            yield from _assumptions.of_floats(self.published)
        yield from dict.fromkeys(f"{output.source}: {note}" for output in self.published for note in output.notes)

    def _data(self) -> DataFacts | None:
        if self.source is None or self.counts is None:
            return None
        binding = bind(self.policy, [column.name for column in self.source.columns])
        return data_facts(self.source, binding, rows=self.counts.records, unit=self.counts.unit or "rows")


def _check_of(kind: str) -> Callable[[Published, Output, Context], Examination]:
    """The check of a type: the function `check` of the file that bears its name."""
    if kind not in registry.names(checks.__name__):
        raise NotEvaluated(f"outputs of type {kind} cannot be checked yet")
    found: Callable[[Published, Output, Context], Examination] = registry.module(checks.__name__, kind).check
    return found


def not_evaluated(name: str, model: str, reason: str, demand: str) -> RequirementResult:
    """A demand that nobody has to declare, and that could not be judged."""
    result = RequirementResult(
        id=name,
        model=model,
        parameters={},
        severity="error",
        status=Status.NOT_EVALUATED,
        demand=demand,
    )
    return decided(result, [Evidence(broken=False, open=reason)])
