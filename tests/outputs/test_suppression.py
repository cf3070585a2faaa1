"""What a reader knows of suppressed and rounded counts, against every table of whole numbers that he could think of."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.errors import DataError, PolicyError
from auditor.interval import Interval
from auditor.outputs.checks import frequency_table, magnitude_table
from auditor.outputs.published.outputs import Cell, FrequencyTable, MagnitudeTable, Stated
from auditor.outputs.readers import neutral
from tests.outputs.tiny import judged, policy_of, reasons, table

ROWS, COLUMNS, LEAST = "ab", "xyz", 3
INNER = list(product(ROWS, COLUMNS))
KEYS = list(product((*ROWS, None), (*COLUMNS, None)))
SMALL = {"type": "frequency-table", "min_cell": LEAST}
RULE = {**SMALL, "differencing": True}


def sums(inner):
    return {
        key: sum(n for cell, n in inner.items() if all(k in (None, c) for k, c in zip(key, cell, strict=True)))
        for key in KEYS
    }


def fillings(total):
    """Every table of so many records."""

    def extend(before, left):
        if len(before) == len(INNER) - 1:
            yield (*before, left)
            return
        for value in range(left + 1):
            yield from extend((*before, value), left - value)

    return [sums(dict(zip(INNER, each, strict=True))) for each in extend((), total)]


@st.composite
def tables(draw):
    """A table of at most 9 records and what stands in it: small counts, and perhaps others, as a star or a bound."""
    inner = {cell: draw(st.sampled_from([0, 0, 1, 1, 2, 3])) for cell in INNER}
    true = sums(inner)
    if true[None, None] > 9:
        inner |= dict.fromkeys(list(inner)[3:], 0)
        true = sums(inner)
    also = draw(st.sets(st.sampled_from(KEYS[:-1]), max_size=2))
    marks = {key: draw(st.sampled_from(["*", f"<{LEAST}"])) for key in KEYS}
    hidden = {key for key, n in true.items() if any(key) and (0 < n < LEAST or (key in also and n))}
    return true, {k: (marks[k] if k in hidden and n < LEAST else "*" if k in hidden else n) for k, n in true.items()}


def output(written):
    cells = [
        Cell(key=key, most=LEAST - 1) if field == f"<{LEAST}" else Cell(key=key, count=None if field == "*" else field)
        for key, field in written.items()
    ]
    return FrequencyTable(source="t", format="", sha256="", by=("p", "q"), cells=tuple(cells))


def fits(filling, written, least, most):
    for key, field in written.items():
        n = filling[key]
        if isinstance(field, int):
            if n != field:
                return False
        elif n < least or (most is not None and n > most) or (field != "*" and n >= LEAST):
            return False
    return True


def named(key):
    return ", ".join(f"{c}={v}" for c, v in zip("pq", key, strict=True) if v is not None) or "total"


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(["never", "possible", None]), st.booleans(), st.booleans())
def test_what_is_recoverable_is_what_every_filling_shares(drawn, zeros, small_alone, with_data) -> None:
    true, written = drawn
    hidden = [key for key, field in written.items() if not isinstance(field, int)]
    small_alone = small_alone and all(true[key] < LEAST for key in hidden)
    said = {"secondary": "never" if small_alone else "possible"} | ({"zeros": zeros} if zeros else {})
    rows = [dict(zip("pq", cell, strict=True)) for cell in INNER for _ in range(true[cell])]
    checked = judged(
        frequency_table.check,
        output(written),
        policy_of({**RULE, "suppressed": said}),
        rows if with_data and rows else None,
    )
    assert not checked.open_limits
    known = zeros == "never" or (zeros is None and any(field == 0 for field in written.values()))
    seen = [f for f in fillings(true[None, None]) if fits(f, written, int(known), LEAST - 1 if small_alone else None)]
    shared = {named(key) for key in hidden if len({filling[key] for filling in seen}) == 1}
    assert {item for item, reason in reasons(checked) if reason == "suppressed-cell-recoverable"} == shared


def test_a_published_zero_says_that_what_is_suppressed_is_somebody() -> None:
    """16 − 10 − 3 = 3 are spread over three cells, none of which is empty: 1, 1 and 1."""
    counts = {"a": 10, "b": 3, "z": 0, "c": None, "d": None, "e": None, None: 16}
    found = judged(frequency_table.check, table(["ward"], counts), policy_of(SMALL))
    ones = {(f"ward={w}", "suppressed-cell-recoverable") for w in "cde"}
    assert reasons(found) == ones
    possible = policy_of({**SMALL, "suppressed": {"zeros": "possible"}})
    assert not judged(frequency_table.check, table(["ward"], counts), possible).violations
    silent = {key: n for key, n in counts.items() if key != "z"}
    assert not judged(frequency_table.check, table(["ward"], silent), policy_of(SMALL)).violations
    never = policy_of({**SMALL, "suppressed": {"zeros": "never"}})
    assert reasons(judged(frequency_table.check, table(["ward"], silent), never)) == ones


def test_with_data_zeros_are_known_not_to_be_suppressed_only_where_that_is_so() -> None:
    """A table of 0, and of a suppressed 0: nobody can tell the three of c, d and e apart."""
    rows = [{"ward": w} for w in "a" * 10 + "b" * 3 + "c" * 3]
    counts = {"a": 10, "b": 3, "z": 0, "c": None, "d": None, "e": None, None: 16}
    assert not judged(frequency_table.check, table(["ward"], counts), policy_of(SMALL), rows).violations


def test_small_counts_alone_were_suppressed() -> None:
    """c + d = 4, both of 1 to 2: 2 and 2."""
    counts = {"a": 10, "c": None, "d": None, None: 14}
    known = {"zeros": "never", "secondary": "never"}
    checked = judged(frequency_table.check, table(["ward"], counts), policy_of({**SMALL, "suppressed": known}))
    assert reasons(checked) == {(f"ward={w}", "suppressed-cell-recoverable") for w in "cd"}
    wide = policy_of({**SMALL, "suppressed": {**known, "below": 4}})
    assert not judged(frequency_table.check, table(["ward"], counts), wide).violations


def test_a_rule_that_the_data_does_not_follow_is_a_mismatch() -> None:
    rows = [{"ward": w} for w in "a" * 10 + "c" * 9 + "d" * 9]
    counts = {"a": 10, "c": None, "d": None, "e": None, None: 28}
    rule = {**SMALL, "suppressed": {"zeros": "never", "secondary": "never", "below": 10}}
    checked = judged(frequency_table.check, table(["ward"], counts), policy_of(rule), rows)
    assert ("ward=e", "mismatch") in reasons(checked)
    bounded = replace(table(["ward"], {"a": 10, None: 28}), cells=(Cell(key=("c",), most=8),))
    checked = judged(frequency_table.check, bounded, policy_of(SMALL), rows)
    assert reasons(checked) == {("ward=c", "mismatch")}


def test_secondary_never_needs_a_bound() -> None:
    with pytest.raises(PolicyError, match="below"):
        policy_of({"type": "frequency-table", "suppressed": {"secondary": "never"}})


# Bounds that are written


def test_bounds_force_a_table_of_two_by_two() -> None:
    """Rows of 18 and 17, columns of 17 and 18, each cell below 10: 9 and 9, 8 and 9."""
    cells = {("n", "f"), ("n", "h"), ("s", "f"), ("s", "h")}
    margins = {("n", None): 18, ("s", None): 17, (None, "f"): 17, (None, "h"): 18, (None, None): 35}
    known = [Cell(key=key, count=n) for key, n in margins.items()]
    bounded = (*known, *(Cell(key=key, most=9) for key in sorted(cells)))
    output = replace(table(["w", "d"], {}), cells=bounded)
    rule = policy_of({"type": "frequency-table", "min_cell": 10})
    assert {item for item, _ in reasons(judged(frequency_table.check, output, rule))} == {
        f"w={w}, d={d}" for w, d in cells
    }
    silent = replace(output, cells=tuple(replace(cell, most=None) for cell in bounded))
    assert not judged(frequency_table.check, silent, rule).violations


def from_cells(*cells):
    return neutral.from_json({"type": "frequency-table", "by": ["w"], "cells": list(cells)}, source="x", columns={"w"})


def test_the_neutral_form_states_bounds_and_gives_them_back() -> None:
    written = [{"min": 1, "max": 9}, {"max": 9}, {"min": 10}, 0, None]
    read = from_cells(*({"key": [str(at)], "count": n} for at, n in enumerate(written)))
    assert [(c.count, c.least, c.most) for c in read.cells] == [
        (None, 1, 9), (None, None, 9), (None, 10, None), (0, None, None), (None, None, None),
    ]  # fmt: skip
    assert [cell["count"] for cell in neutral.as_json(read)["cells"]] == written
    assert neutral.from_json(neutral.as_json(read), source="x").form == read.form


def test_ends_that_meet_are_a_count() -> None:
    assert from_cells({"key": ["a"], "count": {"min": 4, "max": 4}}).cells == (Cell(key=("a",), count=4),)


@pytest.mark.parametrize("ends", [{}, {"min": 5, "max": 4}, {"min": -1}, {"max": 2.5}, {"below": 9}, {"max": "9"}])
def test_ends_that_are_none_are_refused(ends) -> None:
    with pytest.raises(DataError):
        from_cells({"key": ["a"], "count": ends})


# Sums and counts


def magnitude(counts, values):
    cells = tuple(
        Cell(key=(key,), count=counts[key], sum=None if values[key] is None else Stated(values[key])) for key in counts
    )
    return MagnitudeTable(source="m", format="", sha256="", by=("w",), of="cost", cells=cells)


@pytest.mark.parametrize(
    ("protection", "violating"),
    [
        (50, 0),
        ({"sum": 50, "count": 2}, 0),
        ({"sum": 50, "count": 7}, 2),
        ({"count": 7}, 2),
        (1000, 2),
        ({"count": 6}, 0),
    ],
)
def test_a_width_of_sums_is_not_one_of_counts(protection, violating) -> None:
    """The counts of b and c lie in 0 to 6, their sums in 0 to 980."""
    counts, values = {"a": 5, "b": None, "c": None, None: 11}, {"a": 20, "b": None, "c": None, None: 1000}
    rule = {"type": "magnitude-table", "protection": protection}
    checked = judged(magnitude_table.check, magnitude(counts, values), policy_of(rule))
    assert [v.reason for v in checked.violations] == ["suppressed-cell-recoverable"] * violating
    assert checked.worst["protection"] == (6 if isinstance(protection, dict) and "sum" not in protection else 980)


def bounded_sums(most, margins):
    """A table of two by two sums, none of which is above `most`."""
    known = tuple(Cell(key=key, sum=Stated(Fraction(n))) for key, n in margins.items())
    hidden = tuple(Cell(key=key, sum_ends=Interval(high=most)) for key in product("ns", "fh"))
    return MagnitudeTable(source="m", format="", sha256="", by=("w", "d"), of="cost", cells=(*known, *hidden))


@settings(deadline=None, max_examples=25)
@given(st.tuples(*[st.integers(0, 1000)] * 4), st.sampled_from([1, 50, 300]))
def test_bounds_of_sums_narrow_them(values, width):
    """Of a, b, c, d with rows a + b, c + d and columns a + c, b + d only a is free: a + b − 1000 ≤ a, and so on."""
    a, b, c, d = values
    margins = {
        ("n", None): a + b,
        ("s", None): c + d,
        (None, "f"): a + c,
        (None, "h"): b + d,
        (None, None): sum(values),
    }
    rule = {"type": "magnitude-table", "protection": {"sum": width}}
    checked = judged(magnitude_table.check, bounded_sums(Fraction(1000), margins), policy_of(rule))
    up, down = min(b, c, 1000 - a, 1000 - d), min(a, d, 1000 - b, 1000 - c)
    items = {v.item for v in checked.violations if v.reason == "suppressed-cell-recoverable"}
    assert items == ({f"w={w}, d={x}" for w in "ns" for x in "fh"} if up + down < width else set())


def test_sums_below_a_bound_are_read_and_written(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("w,cost_sum\na,5000\nb,<1000\nc,≤ 900\nAll,6900\n")
    policy = policy_of(
        {"type": "magnitude-table", "protection": {"sum": 10}},
        attributes={"w": "quasi-identifier", "cost": {"role": "sensitive", "type": "number", "range": [0, 10000]}},
    )
    found = check_outputs(tmp_path / "t.csv", policy)
    assert {v.reason for v in found.outputs[0].violations} == {"suppressed-cell-recoverable"}
    cells = [{"key": ["a"], "count": None, "sum": each} for each in ({"max": "1000"}, {"min": 1, "max": 5}, None, 7)]
    document = {"type": "magnitude-table", "by": ["w"], "of": "cost", "cells": cells[:1]}
    for cell in cells:
        read = neutral.from_json({**document, "cells": [cell]}, source="x", columns={"w"})
        assert neutral.from_json(neutral.as_json(read), source="x").form == read.form
    with pytest.raises(DataError):
        neutral.from_json(
            {**document, "cells": [{"key": ["a"], "sum": {"min": 2, "max": 1}}]}, source="x", columns={"w"}
        )


def test_a_sum_outside_its_bound_is_a_mismatch() -> None:
    rows = [{"w": w, "d": d, "cost": "400"} for w in "ns" for d in "fh"]
    margins = {("n", None): 800, ("s", None): 800, (None, "f"): 800, (None, "h"): 800, (None, None): 1600}
    rule = policy_of({"type": "magnitude-table"})
    checked = judged(magnitude_table.check, bounded_sums(Fraction(399), margins), rule, rows)
    assert "mismatch" in {v.reason for v in checked.violations}
    checked = judged(magnitude_table.check, bounded_sums(Fraction(500), margins), rule, rows)
    assert "mismatch" not in {v.reason for v in checked.violations}


# Rounding


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=4), st.sampled_from([3, 5]))
def test_rounded_counts_that_follow_are_those_that_every_filling_shares(true, base) -> None:
    """Each count and the total are rounded to the nearest multiple by themselves."""
    keys = [str(at) for at in range(len(true))]
    near = {
        key: base * ((2 * n + base) // (2 * base)) for key, n in zip([*keys, None], [*true, sum(true)], strict=True)
    }
    half = base // 2
    ends = [range(max(0, near[key] - half), near[key] + half + 1) for key in keys]
    seen = [each for each in product(*ends) if abs(sum(each) - near[None]) <= half]
    follow = {f"w={key}" for at, key in enumerate(keys) if {each[at] for each in seen} == {true[at]} and true[at]}
    total = {sum(each) for each in seen}
    follow |= {"total"} if len(total) == 1 and total != {0} else set()
    checked = judged(
        frequency_table.check, table(["w"], near), policy_of({"type": "frequency-table", "rounded_to": base})
    )
    assert {item for item, _ in reasons(checked)} == follow
    assert not checked.open_limits


def test_a_rounded_zero_is_no_small_count_that_is_published() -> None:
    rows = [{"w": "a"}] * 2 + [{"w": "b"}] * 20
    rule = {"type": "frequency-table", "rounded_to": 5, "min_cell": 8, "zeros_disclosive": False}
    output = table(["w"], {"a": 0, "b": 20})
    assert not judged(frequency_table.check, output, policy_of(rule), rows).violations
    checked = judged(frequency_table.check, output, policy_of(rule))
    assert "min_cell" in checked.judged
    assert not checked.open_limits
    five = judged(
        frequency_table.check, table(["w"], {"a": 5, "b": 20}), policy_of(rule), [*rows, {"w": "a"}, {"w": "a"}]
    )
    assert reasons(five) == {("w=a", "small-cell")}
    empty = judged(frequency_table.check, output, policy_of({**rule, "zeros_disclosive": True}), rows[2:])
    assert reasons(empty) == {("w=a", "small-cell")}


def test_rounding_without_a_threshold_is_held_to_its_base() -> None:
    """Two rounded tables; 60 − 5 · 11 or so: what follows below the base is what rounding was to hide."""
    rule = {"type": "frequency-table", "rounded_to": 5, "differencing": True}
    checked = judged(frequency_table.check, table(["w"], {"a": 0, "b": 0, "c": 0, "d": 0, None: 10}), policy_of(rule))
    assert "differencing" in checked.judged
    assert {item for item, reason in reasons(checked) if reason == "suppressed-cell-recoverable"} == {
        f"w={w}" for w in "abcd"
    } | {"total"}


def test_a_crosstab_with_bounds_as_text(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("w,f,h,All\nn,<10,≤9,18\ns,<10,< 10,17\nAll,17,18,35\n")
    policy = policy_of({"type": "frequency-table", "min_cell": 10}, attributes={"w": "quasi-identifier"})
    found = check_outputs(tmp_path / "t.csv", policy)
    assert found.verdict == "fail"
    assert found.outputs[0].violations_count == 4
    (tmp_path / "t.csv").write_text("w,f,h,All\nn,*,*,18\ns,*,*,17\nAll,17,18,35\n")
    assert check_outputs(tmp_path / "t.csv", policy).verdict == "pass"
    (tmp_path / "t.csv").write_text("w,f,h,All\nn,<0,*,18\n")
    assert check_outputs(tmp_path / "t.csv", policy).verdict == "not-evaluated"


BOUNDS = ["1-9", "0-9", "1–9", "less than 10", "fewer than 10", "under 10", "up to 9", "at most 9", "9 or fewer"]


@pytest.mark.parametrize("kind", [None, "frequency-table"])
@pytest.mark.parametrize("bound", [*BOUNDS, "n<10", "*<10", "<10*", "(<10)", "n < 10", "=<9"])
def test_words_for_bounds_are_those_of_a_crosstab(tmp_path, bound: str, kind: str | None) -> None:
    (tmp_path / "t.csv").write_text(f"w,f,h,All\nn,{bound},{bound},18\ns,{bound},{bound},17\nAll,17,18,35\n")
    policy = policy_of({"type": "frequency-table", "min_cell": 10}, attributes={"w": "quasi-identifier"})
    found = check_outputs(tmp_path / "t.csv", policy, output_type=kind)
    assert [v.reason for v in found.outputs[0].violations] == ["suppressed-cell-recoverable"] * 4


@pytest.mark.parametrize("text", ["few", "10-19", "conf.", "see note"])
@pytest.mark.parametrize("last", ["All", "women"])
def test_a_crosstab_with_other_texts_is_no_long_table(tmp_path, text: str, last: str) -> None:
    (tmp_path / "t.csv").write_text(f"w,f,h,{last}\nn,{text},{text},18\ns,12,{text},17\n")
    policy = policy_of({"type": "frequency-table", "min_cell": 10}, attributes={"w": "quasi-identifier"})
    found = check_outputs(tmp_path / "t.csv", policy, output_type="frequency-table")
    assert found.verdict == "not-evaluated"
    assert any("texts that are not numbers" in each.message for each in found.findings)


def test_intervals_of_a_key_are_its_labels(tmp_path) -> None:
    policy = policy_of({"type": "frequency-table", "min_cell": 10}, attributes={"sex": "quasi-identifier"})
    for count in ("count", "people"):
        text = f"sex,age,{count}\nF,0-9,40\nF,10-19,30\nM,0-9,20\nM,10-19,*\n"
        (tmp_path / "t.csv").write_text(text)
        found = check_outputs(tmp_path / "t.csv", policy, output_type="frequency-table")
        assert found.verdict == "pass"
        assert found.outputs[0].items == 4
