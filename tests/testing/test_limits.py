"""Policy tests of logs and outputs: limits are judged, and a loosened one that no test notices is told."""

from __future__ import annotations

import pytest

from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.result import Strictness
from auditor.testing._mutants import weakenings
from tests.limits import EVERY, Declared
from tests.testing.conftest import Bench
from tests.testing.test_files import problems

TABLE = """\
    csv: |
      age,pay,dept
      30,100,a
      30,200,a
      30,300,b
      40,400,b
      40,500,c
      50,600,c
"""
COLUMNS = "name: clinic\nattributes: {age: quasi-identifier, dept: insensitive, pay: {role: sensitive, type: number}}\n"


@pytest.mark.parametrize("declared", EVERY, ids=str)
def test_every_limit_has_a_weaker_policy(declared: Declared) -> None:
    demand = declared.demand
    found = [each for each in weakenings(declared.policy) if each.path.startswith(demand.path)]
    assert found, "no mutant"
    for each in found:
        assert each.requirement == demand.id
        changed = compare(declared.policy, each.policy).verdict
        assert changed is (Strictness.EQUAL if each.field is None else Strictness.WEAKER)
    bounded = any(isinstance(value, int | float) and value is not True for value in _values(demand.shown))
    assert bounded is any(each.field for each in found) or declared.path == "rounded_to"


def _values(shown: object) -> list[object]:
    if isinstance(shown, dict | list | tuple):
        inner = shown.values() if isinstance(shown, dict) else shown
        return [value for each in inner for value in _values(each)]
    return [shown]


LOGS = {
    "query_set_size: {min: 4, both_ends: false}": ("age = 30", "queries-query-set-size"),
    "max_queries: 1": ("age = 30|age = 40", "queries-too-many-queries"),
    "max_overlap: 2": ("age = 30|dept <> 'c'", "queries-overlap"),
    "min_group: 2, exact_value: allow": ("dept = 'a'|age = 30", "queries-group"),
}
OUTPUTS = {
    "{type: frequency-table, min_cell: 5}": (
        '{"type": "frequency-table", "by": ["x"], "cells": [{"key": ["a"], "count": 4}, {"key": ["b"], "count": 9}]}',
        "frequency-table-min-cell",
    ),
    "{type: clusters, max_confidence: 0.8}": (
        '{"type": "clusters", "clusters": [{"size": 100, "counts": {"dx": {"HIV": 81, "flu": 19}}}]}',
        "clusters-max-confidence",
    ),
    "{type: magnitude-table, dominance: [{n: 1, k: 0.5}]}": (
        '{"type": "magnitude-table", "by": [], "of": "y", "cells": [{"key": [], "sum": 100, "largest": [60]}]}',
        "magnitude-table-dominance",
    ),
}


def missed(bench: Bench, text: str) -> list[tuple[str, str | None]]:
    found = bench.run(text, covered=True)
    assert [test.differences for test in found.tests if not test.passed] == []
    assert found.mutants is not None
    return [(each.requirement, each.field) for each in found.mutants if each.noticed_by is None]


@pytest.mark.parametrize("limit", LOGS)
def test_a_log_at_a_bound_notices_a_weaker_one(bench: Bench, limit: str) -> None:
    where, name = LOGS[limit]
    exact = "" if "exact_value" in limit else ", exact_value: allow"
    bench.write("clinic.yaml", f"{COLUMNS}queries: {{limits: {{{limit}{exact}}}}}\n")
    asked = "".join(f"      SELECT sum(pay) FROM data WHERE {each};\n" for each in where.split("|"))
    head = f"policy: clinic.yaml\ntests:\n  - name: at the bound\n{TABLE}"
    at_it = f"{head}    sql: |\n{asked}    expect: {{fails: [{name}]}}\n"
    everybody = "    sql: |\n      SELECT sum(pay) FROM data;\n"
    assert missed(bench, at_it) == []
    assert [each for each, _ in missed(bench, f"{head}{everybody}    expect: pass\n")] == [name]


@pytest.mark.parametrize("rule", OUTPUTS)
def test_an_output_at_a_bound_notices_a_weaker_one(bench: Bench, rule: str) -> None:
    text, name = OUTPUTS[rule]
    bench.write("clinic.yaml", f"name: clinic\noutputs: [{rule}]\n")
    bench.write("output.json", text)
    head = "policy: clinic.yaml\ntests:\n  - name: at the bound\n"
    inline = f"    published: '{text}'\n"
    for told in (inline, "    output: output.json\n"):
        assert name not in [each for each, _ in missed(bench, f"{head}{told}    expect: {{fails: [{name}]}}\n")]
    weaker = text.replace('"count": 4', '"count": 3').replace("81", "95").replace("60", "90").replace("19}", "5}")
    far = f"{head}    published: '{weaker}'\n    expect: {{fails: [{name}]}}\n"
    assert name in [each for each, _ in missed(bench, far)]


