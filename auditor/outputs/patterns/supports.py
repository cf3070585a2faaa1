"""The supports behind a rule, found again from whatever was written about it.

What is written of X ⇒ Y (counts, shares of N, measures rounded to some places) leaves some triples of whole numbers
n(X), n(Y), n(XY). They are enclosed in boxes: a box is narrowed by what is written until nothing changes (every measure
is monotone in each of the three, see `measures`, so an end is found by bisection), and halved while that can tell
more. A triple outside the boxes is impossible for certain, so what holds for all of them is what a reader knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from auditor.interval import CountInterval
from auditor.outputs.patterns.measures import MEASURES, NEED_NO_TOTAL, Measure
from auditor.outputs.published.outputs import AssociationRule, Stated

NOISE = Fraction(1, 10**9)
"""How far a written measure may be off by floating-point arithmetic, times the larger of 1 and itself.

Differences of shares are divided by differences of shares, each exact to 2⁻⁵²: with N up to a million records the
quotient is good to 2⁻⁵²·10⁶ < 10⁻⁹.
"""
_ENDLESS = 2**62
_SHORT = 64
_KEPT = 64
"""How many boxes of one rule are kept apart."""


@dataclass(frozen=True, slots=True)
class SupportBox:
    """Least and largest n(X), n(Y) and n(XY), with both ends: pairs, for they are narrowed very often."""

    x: tuple[int, int]
    y: tuple[int, int]
    both: tuple[int, int]

    @property
    def sides(self) -> tuple[tuple[int, int], ...]:
        """The three of them."""
        return self.x, self.y, self.both

    @property
    def settled(self) -> bool:
        """Whether n(X) and n(XY) are known."""
        return self.x[0] == self.x[1] and self.both[0] == self.both[1]


@dataclass(frozen=True, slots=True)
class Supports:
    """All supports that go with what is written; without boxes there are none."""

    boxes: tuple[SupportBox, ...]
    shares: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))
    """What is written of the confidence itself."""

    @classmethod
    def counted(cls, x: int, y: int, both: int) -> Supports:
        """Supports that are known."""
        return cls((SupportBox((x, x), (y, y), (both, both)),))

    @property
    def antecedent(self) -> CountInterval:
        """n(X)."""
        return self._range(lambda box: box.x)

    @property
    def consequent(self) -> CountInterval:
        """n(Y)."""
        return self._range(lambda box: box.y)

    @property
    def support(self) -> CountInterval:
        """n(XY)."""
        return self._range(lambda box: box.both)

    @property
    def exceptions(self) -> CountInterval:
        """n(X) − n(XY)."""
        found = self._range(lambda box: (max(0, box.x[0] - box.both[1]), box.x[1] - box.both[0]))
        return found if self.antecedent.high is not None else CountInterval(found.low)

    @property
    def confidence(self) -> tuple[Fraction, Fraction]:
        """The least and the largest n(XY)/n(X)."""
        low = min((Fraction(box.both[0], box.x[1]) for box in self.boxes if box.x[1]), default=Fraction(0))
        high = max((Fraction(min(box.both[1], box.x[0]), box.x[0]) if box.x[0] else 1 for box in self.boxes), default=1)
        return max(low, self.shares[0]), min(Fraction(high), self.shares[1])

    def _range(self, of: Callable[[SupportBox], tuple[int, int]]) -> CountInterval:
        ends = [of(box) for box in self.boxes]
        most = max(high for _, high in ends)
        return CountInterval(min(low for low, _ in ends), None if most >= _ENDLESS else most)


@dataclass
class Effort:
    """How many boxes may still be halved, over all rules of an output."""

    left: int = 5_000


@dataclass(frozen=True)
class Written:
    """What is written of a rule: the ranges of its counts, and each measure with its ends."""

    total: int | None
    start: SupportBox | None
    measures: tuple[tuple[Measure, Fraction, Fraction], ...] = field(default=())

    @classmethod
    def of(cls, rule: AssociationRule, total: int | None) -> Written:
        """Read a rule of an output with N = `total` records. `start` is None where two numbers exclude each other."""
        most = _ENDLESS if total is None else total
        sides = [
            _side(rule.antecedent_support, rule.antecedent_share, total, most),
            _side(rule.consequent_support, rule.consequent_share, total, most),
            _side(rule.support, rule.support_share, total, most),
        ]
        named = [("confidence", rule.confidence), *rule.measures]
        measures = [
            (MEASURES[name], *ends(stated))
            for name, stated in named
            if stated is not None and name in MEASURES and (total is not None or MEASURES[name] in NEED_NO_TOTAL)
        ]
        # A measure that divides by n(X), or by n(Y), was not written of nobody.
        someone = any(measure(0, 1, 0, 2) is None for measure, _, _ in measures)
        some_other = any(measure(1, 0, 0, 2) is None for measure, _, _ in measures)
        known = [
            side and (max(side[0], least), side[1])
            for side, least in zip(sides, (int(someone), int(some_other), 0), strict=True)
        ]
        start = None if None in known else SupportBox(*(side for side in known if side is not None))
        return cls(total, start, tuple(measures))

    def allows(self, x: int, y: int, both: int) -> bool:
        """Whether these supports are written so."""
        if self.start is None or not all(
            low <= count <= high for count, (low, high) in zip((x, y, both), self.start.sides, strict=True)
        ):
            return False
        found = ((measure(x, y, both, self._n), low, high) for measure, low, high in self.measures)
        return all(value is not None and low <= value <= high for value, low, high in found)

    def supports(self, effort: Effort) -> Supports:
        """All supports that go with it."""
        boxes = tuple(self._boxes(effort))
        shares = [(low, high) for measure, low, high in self.measures if measure is MEASURES["confidence"]]
        low = max([Fraction(0), *(low for low, _ in shares)])
        return Supports(boxes, (low, max(low, min([Fraction(1), *(high for _, high in shares)]))))

    @property
    def _n(self) -> int:
        return 1 if self.total is None else self.total

    def _boxes(self, effort: Effort) -> Iterator[SupportBox]:
        waiting = [] if self.start is None else [self.start]
        if self.start is not None and self.total is None and all(high == _ENDLESS for _, high in self.start.sides):
            yield self.start  # shares without any count: all multiples of a solution are solutions
            return
        waiting = [box for box in map(self._by_quotients, waiting) if box is not None]
        kept = 0
        while waiting:
            box = self._narrowed(waiting.pop())
            if box is None or (box.settled and not self._written_somewhere(box)):
                continue
            if box.settled or not self.measures or effort.left <= 0 or kept + len(waiting) >= _KEPT:
                kept += 1
                yield box
            else:
                effort.left -= 1
                waiting += _halves(box)

    def _by_quotients(self, box: SupportBox) -> SupportBox | None:
        """At once what halving would take long for: s(Y) = confidence/lift, s(X) = leverage/(confidence − s(Y))."""
        known = {measure: (low, high) for measure, low, high in self.measures}
        if self.total is None or MEASURES["confidence"] not in known:
            return box
        low, high = known[MEASURES["confidence"]]
        low, n, x, y = max(low, Fraction(0)), self.total, box.x, box.y
        least, most = known.get(MEASURES["lift"], (Fraction(0), None))
        if least > 0 and most is not None:
            y = _cut(y, low / most * n, high / least * n)
        least, most = known.get(MEASURES["leverage"], (Fraction(0), None))
        gap = low - Fraction(y[1], n), high - Fraction(y[0], n)
        if most is not None and least > 0 and gap[0] > 0:
            x = _cut(x, least / gap[1] * n, most / gap[0] * n)
        elif most is not None and most < 0 and gap[1] < 0:
            x = _cut(x, most / gap[0] * n, least / gap[1] * n)
        return SupportBox(x, y, box.both) if x[0] <= x[1] and y[0] <= y[1] else None

    def _written_somewhere(self, box: SupportBox) -> bool:
        """Whether a box with n(X) and n(XY) known is possible: a measure that has no value there was not written."""
        (x, _), (low, high), (both, _) = box.sides
        if low == high:
            return self.allows(x, low, both)
        return all(
            any(measure(x, y, both, self._n) is not None for y in (low, high)) for measure, _, _ in self.measures
        )

    def _narrowed(self, box: SupportBox) -> SupportBox | None:
        """The box without what is impossible; None where nothing is left. Halving goes on where this gets slow."""
        while True:
            smaller = self._by_counting(box)
            for measure, low, high in self.measures:
                smaller = None if smaller is None else self._by_measure(smaller, measure, low, high)
            if smaller is None or not any(_much(old, new) for old, new in zip(box.sides, smaller.sides, strict=True)):
                return smaller
            box = smaller

    def _by_counting(self, box: SupportBox) -> SupportBox | None:
        """n(XY) ≤ n(X), n(Y), and n(X) + n(Y) − n(XY) ≤ N."""
        (x_low, x_high), (y_low, y_high), (low, high) = box.sides
        high = min(high, x_high, y_high)
        if self.total is not None:
            low = max(low, x_low + y_low - self.total)
            x_high, y_high = min(x_high, self.total - y_low + high), min(y_high, self.total - x_low + high)
        found = SupportBox((max(x_low, low), x_high), (max(y_low, low), y_high), (low, high))
        return found if all(first <= last for first, last in found.sides) else None

    def _by_measure(self, box: SupportBox, measure: Measure, low: Fraction, high: Fraction) -> SupportBox | None:
        """Bring each end in to the first value with which the measure can still be what is written."""

        def enough(x: int, y: int, both: int) -> bool:
            """Whether the largest value that the measure has from this corner on reaches `low`."""
            value = measure(x, y, both, self._n) if both <= min(x, y) else None
            return value is None or value >= low

        def little(x: int, y: int, both: int) -> bool:
            value = measure(x, y, both, self._n)
            return value is None or value <= high

        (x, y, both) = box.sides
        x_end = _last(x, lambda value: enough(value, y[0], both[1]))
        x_start = _first(x, lambda value: little(value, y[1], both[0]))
        y_end = _last(y, lambda value: enough(x[0], value, both[1]))
        y_start = _first(y, lambda value: little(x[1], value, both[0]))
        start = _first(both, lambda value: enough(x[0], y[0], value))
        end = _last(both, lambda value: little(x[1], y[1], value))
        pairs = ((x_start, x_end), (y_start, y_end), (start, end))
        found = [(first, last) for first, last in pairs if first is not None and last is not None and first <= last]
        return SupportBox(*found) if len(found) == len(pairs) else None


def ends(stated: Stated) -> tuple[Fraction, Fraction]:
    """The least and the largest number that may be written so, floating-point noise allowed for."""
    low, high = stated.ends
    slack = NOISE * max(Fraction(1), abs(stated.value))
    return low - slack, high + slack


def _side(count: int | None, share: Stated | None, total: int | None, most: int) -> tuple[int, int] | None:
    """The range of a count; None where a count and a share of the same thing exclude each other."""
    low, high = (0, most) if count is None else (count, count)
    if share is not None and total is not None:
        least, largest = ends(share)
        low, high = max(low, ceil(least * total)), min(high, floor(largest * total))
    return (low, high) if low <= high else None


def _cut(side: tuple[int, int], low: Fraction, high: Fraction) -> tuple[int, int]:
    """The whole numbers of a range that lie between two ends."""
    return max(side[0], ceil(low)), min(side[1], floor(high))


def _first(side: tuple[int, int], holds: Callable[[int], bool]) -> int | None:
    """The least value for which something holds that holds from some value on."""
    low, high = side
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _last(side: tuple[int, int], holds: Callable[[int], bool]) -> int | None:
    """The largest value for which something holds that holds up to some value."""
    low, high = side
    if not holds(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _much(old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Whether a side lost a tenth or more; of a short one, anything."""
    before, after = old[1] - old[0], new[1] - new[0]
    return after < before and (10 * after <= 9 * before or before < _SHORT)


def _halves(box: SupportBox) -> Sequence[SupportBox]:
    """The two halves along the widest side."""
    widest = max(range(3), key=lambda place: box.sides[place][1] - box.sides[place][0])
    low, high = box.sides[widest]
    middle = (low + high) // 2
    cuts = ((low, middle), (middle + 1, high))
    return [SupportBox(*(cut if place == widest else side for place, side in enumerate(box.sides))) for cut in cuts]
