"""Bounds of allowed-values: every digit that a policy writes counts, whatever holds the number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.errors import PolicyError

DOUBLES_END = 2**53
"""From here on some whole numbers are no floats."""


def policy(bounds: str) -> str:
    return f"attributes: {{x: insensitive}}\nrequirements: [{{model: allowed-values, attribute: x, {bounds}}}]\n"


def outside(tmp_path, columns, bounds):
    """How many records lie outside, in each of the tables."""
    file = tmp_path / "p.yaml"
    file.write_text(policy(bounds))
    loaded = auditor.load_policy(file)
    return [auditor.check(pa.table({"x": each}), loaded).requirements[0].achieved for each in columns]


def typed(number: int) -> list[pa.Array]:
    """A whole number in every type that holds it exactly."""
    return [
        pa.array([number], pa.int64()),
        pa.array([number], pa.uint64()),
        pa.array([Decimal(number)], pa.decimal128(20, 1)),
        pa.array([str(number)]),
    ]


@pytest.mark.slow
@settings(max_examples=25)
@given(number=st.integers(DOUBLES_END - 3, 2**63 - 1), beside=st.integers(-2, 2))
def test_whole_bounds_are_compared_by_every_digit(tmp_path_factory, number, beside):
    bound = min(max(number + beside, 0), 2**63 - 1)
    folder = tmp_path_factory.mktemp("bounds")
    assert outside(folder, typed(number), f"min: {bound}") == [int(number < bound)] * 4
    assert outside(folder, typed(number), f"max: {bound}") == [int(number > bound)] * 4


@pytest.mark.parametrize(
    ("bound", "number", "wrong"),
    [
        ("min: 12345678901234567.89", "12345678901234567.88", 1),
        ("min: 12345678901234567.89", "12345678901234567.89", 0),
        ('max: "0.10000000000000000001"', "0.10000000000000000002", 1),
        ('max: "0.10000000000000000001"', "0.10000000000000000001", 0),
        ("max: 0.1", "0.1", 0),
    ],
)
def test_long_decimals_are_compared_by_every_digit(tmp_path, bound, number, wrong):
    columns = [pa.array([Decimal(number)], pa.decimal128(38, 20)), pa.array([number])]
    assert outside(tmp_path, columns, bound) == [wrong, wrong]


@settings(max_examples=25)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**25), max_value=10**25, places=12))
def test_a_bound_loads_again_as_it_is_shown(tmp_path_factory, bound):
    file = tmp_path_factory.mktemp("bounds") / "p.yaml"
    file.write_text(policy(f"min: {bound:f}"))
    first = auditor.load_policy(file)
    file.write_text(first.to_yaml())
    again = auditor.load_policy(file)
    assert Fraction(again.requirements[0].min) == Fraction(bound)
    assert again.sha256 == first.sha256


@pytest.mark.parametrize("wrong", ["1e999", "one", "true", ".nan", "-.inf", '"1e999"', "[1]"])
def test_what_is_no_number_is_no_bound(tmp_path, wrong):
    file = tmp_path / "p.yaml"
    file.write_text(policy(f"min: {wrong}"))
    with pytest.raises(PolicyError, match="a number"):
        auditor.load_policy(file)


def test_the_ends_of_intervals_and_ranges_keep_their_digits(tmp_path):
    odd = DOUBLES_END + 1
    file = tmp_path / "p.yaml"
    file.write_text(
        f"attributes:\n  x: {{role: quasi-identifier, hierarchy: {{intervals: {{widths: [{2 * odd}], top: {odd}}}}}}}\n"
        f"  y: {{role: sensitive, type: integer, range: [0, {odd}]}}\n"
        "requirements: [{model: minimum-level, attribute: x, level: 1}]\n"
    )
    loaded = auditor.load_policy(file)
    assert loaded.attributes["y"].range == (0, odd)
    released = pa.table({"x": [f"[0, {odd})", f">={odd}", f">={odd - 1}"], "y": [0, 1, 2]})
    assert auditor.check(released, loaded).requirements[0].achieved == 1


@pytest.mark.parametrize("text", ["inf", "Infinity", "+inf", "1_9", "nan", "0x20", "nineteen"])
def test_a_text_that_is_no_number_is_within_no_bound(tmp_path, text):
    assert outside(tmp_path, [pa.array([text, "19"]), pa.array(["19", text])], "min: 18") == [1, 1]
    assert outside(tmp_path, [pa.array([text, "17"])], "max: 18") == [1]


def test_what_is_not_finite_is_no_number_in_a_float_either(tmp_path):
    held = pa.array([float("inf"), float("-inf"), 19.0])
    texts = pa.array(["inf", "-inf", "19.0"])
    assert outside(tmp_path, [held, held.cast(pa.float32()), texts], "min: 18") == [2, 2, 2]
    assert outside(tmp_path, [held, texts], "max: 20") == [2, 2]


def test_texts_with_underscores_are_no_column_of_numbers():
    wanted = {
        "attributes": {"q": "quasi-identifier", "x": "sensitive"},
        "requirements": [{"model": "distinct-l-diversity", "l": 2}],
    }
    read = {
        name: any(
            "is read as numbers" in told
            for told in auditor.check(pa.table({"q": ["a"] * 2, "x": held}), wanted).assumptions
        )
        for name, held in {"plain": ["19", "20"], "underscored": ["1_9", "20"]}.items()
    }
    assert read == {"plain": True, "underscored": False}
