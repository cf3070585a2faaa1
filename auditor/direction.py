"""Which way a policy field points: the order that comparing two policies builds on."""

from __future__ import annotations

from enum import StrEnum


class Stricter(StrEnum):
    """When is one value of a field stricter than another?

    Annotate a field with a member: ``k: Annotated[int, Stricter.HIGHER]``. Comparing two policies takes the product
    of the fields' orders; REVIEW means that any change needs a person, NEUTRAL that the field carries no privacy.
    A HIGHER choice between words lists them from the strictest to the weakest. None is no limit, so the weakest; where
    more is stricter (SUPERSET) it is everything.
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

    @property
    def comparison(self) -> str | None:
        """How a number stands to its bound: at least one that is stricter when higher; None where there is no order."""
        return {Stricter.HIGHER: ">=", Stricter.LOWER: "<="}.get(self)
