"""Packages that are called: `auditor.remediate(…)` and `import auditor.remediate` mean one name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any


def called(name: str, function: Callable[..., Any]) -> None:
    """Let the imported package `name` be called as a function: once it is imported, it has the function's name."""

    class CallablePackage(ModuleType):
        def __call__(self, *given: Any, **options: Any) -> Any:
            return function(*given, **options)

        def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
            # a module cannot be pickled, a function is by its name: pools of processes are handed one
            return import_module, (name,)

    package = sys.modules[name]
    package.__class__ = CallablePackage
    package.__dict__["__signature__"] = signature(function)
