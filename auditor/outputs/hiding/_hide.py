"""`hide`: read, mine, hide, write beside, read and mine again, and only then rename."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from auditor import release as releases
from auditor.engines import RunLimits
from auditor.entropy import says_little
from auditor.errors import InternalError, UsageError
from auditor.outputs.hiding import _read, _thresholds, _write
from auditor.outputs.hiding._files import digest
from auditor.outputs.hiding._outcome import HideResult, Outcome, document
from auditor.outputs.hiding._read import Loaded
from auditor.outputs.hiding._run import AUTO, HidingRun, first
from auditor.outputs.hiding._sensitive import Sensitive, listed, read_sensitive
from auditor.outputs.hiding._transactions import Transactions
from auditor.outputs.hiding.methods import METHODS, hides_itemsets
from auditor.produced import Produced
from auditor.result import work_of
from auditor.stages import Stage, recorded, stage

Place = str | Path


@dataclass(frozen=True, eq=False)
class Hidden(Produced):
    """A run of `hide`: `data` contains the released transactions; the run passed if nothing sensitive can be mined."""

    result: HideResult


def hide(
    data: str | Path | Iterable[Any],
    sensitive: str | Path | Iterable[Any],
    *,
    min_support: _thresholds.ThresholdText,
    min_confidence: _thresholds.ThresholdText | None = None,
    method: str = AUTO,
    margin: int = 0,
    seed: int = 0,
    compare: bool = False,
    output: str | Path | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    as_of: date | None = None,
    reproduce: str | None = None,
) -> Hidden:
    """Hide sensitive itemsets and rules in transactions.

    Args:
        data: a file of transactions (FIMI .dat or JSON lines; .gz and .zst too), or collections of items.
        sensitive: the sensitive file, or itemsets (collections of items) and rules (pairs of them).
        min_support: the support from which a reader's miner reports a pattern: a number of transactions (60), or a
            share ("0.1%", 0.001). A share is relative to the transactions in `data`, empty ones included, or to those
            of the release if transactions were removed.
        min_confidence: the minimum confidence of a rule that is reported; required if a rule is sensitive.
        method: one of `METHODS`, or "auto": exact within the time, otherwise the best solution known by then.
        margin: how far below the threshold to hide.
        seed: the seed for the random choices of swa, and for which of several interchangeable transactions are changed.
        compare: measure every method; the release is the one of `method`.
        output: the file for the release; None writes nothing.
        memory: approximately the maximum memory, such as ``2GB``; by default half of the machine's memory.
        spill: the folder for temporary data; hiding writes none.
        time_limit: give up after this many seconds. Without a limit, exact methods search for `EXACT_SECONDS`.
        as_of: the date in the document; by default today.
        reproduce: the command that repeats the run, for the reports.

    Raises:
        UsageError: the arguments make no sense.
        DataError: a file is missing, empty, or not what its name says.
        OutOfTime, OutOfMemory: a limit was reached.
        DeliveryError: the release cannot be written.
    """
    target = _target(output, [data, sensitive])
    support = _thresholds.support(min_support)
    confidence = None if min_confidence is None else _thresholds.confidence(min_confidence)
    wanted = read_sensitive(Path(sensitive)) if isinstance(sensitive, str | Path) else listed(sensitive)
    _check(method, wanted, margin, confident=confidence is not None)
    limits = RunLimits.of(memory, time_limit, spill)
    with recorded() as record:
        with stage(Stage.READING) as reading:
            loaded = _loaded(data, math.inf if time_limit is None else limits.started + time_limit)
            reading.rows = len(loaded.transactions)
        if target is not None:
            _write.check_items(loaded.transactions, target)
        run = HidingRun(loaded.transactions, wanted, limits)
        with stage(Stage.MINING, len(loaded.transactions)):
            problem = run.problem(support, confidence, margin, seed)
        with stage(Stage.HIDING, len(loaded.transactions)):
            others = run.every(problem) if compare else {}
            chosen = others.get(first(method)) or run.outcome(problem, method)
        compared = [replace(each, method=name) for name, each in others.items()]
        about: dict[str, Any] = {"others": compared, "as_of": as_of, "reproduce": reproduce}
        result = _released(loaded, wanted, chosen, target, about)
    result = replace(result, work=work_of(record))
    given = None if isinstance(data, str | Path) or not result.passed else _named(chosen.release.after)
    return Hidden(result, given)


def _released(
    loaded: Loaded, wanted: Sensitive, chosen: Outcome, target: Path | None, about: dict[str, Any]
) -> HideResult:
    """The document of what was chosen, and its release in its place, if there is a place and everything is hidden."""
    if target is None:
        with stage(Stage.MEASURING, len(loaded.transactions)):
            return document(loaded, wanted, chosen, written=None, **about)
    with releases.unfinished(target) as folder:
        place = folder / target.name
        with stage(Stage.WRITING, len(loaded.transactions)):
            checked, found = _written(chosen, place, target)
        with stage(Stage.MEASURING, len(loaded.transactions)):
            facts = found.facts if checked.release.hidden else None
            result = document(loaded, wanted, checked, written=facts, **about)
        if result.passed:
            releases.put_in_place(place, target)
        return result


def _target(output: Place | None, inputs: list[Any]) -> Path | None:
    target = None if output is None else Path(output)
    releases.check_targets({"-o": target}, inputs)
    if target is not None:
        _write.check_name(target)
    return target


def _loaded(data: Place | Iterable[Any], deadline: float) -> Loaded:
    if not isinstance(data, str | Path):
        return _read.gathered(data)
    return _digested(_read.read(Path(data), deadline), Path(data))


def _digested(loaded: Loaded, path: Path) -> Loaded:
    return replace(loaded, sha256=digest(path), guessable=says_little(path))


def _check(method: str, wanted: Sensitive, margin: int, *, confident: bool) -> None:
    """Refuse what cannot be meant."""
    if method not in (AUTO, *METHODS):
        raise UsageError(f"--method {method}: is not one of {', '.join((AUTO, *METHODS))}")
    if wanted.rules and not confident:
        raise UsageError("a rule is sensitive, so --min-confidence is needed: what a miner reports depends on it")
    if wanted.itemsets and method != AUTO and not hides_itemsets(method):
        raise UsageError(f"--method {method}: hides only rules, but an itemset is sensitive; use auto or verykios-2a")
    if margin < 0:
        raise UsageError(f"--margin {margin}: must be a number of transactions, 0 or more")


def _written(chosen: Outcome, place: Path, target: Path) -> tuple[Outcome, Loaded]:
    """Write the release, and put in the outcome what a stranger reads from it."""
    original = chosen.release.problem.transactions
    _write.write(chosen.release.after, place, target)
    found = _read.read(place)
    after = _with_codes_of(original, found.transactions)
    facts = _digested(replace(found, source=target.name), place)
    return replace(chosen, release=replace(chosen.release, after=after)), facts


def _with_codes_of(original: Transactions, found: Transactions) -> Transactions:
    """The transactions that were read back, with the items' codes of those they were made from."""
    code = {name: number for number, name in enumerate(original.names)}
    if not code.keys() >= set(found.names):
        raise InternalError("the release that was written does not read back with the items it was made with")
    places = np.array([code[name] for name in found.names], dtype=np.int64)
    width = max(1, len(original.names))
    cells = np.sort(found.rows * width + places[found.codes])
    return Transactions(original.names, found.starts, (cells % width).astype(np.int32), original.numeric)


def _named(transactions: Transactions) -> list[list[str]]:
    return [[transactions.names[item] for item in transactions.items_of(row)] for row in range(len(transactions))]
