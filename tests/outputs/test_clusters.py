"""Clusterings: sizes, centres, radii and sensitive values, counted by hand."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs import check_outputs
from auditor.outputs.checks.clusters import check
from auditor.outputs.published.outputs import Cluster, Clustering, Stated
from tests.outputs.tiny import judged, policy_of, reasons

RULE = {"type": "clusters", "min_size": 3, "min_radius": 0.5, "max_confidence": 0.75, "sensitive": {"ill": ["HIV"]}}


def clusters(*found):
    return Clustering(source="c", format="", sha256="", clusters=tuple(found))


def cluster(size, *, centre=None, radius="1", ill=None):
    counts = (("ill", tuple(ill.items())),) if ill is not None else ()
    return Cluster(
        size=size,
        centre=tuple((centre or {}).items()),
        radius=None if radius is None else Stated(Fraction(radius)),
        counts=counts,
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["0", "0.5", "0.49", "2"])),
        min_size=1,
        max_size=4,
    )
)
def test_every_limit_is_that_of_the_clusters(drawn) -> None:
    output = clusters(*(cluster(h + f, radius=r, ill={"HIV": h, "Flu": f}) for h, f, r in drawn))
    expected = set()
    for number, (hiv, flu, radius) in enumerate(drawn, start=1):
        if 0 < hiv + flu < 3:
            expected.add((f"cluster {number}", "small-cluster"))
        if Fraction(radius) < Fraction(1, 2):
            expected.add((f"cluster {number}", "group-disclosure"))
        if 4 * hiv > 3 * (hiv + flu):
            expected.add((f"cluster {number}: ill=HIV", "high-confidence"))
    checked = judged(check, output, policy_of(RULE))
    assert reasons(checked) == expected
    assert {"min_size", "min_radius", "max_confidence", "centres"} <= checked.judged


def test_a_centre_that_is_a_record_is_seen_in_the_data() -> None:
    rows = [{"age": str(age), "cost": str(cost)} for age, cost in [(20, 5), (30, 7), (40, 9), (40, 9), (40, 9)]]
    medoid, shared, mean = {"age": "30.0", "cost": "7"}, {"age": "40", "cost": "9"}, {"age": "31.5", "cost": "7.2"}
    output = clusters(*(cluster(5, centre=centre, ill={"HIV": 1, "Flu": 4}) for centre in (medoid, shared, mean)))
    checked = judged(check, output, policy_of(RULE), rows)
    assert reasons(checked) == {("cluster 1", "extreme")}
    assert "centres" in judged(check, output, policy_of(RULE)).open_limits
    assert not judged(check, output, policy_of({**RULE, "centres": "allow"}), rows).violations


def test_what_is_not_written_is_open() -> None:
    checked = judged(check, clusters(cluster(None, radius=None)), policy_of(RULE))
    assert checked.open_limits.keys() == {"min_size", "min_radius", "max_confidence"}
    assert not checked.judged & checked.open_limits.keys()


def test_more_values_than_members_are_a_mismatch() -> None:
    checked = judged(check, clusters(cluster(4, ill={"HIV": 2, "Flu": 4})), policy_of(RULE))
    assert reasons(checked) == {("cluster 1", "mismatch")}


MEAN = st.tuples(st.integers(10, 60), st.integers(-20, 120), st.sampled_from([1, 2, 4]))


@given(
    st.lists(MEAN, min_size=1, max_size=4),
    st.sampled_from([{}, {"died": "sensitive"}, {"died": {"role": "sensitive", "type": "integer", "range": [0, 1]}}]),
    st.booleans(),
)
def test_a_centre_is_judged_as_a_mean_with_its_n(drawn, attributes, with_tables) -> None:
    """The same numbers as centres and as statistics, of a column that nobody describes or of one of 0 and 1."""
    policy = {"version": 1, "name": "p", "attributes": {"sex": "quasi-identifier", **attributes}}
    rules = [
        {"type": "clusters", "min_size": 10, "centres": "allow"},
        {"type": "statistics", "min_n": 10, "extremes": "allow", "identical": "allow"},
        *([{"type": "frequency-table", "min_cell": 15}] if with_tables else []),
    ]
    means = [(n, f"{ones / n if ones < 100 else ones:.{places}f}") for n, ones, places in drawn]
    centres = {"type": "clusters", "clusters": [{"size": n, "centre": {"died": mean}} for n, mean in means]}
    groups = [{"key": [str(at)], "n": n, "mean": mean} for at, (n, mean) in enumerate(means)]
    statistics = {"type": "statistics", "of": "died", "by": ["sex"], "cells": groups}
    of_each = [check_outputs(each, {**policy, "outputs": rules}).verdict for each in (centres, statistics)]
    assert of_each[0] == of_each[1]


def test_a_centre_of_an_undeclared_column_may_be_a_count() -> None:
    """0.02 of 50 is one death, if the column holds 0 and 1: no data, and no policy, says that it does not."""
    output = clusters(cluster(50, centre={"died": "0.02"}), cluster(30, centre={"died": "0.5"}))
    checked = judged(check, output, policy_of({"type": "clusters", "min_size": 10}))
    assert "may hold only two numbers" in checked.open_limits["min_size"]
    described = {"attributes": {"died": {"role": "sensitive", "type": "number"}}}
    assert (
        "min_size"
        not in judged(check, output, policy_of({"type": "clusters", "min_size": 10}, **described)).open_limits
    )
