"""The whole way: random tables audited under random settings, against the oracle reading the same rows.

What the other files prove of class tables is proved here of data: which records form a class, what a missing value
means, what is counted per person, where q comes from, which columns group.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.errors import DataError
from tests import oracle

Row = dict[str, str | None]
QUASI_IDENTIFIERS = ("age", "zip", "sex")
MODELS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"k": 3},
    "max-risk": {"max": 0.3},
    "alpha-k-anonymity": {"alpha": 0.5, "k": 2},
    "p-sensitive-k-anonymity": {"p": 2, "k": 3},
    "distinct-l-diversity": {"l": 2},
    "entropy-l-diversity": {"l": 2},
    "recursive-l-diversity": {"c": 2, "l": 2},
    "basic-beta-likeness": {"beta": 1},
    "enhanced-beta-likeness": {"beta": 1},
    "delta-disclosure": {"delta": 1},
    "t-closeness": {"t": 0.3},
}
NUMBER: dict[str, Callable[[int, Counter[Any], Counter[Any]], Any]] = {
    "k-anonymity": lambda size, p, q: size,
    "max-risk": lambda size, p, q: Fraction(1, size),
    "alpha-k-anonymity": lambda size, p, q: Fraction(max(p.values()), size),
    "p-sensitive-k-anonymity": lambda size, p, q: oracle.distinct(p),
    "distinct-l-diversity": lambda size, p, q: oracle.distinct(p),
    "entropy-l-diversity": lambda size, p, q: oracle.entropy_l(p),
    "recursive-l-diversity": lambda size, p, q: oracle.recursive_c(p, 2),
    "basic-beta-likeness": lambda size, p, q: oracle.basic_beta(p, q),
    "enhanced-beta-likeness": lambda size, p, q: oracle.enhanced_beta(p, q),
    "delta-disclosure": lambda size, p, q: oracle.delta(p, q),
    "t-closeness": lambda size, p, q: oracle.variational(p, q),
}
SMALLEST_IS_WORST = {"k-anonymity", "p-sensitive-k-anonymity", "distinct-l-diversity", "entropy-l-diversity"}

cell = st.sampled_from(["a", "b", None])
rows_of_a_table = st.lists(
    st.fixed_dictionaries(
        {
            "age": cell,
            "zip": cell,
            "sex": st.sampled_from(["f", "m"]),
            "ill": st.sampled_from(["flu", "cold", "HIV", None]),
            "rich": st.sampled_from(["yes", "no"]),
            "who": st.sampled_from("12345"),
        }
    ),
    min_size=1,
    max_size=25,
)


def policy(models: Iterable[str] = MODELS, **settings: Any) -> dict[str, Any]:
    """A policy with every class model, on `ill` where it needs a sensitive attribute."""
    shared = settings.pop("fields", {})
    requirements = []
    for name in models:
        sensitive = {} if name in {"k-anonymity", "max-risk"} else {"sensitive": "ill"}
        others = shared if sensitive else {key: value for key, value in shared.items() if key != "others"}
        requirements.append({"model": name, **MODELS[name], **sensitive, **others})
    roles = {"ill": "sensitive", "rich": "sensitive", "who": "pseudonym"}
    attributes = {**dict.fromkeys(QUASI_IDENTIFIERS, "quasi-identifier"), **roles}
    return {"version": 1, "name": "random", "attributes": attributes, "requirements": requirements, **settings}


def arrow(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})


def check(
    found: Any, groups: Sequence[Sequence[Row]], q: Counter[Any], *, unit: str | None = None, own: Sequence[int] = ()
) -> None:
    """Compare what an audit found with the groups' numbers by definition.

    Args:
        found: the result.
        groups: the records of each class, or those that may belong to each pattern.
        q: the reference histogram.
        unit: the column whose distinct values are counted.
        own: the records that share each group's verdict, where those are not the group itself.
    """
    own = own or [len(group) for group in groups]
    for requirement in found.requirements:
        name = requirement.model
        sizes = [_size(group, unit) for group in groups]
        numbers = [NUMBER[name](size, _histogram(group, unit), q) for size, group in zip(sizes, groups, strict=True)]
        worst = min(numbers) if name in SMALLEST_IS_WORST else max(numbers)
        wrong = [not _satisfies(name, number, size) for number, size in zip(numbers, sizes, strict=True)]
        assert float(requirement.achieved) == pytest.approx(float(worst), rel=1e-9, abs=1e-12), name
        assert requirement.classes_violating == sum(wrong), name
        assert requirement.records_violating == sum(count for count, bad in zip(own, wrong, strict=True) if bad), name
        assert requirement.status == ("fail" if any(wrong) else "pass"), name


def _satisfies(name: str, number: Any, size: int) -> bool:
    """The verdict by definition; logarithms that come out at a bound by rounding count as equal to it."""
    (bound, *more) = (Fraction(str(parameter)) for parameter in MODELS[name].values())
    if name == "recursive-l-diversity":
        return bool(number < bound)
    if name == "delta-disclosure":
        return bool(number < 1 - 1e-9)
    if name in SMALLEST_IS_WORST:
        return bool(number >= bound - Fraction(1, 10**9)) and all(size >= k for k in more)
    return bool(number <= bound) and all(size >= k for k in more)


def _size(group: Sequence[Row], unit: str | None) -> int:
    return len(group) if unit is None else len({row[unit] for row in group})


def _histogram(group: Sequence[Row], unit: str | None) -> Counter[Any]:
    if unit is None:
        return Counter(row["ill"] for row in group)
    return Counter(value for value, _ in {(row["ill"], row[unit]) for row in group})


def _groups(rows: Sequence[Row], grouping: Sequence[str]) -> list[list[Row]]:
    groups: dict[tuple[str | None, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in grouping), []).append(row)
    return list(groups.values())


def _agree(a: Row, b: Row, grouping: Sequence[str]) -> bool:
    return all(a[column] is None or b[column] is None or a[column] == b[column] for column in grouping)


@settings(max_examples=15)
@given(rows=rows_of_a_table)
def test_a_missing_value_equals_a_missing_value(rows: list[Row]) -> None:
    found = auditor.check(arrow(rows), policy())
    groups = _groups(rows, QUASI_IDENTIFIERS)
    check(found, groups, _histogram(rows, None))
    assert found.classes is not None
    assert found.classes.count == len(groups)


@settings(max_examples=15)
@given(rows=rows_of_a_table)
def test_a_missing_value_may_be_any_value(rows: list[Row]) -> None:
    """One group per distinct pattern: all records that agree with it wherever neither is missing."""
    found = auditor.check(arrow(rows), policy(missing="wildcard"))
    patterns = _groups(rows, QUASI_IDENTIFIERS)
    groups = [[row for row in rows if _agree(pattern[0], row, QUASI_IDENTIFIERS)] for pattern in patterns]
    check(found, groups, _histogram(rows, None), own=[len(pattern) for pattern in patterns])
    assert found.classes is not None
    assert found.classes.count == len(patterns)


@settings(max_examples=15)
@given(rows=rows_of_a_table)
def test_persons_are_counted_instead_of_rows(rows: list[Row]) -> None:
    found = auditor.check(arrow(rows), policy(unit="who"))
    check(found, _groups(rows, QUASI_IDENTIFIERS), _histogram(rows, "who"), unit="who")


@settings(max_examples=15)
@given(rows=rows_of_a_table, grouping=st.lists(st.sampled_from(QUASI_IDENTIFIERS), min_size=1, unique=True))
def test_a_requirement_may_name_its_columns(rows: list[Row], grouping: list[str]) -> None:
    found = auditor.check(arrow(rows), policy(fields={"quasi_identifiers": grouping}))
    check(found, _groups(rows, grouping), _histogram(rows, None))


@settings(max_examples=15)
@given(rows=rows_of_a_table)
def test_other_sensitive_attributes_may_join_the_grouping(rows: list[Row]) -> None:
    models = [name for name in MODELS if name not in {"k-anonymity", "max-risk"}]
    found = auditor.check(arrow(rows), policy(models, fields={"others": "quasi-identifiers"}))
    check(found, _groups(rows, [*QUASI_IDENTIFIERS, "rich"]), _histogram(rows, None))


@settings(max_examples=15)
@given(rows=rows_of_a_table, suppressed=rows_of_a_table)
def test_the_reference_may_be_the_original(rows: list[Row], suppressed: list[Row]) -> None:
    original = rows + suppressed
    found = auditor.check(arrow(rows), policy(reference="original"), original=arrow(original))
    check(found, _groups(rows, QUASI_IDENTIFIERS), _histogram(original, None))


@settings(max_examples=15)
@given(rows=rows_of_a_table, times=st.sampled_from([2, 10]))
def test_repeating_the_data_changes_no_share_and_no_distance(rows: list[Row], times: int) -> None:
    models = [name for name in MODELS if name not in {"k-anonymity", "max-risk"}]
    once = auditor.check(arrow(rows), policy(models))
    often = auditor.check(arrow(rows * times), policy(models))
    assert [r.achieved for r in often.requirements] == pytest.approx([r.achieved for r in once.requirements])


@pytest.mark.slow
@pytest.mark.parametrize("setting", [{}, {"missing": "wildcard"}, {"unit": "who"}], ids=str)
@settings(max_examples=15)
@given(rows=rows_of_a_table)
def test_whole_table_numbers_are_means_over_the_records(setting: dict[str, str], rows: list[Row]) -> None:
    """1/|E| of each record's own group, and whether that group has one member, averaged over all records."""
    agree = _agree if "missing" in setting else (lambda a, b, grouping: all(a[c] == b[c] for c in grouping))
    sizes = [_size([b for b in rows if agree(a, b, QUASI_IDENTIFIERS)], setting.get("unit")) for a in rows]
    average = sum((Fraction(1, size) for size in sizes), Fraction(0)) / len(rows)
    uniques = Fraction(sizes.count(1), len(rows))
    wanted = [{"model": "average-risk", "max": 0.5}, {"model": "uniqueness", "max": 0.25}]
    found = auditor.check(arrow(rows), {**policy([], **setting), "requirements": wanted})
    assert [r.achieved for r in found.requirements] == [float(average), float(uniques)]
    meets = [average <= Fraction(1, 2), uniques <= Fraction(1, 4)]
    assert [r.status == "pass" for r in found.requirements] == meets


