"""What a search for groups cannot do is refused, with the reason; what cannot be met is told."""

import json

import pytest

from auditor.errors import Unsupported
from auditor.policy import load_policy
from auditor.remediate import remediate
from tests.remediate.local.test_release import policy_of, table

K2 = [{"model": "k-anonymity", "k": 2}]
ROWS = [("3", "AA", "cook", "flu", "1", 0), ("7", "AB", "smith", "flu", "1", 1), ("", "BA", "cook", "flu", "2", 2)]


@pytest.mark.parametrize("objective", ["height", "precision", ["loss", "height"]])
def test_metrics_of_nodes_are_refused(tmp_path, objective):
    table(tmp_path / "table.csv", ROWS)
    with pytest.raises(Unsupported, match="no levels"):
        remediate(tmp_path / "table.csv", policy_of(K2, search="mondrian", objective=objective))


def test_missing_values_that_agree_with_everything_are_refused(tmp_path):
    table(tmp_path / "table.csv", ROWS)
    with pytest.raises(Unsupported, match="missing: wildcard"):
        remediate(tmp_path / "table.csv", policy_of(K2, search="mondrian") | {"missing": "wildcard"})


def test_a_lattice_is_refused(tmp_path):
    table(tmp_path / "table.csv", ROWS)
    with pytest.raises(Unsupported, match="no lattice"):
        remediate(tmp_path / "table.csv", policy_of(K2, search="mondrian"), lattice=tmp_path / "lattice.csv")


def test_a_mapping_is_refused_where_equal_records_are_released_in_several_ways(tmp_path):
    rows = [("20", "AA", "cook", "flu", "1", i) for i in range(6)] + [("30", "AA", "cook", "flu", "1", 9)] * 2
    table(tmp_path / "table.csv", rows)
    asked = [{"model": "k-anonymity", "k": 4}]
    rules = policy_of(asked, search="mondrian", relaxed=True)
    with pytest.raises(Unsupported, match="different labels"):
        remediate(tmp_path / "table.csv", rules, output=tmp_path / "r.csv", mapping=tmp_path / "mapping.csv")
    assert not (tmp_path / "r.csv").exists()
    remediate(tmp_path / "table.csv", policy_of(asked, search="mondrian"), mapping=tmp_path / "mapping.csv")
    assert (tmp_path / "mapping.csv").read_text().splitlines() == [
        "age;place;job;age (released);place (released);job (released)",
        "20;AA;cook;[20, 30];AA;cook",
        "30;AA;cook;[20, 30];AA;cook",
    ]


def test_what_even_one_group_does_not_meet_is_named(tmp_path):
    table(tmp_path / "table.csv", ROWS)
    asked = [{"model": "k-anonymity", "k": 4}, {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}]
    found = remediate(tmp_path / "table.csv", policy_of(asked, search="mondrian"), output=tmp_path / "r.csv")
    assert found.solution is None
    assert not (tmp_path / "r.csv").exists()
    told = {each.requirement: (each.achieved, each.enough) for each in found.shortfall.obstacles}
    assert told == {"k-anonymity": (3, 3), "distinct-l-diversity": (1, None)}
    assert "at the coarsest levels the smallest group still has 3 records" in found.to_html()


def test_levels_limit_how_far_groups_may_reach(tmp_path):
    table(tmp_path / "table.csv", [("3", place, "cook", "flu", "1", 0) for place in ("AA", "AB", "BA", "BB")])
    rules = policy_of(K2, search="mondrian", levels={"place": {"min": 1, "max": 1}})
    remediate(tmp_path / "table.csv", rules, output=tmp_path / "r.csv")
    released = [line.split(",")[2] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    assert sorted(released) == ["A*", "A*", "B*", "B*"]


def test_records_that_fit_nowhere_are_suppressed_within_the_limit(tmp_path):
    rows = [("3", place, "cook", "flu", "1", 0) for place in ("AA", "AB", "BA")]
    table(tmp_path / "table.csv", rows)
    rules = policy_of(K2, search="mondrian", levels={"place": {"max": 1}}, suppression_limit={"records": 1})
    assert remediate(tmp_path / "table.csv", rules).solution.suppressed_records == 1
    rules["remediation"]["suppression_limit"] = {"records": 0}
    assert remediate(tmp_path / "table.csv", rules).solution is None


def test_relaxed_is_for_mondrian_alone(tmp_path):
    with pytest.raises(Exception, match="relaxed is for search: mondrian"):
        load_policy(policy_of(K2, search="optimal", relaxed=True))


def test_the_document_says_what_there_is_not(tmp_path):
    table(tmp_path / "table.csv", ROWS)
    found = remediate(tmp_path / "table.csv", policy_of(K2, search="mondrian"))
    solution = json.loads(json.dumps(found.to_dict()))["solution"]
    assert [solution[key] for key in ("levels", "ties", "minimal_generalizations", "lattice")] == [None] * 4
    assert [solution["losses"][metric] for metric in ("height", "precision")] == [None, None]
    assert solution["groups"] == found.after.classes.count
    for audience in ("public", "reviewer", "internal"):
        assert "mondrian" in found.to_html(audience)


@pytest.mark.parametrize("search", ["kaca", "constrained-local"])
def test_numbers_without_a_hierarchy_are_refused_where_distances_run_along_it(tmp_path, search):
    table(tmp_path / "table.csv", ROWS)
    rules = policy_of(K2, search=search)
    rules["attributes"]["age"] = {"role": "quasi-identifier"}
    with pytest.raises(Unsupported, match="'age' have none"):
        remediate(tmp_path / "table.csv", rules)
