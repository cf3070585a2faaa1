"""Every field of every demand, changed: what is called stricter or equal lets nothing through that failed.

The suite tries a slice. All pairs, with figures::

    python -m tests.policy.test_compare_targeted 6            # at most six pairs of a field: some 11,000 in all
    python -m tests.policy.test_compare_targeted 6 clusters   # of one demand
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel

from auditor.models import Stricter, one_step
from auditor.policy import Policy, load_policy
from auditor.policy.compare import compare
from auditor.policy.fields import directions
from auditor.result import Strictness
from tests.policy.targets import Pair, Path, aimed, pairs, put, targets

NAMES = list(targets())
FIELDS, SLICE = 48, 2
"""Of so many fields of a target so many pairs that are called stricter, or equal, are tried in the suite."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nothing_meets_the_new_policy_and_breaks_the_old_one(name: str) -> None:
    target, random = aimed(name), Random(name)
    tried = list(islice((pair for pair in pairs(target, random, 2, FIELDS) if pair.called()), SLICE))
    assert tried
    assert [wrong for pair in tried if (wrong := pair.unsound())] == []


def test_a_direction_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law bites: were a lower k stricter, a table would show it."""
    target = aimed("k-anonymity")
    path = ("requirements", 0, "k")
    pair = Pair(target, path, put(target.text, path, 4), put(target.text, path, 3))
    assert pair.unsound() is None
    monkeypatch.setattr(Pair, "called", lambda _: True)
    assert pair.unsound() == "k-anonymity: requirements/0/k: 4 → 3, release 0"


def bounds(block: BaseModel, path: Path = ()) -> Iterator[tuple[Path, float, Stricter]]:
    """The numbers that a policy bounds, with the way in which they are stricter."""
    for name, way in directions(type(block)).items():
        value: Any = getattr(block, name)
        inner = enumerate(value) if isinstance(value, tuple) else [(None, value)]
        for index, each in inner:
            here = (*path, name) if index is None else (*path, name, index)
            if isinstance(each, BaseModel):
                yield from bounds(each, here)
            elif type(each) in (int, float) and way in (Stricter.HIGHER, Stricter.LOWER):
                yield here, each, way


def declared(policy: Policy) -> list[tuple[Path, float, Stricter]]:
    return [found for found in bounds(policy) if found[0][0] in ("requirements", "outputs", "queries")]


@pytest.mark.parametrize("name", NAMES)
def test_one_step_stricter_is_called_stricter(name: str) -> None:
    """The honest road is short: whoever raises k asks nobody."""
    target = targets()[name]
    for path, value, way in declared(load_policy(target.text)):
        step = one_step(value, 1 if way is Stricter.HIGHER else -1)
        old, new = target.policy(put(target.text, path, value)), target.policy(put(target.text, path, step))
        if old is None or new is None:
            continue  # no number is stricter
        found = compare(old, new)
        shown = [(each.path, each.verdict) for each in found.differences]
        assert found.verdict is Strictness.STRICTER, (path, value, step, shown)
        assert compare(new, old).verdict is Strictness.WEAKER, (path, value, step)


if __name__ == "__main__":
    tried = called = 0
    for each in sys.argv[2:] or NAMES:
        for pair in pairs(aimed(each), Random(each), int(sys.argv[1])):
            tried, called = tried + 1, called + pair.called()
            if (wrong := pair.unsound()) is not None:
                sys.stdout.write(f"UNSOUND {wrong}\n")
        sys.stdout.write(f"{each}: {tried} pairs so far, of which {called} stricter or equal\n")
        sys.stdout.flush()
