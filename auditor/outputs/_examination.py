"""What a check answers with: what violates, and what it could not judge."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, get_args

from auditor.outputs.published.conditions import Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Published
from auditor.policy import Policy
from auditor.policy.outputs import FrequencyTableLimits, Output, OutputLimit, OutputRule
from auditor.result.outputs import Picture
from auditor.spec import limits

MISMATCH = "mismatch"
"""The limit, and the reason, of what is written and not what the data gives: no policy has to declare it."""
PROTECTION = "protection"
"""The limit of what follows of suppressed cells: of tables by their rule, of those of the ledger by any output."""
DIFFERENCING = "differencing"
"""The limit of groups that follow by subtraction: of tables by their rule, of models beside them by that, too."""
UNDECLARED = {MISMATCH: MISMATCH} | {
    limit: limits(FrequencyTableLimits)[limit].name for limit in (PROTECTION, DIFFERENCING)
}
"""What no policy has to declare of an output, with its model.

Numbers are the data's, no earlier suppressed cell follows, and no small group by subtraction from tables of which the
policy asks it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One item that the policy does not allow to be published, by one of its limits.

    `limit` is the field of the policy's rule that is broken (``min_support_count``), and says the reason; where that is
    the protection of what was suppressed before, `hidden_by` is the limit that it was suppressed for. `reached` is the
    number that the item has and `needed` the bound; `sentence` says what follows, without a value or a count of the
    data; `about` are the records that it exposes, by a group (with data, their rows in `rows`), and `records_count` how
    many they are.
    `measures` are the numbers that the document shows beside (support, confidence), by name.
    """

    item: str
    limit: str
    sentence: str
    reached: int | Fraction | None = None
    needed: int | Fraction | None = None
    records_count: int | None = None
    rows: tuple[int, ...] | None = None
    about: Group | None = None
    measures: Mapping[str, int | Fraction] = field(default_factory=dict)
    hidden_by: str | None = None

    @property
    def reason(self) -> str:
        """What `reason_in` says, of whichever rule has the limit."""
        return self.reason_in(None)

    def reason_in(self, rule: type[OutputRule] | None) -> str:
        """The reason with which an item breaks a limit of a rule, as it is declared there."""
        limit = self.hidden_by or self.limit
        if limit == MISMATCH:
            return MISMATCH
        rules = [each for each in (rule, *get_args(get_args(Output)[0])) if each is not None]
        declared = (limits(each).get(limit) for each in rules)
        return next(each.reason for each in declared if isinstance(each, OutputLimit))


@dataclass(kw_only=True)
class Examination:
    """What one rule of the policy says of one output.

    `open_limits` are limits that could not be judged, with the reason: such a limit is not evaluated, never passed. The
    limit "" is the whole rule. `judged` are the limits that were; `worst` is the number of the worst item by limit.
    `unread` are open limits that something in the output itself leaves open, which no data would tell: they are not
    evaluated, also where they hold by default alone. `picture` is what the report draws.
    """

    judged: set[str] = field(default_factory=set)
    violations: list[Violation] = field(default_factory=list)
    open_limits: dict[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    worst: dict[str, int | Fraction] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    items: int = 0
    picture: Picture | None = None

    def reach(self, limit: str, number: int | Fraction, *, least: bool) -> None:
        """Remember the worst number of a limit: the least one, or the largest."""
        self.judged.add(limit)
        known = self.worst.get(limit)
        if known is None or (number < known if least else number > known):
            self.worst[limit] = number

    def breaks(self, limit: str) -> bool:
        """Whether an item violates a limit."""
        return any(each.limit == limit for each in self.violations)

    def open(self, limit: str) -> str | None:
        """Why a limit was not judged; None where it was. What a check forgot is never a pass."""
        reason = self.open_limits.get(limit) or self.open_limits.get("")
        if reason is None and limit not in self.judged and limit not in UNDECLARED:
            return "the file does not say enough to be judged"
        return reason

    def add(self, other: Examination) -> None:
        """Take over what another part of the check found of the same output."""
        self.judged |= other.judged
        self.violations += other.violations
        self.open_limits.update(other.open_limits)
        self.unread |= other.unread
        self.worst.update(other.worst)
        self.notes += other.notes


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a check may look at besides the output: the policy, the data, and what is or was published with it.

    `together` are the outputs of this run, this one among them, and `before` those that the ledger remembers, which are
    `remembered`, and those that others release at the same time.
    `deadline` is a time of `time.monotonic`. `shared` is kept from one check of the run to the next, for what several
    of them work out.
    """

    policy: Policy
    counts: Counts | None
    together: Sequence[Published]
    before: Sequence[Published]
    deadline: float
    remembered: Sequence[Published] = ()
    shared: dict[Hashable, Any] = field(default_factory=dict)
