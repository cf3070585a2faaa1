"""Hiding at full size: BMS-WebView-1 at support 60, 20 sensitive itemsets; the miner; cover optima.

The data sets lie in ``../shared/data/fimi`` (FIMI repository, KDD Cup 2000). The sensitive itemsets are those of
``tests/vectors/output_cases.json``, drawn at random among the frequent ones. The exact method gets 120 s and tells what
it found and proved by then: losses of border itemsets first, then items taken out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from _measure import MET, MISSED, ROOT, SKIPPED, judge, show, start, timed
from auditor.outputs.hiding._mining import frequent_itemsets
from auditor.outputs.hiding._problem import Answer, HidingProblem, Threshold, minimal
from auditor.outputs.hiding._read import read
from auditor.outputs.hiding._transactions import Transactions
from auditor.outputs.hiding.methods import cover, exact, max_min

FIMI = ROOT.parent / "shared" / "data" / "fimi"
VECTORS = ROOT / "tests" / "vectors" / "output_cases.json"
PUBLISHED = {"mushroom.dat": (1625, 53_583), "chess.dat": (2557, 8_227), "retail.dat.gz": (89, 7_589)}
EXACT_SECONDS = 120.0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=FIMI)
    parser.add_argument("--seconds", type=float, default=EXACT_SECONDS, help="what the exact method gets")
    options, _ = parser.parse_known_args()
    start("hiding: 20 itemsets of BMS-WebView-1 at support 60 exactly in 120 s, by Max-Min in 10 s; the miner; covers")
    if not options.data.is_dir():
        print(f"   skipped: {options.data} is not there")
        return SKIPPED
    cases = json.loads(VECTORS.read_text("utf-8"))["cover_optima"]
    met = [_mined(options.data), *(_covered(options.data, case) for case in cases)]
    met += [_border(options.data, cases[0]), _exact(options.data, cases[0], options.seconds)]
    return MET if all(met) else MISSED


def _mined(data: Path) -> bool:
    met = []
    for file, (s, expected) in PUBLISHED.items():
        transactions = read(data / file).transactions
        found: list[int] = []
        show(f"mining {file}", timed(partial(_count, transactions, s, found)))
        met.append(judge(f"{file} at {s}: itemsets beside the published {expected:,}", abs(found[0] - expected), 0))
    return all(met)


def _count(transactions: Transactions, s: int, found: list[int]) -> None:
    found.append(len(frequent_itemsets(transactions, s)))


def _problem(data: Path, case: dict[str, Any], seconds: float) -> HidingProblem:
    transactions = read(data / case["file"]).transactions
    code = {name: number for number, name in enumerate(transactions.names)}
    sensitive = [tuple(sorted(code[str(item)] for item in each)) for each in case["sensitive_itemsets"]]
    s = case["min_support_count"]
    stop = time.monotonic() + seconds
    frequent = frequent_itemsets(transactions, s)
    return HidingProblem(transactions, Threshold(s), frequent, minimal(sensitive), solver_deadline=stop)


def _run(problem: HidingProblem, hide: Callable[[HidingProblem], Answer], name: str) -> tuple[Answer, float]:
    """The answer and its wall seconds; what it changes, and what it loses, counted anew."""
    answers: list[Answer] = []
    cost = timed(lambda: answers.append(hide(problem)))
    show(name, cost)
    after = answers[0].change.applied_to(problem.transactions)
    open_ = sum(after.support(each) >= problem.min_support for each in problem.itemsets)
    lost = sum(after.support(each) < problem.min_support for each in problem.border)
    left = frequent_itemsets(after, problem.min_support)
    print(
        f"   {'':<46} still found {open_}, items out {len(answers[0].change.removed):,}, border itemsets lost {lost:,} "
        f"of {len(problem.border):,}; itemsets {len(problem.frequent):,} before, {len(left):,} after",
        flush=True,
    )
    if open_:
        sys.exit(f"{name}: something sensitive is still frequent")
    return answers[0], cost.wall


def _covered(data: Path, case: dict[str, Any]) -> bool:
    problem = _problem(data, case, 60)
    answer, _ = _run(problem, cover.hide, f"cover, {case['file']}")
    least = case["min_transactions_to_sanitise"]
    met = judge(f"cover, {case['file']}: transactions beyond the proven {least:,}", (answer.objective or 0) - least, 0)
    return judge(f"cover, {case['file']}: gap", answer.gap or 0, 0) and met


def _border(data: Path, case: dict[str, Any]) -> bool:
    _, wall = _run(_problem(data, case, 60), max_min.hide, "Max-Min, BMS-WebView-1")
    return judge("Max-Min, wall seconds", wall, 10)


def _exact(data: Path, case: dict[str, Any], seconds: float) -> bool:
    answer, wall = _run(_problem(data, case, seconds), exact.hide, "exact, BMS-WebView-1")
    print(f"   {answer.measure}: {answer.objective:,}, proved not below {answer.bound or 0:,.0f}; {wall:.0f} s wall")
    return judge(f"exact, gap after {seconds:g} s", 100 * (1 if answer.gap is None else answer.gap), 1, " %")


if __name__ == "__main__":
    sys.exit(main())
