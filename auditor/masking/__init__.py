"""Masking methods: one per file. To add one, add a file with one public `Method`; nothing else lists them by hand.

Each is a pure function of a table, its parameters and a seeded generator. `registry()` finds them.
"""

from __future__ import annotations

import inspect
import pkgutil
from functools import cache
from importlib import import_module

from auditor.masking._base import Method
from auditor.masking._mdav import mdav as mdav_groups
from auditor.masking._univariate import optimal_univariate as optimal_groups

__all__ = ["Method", "mdav_groups", "optimal_groups", "registry"]


@cache
def registry() -> dict[str, type[Method]]:
    """Every method by its policy name, in alphabetical order: the public classes of this package's public modules."""
    methods: dict[str, type[Method]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        home = import_module(f"{__name__}.{module.name}")
        for _, method in inspect.getmembers(home, inspect.isclass):
            if issubclass(method, Method) and method.__module__ == home.__name__ and "method" in method.model_fields:
                methods[method.model_fields["method"].default] = method
    return dict(sorted(methods.items()))
