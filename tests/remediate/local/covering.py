"""What a released label says of the value it stands for, decided from the texts alone."""

from __future__ import annotations

from decimal import Decimal


def contains(label: str, value: str) -> bool:
    """Whether a closed range, a plain value or `*` stands for a number."""
    if label == "*" or label == value:
        return True
    if not label.startswith("["):
        return False
    low, high = label.strip("[]").split(", ")
    return value != "" and Decimal(low) <= Decimal(value) <= Decimal(high)


def masks(label: str, value: str) -> bool:
    """Whether a text with its last characters masked stands for a value of the same length."""
    kept = label.rstrip("*")
    return label == "*" or label == value or (len(label) == len(value) and value.startswith(kept))
