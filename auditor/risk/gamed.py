"""Where a Score says less than it seems to: ways to lower it that protect nobody, or serve nobody."""

from __future__ import annotations

SWEPT_TO = 20.0
"""The largest p of rank swapping that the published comparison swept, in percent."""
SAME_ROWS = 50.0
"""From this share of rows on that are rows of the original, a release is the original in another order."""
WORST = 50.0
"""The Score of a table as it is, without ties, and of one that says nothing any more."""

BEYOND = (
    "Rank swapping beyond p = 20 %: the Score goes on falling because three of the five losses look at one column at a "
    "time, which swapping leaves as they are, while covariances and correlations are destroyed."
)
SAME = (
    "Most rows of the masked table are rows of the original. The linkage is judged by record, but whoever holds the "
    "original finds these rows whatever their order."
)
LESS_THAN_NOTHING = "The Score is above 50: the method loses more than it protects."


def gamed(*, swapped: float | None, same_rows: float, score: float | None) -> tuple[str, ...]:
    """Why a Score says less than it seems to; nothing where no way of gaming it is known.

    `swapped` is the largest p of rank swapping among the methods (None: there is none), `same_rows` the share of rows
    that are rows of the original, `score` the Score (None: not measured), all in percent.
    """
    reasons = [
        (swapped is not None and swapped > SWEPT_TO, BEYOND),
        (same_rows >= SAME_ROWS, SAME),
        (score is not None and score > WORST, LESS_THAN_NOTHING),
    ]
    return tuple(text for holds, text in reasons if holds)
