"""scikit-learn's `export_text`, with `show_weights=True` for the class counts of its leaves.

Weights stand in the order of the classes, and only the class of the largest one is named. Classes that no leaf
predicts are named by their place. Weights that are no whole numbers (`class_weight`, `sample_weight`) are no counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from auditor.outputs.published.conditions import Condition, group_of
from auditor.outputs.published.outputs import DecisionTree, Node, Stated
from auditor.outputs.readers._branches import ONE_HOT, branch
from auditor.outputs.readers._file import MOST_LINES, File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import MOST_CONDITIONS
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Texts
from auditor.registry import Ground

FORMAT = "scikit-learn export_text"
ABOUT = "trees; counts with `show_weights=True` only"
GROUND = Ground.CONTENTS
THRESHOLDS = (
    "thresholds are as they were printed (two decimals by default): values between can be counted on either side"
)
UNWEIGHTED = "the leaves state no counts (show_weights=True writes them)"
WEIGHTS = "weights that are not whole numbers of records"
DEEPEST = 500
_LINE = re.compile(r"((?:\| +)*)\|-+ (.*?)\s*")
_SPLIT = re.compile(r"(.*) (<=|> ) (\S+)")
_LEAF = re.compile(r"(?:weights: \[(?P<weights>[^\]]*)\])?\s*class: (?P<label>.*)")
_VALUE = re.compile(r"value: \[([^,\]]+)\]")


def is_one(file: File) -> bool:
    """Whether the first line is a split or a leaf."""
    return re.match(r"\s*\|-+ ", file.text) is not None


def read(file: File, hints: Hints) -> tuple[DecisionTree, ...]:
    """The tree in a file."""
    file.limit(MOST_LINES, b"\n", b"\r")
    walk = _TextWalk(file, hints)
    for number, line in enumerate(file.text.splitlines(), 1):
        if line.strip():
            walk.line(number, line)
    return (walk.tree(),)


@dataclass(frozen=True)
class _Leaf:
    path: tuple[Condition, ...]
    weights: tuple[int, ...] | None
    label: str | None
    mean: Stated | None


@dataclass
class _TextWalk:
    """The lines so far: the conditions above the next one, and the leaves."""

    file: File
    hints: Hints
    path: list[Condition] = field(default_factory=list)
    leaves: list[_Leaf] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)
    conditions: int = 0

    def line(self, number: int, text: str) -> None:
        found = _LINE.fullmatch(text)
        if found is None:
            self.file.wrong(number, "a line that is not part of a tree", "lines as export_text prints them")
        depth = found[1].count("|")
        if depth > len(self.path) or depth > DEEPEST:
            self.file.wrong(number, "a line deeper than the split above it", f"a tree of at most {DEEPEST} levels")
        del self.path[depth:]
        split = _SPLIT.fullmatch(found[2])
        if split is not None and stated(split[3]) is not None:
            condition, one_hot = branch(split[1], split[3], self.hints.columns, above=split[2] != "<=")
            self.path.append(condition)
            self.notes[ONE_HOT if one_hot else THRESHOLDS] = None
        else:
            self.conditions += depth
            if self.conditions > MOST_CONDITIONS:
                self.file.wrong(
                    number, "a tree whose paths are too long together", f"at most {MOST_CONDITIONS:,} conditions"
                )
            self.leaves.append(self._leaf(number, found[2]))

    def _leaf(self, number: int, text: str) -> _Leaf:
        path = tuple(self.path)
        value, leaf = _VALUE.fullmatch(text), _LEAF.fullmatch(text)
        if value is not None:
            return _Leaf(path, None, None, self._number(number, value[1]))
        if leaf is not None:
            return _Leaf(path, self._weights(number, leaf["weights"]), leaf["label"], None)
        if not re.fullmatch(r"truncated branch of depth \d{1,4}", text):
            self.file.wrong(number, "a leaf that is not known", "weights and a class, a value, or a truncated branch")
        return _Leaf(path, None, None, None)

    def _weights(self, number: int, text: str | None) -> tuple[int, ...] | None:
        if text is None:
            self.notes[UNWEIGHTED] = None
            return None
        weights = [whole(self._number(number, each)) for each in text.split(",")]
        if None in weights:
            self.unread[WEIGHTS] = None
            return None
        return tuple(weight for weight in weights if weight is not None)

    def _number(self, number: int, text: str) -> Stated:
        found = stated(text)
        if found is None:
            self.file.wrong(number, "a weight or value that is not a number of ordinary size", "numbers such as 50.00")
        return found

    def tree(self) -> DecisionTree:
        """The tree of all lines."""
        labels = self._labels()
        return DecisionTree(
            **self.file.provenance(FORMAT),
            notes=tuple(self.notes),
            unread=tuple(self.unread),
            records=self.hints.records,
            target=None,
            leaves=tuple(_node(leaf, labels) for leaf in self.leaves),
        )

    def _labels(self) -> dict[int, str]:
        """The class at each place of the weights: a leaf names that of its first largest weight."""
        found: dict[int, str] = {}
        for leaf in self.leaves:
            if leaf.weights and leaf.label is not None:
                place = leaf.weights.index(max(leaf.weights))
                if found.setdefault(place, leaf.label) != leaf.label:
                    self.file.wrong("", "leaves that name one class in two ways", "a tree as export_text prints it")
        return found


def _node(leaf: _Leaf, labels: dict[int, str]) -> Node:
    counts = None
    if leaf.weights is not None:
        counts = tuple((labels.get(place, f"class {place + 1}"), weight) for place, weight in enumerate(leaf.weights))
    return Node(
        path=group_of(leaf.path),
        count=None if leaf.weights is None else sum(leaf.weights),
        counts=counts,
        predicted=leaf.label,
        mean=leaf.mean,
    )


READERS = (Texts(is_one, read),)
