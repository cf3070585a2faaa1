"""Second computations of the measures of risk: record by record, with exact fractions or 60 decimal digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, floor, log

DIGITS = 60
SAME = Decimal(10) ** -40


def interval_share(original, masked, width):
    """The percentage of one variable at one width, as a fraction, by ranks counted one by one; None is missing."""
    shown = sorted(y for y in masked if y is not None)
    found = []
    for x, y in zip(original, masked, strict=True):
        if x is None:
            continue
        if y is None:
            found.append(False)
            continue
        ranks = [rank for rank, value in enumerate(shown, start=1) if value == y]
        rank, reach = Fraction(sum(ranks), len(ranks)), Fraction(width) * len(shown) / 100
        low, high = max(1, ceil(rank - reach)), min(len(shown), floor(rank + reach))
        found.append(shown[low - 1] <= x <= shown[high - 1])
    return Fraction(100 * sum(found), len(found)) if found else Fraction(0)


def standardised(rows):
    """Columns of Decimals with mean 0 and sd 1 (divisor n); constant columns are 0, and so is a missing value."""
    columns = []
    for column in zip(*rows, strict=True):
        there = [Fraction(value) for value in column if value is not None]
        mean = sum(there) / len(there) if there else Fraction(0)
        variance = sum((value - mean) ** 2 for value in there) / len(there) if there else Fraction(0)
        scale = decimal(variance).sqrt() if variance else Decimal(1)
        columns.append([Decimal(0) if value is None else decimal(Fraction(value) - mean) / scale for value in column])
    return list(zip(*columns, strict=True))


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def euclidean(a, b):
    """The squared distance of two rows, as a function of them."""

    def squared(x, y):
        return sum(((left - right) ** 2 for left, right in zip(x, y, strict=True)), Decimal(0))

    return squared


def mahalanobis(a, b):
    """d' V⁺ d for d in the range of V, which is d' y for any solution y of V y = d."""
    variables = range(len(a[0]))
    both = [[sum(row[i] * row[j] for row in (*a, *b)) / len(a) for j in variables] for i in variables]

    def squared(x, y):
        difference = [left - right for left, right in zip(x, y, strict=True)]
        return sum((u * v for u, v in zip(difference, solution(both, difference), strict=True)), Decimal(0))

    return squared


def solution(matrix, right):
    """One solution of a solvable system, by Gauss-Jordan with the largest pivot that is left; free unknowns are 0."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    left, found = set(range(len(rows))), [Decimal(0)] * len(right)
    places = []
    while left:
        row, column = max(((i, j) for i in left for j in range(len(right))), key=lambda at: abs(rows[at[0]][at[1]]))
        if abs(rows[row][column]) < SAME:
            break
        left.remove(row)
        places.append((row, column))
        rows[row] = [value / rows[row][column] for value in rows[row]]
        for other in range(len(rows)):
            if other != row:
                factor = rows[other][column]
                rows[other] = [u - factor * v for u, v in zip(rows[other], rows[row], strict=True)]
    for row, column in places:
        found[column] = rows[row][-1]
    return found


def of_kernel(kernel):
    def squared(x, y):
        return kernel(x, x) - 2 * kernel(x, y) + kernel(y, y)

    return lambda a, b: squared


def dot(x, y):
    return sum((left * right for left, right in zip(x, y, strict=True)), Decimal(0))


SQUARED = {
    "euclidean": euclidean,
    "mahalanobis": mahalanobis,
    "polynomial-kernel": of_kernel(lambda x, y: (1 + dot(x, y)) ** 2),
    "gaussian-kernel": of_kernel(lambda x, y: (-(dot(x, x) - 2 * dot(x, y) + dot(y, y)) / 2).exp()),
}


def distance_credits(original, masked, metric):
    """The credit of each record, by all distances with 60 digits; those within 1e-40 are the same number."""
    with localcontext() as context:
        context.prec = DIGITS
        a, b = standardised(original), standardised(masked)
        squared = SQUARED[metric](a, b)
        credits_ = []
        for record, row in enumerate(a):
            distances = [squared(row, other) for other in b]
            least = min(distances)
            tied = [place for place, distance in enumerate(distances) if distance - least < SAME]
            credits_.append(Fraction(1, len(tied)) if record in tied else Fraction(0))
        return credits_


def probabilistic_credits(original, masked, percent, steps=1000):
    """Fellegi and Sunter's credits pair by pair, without patterns: exact agreement, estimation in plain floats."""
    count = len(original)
    ranked = [[shares_of_ranks(column) for column in zip(*table, strict=True)] for table in (original, masked)]
    reach = Fraction(percent, 100)
    pairs = {
        (i, j): [
            x[i] is not None and y[j] is not None and abs(x[i] - y[j]) <= reach for x, y in zip(*ranked, strict=True)
        ]
        for i in range(count)
        for j in range(count)
    }
    variables, prevalence = range(len(original[0])), 1 / max(count, 2)
    u = [kept(sum(agrees[v] for agrees in pairs.values()) / count**2) for v in variables]
    m = [max(0.9, u[v]) for v in variables]
    for _ in range(steps):
        before = m + u
        chance = {}
        for pair, agrees in pairs.items():
            true, other = prevalence, 1 - prevalence
            for v in variables:
                true *= m[v] if agrees[v] else 1 - m[v]
                other *= u[v] if agrees[v] else 1 - u[v]
            chance[pair] = true / (true + other)
        total = sum(chance.values())
        u = [kept(sum(1 - chance[p] for p in pairs if pairs[p][v]) / (count**2 - total)) for v in variables]
        m = [max(kept(sum(chance[p] for p in pairs if pairs[p][v]) / total), u[v]) for v in variables]
        if max(abs(new - old) for new, old in zip(m + u, before, strict=True)) <= 1e-7:
            break
    weight = {
        pair: sum(log(m[v] / u[v]) if agrees[v] else log((1 - m[v]) / (1 - u[v])) for v in variables)
        for pair, agrees in pairs.items()
    }
    credits_ = []
    for i in range(count):
        best = max(weight[i, j] for j in range(count))
        tied = [j for j in range(count) if weight[i, j] > best - 1e-9]
        credits_.append(1 / len(tied) if i in tied else 0)
    return credits_, m, u


def kept(probability):
    return min(max(probability, 1e-6), 1 - 1e-6)


def shares_of_ranks(values):
    """The mean rank of each value among those that are there, as a share of how many these are."""
    there = sorted(value for value in values if value is not None)
    ranks = [[rank for rank, other in enumerate(there, start=1) if other == value] for value in values]
    return [Fraction(sum(mine), len(mine) * len(there)) if mine else None for mine in ranks]
