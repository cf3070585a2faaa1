"""Releases are judged by themselves, so by several processes where there are several to judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from auditor.engines import Files
from auditor.errors import AuditorError
from auditor.gate._judge import GateCase, judge
from auditor.gate._judgement import JudgedCase
from auditor.stages import Stage, stage
from auditor.workers import Workers

PAYS_FROM = 100 << 20
"""A worker takes about a second and a half to begin, in which one process judges some 40 MB of CSV by ten models."""


def workers_for(cases: Sequence[GateCase], asked: int | None = None) -> int:
    """How many processes judge these releases: several where there is enough to judge, or as many as were asked for."""
    if asked is not None:
        return max(1, min(asked, len(cases)))
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, len(cases))) if sum(map(_size, cases)) >= PAYS_FROM else 1


def judge_all(cases: Sequence[GateCase], asked: int | None = None) -> dict[str, JudgedCase]:
    """Judge every case; by its name."""
    return dict(zip((case.name for case in cases), spread(judge, cases, asked=asked), strict=True))


def spread(
    judging: Callable[..., JudgedCase], cases: Sequence[GateCase], told: Sequence[object] = (), asked: int | None = None
) -> list[JudgedCase]:
    """Judge every case, in their order, by as many processes as pay. The workers share the memory.

    Args:
        judging: what judges one case, with what is told of it where something is; a function of a module.
        cases: the releases.
        told: one value for each case, or none at all.
        asked: how many processes; None for as many as pay.
    """
    workers = workers_for(cases, asked)
    more = (told,) if told else ()
    if workers < 2:
        return _counted(map(judging, cases, *more), len(cases))
    shared = [replace(case, bounds=replace(case.bounds, memory=case.bounds.memory // workers)) for case in cases]
    with ProcessPoolExecutor(workers, mp_context=Workers()) as pool:
        return _counted(pool.map(judging, shared, *more), len(cases))


def _counted(judged: Iterable[JudgedCase], releases: int) -> list[JudgedCase]:
    """What is judged one after the other, told to whoever watches."""
    found: list[JudgedCase] = []
    with stage(Stage.JUDGING_RELEASES) as here:
        here.tell(0, releases, "releases")
        for each in judged:
            found.append(each)
            here.tell(len(found), releases, "releases")
    return found


def _size(case: GateCase) -> int:
    """The bytes of a release's data; 0 where they are not to be had."""
    try:
        found = None if case.data is None else case.data.located()
        return sum(path.stat().st_size for path in found.paths) if isinstance(found, Files) else 0
    except (AuditorError, OSError):
        return 0
