"""Whatever a column holds: the policy that `init` writes loads, and each of its ladders covers its column."""

import random

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.ladders import column_ladders
from auditor.policy import load_policy
from auditor.profile import init
from auditor.result import Status

RECORDS = 600
VALUES = {
    "yaml": [
        "no",
        "1e3",
        "01",
        "null",
        "~",
        "2026-01-01",
        "- a",
        "a: b",
        "#x",
        '"q"',
        "'",
        "\\",
        "{a}",
        "*a",
        "!x",
        "<<",
    ],
    "few": ["no", "1e3", "01", "null", "=", "1_000"],
    "spellings": ["1", "1.0", "01", "1e0", "2"],
    "unicode": ["é", "e\u0301", "ß", "日本", "😀", "\u200bx", "a\u2028b", "٣"],
    "control": ["a\x1bb", "x", "y", "z", "w"],
    "long": ["L" * 300, "M" * 90, "k", "l", "m"],
    "space": [" a", "a ", "a", "  ", "\t", "a\nb"],
    "rest": ["all others", "All others", "all other values", "x", "y"],
    "rests": ["all others", "all other values", "every other value", "x", "y"],
    "suppressed": ["*", "a", "b", "c", "d"],
    "coarse": ["[0, 5)", "[5, 10)", "*", ">=90", "7"],
    "infinite": ["nan", "inf", "1", "2", "-Infinity"],
    "no dates": ["2020-13-01", "2020-01-01", "2021-02-30"],
    "country": ["Austria", "Peru", "Atlantis", "UK", "?"],
    "codes": ["E11.9", "I10", "J45", "U07.1", "Z3A"],
    "marked": ["E119", "I10*", "G63.2+", "A18.0"],
    "missing": ["", None, "a", "b", "c"],
}


def column(values):
    """A column in which each of the values is frequent."""
    generator = random.Random(5)
    return [generator.choice(values) for _ in range(RECORDS)]


def loaded(text, tmp_path):
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    return load_policy(tmp_path / "policy.yaml")


@pytest.mark.parametrize("name", VALUES)
def test_hostile_values(name, tmp_path):
    table = pd.DataFrame({"sex": column(["f", "m"]), name: column(VALUES[name])})
    policy = loaded(init(table), tmp_path)
    assert column_ladders(table, policy)
    found = auditor.check(table, policy, source=True)
    assert Status.NOT_EVALUATED not in {requirement.status for requirement in found.requirements}


cells = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4),
    st.floats(width=32).map(repr),
    st.integers(-20, 20).map(str),
    st.sampled_from(["*", "all others", "Austria", "no", "2026-01-01", "I10"]),
)


@pytest.mark.slow
@given(
    st.sampled_from(["x", "age", "country", "diagnosis", "zip", "code", "size"]),
    st.lists(cells, min_size=2, max_size=9),
)
def test_any_values(name, values):
    table = pd.DataFrame({"sex": column(["f", "m"]), name: column(values)})
    text = init(table)
    assert column_ladders(table, load_policy(yaml.safe_load(text)))
