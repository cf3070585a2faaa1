"""Running policy tests; the expectations here are counted by hand."""

from __future__ import annotations

import pytest

from tests.testing.conftest import CLINIC, Bench

GOOD = """\
policy: clinic.yaml
tests:
  - name: three people, two diseases
    csv: |
      age,ill
      30,flu
      30,flu
      30,cold
    expect: {verdict: pass, fails: [], achieved: {k: 3, l: 2}}
"""


def test_a_table_that_is_as_expected(bench: Bench) -> None:
    found = bench.run(GOOD)
    assert found.verdict == "pass"
    assert found.exit_code == 0
    assert found.tests[0].location.line == 3


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ("{verdict: fail}", "verdict: expected fail, found pass"),
        ("{fails: [k]}", "fails: expected k, found none"),
    ],
)
def test_what_was_not_as_expected_is_said(bench: Bench, changed: str, why: str) -> None:
    found = bench.run(GOOD.replace("{verdict: pass, fails: [], achieved: {k: 3, l: 2}}", changed))
    assert found.exit_code == 1
    assert found.tests[0].differences == (why,)


def test_a_number_that_was_not_achieved(bench: Bench) -> None:
    (test,) = bench.run(GOOD.replace("k: 3, l: 2", "k: 4, l: 2")).tests
    assert not test.passed
    assert [(a.requirement, a.expected, a.measured) for a in test.achieved] == [("k", 4.0, 3)]


def test_a_real_number_within_the_stated_tolerance(bench: Bench) -> None:
    """Two classes of 2 and 1 records: the average of 1/|E| is 2 classes over 3 records."""
    bench.write("clinic.yaml", CLINIC + "  - {id: average, model: average-risk, max: 0.9}\n")
    text = """\
    policy: clinic.yaml
    tests:
      - {name: a, csv: "age,ill\\n1,x\\n1,x\\n2,x\\n", expect: {achieved: {average: 0.66666666667}}}
      - {name: b, csv: "age,ill\\n1,x\\n1,x\\n2,x\\n", expect: {achieved: {average: 0.6667}}}
    """
    assert [test.passed for test in bench.run(text).tests] == [True, False]


def test_only_looks_at_some_requirements(bench: Bench) -> None:
    text = (
        'policy: clinic.yaml\ntests: [{name: a, csv: "age,ill\\n1,x\\n1,x\\n1,x\\n", only: [k], expect: {fails: []}}]\n'
    )
    assert bench.run(text).verdict == "pass"
    assert bench.run(text.replace("only: [k], ", "")).tests[0].differences == ("fails: expected none, found l",)


def test_a_table_that_cannot_be_judged_is_not_evaluated(bench: Bench) -> None:
    text = 'policy: clinic.yaml\ntests: [{name: a, csv: "zip,ill\\n1,x\\n", only: [k], expect: not-evaluated}]\n'
    assert bench.run(text).verdict == "pass"
    (test,) = bench.run(text.replace("not-evaluated", "pass")).tests
    assert test.verdict == "not-evaluated"
    assert test.reason == "the data has no column 'age'"


def test_a_table_in_a_file_and_the_day_of_a_waiver(bench: Bench) -> None:
    waiver = "waivers: [{requirement: k, reason: r, owner: o, approved_by: a, expires: 2027-03-31}]\n"
    bench.write("clinic.yaml", CLINIC + waiver)
    bench.write("two.csv", "age,ill\n1,x\n1,y\n")
    text = """\
    policy: clinic.yaml
    as_of: 2027-03-31
    tests:
      - {name: the last day, data: two.csv, expect: waived}
      - {name: the day after, data: two.csv, as_of: 2027-04-01, expect: {verdict: fail, fails: [k]}}
    """
    assert [test.passed for test in bench.run(text).tests] == [True, True]


def test_identifiers_are_a_requirement_of_their_own(bench: Bench) -> None:
    bench.write("clinic.yaml", CLINIC.replace("ill: sensitive", "ill: sensitive, name: identifier"))
    head = "policy: clinic.yaml\ntests:\n"
    text = head + '  - {name: a, csv: "age,ill,name\\n1,x,a\\n1,y,b\\n1,x,c\\n", expect: {fails: [identifiers]}}\n'
    assert bench.run(text).verdict == "pass"
    assert bench.run(text.replace("expect:", "source: true, expect:")).verdict == "fail"


def test_blocks_that_no_table_can_test_are_named(bench: Bench) -> None:
    bench.write("clinic.yaml", CLINIC + "queries: {limits: {exact_value: deny}}\n")
    assert bench.run(GOOD).not_checked == ("clinic: queries",)
