"""Values that a release holds in other units: of some records, while others are masked."""

from __future__ import annotations

from itertools import product, starmap
from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats, pair
from auditor.risk.own_scale import RARE

RECORDS = 1_000
"""A line is looked for among so many records."""
TRIED = 150
"""Lines are drawn through so many of them, and any other."""
AT_ONCE = 16
"""Lines through so many records are held at a time."""
LEAST = 4
"""A line of fewer records, beside the one that it is drawn through, tells nothing."""
NEARBY = 10
"""Chance is what as many lines meet where values are mixed among so many records of about the same original value."""
DIGITS = 4
"""Values of so many decimals are taken for rounded ones: a line through two of them is off by as much."""
ROUNDED = 1e-9
"""Relative to its terms, a value that is on a line in exact arithmetic lies this near to it."""


def in_units(original: Floats, released: Floats) -> Floats:
    """The release with each column in the units of its original that holds some of its values in others.

    Both are float64[n, p], row i of both the same record. Who writes some of the values in other units (in thousands,
    in dollars, in logarithms) and masks the others hides nothing of the former: they lie on one line, y = a x + b, of
    the values or of their logarithms, and more of them than on any line that chance finds. Such a column is read as
    (y − b)/a, and the values on the line as the original ones that they are. Lines are drawn through pairs of records;
    chance is the same with the values, or their noise, mixed among records of about the same original value. A value
    that the original has, too, is in its units: it was exchanged, not written otherwise. Others stay as they are.

    Raises:
        DataError: the tables do not fit each other.
    """
    original, released = pair(original, released)
    return np.column_stack([_in_order(*both) for both in zip(original.T, released.T, strict=True)])


def _in_order(was: Floats, now: Floats) -> Floats:
    """A column, looked at in the order of its values: which records are drawn is no matter of how rows are sorted."""
    order, out = np.lexsort((now, was)), np.empty_like(now)
    out[order] = _column(was[order], now[order])
    return out


def _column(was: Floats, now: Floats) -> Floats:
    most, found = int((was == now).sum()), now
    other = ~np.isin(now, was)
    chance = _by_chance(was, now)
    for near in _nears(now):
        for scale in _SCALES:
            x, y, off = _scaled(scale, was, now, near)
            there = np.isfinite(x) & np.isfinite(y)
            line, met = _line(*(each[there & other] for each in (x, y, off)))
            if met < LEAST or any(_explained(met, *_scaled(scale, was, each, near)) for each in chance):
                continue
            on = np.flatnonzero(there)[_on(x[there], y[there], off[there], line)]
            if len(on) > most:
                with np.errstate(over="ignore", invalid="ignore"):
                    read = scale.back((y - line.up) / line.slope)
                read[on] = was[on]
                most, found = len(on), np.where(np.isfinite(read), read, np.nan)
    return found


def _by_chance(was: Floats, now: Floats) -> tuple[Floats, Floats]:
    """Released values, or how far they are from the original ones, of other records with about the same original value.

    Slight noise leaves many values near to one line: so it does where it is mixed, and up to half larger or smaller.
    """
    draw = np.random.default_rng(0)
    order = _mixed(was, draw)
    noisy = was + (now - was)[order] * draw.uniform(0.5, 1.5, len(was))
    written, digits = _written(now)
    return now[order], np.where(written[order], np.round(noisy, digits), noisy)


def _nears(now: Floats) -> list[Floats]:
    """How near to a line values are that lie on it: as floats are, or as those written in cents, or whole."""
    exact = ROUNDED * np.abs(now)
    written, digits = _written(now)
    return [exact, exact + written * 10.0**-digits] if written.any() else [exact]


def _written(now: Floats) -> tuple[NDArray[np.bool_], int]:
    """Which values are written in few decimals, and in how many at most."""
    for digits in range(DIGITS, -1, -1):
        written = np.round(now, digits) == now
        if (written & (np.round(now, digits - 1) != now)).any():
            return written, digits
    return np.zeros(len(now), np.bool_), 0


class _Scale(NamedTuple):
    """Whether original and released values are taken as logarithms, and the way back to original ones."""

    was_logs: bool
    now_logs: bool

    @property
    def back(self) -> np.ufunc:
        return np.exp if self.was_logs else np.positive


