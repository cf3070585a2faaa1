"""What a policy lists and the data holds in another spelling, or not at all."""

from __future__ import annotations

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.report.redact import redact
from auditor.report.rendered import render
from auditor.result import Audience
from auditor.values import near, spelling

ALPHA = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2}


def judged(sensitive, requirement, *, attribute=None, **policy):
    """The result of a requirement on four people, of whom two share each quasi-identifier."""
    column = sensitive if isinstance(sensitive, pa.Array) else pa.array(sensitive)
    table = pa.table({"q": ["a"] * (len(column) // 2) + ["b"] * (len(column) - len(column) // 2), "s": column})
    said = {"attributes": {"q": "quasi-identifier", "s": {"role": "sensitive", **(attribute or {})}}, **policy}
    return auditor.check(table, {**said, "requirements": [requirement]}).requirements[0]


DIVERSITY = {"model": "distinct-l-diversity", "l": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("listed", "held"),
    [("na", "NA"), ("NA ", "NA"), ("NA", " NA"), ("N/A", "n / a"), ("é", "e\u0301"), ("-9", "-9 "), ("1000", "1 000"),
     ("9", "09"), ("1", "+1"), ("2026-01-01", "2026-01-01 00:00:00"), ("NA", "\u200bNA"), ("NA", "ＮＡ"),
     ("-9", "\u22129"), ("N-A", "N\u2013A")],
)  # fmt: skip
def test_a_missing_value_in_another_spelling_is_no_value(listed, held):
    found = judged(["x", held, "y", held], DIVERSITY, attribute={"missing_values": [listed]})
    assert found.status == "not-evaluated"
    assert repr(listed) in found.reason
    assert repr(held) not in found.reason
    shown = judged(["x", held, "y", held], DIVERSITY, attribute={"missing_values": ["?", listed]})
    assert shown.details == (f'write missing_values: ["?", "{held}"]',)


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (["x", "y", "x", "y"], ["NA", "N/A", "-9", ""]),
        (["x", "NA", "y", "NA"], ["NA"]),
        (["x", "NA", "y", "NA"], ["NA", "na", "N/A"]),
        (["x", "1.0", "y", "1.00"], ["1"]),
        (pa.array([1, 2, 1, 2]), ["NA", "-9"]),
        (["x", "  ", "y", "  "], [""]),
    ],
)
def test_a_convention_for_missing_values_stays_one(values, listed):
    assert judged(values, DIVERSITY, attribute={"missing_values": listed}).status == "pass"


def test_missing_values_of_the_grouping_and_of_columns_that_must_be_complete_are_looked_at():
    table = pa.table({"q": ["a ", "a ", "b", "b"]})
    policy = {"attributes": {"q": {"role": "quasi-identifier", "missing_values": ["a"]}}, "missing": "reject"}
    size = {"model": "k-anonymity", "k": 2}
    assert auditor.check(table, {**policy, "requirements": [size]}).requirements[0].status == "not-evaluated"
    complete = {"model": "allowed-values", "attribute": "q", "pattern": ".*", "missing": "forbidden"}
    assert auditor.check(table, {**policy, "requirements": [complete]}).requirements[0].status == "not-evaluated"
    lists = {"model": "allowed-values", "attribute": "q", "values": ["a ", "b", "nowhere"]}
    assert auditor.check(table, {**policy, "requirements": [lists]}).requirements[0].status == "pass"


@pytest.mark.parametrize(
    ("values", "held"), [(["x "], "x"), (["X"], "x"), (["flu", "x "], "x"), (["HVI"], "HIV"), (["01"], "1")]
)
def test_values_that_are_limited_and_do_not_occur_as_they_are_listed_limit_nothing(values, held):
    found = judged([held, held, "flu", "flu"], {**ALPHA, "values": values})
    assert (found.status, found.achieved) == ("not-evaluated", None)
    assert judged([held, held, "flu", "flu"], {**ALPHA, "values": [held]}).status == "fail"


def test_the_line_to_paste_is_shown_where_values_are():
    table = pa.table({"q": ["a", "a"], "s": ["Xyz", "flu"]})
    requirement = {**ALPHA, "values": ["flu", "xyz "]}
    policy = {"attributes": {"q": "quasi-identifier", "s": "sensitive"}, "requirements": [requirement]}
    result = auditor.check(table, policy)
    for form in ("text", "json", "markdown", "html", "sarif", "junit"):
        shown = {audience: render(redact(result, audience), form) for audience in Audience}
        assert "Xyz" not in shown["reviewer"]
        assert "Xyz" not in shown["public"]
    assert 'write values: ["flu", "Xyz"]' in render(redact(result, Audience.INTERNAL), "text")


@pytest.mark.parametrize(
    ("kind", "held", "impossible"),
    [
        (pa.int64(), [1, 2, 1, 2], "x"), (pa.int64(), [1, 2, 1, 2], "1.5"), (pa.float64(), [1.0, 2.0, 1.0, 2.0], "one"),
        (pa.bool_(), [True, False, True, False], "yes"), (pa.date32(), [0, 1, 0, 1], "01/01/1970"),
    ],
)  # fmt: skip
def test_a_value_that_the_type_cannot_hold_is_no_limit(kind, held, impossible):
    column = pa.array(held, kind)
    found = judged(column, {**ALPHA, "values": [str(column[0]), impossible]})
    assert found.status == "not-evaluated"
    assert f"{impossible!r} of values cannot be a value of 's'" in found.reason
    assert judged(column, {**ALPHA, "values": [str(column[0])]}).status == "pass"


def test_some_of_a_list_may_be_nowhere_and_all_of_it_where_the_order_names_them():
    half = ["HIV", "flu", "flu", "cold"]
    assert judged(half, {**ALPHA, "values": ["HIV", "TB"]}).status == "pass"
    assert judged(half, {**ALPHA, "values": ["TB"]}).status == "not-evaluated"
    named = {"order": ["cold", "flu", "HIV", "TB"]}
    assert judged(half, {**ALPHA, "values": ["TB"]}, attribute=named).status == "pass"


def test_columns_of_one_glob_share_their_list():
    table = pa.table({"q": ["a", "a"], "s_1": ["HIV", "flu"], "s_2": ["flu", "cold"]})
    policy = {"attributes": {"q": "quasi-identifier", "s_*": "sensitive"}}
    requirement = {**ALPHA, "sensitive": "s_*", "values": ["HIV"]}
    found = auditor.check(table, {**policy, "requirements": [requirement]})
    assert [each.status for each in found.requirements] == ["pass", "pass"]
    other = auditor.check(table, {**policy, "requirements": [{**requirement, "values": ["TB"]}]})
    assert {each.status for each in other.requirements} == {"not-evaluated"}


def test_a_release_without_the_limited_value_is_one():
    table = pa.table({"q": ["a", "a", "b", "b"], "s": ["HIV", "HIV", "flu", "cold"]})
    policy = {
        "attributes": {"q": {"role": "quasi-identifier", "hierarchy": "suppress"}, "s": "sensitive"},
        "requirements": [{**ALPHA, "alpha": 0.25, "values": ["HIV"]}],
        "remediation": {"suppression_limit": "50%"},
    }
    released = auditor.remediate(table, policy)
    assert released.data is not None
    assert "HIV" not in released.data["s"].to_pylist()


def test_an_order_with_a_second_spelling_makes_no_distance_smaller():
    close = {"model": "t-closeness", "t": 0.4, "distance": "emd", "ground": "ordered"}
    values = ["low", "low", "high", "low"]
    twice = {"order": ["low", "Low", "low ", "LOW", "high"]}
    assert judged(values, close, attribute=twice).status == "not-evaluated"
    assert judged(values, close, attribute={"order": ["low", "middle", "high"]}).status in ("pass", "fail")


word = st.text("aBé ", min_size=1, max_size=3).filter(str.strip)


def unlike(text: str) -> list[str]:
    """The same in other spellings, made without the code under test."""
    return [text.upper(), text.lower(), f" {text}", text + "\t", unicodedata.normalize("NFD", text)]


@pytest.mark.slow
@settings(max_examples=30)
@given(word, st.data())
def test_no_spelling_of_a_missing_value_counts_as_diversity(text, data):
    held = data.draw(st.sampled_from(unlike(text)))
    found = judged(["x", held, "y", held], DIVERSITY, attribute={"missing_values": [text]})
    assert found.status == ("pass" if held == text else "not-evaluated")


def test_long_columns_are_looked_at():
    held = [f"person {number}" for number in range(60_000)]
    found = judged([*held, "n/a", "n/a"], {"model": "k-anonymity", "k": 2}, attribute={"missing_values": ["N/A"]})
    assert found.status == "pass"  # sensitive values are not part of the classes
    assert judged([*held, "n/a"], DIVERSITY, attribute={"missing_values": ["N/A"]}).status == "not-evaluated"
    assert judged([*held, "n/a"], DIVERSITY, attribute={"missing_values": ["n/a"]}).status == "pass"


def costs_of(folder, names):
    """A cost matrix in which every move costs 1."""
    rows = [",".join([name, *("01"[name != other] for other in names)]) for name in names]
    (folder / "costs.csv").write_text("\n".join([",".join(["", *names]), *rows]) + "\n")
    (folder / "p.yaml").write_text(
        "version: 1\nname: p\nattributes: {q: quasi-identifier, s: sensitive}\n"
        "requirements: [{model: t-closeness, t: 0.9, ground: matrix, matrix: costs.csv}]\n"
    )
    return folder / "p.yaml"


def test_a_cost_matrix_with_a_second_spelling_is_no_matrix_of_the_values(tmp_path):
    table = pa.table({"q": ["a", "a", "b", "b"], "s": ["low", "high", "low", "high"]})
    found = auditor.check(table, costs_of(tmp_path, ["low", "high", "Low"]))
    assert found.requirements[0].status == "not-evaluated"
    assert "'Low'" in found.requirements[0].reason
    told = auditor.check(table, costs_of(tmp_path, ["low", "high", "middle"]))
    assert told.requirements[0].status == "pass"
    assert any("costs.csv lists for 's', 1 of 3" in each for each in told.assumptions)


def test_values_that_occur_nowhere_are_told():
    table = pa.table({"q": ["a"] * 4, "s": ["HIV", "flu", "flu", "cold"]})
    requirement = {**ALPHA, "values": ["HIV", "TB"]}
    policy = {"attributes": {"q": "quasi-identifier", "s": "sensitive"}, "requirements": [requirement]}
    told = auditor.check(table, policy).assumptions
    assert "Of the values that values lists for 's', 1 of 2 do not occur in it." in told
    assert not any("limits values that do not occur" in each for each in told)


LISTS = st.lists(st.sampled_from(["a", "b", "1", "2.0", "z"]), min_size=1, max_size=4, unique=True)


@given(LISTS, LISTS, st.lists(st.sampled_from(["a", "b", "1", "2"]), min_size=2, max_size=6))
@settings(max_examples=40)
def test_whatever_is_listed_and_occurs_nowhere_is_told(allowed, missing, held):
    """Of allowed values how many; of values that mean missing where none occurs, in one sentence for all columns."""
    policy = {
        "attributes": {"q": {"role": "quasi-identifier", "missing_values": missing}, "s": "insensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 1},
            {"model": "allowed-values", "attribute": "s", "values": allowed},
        ],
    }
    same = {"a": "a", "b": "b", "1": "1", "2.0": "2", "z": "z"}
    found = auditor.check(pa.table({"q": held, "s": held}), policy)
    nowhere = [text for text in allowed if same[text] not in held]
    told = f"Of the values that values lists for 's', {len(nowhere)} of {len(allowed)} do not occur in it."
    met = set(held) <= {same[text] for text in allowed}
    assert (told in found.assumptions) == (met and bool(nowhere))
    assert found.verdict == ("pass" if met else "fail")
    vain = not {same[text] for text in missing} & set(held)
    if found.requirements[0].status == "pass":
        assert ("None of the values that missing_values lists occurs in 'q'." in found.assumptions) == vain


EMPTY = pa.nulls(4, pa.string())


@pytest.mark.parametrize(
    "requirement",
    [
        {"model": "allowed-values", "attribute": "s", "min": 18},
        {"model": "allowed-values", "attribute": "s", "pattern": "x+"},
        {"model": "allowed-values", "attribute": "s", "values": ["x"]},
        {"model": "minimum-level", "attribute": "s", "level": 1},
        {"model": "t-closeness", "t": 0.1, "ground": "equal"},
        {"model": "basic-beta-likeness", "beta": 1},
        {"model": "delta-disclosure", "delta": 1},
        {"model": "p-sensitive-k-anonymity", "p": 1, "k": 2},
    ],
    ids=lambda each: each["model"],
)
def test_what_looked_at_nothing_says_so(requirement):
    rounded = {"role": "sensitive", "hierarchy": {"mask": {"side": "right"}}}
    policy = {"attributes": {"q": "quasi-identifier", "s": rounded}, "requirements": [requirement]}
    for held, told in ((EMPTY, 1), (pa.array(["x", "x", None, None]), 0)):
        found = auditor.check(pa.table({"q": ["a"] * 4, "s": held}), policy)
        if held is EMPTY:
            assert found.verdict == "pass"
        elif found.verdict != "pass":
            continue
        said = [each for each in found.findings if "Every value of" in each.message]
        assert [each.level for each in said] == ["warning"] * told


def test_classes_of_nothing_and_records_of_nothing_say_so():
    nothing = pa.table({"q": pa.nulls(4, pa.float64())})
    for requirement in ({"model": "k-anonymity", "k": 2}, {"model": "max-linkage-risk", "max": 1, "match": "position"}):
        policy = {"attributes": {"q": "quasi-identifier"}, "requirements": [requirement]}
        found = auditor.check(nothing, policy, original=nothing)
        assert any(each.message.startswith("Every value of") for each in found.findings), requirement


texts = st.text("aAé 01.-\u200bＡ", max_size=4)


@given(st.lists(texts, max_size=4), st.lists(texts, max_size=6))
def test_what_is_quickly_seen_to_be_unlike_is(listed, labels):
    wanted = {spelling(text) for text in listed}
    assert [label for _, label in near(listed, labels)] == [label for label in labels if spelling(label) in wanted]
