"""What the labels of a column say of each other by the policy: its ladder, and whether its numbers are whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from auditor.errors import DataError
from auditor.hierarchies import STAR, TOP, Hierarchy, hierarchy, ladder_spec
from auditor.policy import Policy, bind
from auditor.policy.attributes import Attribute

Path = tuple[str, ...]


@dataclass(frozen=True)
class Scale:
    """The labels of one column. `whole` says that its numbers are integers."""

    ladder: Hierarchy | None = None
    whole: bool = False
    _paths: dict[str, Path] = field(default_factory=dict, compare=False, repr=False)
    _leaves: dict[str, int | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, attribute: Attribute) -> Scale:
        """What a policy says of a column."""
        given = attribute.hierarchy
        return cls(None if given is None else hierarchy(ladder_spec(given)), attribute.type == "integer")

    def level(self, label: str) -> int | None:
        """The level of the ladder that a label stands on; None for none, and for ``*``, which says nothing."""
        if self.ladder is None or label == STAR:
            return None
        level = self.ladder.level_of(label)
        return None if level is None or (level == TOP and self._counted(label) is None) else level

    def path(self, label: str) -> Path:
        """A label and those of the ladder that stand above it, from fine to coarse; itself where there is no ladder."""
        if label not in self._paths:
            self._paths[label] = self._path(label)
        return self._paths[label]

    def leaves(self, label: str) -> int | None:
        """How many values stand under a label in a ladder that lists them all; None where it does not."""
        if label not in self._leaves:
            self._leaves[label] = self._counted(label)
        return self._leaves[label]

    def _path(self, label: str) -> Path:
        if self.ladder is None or self.level(label) is None:
            return (label,)
        try:
            levels = self.ladder.ladder([label], "").levels
        except DataError:
            return (label,)
        above = [text for (text,) in levels if text is not None and self.level(text) is not None]
        return tuple(dict.fromkeys((label, *above)))

    def _counted(self, label: str) -> int | None:
        if self.ladder is None:
            return None
        try:
            found = self.ladder.ladder([label], "")
        except DataError:
            return None
        level = found.level_of(label)
        if level is None or found.leaf_count == 1:  # a ladder that lists no values has the one that was given
            return None
        return int(found.leaves[level][0])


PLAIN = Scale()
"""Of a column of which the policy says nothing."""

_MASK = hierarchy({"mask": {"side": "right"}})


def with_masks(scale: Scale, labels: Iterable[str]) -> Scale:
    """A scale with the ladder of masked codes where labels of one length say it: ``801**``, ``80101``.

    A ladder that lists its values stays, and so does one that leads to any of the labels.
    """
    chosen = {label for label in labels if label.strip(STAR)}
    codes = {label for label in chosen if not label.endswith(STAR)}
    if not codes or codes == chosen or len({len(label) for label in chosen}) > 1:
        return scale
    if any(scale.leaves(code) is not None or not chosen.isdisjoint(scale.path(code)[1:]) for code in codes):
        return scale
    return replace(scale, ladder=_MASK, _paths={}, _leaves={})


def scales_of(policy: Policy, columns: Iterable[str]) -> Mapping[str, Scale]:
    """What the policy says of some columns, of those of which it says anything."""
    named = {
        name for name, attribute in policy.attributes.items() if "*" not in name and attribute.hierarchy is not None
    }
    roles = bind(policy, sorted({*columns, *named})).roles
    return {
        name: Scale.of(each) for name, each in roles.items() if each.hierarchy is not None or each.type == "integer"
    }
