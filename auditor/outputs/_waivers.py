"""Waivers of rules on outputs: one names a rule or one of its limits, and covers an output while its bounds hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auditor.judge import Granted
from auditor.outputs._examination import UNDECLARED, Examination
from auditor.policy import Policy, demands
from auditor.policy.demands import limit_id
from auditor.policy.outputs import Output
from auditor.policy.waivers import Waiver
from auditor.spec import limits


@dataclass(frozen=True)
class Waived:
    """The waiver that covers an output, the limit that it names (None: all of the rule's), and what it leaves to say.

    `left` is the rule with the bounds that the waiver leaves, with what it says of the output; None where it leaves
    none.
    """

    waiver: Waiver
    limit: str | None
    left: tuple[Output, Examination] | None

    def excuses(self, limit: str) -> bool:
        """Whether a limit that is broken was seen to hold as far as the waiver demands."""
        if self.limit not in (None, limit):
            return False
        if self.left is None:
            return True
        rule, checked = self.left
        if checked.breaks(limit):
            return False
        return checked.open(limit) is None or limit not in {name for name, _ in demands.set_by(rule)}


def of(rule: Output, granted: Granted) -> Iterator[tuple[str | None, Waiver]]:
    """The waivers of a rule that hold for an output: those of its limits, then that of the whole."""
    for limit, name in _names(rule, granted.policy).items():
        found = granted.of(name)
        if found is not None:
            yield limit, found


def excusable(policy: Policy) -> dict[str, set[str]]:
    """What a waiver may name, a rule or a limit of one, each with the ids of the results that it may excuse."""
    found: dict[str, set[str]] = {}
    for rule in policy.outputs:
        named = _names(rule, policy)
        every = {limit_id(rule, limit) for limit in (*limits(type(rule)), *UNDECLARED)}
        found.setdefault(str(rule.id), set()).update(every)
        found |= {name: {name} for limit, name in named.items() if limit is not None}
    return found


def _names(rule: Output, policy: Policy) -> dict[str | None, str]:
    """What waivers call a rule and its limits; a name that a requirement or another rule has is theirs."""
    own = demands.waivable(policy)
    named: dict[str | None, str] = {limit: limit_id(rule, limit) for limit, _ in demands.set_by(rule)}
    return {limit: name for limit, name in named.items() if name in own} | {None: str(rule.id)}
