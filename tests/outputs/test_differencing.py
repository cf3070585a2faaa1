"""What two outputs tell together that neither tells alone: failures of today's tools, and the ledger."""

from auditor.outputs.checks.frequency_table import check
from auditor.outputs.linked import System
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import DecisionTree, FrequentItemsets, Itemset, Node
from tests.outputs.tiny import judged, policy_of, reasons, table

RULE = {"type": "frequency-table", "min_cell": 10, "differencing": True}
PARTS = {("26", "F"): 40, ("26", "M"): None, ("31", "F"): 30, ("31", "M"): 20}


def found(checked, reason="differencing"):
    return [(v.item, v.reached) for v in checked.violations if v.reason == reason]


def test_two_tables_one_record_apart() -> None:
    """The same cells with and without one person; each table alone is well above the threshold."""
    everybody = table(["age"], {"26": 45, "31": 50})
    but_one = table(["age"], {"26": 44, "31": 50})
    policy = policy_of(RULE)
    assert not judged(check, everybody, policy).violations
    assert found(judged(check, but_one, policy, before=[everybody])) == [("age=26", 1)]


def test_two_tables_one_record_apart_by_a_filter() -> None:
    everybody = table(["age"], {"26": 45, "31": 50})
    without_b = table(["age"], {"26": 44, "31": 50}, where=frozenset([equal("ward", "A")]))
    checked = judged(check, without_b, policy_of(RULE), before=[everybody])
    assert found(checked) == [("age=26, ward=another value or age=26, ward=no value", 1)]


def test_45_less_40_recovers_a_suppressed_5() -> None:
    """A collapsed table in the same session undoes the suppression."""
    fine, collapsed = table(["age", "sex"], PARTS), table(["age"], {"26": 45, "31": 50})
    policy = policy_of(RULE)
    assert not judged(check, fine, policy).violations
    assert found(judged(check, collapsed, policy, before=[fine])) == [("age=26, sex=M", 5)]
    both = judged(check, fine, policy, together=[fine, collapsed])
    assert ("age=26, sex=M", "suppressed-cell-recoverable") in reasons(both)


def test_a_margin_less_its_cells_recovers_a_suppressed_one() -> None:
    checked = judged(check, table(["age"], {"a": 40, "b": None, None: 45}), policy_of(RULE))
    assert ("age=b", "suppressed-cell-recoverable") in reasons(checked)


def test_two_suppressed_cells_of_a_row_are_a_small_group_together() -> None:
    counts = {("a", "x"): None, ("a", "y"): None, ("a", None): 7, ("b", "x"): 20, ("b", "y"): 30}
    checked = judged(check, table(["p", "q"], counts), policy_of({**RULE, "min_cell": 8}))
    assert ("p=a", "small-cell") in reasons(checked)
    counts |= {("a", None): None, (None, None): 57}
    checked = judged(check, table(["p", "q"], counts), policy_of({**RULE, "min_cell": 8}))
    assert found(checked) == [("p=a, q=x or p=a, q=y", 7)]


def test_the_same_release_again_is_no_difference() -> None:
    """It is the same file under another name, as it stands in the ledger."""
    first = table(["age"], {"26": 45, "31": 50})
    again = table(["age"], {"26": 45, "31": 50})
    assert not judged(check, again, policy_of(RULE), before=[first]).violations


def test_a_cell_less_the_cells_of_a_finer_table() -> None:
    coarse = table(["area"], {"north": 100, "south": 60})
    fine = table(["area", "sex"], {("north", "F"): 50, ("north", "M"): 46, ("south", "F"): 30, ("south", "M"): 30})
    assert found(judged(check, fine, policy_of(RULE), before=[coarse])) == [("area=north, sex=no value", 4)]


def test_categories_of_one_table_are_coarser_than_those_of_the_other() -> None:
    """Under 30 are 45 people; the other table counts 40 of them by their age, and leaves one age out."""
    young = FrequentItemsets(
        source="i", format="", sha256="", itemsets=(Itemset(items=frozenset([equal("age", "26")]), support=45),)
    )
    fine = table(["age", "sex"], {("26", "F"): 40, ("26", "M"): None, ("31", "F"): 30, ("31", "M"): 20})
    assert found(judged(check, fine, policy_of(RULE), before=[young])) == [("age=26, sex=M", 5)]


def test_a_tree_and_a_table_meet_in_one_system() -> None:
    leaf = Node(path=frozenset([equal("age", "26")]), counts=(("F", 40), ("M", 12)))
    rest = Node(path=frozenset([equal("age", "31")]), counts=(("F", 30), ("M", 20)))
    tree = DecisionTree(source="t", format="", sha256="", target="sex", leaves=(leaf, rest))
    filtered = table(["age"], {"26": 49, "31": 50}, where=frozenset([equal("ward", "A")]))
    checked = judged(check, filtered, policy_of(RULE), before=[tree])
    assert [count for _, count in found(checked)] == [3]