_SCALES = tuple(starmap(_Scale, product((False, True), repeat=2)))


def _scaled(scale: _Scale, was: Floats, now: Floats, near: Floats) -> tuple[Floats, Floats, Floats]:
    """Both in a scale, and how near the released ones are to a line then."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log(was) if scale.was_logs else was
        return (x, np.log(now), ROUNDED + near / now) if scale.now_logs else (x, now, near)


class _StraightLine(NamedTuple):
    """y = slope · x + up, and how near the record is to it through which it is drawn."""

    slope: float
    up: float
    near: float


def _line(x: Floats, y: Floats, near: Floats) -> tuple[_StraightLine, int]:
    """The line that most records lie on, and how many do beside the one that it is drawn through."""
    x, y, near = _some(x, y, near)
    if len(x) < 2:
        return _StraightLine(1.0, 0.0, 0.0), 0
    slopes, met = _slopes(x, y, near)
    place = int(met.argmax())
    line = _StraightLine(float(slopes[place]), float(y[place] - slopes[place] * x[place]), float(near[place]))
    return line, int(met[place])


def _some(*columns: Floats) -> tuple[Floats, ...]:
    some = np.random.default_rng(0).permutation(len(columns[0]))[:RECORDS]
    return tuple(each[some] for each in columns)


def _explained(most: int, x: Floats, y: Floats, near: Floats) -> bool:
    """Whether lines meet so many records by chance, which is y, beside the one that they are drawn through.

    Of two such records any has a slope, so that one is met for nothing. Where q is the chance of another slope to be
    equal, of n records C(n, 2) q pairs are: that is what is counted, by three more than were. A line of m has n^m
    q^(m − 1) / m! by chance; and it has twice as many as any line of chance.
    """
    there = np.isfinite(x) & np.isfinite(y)
    x, y, near = _some(x[there], y[there], near[there])
    if len(x) < 2:
        return False
    met = _slopes(x, y, near)[1]
    more, others = most - 1, np.maximum(met - 1, 0)
    equal = 2 * (float(others.sum()) + 3) / len(met) / len(x) ** 2
    rare = np.log(len(met)) + most * np.log(len(x)) + more * np.log(equal) - lgamma(most + 1)
    return bool(rare > -np.log(RARE)) or more <= 2 * int(others.max(initial=0))


def _slopes(x: Floats, y: Floats, near: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """For lines through the first records: the slope by which one meets most others, and how many; none is level."""
    through = min(len(x), TRIED)
    slopes, met = np.zeros(through), np.zeros(through, np.intp)
    for start in range(0, through, AT_ONCE):
        some = np.arange(start, min(start + AT_ONCE, through))
        across, up, off = x - x[some, None], y - y[some, None], near + near[some, None]
        good = (across != 0) & (np.abs(up) > off)
        slope = np.divide(up, across, out=np.full_like(up, np.nan), where=good)
        about = np.divide(off, np.abs(across), out=np.zeros_like(up), where=good)
        ends = np.concatenate((slope - about, slope + about), axis=1)
        order = np.argsort(ends, axis=1, kind="stable")
        ends = np.take_along_axis(ends, order, axis=1)
        inside = np.cumsum(
            np.where(order < len(x), 1, -1) * np.take_along_axis(np.tile(good, 2), order, axis=1), axis=1
        )
        best = inside.argmax(axis=1)
        rows = np.arange(len(some))
        slopes[some] = (ends[rows, best] + ends[rows, np.minimum(best + 1, ends.shape[1] - 1)]) / 2
        met[some] = inside[rows, best]
    return slopes, met


def _on(x: Floats, y: Floats, near: Floats, line: _StraightLine) -> NDArray[np.bool_]:
    return np.asarray(np.abs(y - line.slope * x - line.up) <= 2 * (near + line.near) + ROUNDED * abs(line.up))


def _mixed(x: Floats, draw: np.random.Generator) -> NDArray[np.intp]:
    """Another record for each, of about the same original value."""
    ranked = np.lexsort((draw.random(len(x)), x))
    out = np.empty(len(x), np.intp)
    out[ranked] = ranked[np.argsort(np.arange(len(x)) + draw.uniform(0, NEARBY, len(x)))]
    return out
