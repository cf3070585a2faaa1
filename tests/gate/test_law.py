"""A law of the gate, against a computation by hand: what it says of small tables and pairs of policies."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.errors import EXIT_MET, EXIT_NOT_MET, EXIT_WEAKENED
from auditor.result import Verdict
from tests.gate.repository import POLICY, Repository

ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=14
)
BOUNDS = st.tuples(st.integers(1, 4), st.integers(1, 3))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("law").resolve())


def meets(rows: list[tuple[str, str, str]], k: int, l: int) -> bool:  # noqa: E741  (the model's own letter)
    """Every group of equal age and zip has k members and l different diagnoses."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for age, zip_, diagnosis in rows:
        groups[age, zip_].append(diagnosis)
    return all(len(group) >= k and len(set(group)) >= l for group in groups.values())


def implies(new: tuple[int, int], old: tuple[int, int]) -> bool:
    """Whether every table of the new bounds has the old ones: l different diagnoses take l members."""
    return max(new) >= old[0] and new[1] >= old[1]


def text(bounds: tuple[int, int]) -> str:
    return POLICY.replace("k: 2", f"k: {bounds[0]}").replace("l: 2", f"l: {bounds[1]}")


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=ROWS, old=BOUNDS, new=BOUNDS)
def test_the_gate_says_what_a_count_by_hand_says(
    shared: Repository, rows: list[tuple[str, str, str]], old: tuple[int, int], new: tuple[int, int]
) -> None:
    shared.write("policies/clinic.yaml", text(old))
    base = shared.commit("the base")
    shared.write("policies/clinic.yaml", text(new))
    shared.write("out/clinic.csv", "\n".join(["age,zip,diagnosis", *map(",".join, rows)]) + "\n")
    found = shared.gate(base=base)
    (release,) = found.releases
    passes = {Verdict.PASS: True, Verdict.FAIL: False}
    assert release.head_verdict is not None
    assert release.base_verdict is not None
    assert passes[release.head_verdict] == meets(rows, *new)
    assert passes[release.base_verdict] == meets(rows, *old)
    expected = EXIT_MET if implies(new, old) else EXIT_WEAKENED
    assert found.exit_code == (expected if meets(rows, *new) else EXIT_NOT_MET)
    # What the gate lets through, the policy of the base revision would have let through, too.
    assert found.exit_code != EXIT_MET or meets(rows, *old)


def test_the_oracle_can_say_no(shared: Repository) -> None:
    rows = [("1", "a", "x"), ("1", "a", "y")]
    assert meets(rows, 2, 2)
    assert not meets(rows, 3, 2)
    assert not meets(rows, 2, 3)
    assert implies((1, 3), (3, 3))
    assert not implies((2, 1), (3, 1))
    assert isinstance(shared.top, Path)