def test_a_limit_that_holds_by_default_wants_a_test(bench: Bench) -> None:
    """`exact_value: deny` holds where nobody wrote it, and one word takes it away."""
    bench.write("clinic.yaml", f"{COLUMNS}queries: {{limits: {{max_queries: 9}}}}\n")
    head = f"policy: clinic.yaml\ntests:\n  - name: of one\n{TABLE}    sql: SELECT sum(pay) FROM data WHERE age = "
    one, three = (
        f"{head}{age}\n    expect: {{fails: [{fails}]}}\n" for age, fails in ((50, "queries-exact-value"), (30, ""))
    )
    assert ("queries-exact-value", None) not in missed(bench, one)
    assert ("queries-exact-value", None) in missed(bench, three)


def test_tables_judge_no_limit_and_logs_no_requirement(bench: Bench) -> None:
    bench.write(
        "clinic.yaml",
        f"{COLUMNS}requirements: [{{model: k-anonymity, k: 2}}]\nqueries: {{}}\n"
        "outputs: [{type: clusters, min_size: 2}]\n",
    )
    head = f"policy: clinic.yaml\ntests:\n  - name: one\n{TABLE}"
    found = bench.run(f"{head}    expect: {{fails: [k-anonymity]}}\n", covered=True)
    assert found.not_checked == ("clinic: queries", "clinic: outputs")
    assert found.mutants is not None
    unnoticed = {each.requirement for each in found.mutants if each.noticed_by is None}
    assert unnoticed == {"queries-exact-value", "clusters-min-size", "clusters-centres"}
    asked = bench.run(f"{head}    sql: SELECT sum(pay) FROM data\n    expect: pass\n", covered=True)
    assert asked.not_checked == ("clinic: outputs",)


def test_what_cannot_be_read_of_a_log_can_be_expected(bench: Bench) -> None:
    bench.write("clinic.yaml", f"{COLUMNS}queries: {{}}\n")
    text = f"policy: clinic.yaml\ntests:\n  - name: window\n{TABLE}    sql: SELECT rank() OVER () FROM data\n"
    assert missed(bench, f"{text}    only: [queries-unsupported]\n    expect: not-evaluated\n")


@pytest.mark.parametrize("asked", ["", "    sql: SELECT count(*) FROM data\n"])
def test_a_table_that_cannot_be_judged_is_called_by_no_path_of_the_machine(bench: Bench, asked: str) -> None:
    bench.write("clinic.yaml", f"{COLUMNS}requirements: [{{model: k-anonymity, k: 2}}]\nqueries: {{}}\n")
    text = f"policy: clinic.yaml\ntests:\n  - name: none\n    csv: age,pay,dept\n{asked}    expect: not-evaluated\n"
    (test,) = bench.run(text).tests
    assert (test.passed, (test.reason or "").partition(":")[0]) == (True, "table.csv")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("{name: a, csv: x, sql: y, published: z, expect: pass}", "a test judges one thing"),
        ("{name: a, sql: y, expect: pass}", "a test has one table"),
        ("{name: a, csv: x, sql: y, source: true, expect: pass}", "source, original and previous belong to a table"),
        ("{name: a, csv: x, sql: y, expect: pass}", "has no queries, so no log can be judged by it"),
        ("{name: a, published: y, expect: pass}", "has no outputs, so no output can be judged by it"),
    ],
)
def test_a_test_that_nothing_can_judge_is_shown(bench: Bench, case: str, said: str) -> None:
    assert any(said in line for line in problems(bench, f"policy: clinic.yaml\ntests:\n  - {case}\n"))


def test_a_limits_id_is_known_where_its_block_is_judged(bench: Bench) -> None:
    bench.write("clinic.yaml", f"{COLUMNS}requirements: [{{model: k-anonymity, k: 2}}]\nqueries: {{}}\n")
    case = "  - {name: a, csv: x, sql: y, expect: {fails: [queries-exact-vlaue]}}\n"
    (line,) = problems(bench, f"policy: clinic.yaml\ntests:\n{case}")
    assert "did you mean 'queries-exact-value'" in line
    (line,) = problems(bench, f"policy: clinic.yaml\ntests:\n{case.replace('sql: y, ', '')}")
    assert "no requirement is called" in line


def test_a_secret_bound_of_a_limit_is_shown_nowhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_MIN", "4")
    bench.write("clinic.yaml", f"{COLUMNS}queries: {{limits: {{max_queries: {{secret: SECRET_MIN}}}}}}\n")
    (first, *_) = weakenings(load_policy(bench.folder / "clinic.yaml"))
    found = bench.run(
        f"policy: clinic.yaml\ntests:\n  - name: a\n{TABLE}    sql: SELECT sum(pay) FROM data\n    expect: pass\n",
        covered=True,
    )
    assert found.mutants is not None
    assert ("queries-too-many-queries", "max_queries", "confidential", "confidential") in [
        (each.requirement, each.field, each.old, each.new) for each in found.mutants
    ]
    assert first.requirement == "queries-exact-value"
