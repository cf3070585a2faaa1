"""`remediate`: find the least generalization that meets the policy, write it, and audit what was written."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from auditor import release as releases
from auditor.audit import Run, check, uses
from auditor.classes import IntArray
from auditor.engines import Limits, Recoding, Release, open_data
from auditor.policy import Policy, bind, load_policy
from auditor.policy.remediation import Remediation
from auditor.remediate._account import costs, ladders, lattice
from auditor.remediate._evaluate import Outcome
from auditor.remediate._lattice import Node
from auditor.remediate._problem import Problem, by_column, problem
from auditor.remediate._rollup import Rolled
from auditor.remediate._search import Found, search
from auditor.report import Rendered
from auditor.result import Finding, RemediationResult, Result, Solution, Verdict


PLANNED = "planned-release.parquet"
"""The file that a plan is audited in; it never leaves the temporary folder."""


class Remediated(Rendered, RemediationResult):
    """The result of `remediate`: the JSON document as a value, which can show itself."""


def remediate(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    output: str | Path | None = None,
    as_of: date | None = None,
    memory: str | int | None = None,
    time_limit: float | None = None,
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str | None = None,
    reproduce: str | None = None,
) -> Remediated:
    """Find the release of least loss that meets a policy; write it where asked for, and audit what was written.

    Args:
        data: anything that `auditor.check` takes.
        policy: a policy, the path of one, or a mapping with its contents; its ``remediation`` block says how to search.
        output: the file to write; None plans only. It is written beside its place, audited there by the path that a
            stranger would use, and renamed into place only if it meets the policy.
        as_of: the day on which waivers are judged; today by default.
        memory: a size such as ``1GB``; half of the machine's memory by default.
        time_limit: seconds of wall time.
        delimiter: the delimiter of CSV files, found in the header where not given.
        quote: the quote character of CSV files.
        encoding: the encoding of CSV files.
        reproduce: the command that verifies, to be shown in reports.

    Returns:
        What was chosen and what it loses, the audit of the table before and of the release after. `solution` is None
        where no generalization meets the policy; then nothing was written.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data is missing or unreadable, a limit was reached, or the policy asks for what is not built.
    """
    limits = Limits.of(memory, time_limit)
    dialect: dict[str, Any] = {"delimiter": delimiter, "quote": quote, "encoding": encoding}
    audit: dict[str, Any] = {"as_of": as_of, "memory": memory}
    loaded = load_policy(policy)
    target = None if output is None else Path(output)
    if target is not None:
        releases.check_target(target, [data] if isinstance(data, str | Path) else [])
    before = check(data, loaded, source=True, **audit, **dialect)
    with ExitStack() as stack:
        workspace = stack.enter_context(releases.unfinished(target)) if target else None
        source = stack.enter_context(open_data(data, limits=limits, workspace=workspace, **dialect))
        binding = bind(loaded, [column.name for column in source.columns])
        run = Run(loaded, binding, source, None, as_of or date.today(), True, False, limits)  # noqa: DTZ011
        counted = source.count(uses(run))
        searched = problem(run, counted)
        found = search(searched, loaded.remediation or Remediation())
        if not found.best:
            return _assembled(before, None, before, None, reproduce)
        chosen = _Chosen(searched, found.best[0])
        solution = _solution(loaded, searched, found, chosen)
        written = source.workspace / (target.name if target else PLANNED)
        counted.write(chosen.release(run), written)
        original = data if loaded.reference == "original" else None
        after = check(written, loaded, original=original, **audit)
        after = replace(after, data=after.data and replace(after.data, source=written.name))
        if after.exit_code == 0 and target is not None:
            releases.put_in_place(written, target)
        return _assembled(before, solution, after, after, reproduce)


class _Chosen:
    """The node that was chosen, decided once more to see what it suppresses."""

    def __init__(self, searched: Problem, node: Node) -> None:
        self.searched = searched
        self.node = node
        tables = searched.evaluator.tables(node)
        self.outcome: Outcome = searched.evaluator.decide(node, tables)
        self.table: Rolled = tables[searched.evaluator.first]

    def release(self, run: Run) -> Release:
        """What to write: every column but identifiers, free text and the unit; recoded; without what is suppressed."""
        hidden = {*run.binding.identifiers, run.unit}
        return Release(
            columns=tuple(name for name in run.columns if name not in hidden),
            recodings=tuple(self._recoding(place) for place in range(len(self.node))),
            suppressed=self._suppressed(),
        )

    def _recoding(self, place: int) -> Recoding:
        rungs, level = self.searched.rungs[place], self.node[place]
        nodes = rungs.levels[level][rungs.code]
        labels = rungs.ladder.levels[level] if rungs.ladder is not None and level else None
        return Recoding(rungs.column, nodes, labels)

    def _suppressed(self) -> IntArray:
        gone = ~self.outcome.kept
        tower = self.searched.evaluator.tower
        return np.stack([tower.nodes_of(self.table, place)[gone] for place in range(len(self.node))], axis=1)


def _solution(policy: Policy, searched: Problem, found: Found, chosen: _Chosen) -> Solution:
    settings = policy.remediation or Remediation()
    names = searched.quasi_identifiers
    return Solution(
        search=settings.search,
        objective=settings.objective,
        levels=by_column(names, chosen.node),
        suppressed_records=chosen.outcome.suppressed,
        loss=found.loss,
        losses=searched.losses.all(chosen.outcome, chosen.table),
        ties=tuple(by_column(names, node) for node in found.best),
        minimal_generalizations=None
        if found.minimal is None
        else tuple(by_column(names, node) for node in found.minimal),
        lattice=lattice(searched, found),
        arguments=searched.arguments,
        ladders=ladders(searched, chosen.node),
        costs=costs(searched, found),
    )


def _assembled(
    before: Result, solution: Solution | None, shown: Result, after: Result | None, reproduce: str | None
) -> Remediated:
    """The document: what it says at its top is of the release, where there is one."""
    top = {each.name: getattr(shown, each.name) for each in fields(Result)}
    verdict = Verdict.FAIL if solution is None else after.verdict if after is not None else Verdict.PASS
    own = () if solution is not None else (_NOT_ACHIEVABLE,)
    planned = (_PLANNED,) if after is not None and after.data and after.data.source == PLANNED else ()
    top |= {
        "command": "remediate",
        "verdict": verdict,
        "findings": (*own, *shown.findings),
        "assumptions": (*planned, *shown.assumptions),
        "not_checked": tuple(block for block in shown.not_checked if block != "remediation"),
        "reproduce": reproduce,
    }
    written = after is not None and not planned and after.exit_code == 0
    return Remediated(**top, solution=solution, before=before, after=after, written=written)


_PLANNED = "Nothing was written: the release was made and audited in a temporary folder, and is gone."
_NOT_ACHIEVABLE = Finding(
    message="No generalization within the policy's levels and suppression limit meets it; nothing was written."
)
