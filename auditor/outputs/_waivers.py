"""Waivers of rules on outputs: one names a rule or one of its limits, and covers an output while its bounds hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from auditor.outputs._checked import MISMATCH, PROTECTION, Checked
from auditor.policy import Policy, demands, waivers
from auditor.policy.demands import limit_id
from auditor.policy.outputs import Output
from auditor.policy.waivers import Covered, Waiver
from auditor.result import Finding, RequirementResult
from auditor.spec import limits


@dataclass(frozen=True)
class Waived:
    """The waiver that covers an output, the limit that it names (None: all of the rule's), and what it leaves to say.

    `relaxed` is what the rule says of the output with the bounds that the waiver leaves; None where it leaves none.
    """

    waiver: Waiver
    limit: str | None
    relaxed: Checked | None

    def excuses(self, limit: str) -> bool:
        """Whether a limit that is broken holds as far as the waiver demands."""
        if self.limit not in (None, limit):
            return False
        return self.relaxed is None or not any(each.limit == limit for each in self.relaxed.violations)


def of(rule: Output, policy: Policy, as_of: date, covered: Covered) -> Iterator[tuple[str | None, Waiver]]:
    """The waivers of a rule that hold for an output: those of its limits, then that of the whole."""
    for limit, name in _names(rule, policy).items():
        found = waivers.in_force(policy.waivers, name, as_of, covered)
        if found is not None:
            yield limit, found


def _names(rule: Output, policy: Policy) -> dict[str | None, str]:
    """What waivers call a rule and its limits; a name that another rule has is that rule's."""
    rules = {str(each.id) for each in policy.outputs}
    named: dict[str | None, str] = {limit: limit_id(rule, limit) for limit, _ in demands.set_by(rule)}
    return {limit: name for limit, name in named.items() if name not in rules} | {None: str(rule.id)}


def doubts(policy: Policy, results: Sequence[RequirementResult], as_of: date) -> Iterator[Finding]:
    """What is to be said of the waivers of rules on outputs: lapsed, approved by who asked, near their end, unused."""
    excusable: dict[str, set[str]] = {}
    for rule in policy.outputs:
        named = _names(rule, policy)
        every = {limit_id(rule, limit) for limit in (*limits(type(rule)), MISMATCH, PROTECTION)}
        excusable.setdefault(str(rule.id), set()).update(every)
        excusable |= {name: {name} for limit, name in named.items() if limit is not None}
    for waiver in policy.waivers:
        if waiver.requirement in excusable:
            mine = [each for each in results if each.id in excusable[waiver.requirement]]
            yield from waivers.doubts(waiver, mine, as_of)
