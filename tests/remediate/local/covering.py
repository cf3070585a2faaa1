"""What a released label says of the value it stands for, decided from the texts alone."""

from __future__ import annotations

from decimal import Decimal


def contains(label: str, value: str) -> bool:
    """Whether a range, closed or half open, a plain value or `*` stands for a number."""
    if label == "*" or label == value:
        return True
    if not label.startswith("["):
        return False
    low, high = (Decimal(end) for end in label.strip("[])").split(", "))
    if value == "":
        return False
    number = Decimal(value)
    return low <= number < high if label.endswith(")") else low <= number <= high


def masks(label: str, value: str) -> bool:
    """Whether a text with its last characters masked stands for a value of the same length."""
    kept = label.rstrip("*")
    return label == "*" or label == value or (len(label) == len(value) and value.startswith(kept))