COSTS = ["x,a,b,c", "a,0,1,9", "b,9,0,1", "c,5,9,0"]
"""From a to c directly is 9, through b it is 2; the data has no b."""


def _audited_with_costs(folder: Path, costs: list[str]) -> Any:
    (folder / "costs.csv").write_text("\n".join(costs), "utf-8")
    (folder / "policy.yaml").write_text(
        "{version: 1, name: costs, attributes: {age: quasi-identifier, ill: sensitive}, requirements: "
        "[{model: t-closeness, t: 1.3, ground: matrix, matrix: costs.csv}]}",
        "utf-8",
    )
    return auditor.check(pa.table({"age": ["1", "1", "2", "2"], "ill": ["a", "c", "a", "a"]}), folder / "policy.yaml")


def test_a_value_that_only_the_costs_name_is_a_way_between_others(tmp_path: Path) -> None:
    """q is ¾ a, ¼ c. The first class moves ¼ from c to a, for 5; the second ¼ from a to c, for 2 through b."""
    found = _audited_with_costs(tmp_path, COSTS)
    assert found.requirements[0].achieved == pytest.approx(1.25)
    assert found.requirements[0].status == "pass"
    assert any("triangle inequality" in assumption for assumption in found.assumptions)


def test_costs_that_obey_the_triangle_inequality_need_no_remark(tmp_path: Path) -> None:
    found = _audited_with_costs(tmp_path, ["x,a,c", "a,0,2", "c,5,0"])
    assert found.requirements[0].achieved == pytest.approx(1.25)
    assert not any("triangle" in assumption for assumption in found.assumptions)