def test_earlier_releases_of_other_records_are_open_and_what_is_near_is_told() -> None:
    """A quarter later there are other people; nothing can be subtracted, but one cell has only one person more."""
    spring = table(["age", "sex"], {("26", "F"): 40, ("26", "M"): 30, ("31", "F"): 30, ("26", None): 70})
    summer = table(["age", "sex"], {("26", "F"): 60, ("26", "M"): 55, ("31", "F"): 30, ("26", None): 115})
    checked = judged(check, summer, policy_of(RULE), before=[spring])
    assert not checked.violations
    assert "other records" in checked.open_limits["differencing"]
    near = table(["age", "sex"], {("26", "F"): 60, ("26", "M"): 31, ("31", "F"): 30, ("26", None): 91})
    assert found(judged(check, near, policy_of(RULE), before=[spring])) == [("age=26, sex=M", 1)]


def test_a_table_that_contradicts_itself_is_a_mismatch() -> None:
    checked = judged(check, table(["age"], {"a": 40, "b": 30, None: 65}), policy_of(RULE))
    assert [violation.reason for violation in checked.violations] == ["mismatch"]
    assert {"protection", "differencing"} <= checked.open_limits.keys()


def test_an_interval_below_the_protection_is_recoverable_and_at_it_is_not() -> None:
    counts = {("a", "x"): None, ("a", "y"): None, ("b", "x"): None, ("b", "y"): None}
    counts |= {("a", None): 4, ("b", None): 30, (None, "x"): 20, (None, "y"): 14}
    output = table(["p", "q"], counts)
    assert not judged(check, output, policy_of({"type": "frequency-table", "protection": 4})).violations
    checked = judged(check, output, policy_of({"type": "frequency-table", "protection": 4.5}))
    assert {item for item, _ in reasons(checked)} == {f"p={p}, q={q}" for p in "ab" for q in "xy"}
    assert all(violation.reached == 4 for violation in checked.violations)


def test_rounded_counts_leave_an_interval() -> None:
    """Margins of 45 and 40 to base 5: the difference is 1 to 9."""
    output = table(["age"], {"a": 40, "b": None, None: 45})
    rule = {"type": "frequency-table", "rounded_to": 5}
    assert not judged(check, output, policy_of({**rule, "protection": 8})).violations
    assert judged(check, output, policy_of({**rule, "protection": 9})).violations


def test_records_are_named_with_data_and_missing_values_keep_their_cell() -> None:
    rows = [{"age": "26", "sex": s} for s in ["F"] * 40 + ["M"] * 5] + [{"age": "31", "sex": "F"}] * 50
    fine = table(["age", "sex"], {("26", "F"): 40, ("26", "M"): None, ("31", "F"): 50})
    collapsed = table(["age"], {"26": 45, "31": 50})
    policy = policy_of(RULE)
    (violation,) = judged(check, collapsed, policy, rows, before=[fine]).violations
    assert violation.rows == tuple(range(40, 45))
    assert violation.records_count == 5
    rows.append({"age": "26", "sex": None})
    collapsed = table(["age"], {"26": 46, "31": 50})
    (violation,) = judged(check, collapsed, policy, rows, before=[fine]).violations
    assert violation.item == "age=26, sex=M or age=26, sex=no value"
    assert violation.rows == (*range(40, 45), 95)


def test_units_in_several_cells_are_not_added_up() -> None:
    rows = [{"age": str(n % 3), "who": str(n % 20)} for n in range(60)]
    output = table(["age"], {"0": 20, "1": 20, "2": None})
    checked = judged(check, output, policy_of(RULE, unit="who"), rows)
    assert "add up" in checked.open_limits["protection"]


def test_counts_rounded_at_random_contradict_nothing() -> None:
    """Written 12 to base 3, a count is 11 to 13 when rounded to the nearest, and 10 to 14 when at random."""
    output = table(["age"], {"a": 12, "b": 12, "c": 12, None: 30})
    checked = judged(check, output, policy_of({"type": "frequency-table", "rounded_to": 3}))
    assert not checked.violations
    impossible = table(["age"], {"a": 12, "b": 12, "c": 12, None: 27})
    checked = judged(check, impossible, policy_of({"type": "frequency-table", "rounded_to": 3}))
    assert {violation.reason for violation in checked.violations} == {"mismatch"}


def test_a_category_that_a_table_leaves_out_follows_from_its_margin() -> None:
    """To drop the row of a small group is no suppression: 65 − 40 − 20 are its 5 people."""
    checked = judged(check, table(["age"], {"a": 40, "b": 20, None: 65}), policy_of(RULE))
    assert reasons(checked) == {
        ("age=another value", "differencing"),
        ("age=another value", "suppressed-cell-recoverable"),
    }


def test_many_tables_that_lack_values_are_not_read_anew_for_each_column(monkeypatch) -> None:
    """Each of 60 tables counts fewer of the 100 records than the one before: no two columns are complete."""
    built = []
    made = System.__init__
    monkeypatch.setattr(System, "__init__", lambda self, *args, **more: built.append(made(self, *args, **more)))
    tables = [table([f"c{at}"], {"x": 20, "y": 80 - at}) for at in range(60)]
    checked = judged(check, tables[0], policy_of(RULE), together=tables)
    assert not checked.open_limits
    assert len(built) < 20
