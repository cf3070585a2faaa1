"""The state file: what was measured is found again, and nothing else."""

import json

import pytest

from auditor.errors import UsageError
from auditor.weighing._measure import MethodFigures
from auditor.weighing._state import State, key_of

ONE = MethodFigures(1.25, 2.5, 3.0, (4.0, 2.0), 0.5, True)
OTHER = MethodFigures(0.1, 0.2, 0.3, (0.3,), 0.0, None)


def test_what_was_measured_is_found_again(tmp_path):
    path = tmp_path / "state.jsonl"
    state = State(path)
    state.add("a", ONE)
    state.add("b", OTHER)
    assert State(path).known == {"a": ONE, "b": OTHER}


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_that_was_cut_is_measured_again(cut, tmp_path):
    path = tmp_path / "state.jsonl"
    state = State(path)
    state.add("a", ONE)
    state.add("b", OTHER)
    path.write_bytes(path.read_bytes()[:-cut])
    again = State(path)
    assert again.known == {"a": ONE}
    again.add("b", OTHER)
    assert State(path).known == {"a": ONE, "b": OTHER}


@pytest.mark.parametrize(
    "measured",
    [
        {**ONE.plain(), "apil": "1.25"},
        {**ONE.plain(), "apil": True},
        {**ONE.plain(), "met": "yes"},
        {**ONE.plain(), "linkage": None},
        {**ONE.plain(), "more": 1},
        {"apil": 1},
        None,
        [],
    ],
)
def test_a_line_that_is_none_is_no_measurement(measured, tmp_path):
    path = tmp_path / "state.jsonl"
    State(path).add("a", ONE)
    with path.open("a") as file:
        file.write("\n" + json.dumps({"key": "b", "measured": measured}))
    assert State(path).known == {"a": ONE}


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "{}\n", '{"auditor": "tradeoff", "state": 2}\n', "\x00\xff"])
def test_another_file_is_refused_and_left_as_it_was(content, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(content)
    with pytest.raises(UsageError, match="is not a state file of auditor tradeoff"):
        State(path)
    assert path.read_text() == content


def test_an_empty_file_is_a_beginning(tmp_path):
    path = tmp_path / "state.jsonl"
    path.touch()
    State(path).add("a", ONE)
    assert State(path).known == {"a": ONE}


def test_a_key_tells_everything_apart():
    parts = {"seed": 1, "methods": ("x",), "columns": ["a"]}
    others = [{**parts, "seed": 2}, {**parts, "methods": ("y",)}, {**parts, "columns": ["a", "b"]}]
    assert len({key_of(**each) for each in (parts, *others)}) == 4
    assert key_of(**parts) == key_of(**dict(reversed(parts.items())))
