"""Outputs of every type meet in one system, whatever stands in them: nothing ends in an error, and nothing in a claim
that the records themselves refute."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs.checks import frequency_table, magnitude_table, statistics
from auditor.outputs.published.conditions import Condition, equal
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    Cell,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Itemset,
    MagnitudeTable,
    Node,
    Stated,
    Statistic,
)
from tests.outputs.tiny import judged, policy_of

VALUES = {"age": ["5", "20", "31.5"], "sex": ["F", "M", None]}
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from(VALUES["age"]),
            "sex": st.sampled_from(VALUES["sex"]),
            "cost": st.sampled_from(["0", "1", "-2", "7.5"]),
        }
    ),
    min_size=1,
    max_size=12,
)


def conditions(column, operators, values):
    return st.builds(Condition, st.just(column), st.sampled_from(operators), st.tuples(st.sampled_from(values)))


CONDITIONS = st.one_of(
    conditions("age", ["<", "<=", ">", ">="], ["5", "20"]),
    conditions("age", ["=", "!=", "in"], ["5", "20.0", "9"]),
    conditions("sex", ["=", "!=", "not in"], ["F", "M", "x"]),
)
GROUPS = st.frozensets(CONDITIONS, max_size=3)
POLICY = policy_of(
    {"type": "frequency-table", "min_cell": 3, "differencing": True, "max_share_of_margin": 0.8},
    {
        "type": "magnitude-table",
        "min_cell": 3,
        "differencing": True,
        "p_percent": 10,
        "dominance": [{"n": 1, "k": 0.5}],
    },
    {"type": "statistics", "min_n": 3, "differencing": True},
)
COMPARED = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def meets(row, condition):
    value = row[condition.attribute]
    if value is None:
        return False
    operator = {"in": "=", "not in": "!="}.get(condition.operator, condition.operator)
    if not condition.values:
        return True
    if condition.attribute == "sex":
        return COMPARED[operator](value, condition.values[0])
    return COMPARED[operator](Fraction(value), Fraction(condition.values[0]))


def members(rows, group):
    return [row for row in rows if all(meets(row, condition) for condition in group)]


def in_cell(rows, by, key, where):
    inside = [row for row in members(rows, where) if all(row[column] is not None for column in by)]
    return [row for row in inside if all(v is None or row[c] == v for c, v in zip(by, key, strict=True))]


@st.composite
def outputs(draw, rows):
    """An output that tells the truth of the rows, with some numbers suppressed."""
    base = {"source": str(draw(st.integers(0, 99))), "format": "", "sha256": ""}
    kind = draw(st.sampled_from(["table", "sums", "statistics", "itemsets", "rules", "tree"]))
    if kind in ("table", "sums", "statistics"):
        by = draw(st.sampled_from([("age",), ("sex",), ("age", "sex")]))
        where = draw(GROUPS) if draw(st.booleans()) else frozenset()
        keys = {tuple(row[c] for c in by) for row in rows if all(row[c] is not None for c in by)} | {(None,) * len(by)}
        keys |= {(key[0], None) for key in keys if len(by) == 2}
        found = {key: in_cell(rows, by, key, where) for key in sorted(keys, key=str)}
        sums = {key: Stated(sum((Fraction(row["cost"]) for row in each), Fraction(0))) for key, each in found.items()}
        hidden = draw(st.sets(st.sampled_from(list(found)), max_size=2))
        if kind == "statistics":
            cells = tuple(
                Statistic(key=k, n=len(e), values=(("sum", sums[k]),)) for k, e in found.items() if k not in hidden
            )
            return GroupStatistics(**base, of="cost", by=by, cells=cells, where=where)
        counts = {key: None if key in hidden else len(each) for key, each in found.items()}
        if kind == "table":
            cells = tuple(Cell(key=key, count=count) for key, count in counts.items())
            return FrequencyTable(**base, by=by, cells=cells, where=where)
        cells = tuple(
            Cell(key=key, count=count, sum=None if key in hidden else sums[key]) for key, count in counts.items()
        )
        return MagnitudeTable(**base, of="cost", by=by, cells=cells, where=where)
    groups = draw(st.lists(GROUPS, min_size=1, max_size=3))
    if kind == "itemsets":
        itemsets = tuple(Itemset(items=group, support=len(members(rows, group))) for group in groups)
        return FrequentItemsets(**base, records=len(rows), itemsets=itemsets)
    if kind == "rules":
        other = draw(CONDITIONS)
        rules = tuple(
            AssociationRule(
                antecedent=group,
                consequent=frozenset([other]),
                support=len(members(rows, group | {other})),
                antecedent_support=len(members(rows, group)),
            )
            for group in groups
        )
        return AssociationRules(**base, records=len(rows), rules=rules)
    leaves = tuple(
        Node(
            path=group,
            count=len(members(rows, group)),
            counts=(("F", len(members(rows, group | {equal("sex", "F")}))),),
        )
        for group in groups
    )
    return DecisionTree(**base, target="sex", leaves=leaves)


CHECKS = {FrequencyTable: (frequency_table, 0), MagnitudeTable: (magnitude_table, 1), GroupStatistics: (statistics, 2)}


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(ROWS, st.data())
def test_true_outputs_are_never_a_mismatch_and_what_follows_is_true(rows, data) -> None:
    together = data.draw(st.lists(outputs(rows), min_size=1, max_size=3))
    before = data.draw(st.lists(outputs(rows), max_size=2))
    for output in together:
        if type(output) not in CHECKS:
            continue
        module, index = CHECKS[type(output)]
        for given_rows in (None, rows):
            checked = judged(module.check, output, POLICY, given_rows, together=together, before=before, index=index)
            assert not [each for each in checked.violations if each.reason == "mismatch"]
            for each in checked.violations:
                if each.reason == "differencing" and each.rows is not None:
                    assert len(each.rows) == each.reached
                if each.reason == "suppressed-cell-recoverable" and given_rows is not None:
                    found = each.rows if each.about is None else members(rows, each.about)
                    assert len(found) == each.records_count
