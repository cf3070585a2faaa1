"""The methods, one per file: each a pure function `hide` from a problem to an answer.

Nothing lists them by hand: `METHODS` finds them, and each says in its file `HOW` it hides, whose it is (`SOURCE`) and,
where it is so, that it hides rules alone (`ONLY_RULES`). Their table stands in docs/hiding.md.

All of them but verykios-1a, verykios-1b, verykios-2a, rules and exact hide a rule by the support of the itemset that
generates it, which is more than needed; these stop at its confidence.
"""

from __future__ import annotations

from collections.abc import Callable

from auditor import registry
from auditor.outputs.hiding._problem import Answer, HidingProblem

METHODS = registry.names(__name__)
"""Every method by name; its module is imported when it is used, so that no other one pays for its solver."""


def method(name: str) -> Callable[[HidingProblem], Answer]:
    """The function of a method."""
    found: Callable[[HidingProblem], Answer] = registry.module(__name__, name).hide
    return found


def hides_itemsets(name: str) -> bool:
    """Whether a method hides itemsets; some hide rules alone."""
    return not getattr(registry.module(__name__, name), "ONLY_RULES", False)
