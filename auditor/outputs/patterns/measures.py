"""Measures of a rule X ⇒ Y, all of them functions of n(X), n(Y), n(XY) and N.

So a table of rules from which the supports were dropped hides nothing (`supports` finds them again). Every measure
here rises, or stays, with n(XY), and falls, or stays, with n(X) and with n(Y), the others being fixed; that is what
the search for the supports relies on, and a property-based test tries.

Names and definitions are those of mlxtend 0.23 (``association_rules``), of arules (``interestMeasure``: coverage,
count) and of PMML 4.4 (affinity). `representativity` is not one of them: it is about missing values, not supports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

Measure = Callable[[int, int, int, int], Fraction | None]
"""From n(X), n(Y), n(XY), N; None where it is infinite or not defined."""


def ratio(above: int, below: int) -> Fraction | None:
    """The exact quotient; None over 0."""
    return Fraction(above, below) if below else None


def confidence(x: int, _y: int, both: int, _n: int) -> Fraction | None:
    """n(XY)/n(X) in [0, 1]."""
    return ratio(both, x)


def lift(x: int, y: int, both: int, n: int) -> Fraction | None:
    """N·n(XY)/(n(X)·n(Y)) ≥ 0; 1 where X and Y are independent (Brin et al. 1997)."""
    return ratio(n * both, x * y)


def leverage(x: int, y: int, both: int, n: int) -> Fraction | None:
    """s(XY) − s(X)·s(Y) in [−1/4, 1/4] (Piatetsky-Shapiro 1991)."""
    return ratio(n * both - x * y, n * n)


def conviction(x: int, y: int, both: int, n: int) -> Fraction | None:
    """(1 − s(Y))/(1 − confidence) ≥ 0, infinite for a confidence of 1 (Brin et al. 1997)."""
    return ratio(x * (n - y), n * (x - both))


def zhang(x: int, y: int, both: int, n: int) -> Fraction | None:
    """(s(XY) − s(X)s(Y))/max(s(XY)(1 − s(X)), s(X)(s(Y) − s(XY))) in [−1, 1]; 0 over 0 (Zhang 2000)."""
    above, below = n * both - x * y, max(both * (n - x), x * (y - both))
    return Fraction(above, below) if below else Fraction(0)


def jaccard(x: int, y: int, both: int, _n: int) -> Fraction | None:
    """n(XY)/n(X or Y) in [0, 1]; PMML's affinity."""
    return ratio(both, x + y - both)


def certainty(x: int, y: int, both: int, n: int) -> Fraction | None:
    """(confidence − s(Y))/(1 − s(Y)) ≤ 1; 0 where everybody has Y, and so every X."""
    if n == y:
        return Fraction(0) if x == both > 0 else None
    return ratio(n * both - x * y, x * (n - y))


def kulczynski(x: int, y: int, both: int, _n: int) -> Fraction | None:
    """Half the sum of the confidences of X ⇒ Y and Y ⇒ X, in [0, 1] (Kulczyński 1927)."""
    return Fraction(both * (x + y), 2 * x * y) if x and y else None


MEASURES: Mapping[str, Measure] = {
    "confidence": confidence,
    "lift": lift,
    "leverage": leverage,
    "conviction": conviction,
    "zhangs_metric": zhang,
    "zhangs metric": zhang,
    "jaccard": jaccard,
    "affinity": jaccard,
    "certainty": certainty,
    "kulczynski": kulczynski,
}
"""By the names that miners write."""
NEED_NO_TOTAL = frozenset({confidence, jaccard, kulczynski})
"""Those that N does not enter."""
