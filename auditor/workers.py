"""Processes that work for a caller: fresh interpreters, which do not run the caller's own script again."""

from __future__ import annotations

import sys
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType


class Worker(SpawnProcess):
    """A process in a fresh interpreter: one that is copied while a thread holds a lock would wait for it forever.

    `multiprocessing` has each fresh interpreter run the script that was started, which sweeps, writes and prints all
    over again where it does not say `if __name__ == "__main__"`. What is worked on here stands in this package's own
    modules, so the worker is begun as if there were no script.
    """

    def start(self) -> None:
        """Begin; for that moment `__main__` is an empty module."""
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = script


class Workers(SpawnContext):
    """The context of `ProcessPoolExecutor` whose processes are workers."""

    Process = Worker
