"""Masking the table by every candidate with every seed, and measuring each: by several processes where that pays."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from auditor.engines import RunLimits
from auditor.microdata import Microdata
from auditor.stages import tell
from auditor.weighing._candidates import Trial
from auditor.weighing._measure import MethodFigures, Yardstick
from auditor.weighing._state import State
from auditor.weighing._uses import PreparedUse
from auditor.workers import Workers

PAYS_FROM = 4.0
"""Seconds of work left from which further processes are begun; one takes about a second to begin."""

Judge = Callable[[Microdata], bool | None]
"""Whether a table that was masked so meets the policy; None where that cannot be judged."""
Progress = Callable[[int, int], None]
"""Told after each measurement how many are done, of how many."""


@dataclass(frozen=True)
class MaskingTask:
    """One masking: a candidate and the number of its seed; `key` names it in the state file."""

    candidate: Trial
    repetition: int
    key: str


@dataclass(frozen=True)
class Way:
    """How a sweep is run: its limits, who is told how far it is, how many processes work (None: what pays)."""

    limits: RunLimits
    progress: Progress
    processes: int | None

    def told(self, done: int, of: int) -> None:
        """Say how many tasks are done, to the caller and to whoever watches."""
        self.progress(done, of)
        tell(done, of, "maskings")


@dataclass(frozen=True)
class Bench:
    """What every task needs: the table, what judges it, the seed of the sweep, and what the table is used for."""

    data: Microdata
    columns: Sequence[str]
    judge: Judge
    seed: int
    uses: Sequence[PreparedUse] = ()

    def measure(self, task: MaskingTask) -> tuple[MethodFigures, bool]:
        """The figures of one task, and whether chance had a part in them."""
        generator = generator_of(self.seed, task.candidate.name, task.repetition)
        before = generator.bit_generator.state
        masked = apply(task.candidate, self.data, generator)
        random = generator.bit_generator.state != before
        return self.yardstick().measured(masked, met=self.judge(masked)), random

    def yardstick(self) -> Yardstick:
        """What every masked table is measured against, made once."""
        found = self.__dict__.get("_cached")
        if found is None:
            found = Yardstick(self.data, self.columns, self.uses)
            object.__setattr__(self, "_cached", found)
        return found


def generator_of(seed: int, name: str, repetition: int) -> np.random.Generator:
    """A generator of a candidate's own, so that figures depend on no order and on no other candidate."""
    digest = int.from_bytes(sha256(name.encode()).digest()[:8], "big")
    return np.random.default_rng([seed, digest, repetition])


def apply(candidate: Trial, data: Microdata, generator: np.random.Generator) -> Microdata:
    """The table masked by all methods of a candidate, one after the other."""
    for method in candidate.methods:
        data = method.masked(data, generator)
    return data


def sweep(bench: Bench, tasks: Sequence[MaskingTask], state: State, way: Way) -> None:
    """Measure every task that the state does not know yet.

    A candidate that draws no random number is measured once; its other seeds have the same figures.

    Raises:
        OutOfTime: the time limit was reached; what was measured stands in the state.
    """
    firsts = [task for task in tasks if task.repetition == 0]
    others = [task for task in tasks if task.repetition]
    fixed: set[str] = set()
    done = 0
    for task, (measured, random) in _measured(bench, firsts, state, way):
        state.add(task.key, measured)
        if not random:
            fixed.add(task.candidate.name)
        done += 1
        way.told(done, len(tasks))
    first = {task.candidate.name: state.known[task.key] for task in firsts}
    for task in others:
        if task.candidate.name in fixed:
            state.known[task.key] = first[task.candidate.name]
    for task, (measured, _) in _measured(bench, others, state, way):
        state.add(task.key, measured)
        done += 1
        way.told(done, len(tasks))
    way.told(len(tasks), len(tasks))


def _measured(
    bench: Bench, tasks: Sequence[MaskingTask], state: State, way: Way
) -> Iterator[tuple[MaskingTask, tuple[MethodFigures, bool]]]:
    """Measure the tasks that are not known; the first here, to learn how long one takes."""
    waiting = [task for task in tasks if task.key not in state.known]
    while waiting:
        way.limits.check()
        began = time.monotonic()
        yield waiting[0], bench.measure(waiting[0])
        waiting = waiting[1:]
        workers = min(way.processes or processors(), len(waiting))
        pays = way.processes is not None or (time.monotonic() - began) * len(waiting) > PAYS_FROM
        if workers > 1 and pays:
            yield from _by_processes(bench, waiting, workers, way.limits)
            return


def _by_processes(
    bench: Bench, tasks: Sequence[MaskingTask], workers: int, limits: RunLimits
) -> Iterator[tuple[MaskingTask, tuple[MethodFigures, bool]]]:
    with ProcessPoolExecutor(workers, mp_context=Workers(), initializer=_begin, initargs=(bench,)) as pool:
        try:
            for task, found in zip(tasks, pool.map(_work, tasks), strict=True):
                limits.check()
                yield task, found
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_bench: Bench


def _begin(bench: Bench) -> None:
    """Give a worker the table, once."""
    global _bench  # noqa: PLW0603  (a worker's only state)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    _bench = bench


def _work(task: MaskingTask) -> tuple[MethodFigures, bool]:
    return _bench.measure(task)


def processors() -> int:
    """How many processes may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
