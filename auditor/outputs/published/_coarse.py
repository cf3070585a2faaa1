"""Coarse labels of a column, by the policy's ladder, and the values of the data that stand under each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auditor.errors import DataError
from auditor.outputs.published.scales import PLAIN, Path, scales_of
from auditor.policy import Policy


def under(policy: Policy, column: str, values: Sequence[str | None]) -> Mapping[str, Sequence[int]]:
    """Of each label of a column's ladder the places of the values below it; none where the policy gives no ladder.

    A table of regions is made from data that holds states: the region counts the records of its states. A value that
    the ladder does not cover stands under no label, nor does a missing one.
    """
    scale = scales_of(policy, [column]).get(column, PLAIN)
    if scale.ladder is None:
        return {}
    places = [place for place, value in enumerate(values) if value is not None]
    present = [value for value in values if value is not None]
    paths: Iterator[Path]
    try:
        levels = scale.ladder.ladder(present, column).levels
        paths = (tuple(label for label in path if label is not None) for path in zip(*levels, strict=True))
    except DataError:  # one value that is not covered does not take the others their labels
        paths = map(scale.path, present)
    found: dict[str, list[int]] = {}
    for place, (_, *above) in zip(places, paths, strict=True):
        for label in dict.fromkeys(above):
            found.setdefault(label, []).append(place)
    return {label: held for label, held in found.items() if scale.level(label) is not None}
