"""Arithmetic modulo a random prime of 23 bits, done by floating-point matrix products that are exact.

A residue is kept centred, |x| ≤ p/2 + 4, as a float64. With p < 2²³ a product of two residues is below 2⁴⁴ + 2²⁶, so a
sum of `INNER` = 256 of them stays below 2⁵³ and every float64 on the way is an exact integer.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LEAST, BEYOND = 2**22, 2**23
"""Primes are drawn from this range; it holds 268,216 of them."""
PRIMES = 268_216
INNER = 256
_CHUNK = 1 << 15


def random_prime(generator: np.random.Generator) -> int:
    """Draw a prime of the range, each as likely as any other."""
    while True:
        number = int(generator.integers(LEAST, BEYOND)) | 1
        if all(number % divisor for divisor in range(3, isqrt(number) + 1, 2)):
            return number


def centre(values: FloatArray, prime: int) -> FloatArray:
    """Reduce integers of at most 2⁵³ to centred residues, in place. Multiples of the prime become exactly 0."""
    if values.ndim == 2 and values.size > _CHUNK:
        height = max(1, _CHUNK // values.shape[1])
        for start in range(0, len(values), height):
            _centre(values[start : start + height], prime)
        return values
    return _centre(values, prime)


def _centre(values: FloatArray, prime: int) -> FloatArray:
    quotients = values * (1.0 / prime)
    np.rint(quotients, out=quotients)
    quotients *= prime
    values -= quotients
    return values


def residues(values: NDArray[np.integer], prime: int) -> FloatArray:
    """Centred residues of integers of any size that int64 holds."""
    small = values.dtype.itemsize <= 4
    return _centre((values if small else values % prime).astype(np.float64), prime)


def subtract_product(target: FloatArray, left: FloatArray, right: FloatArray, prime: int) -> None:
    """Set target to target − left·right, all of them centred residues."""
    height = max(256, (1 << 22) // max(1, target.shape[1]))
    for start in range(0, left.shape[1], INNER):
        inner = slice(start, start + INNER)
        for row in range(0, len(target), height):
            rows = slice(row, row + height)
            target[rows] -= left[rows, inner] @ right[inner]
            centre(target[rows], prime)


def product(left: FloatArray, right: FloatArray, prime: int) -> FloatArray:
    """left·right for centred residues."""
    total = np.zeros((left.shape[0], right.shape[1]))
    subtract_product(total, left, right, prime)
    np.negative(total, out=total)
    return total
