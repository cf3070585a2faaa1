"""Telling whoever watches how far an engine is, by asking the engine again and again while it works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from auditor.stages import Present, present

EVERY = 0.1
"""Seconds between two questions. Work that is over sooner is not asked about."""

Far = tuple[float, float | None, str]
"""How much is done, of how much (None: not known), in which unit: ``(37.5, 100, "%")``, ``(12, 200, "tasks")``."""


@contextmanager
def following(ask: Callable[[], Far | None]) -> Iterator[None]:
    """Tell the running stage, while the body runs, what `ask` answers; None tells nothing.

    It is asked in a thread of its own, and must not raise. Where nobody watches, nothing is asked and no thread begins.
    """
    here = present()
    if here is None:
        yield
        return
    over = Event()
    asking = Thread(target=_ask, args=(ask, here, over), name="progress", daemon=True)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()
        if here.latest is not None and here.latest.done is not None:
            here.tell()  # what comes next in this stage is not as far as the engine was


def _ask(ask: Callable[[], Far | None], here: Present, over: Event) -> None:
    while not over.wait(EVERY):
        far = ask()
        if far is not None:
            here.tell(*far)
