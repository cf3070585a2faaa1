"""Calls that block, made where Ctrl-C and a time limit still reach the caller."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

_Value = TypeVar("_Value")
STEP = 0.2
"""Seconds after which whoever waits looks whether it was interrupted."""
PATIENCE = 5.0
"""Seconds that a cancelled call gets to end by itself."""


def begun(work: Callable[[], _Value]) -> Future[_Value]:
    """Begin a call in a thread that does not keep the program from ending."""
    found: Future[_Value] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001  (whoever waits gets it)
            found.set_exception(error)

    Thread(target=run, name="postgresql", daemon=True).start()
    return found


def awaited(call: Future[_Value], cancel: Callable[[], None], seconds: float | None) -> _Value:
    """What a call returns or raises; it is cancelled when the caller is interrupted, or after some seconds.

    Raises:
        TimeoutError: the call was cancelled after `seconds`.
    """
    end = math.inf if seconds is None else time.monotonic() + seconds
    try:
        # In small steps: a signal that strikes another thread wakes nobody here.
        while not wait([call], min(STEP, max(end - time.monotonic(), 0))).done:
            if time.monotonic() >= end:
                raise TimeoutError
    except BaseException:
        stopped(call, cancel)
        raise
    return call.result()


def stopped(call: Future[_Value], cancel: Callable[[], None]) -> bool:
    """Cancel a call and wait a little for its end; whether it has ended."""
    if not call.done():
        wait([begun(cancel)], PATIENCE)
        wait([call], PATIENCE)
    return call.done()
