"""What every benchmark shares: CPU, wall and memory of a call or a whole process, and how a claim is judged.

CPU seconds are the sum over all threads, so they hardly depend on what else the machine does; wall times do, and what
else runs can only add to them. So figures are medians, but a ratio of wall times is one of the least of each. Both
sides of a ratio are measured in the same run, in turns.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import auditor

ROOT = Path(__file__).resolve().parent.parent
OBSERVER = """
import json, os, subprocess, sys, time
wall = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
wall = time.perf_counter() - wall
code = os.waitstatus_to_exitcode(status)
print(json.dumps([code, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss]))
"""
"""Run a command and print what it cost. A process's peak begins with that of the process it was started from, so it
is started from this small one, not from the benchmark."""
SKIPPED = 0
MET, MISSED = 0, 1


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds, the least wall seconds of several runs, and of a process its peak resident memory in MB."""

    cpu: float
    wall: float
    least_wall: float
    peak_mb: float | None = None

    def __str__(self) -> str:
        peak = "" if self.peak_mb is None else f", peak {self.peak_mb:,.0f} MB"
        return f"{self.cpu:.3f} CPU s, {self.wall:.3f} s wall (least {self.least_wall:.3f}){peak}"


def machine() -> str:
    """Say in one line on what is measured, and how busy it is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, {platform.system()}; Python "
        f"{platform.python_version()}, auditor {auditor.__version__}, duckdb {version('duckdb')}; "
        f"load {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def start(claim: str) -> None:
    """Print what is claimed, and the machine."""
    print(f"== {claim}\n   {machine()}", flush=True)


def timed(call: Callable[[], Any]) -> Cost:
    """Measure what one call costs this process, all its threads included."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost(cpu, wall, wall)


def alternated(calls: Mapping[str, Callable[[], Cost]], repeats: int) -> dict[str, Cost]:
    """Find the median cost of each, measured in turns, so that a busy minute of the machine meets all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            costs[name].append(call())
    return {name: median(found) for name, found in costs.items()}


def median(costs: Sequence[Cost]) -> Cost:
    """Find the median of the times, the least wall time and the largest peak."""
    peaks = [cost.peak_mb for cost in costs if cost.peak_mb is not None]
    return Cost(
        cpu=statistics.median(cost.cpu for cost in costs),
        wall=statistics.median(cost.wall for cost in costs),
        least_wall=min(cost.wall for cost in costs),
        peak_mb=max(peaks) if peaks else None,
    )


def process(command: Sequence[str | Path], *, expected: Sequence[int] = (0,)) -> Cost:
    """Measure a whole process from its start to its end, the interpreter's start and imports included.

    Ends the benchmark when the process ends with an exit code that was not expected, and shows its messages.
    """
    words = [str(word) for word in command]
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", OBSERVER, *words], capture_output=True, text=True, check=True
    )
    code, cpu, wall, peak = json.loads(child.stdout)
    if code not in expected:
        sys.exit(f"{command[0]} ended with exit code {code}:\n{child.stderr[-2000:]}")
    return Cost(cpu, wall, wall, peak / (2**20 if sys.platform == "darwin" else 2**10))


def judge_against(what: str, cost: Cost, peer: Cost, limit: float) -> bool:
    """Judge the CPU and the wall time against a peer's."""
    return all(
        [
            judge(f"{what}, CPU", cost.cpu / peer.cpu, limit, "x"),
            judge(f"{what}, wall", cost.least_wall / peer.least_wall, limit, "x"),
        ]
    )


def judge(what: str, figure: float, limit: float, unit: str = "", *, at_least: bool = False) -> bool:
    """Print a figure beside its limit; whether the claim holds."""
    met = figure >= limit if at_least else figure <= limit
    word = "at least" if at_least else "at most"
    print(f"   {'met   ' if met else 'MISSED'}  {what}: {figure:,.3f}{unit} ({word} {limit:g}{unit})", flush=True)
    return met


def show(what: str, cost: Cost) -> None:
    """Print what something costs."""
    print(f"   {what:<46} {cost}", flush=True)
