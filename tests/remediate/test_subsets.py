"""Requirements with quasi-identifiers of their own, beside one on all of them: counted by hand."""

from auditor.remediate import remediate

POLICY = {
    "name": "subset",
    "attributes": {
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"Any": {"young": ["20", "21"], "old": ["70", "71"]}}},
        },
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
    },
}


def table(tmp_path, rows):
    path = tmp_path / "data.csv"
    path.write_text("age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in rows))
    return path


def test_the_coarser_grouping_decides_where_it_asks_for_more(tmp_path):
    # by (age, sex) every class has 2 already; by age alone 4 are wanted: 20 and 21 must become young
    data = table(
        tmp_path,
        [("20", "f"), ("20", "f"), ("21", "f"), ("21", "f"), ("70", "m"), ("70", "m"), ("70", "m"), ("70", "m")],
    )
    policy = POLICY | {
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"id": "neighbour", "model": "k-anonymity", "k": 4, "quasi_identifiers": ["age"]},
        ]
    }
    assert remediate(data, policy).solution.levels == {"age": 1, "sex": 0}


def test_what_one_requirement_suppresses_the_other_counts_no_more(tmp_path):
    # by (age, sex), k = 2 suppresses the one (20, m); then age 20 has 2 left of the 3 that the other wants: all go
    data = table(tmp_path, [("20", "f"), ("20", "f"), ("20", "m"), *[("70", "m")] * 5])
    policy = POLICY | {
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"id": "neighbour", "model": "k-anonymity", "k": 3, "quasi_identifiers": ["age"]},
        ],
        "remediation": {"suppression_limit": {"records": 3}, "levels": {"age": {"max": 0}, "sex": {"max": 0}}},
    }
    assert remediate(data, policy).solution.suppressed_records == 3
    tighter = policy | {"remediation": policy["remediation"] | {"suppression_limit": {"records": 2}}}
    assert remediate(data, tighter).solution is None