def test_costs_must_name_every_value_once(tmp_path: Path) -> None:
    found = _audited_with_costs(tmp_path, ["x,a", "a,0"])
    assert found.requirements[0].status == "not-evaluated"
    with pytest.raises(DataError, match=r"costs\.csv: names a value twice"):
        _audited_with_costs(tmp_path, ["x,a,a", "a,0,1", "a,1,0"])


def test_costs_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    _audited_with_costs(tmp_path, COSTS)
    (tmp_path / "costs.csv").write_bytes(b"x,a\xff\n")
    with pytest.raises(DataError, match=r"costs\.csv: is not a CSV file in UTF-8"):
        auditor.check(pa.table({"age": ["1"], "ill": ["a"]}), tmp_path / "policy.yaml")


@pytest.mark.parametrize("bound", [5e-324, 1e-300, 0.3333333333333333])
def test_any_risk_may_be_demanded(bound: float) -> None:
    """Of a third, rounded down, classes of three fall short by a hair: what is shown around the verdict must agree."""
    rows = [{"age": str(i // 3), "zip": None, "sex": None, "ill": "flu", "rich": "no", "who": "1"} for i in range(6)]
    found = auditor.check(arrow(rows), {**policy([]), "requirements": [{"model": "max-risk", "max": bound}]})
    assert found.requirements[0].status == "fail"
    assert found.to_html()
    assert found.policy.protection_threshold == math.ceil(1 / Fraction(repr(bound)))


# Feasibility: what the table as one class proves


def _infeasible(found: Any) -> set[str]:
    return {fact.requirement for fact in found.feasibility}


@given(rows=rows_of_a_table, setting=st.sampled_from([{}, {"missing": "wildcard"}, {"unit": "who"}]))
@settings(max_examples=20)
def test_what_is_met_is_not_called_infeasible(rows: list[Row], setting: dict[str, str]) -> None:
    """A table that meets a requirement is its own proof that the requirement can be met."""
    found = auditor.check(arrow(rows), policy(**setting))
    assert not _infeasible(found) & {r.id for r in found.requirements if r.status == "pass"}


def test_persons_of_two_classes_are_no_proof_of_infeasibility() -> None:
    """No value has more than half of a class, but two of the three persons of the table have each value."""
    seen = [("1", "flu", "p"), ("1", "cold", "q"), ("2", "cold", "p"), ("2", "flu", "r")]
    rows = [{"age": age, "zip": None, "sex": None, "ill": ill, "rich": "no", "who": who} for age, ill, who in seen]
    found = auditor.check(arrow(rows), policy(["alpha-k-anonymity"], unit="who"))
    assert found.requirements[0].achieved == 0.5
    assert found.requirements[0].status == "pass"
    assert not found.feasibility


def test_a_table_without_enough_values_is_infeasible() -> None:
    rows = [{"age": str(i), "zip": None, "sex": None, "ill": "flu", "rich": "no", "who": "1"} for i in range(4)]
    assert _infeasible(auditor.check(arrow(rows), policy(["distinct-l-diversity", "k-anonymity"]))) == {
        "distinct-l-diversity"
    }
