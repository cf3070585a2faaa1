"""Clusterings: sizes, centres, radii and sensitive values, counted by hand."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs._published import Cluster, Clusters, Stated
from auditor.outputs.checks.clusters import check
from tests.outputs.tiny import judged, policy_of, reasons

RULE = {"type": "clusters", "min_size": 3, "min_radius": 0.5, "max_confidence": 0.75, "sensitive": {"ill": ["HIV"]}}


def clusters(*found):
    return Clusters(source="c", format="", sha256="", clusters=tuple(found))


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
