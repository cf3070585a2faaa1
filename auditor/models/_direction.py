"""Which way a policy field points: the order that comparing two policies builds on."""

from __future__ import annotations

from enum import StrEnum


class Stricter(StrEnum):
    """When is one value of a field stricter than another?

    Annotate a field with a member: ``k: Annotated[int, Stricter.HIGHER]``. Comparing two policies takes the product
    of the fields' orders; REVIEW means that any change needs a person, NEUTRAL that the field carries no privacy.
    """

    HIGHER = "higher"
    LOWER = "lower"
    SUPERSET = "superset"
    SUBSET = "subset"
    TRUE = "true"
    FALSE = "false"
    REVIEW = "review"
    NEUTRAL = "neutral"
    UTILITY = "utility"
    NESTED = "nested"
    """A block whose own fields carry the directions."""
