"""What extends does: later wins, lists merge by id, every value keeps its place."""

import pytest

from auditor.policy import Origin, load_policy, starter_names
from tests.policy.conftest import Desk, place, unmarked


def test_later_wins_and_every_value_keeps_its_place(desk: Desk) -> None:
    base, (role, model) = unmarked("""\
        name: base
        owner: office
        missing: reject
        risk: {threshold: 0.1}
        attributes:
          age: »quasi-identifier
          ill: sensitive
        requirements:
          - {id: k, model: »k-anonymity, k: 11}
          - {id: l, model: distinct-l-diversity, l: 2}
        """)
    desk.write(base, "base.yaml")
    text, (hierarchy, k) = unmarked("""\
        name: child
        extends: [./base.yaml]
        missing: value
        attributes:
          age: {hierarchy: »suppress}
          zip: quasi-identifier
        requirements:
          - {id: k, k: »20}
          - {id: m, model: max-risk, max: 0.1}
        """)
    policy = desk.load(text)
    assert (policy.name, policy.owner, policy.missing, policy.risk.threshold) == ("child", "office", "value", 0.1)
    assert [(r.id, r.parameters()) for r in policy.requirements] == [
        ("k", {"k": 20}),
        ("l", {"l": 2, "others": "ignore"}),
        ("m", {"max": 0.1}),
    ]
    assert {name: a.role for name, a in policy.attributes.items()} == {
        "age": "quasi-identifier",
        "ill": "sensitive",
        "zip": "quasi-identifier",
    }
    assert policy.attributes["age"].hierarchy == "suppress"
    assert policy.origin("requirements/0/k") == Origin("p.yaml", *k)
    assert policy.origin("requirements/0/model") == Origin("base.yaml", *model)
    assert policy.origin("attributes/age/role") == Origin("base.yaml", *role)
    assert policy.origin("attributes/age/hierarchy") == Origin("p.yaml", *hierarchy)
    assert policy.origin("undeclared") is None
    assert policy.extends_chain == ("base",)


def test_an_entry_that_says_its_model_replaces_the_inherited_one(desk: Desk) -> None:
    desk.write("requirements: [{id: k, model: k-anonymity, k: 11, because: law}]\n", "base.yaml")
    policy = desk.load("extends: [base.yaml]\nrequirements: [{id: k, model: max-risk, max: 0.1}]\n")
    (requirement,) = policy.requirements
    assert (requirement.name, requirement.because) == ("max-risk", None)


def test_severity_off_drops_an_inherited_requirement(desk: Desk) -> None:
    desk.write("requirements: [{model: k-anonymity, k: 11}, {model: max-risk, max: 0.1}]\n", "base.yaml")
    policy = desk.load("extends: [base.yaml]\nrequirements: [{id: k-anonymity, severity: off}]\n")
    assert [requirement.id for requirement in policy.requirements] == ["max-risk"]


def test_dropping_what_is_not_there_is_an_error(desk: Desk) -> None:
    desk.write("requirements: [{model: k-anonymity, k: 11}]\n", "base.yaml")
    (problem,) = desk.problems("extends: [base.yaml]\nrequirements: [{id: k-anonimity, severity: off}]\n")
    assert "did you mean 'k-anonymity'?" in problem.right


def test_an_unnamed_entry_replaces_an_inherited_one_of_the_same_subject(desk: Desk) -> None:
    desk.write("requirements: [{model: k-anonymity, k: 11}]\n", "base.yaml")
    policy = desk.load("extends: [base.yaml]\nrequirements: [{model: k-anonymity, k: 20}]\n")
    assert [(r.id, r.parameters()) for r in policy.requirements] == [("k-anonymity", {"k": 20})]


def test_an_unnamed_entry_never_replaces_one_that_judges_something_else(desk: Desk) -> None:
    desk.write(
        """\
        attributes: {age: quasi-identifier, ill: sensitive, pay: sensitive}
        requirements:
          - {model: k-anonymity, k: 11}
          - {model: t-closeness, t: 0.2, sensitive: ill}
        """,
        "base.yaml",
    )
    policy = desk.load("""\
        extends: [base.yaml]
        requirements:
          - {model: k-anonymity, k: 20, quasi_identifiers: [age]}
          - {model: t-closeness, t: 0.3, sensitive: pay}
        """)
    assert [r.id for r in policy.requirements] == ["k-anonymity", "t-closeness", "k-anonymity-2", "t-closeness-pay"]


def test_ids_default_to_the_model_then_the_attribute_then_a_counter(desk: Desk) -> None:
    policy = desk.load("""\
        attributes: {ill: sensitive, pay: sensitive}
        requirements:
          - {model: k-anonymity, k: 11}
          - {model: k-anonymity, k: 12}
          - {model: t-closeness, t: 0.2, sensitive: ill}
          - {model: t-closeness, t: 0.3, sensitive: pay}
          - {model: t-closeness, t: 0.4, sensitive: pay}
          - {model: delta-disclosure, delta: 1, sensitive: pay}
          - {id: max-risk, model: max-risk, max: 0.1}
          - {model: max-risk, max: 0.2}
        """)
    assert [r.id for r in policy.requirements] == [
        "k-anonymity",
        "k-anonymity-2",
        "t-closeness-ill",
        "t-closeness-pay",
        "t-closeness-pay-2",
        "delta-disclosure",
        "max-risk",
        "max-risk-2",
    ]


def test_a_list_of_sensitive_attributes_is_one_requirement_each(desk: Desk) -> None:
    policy = desk.load("""\
        attributes: {ill: sensitive, pay: sensitive}
        requirements:
          - {id: close, model: t-closeness, t: 0.2, sensitive: [ill, pay]}
        """)
    assert [(r.id, r.sensitive) for r in policy.requirements] == [("close-ill", "ill"), ("close-pay", "pay")]  # type: ignore[attr-defined]


def test_the_only_sensitive_attribute_may_be_left_out(desk: Desk) -> None:
    policy = desk.load("attributes: {ill: sensitive}\nrequirements: [{model: distinct-l-diversity, l: 2}]\n")
    assert policy.requirements[0].sensitive == "ill"  # type: ignore[attr-defined]


def test_blocks_merge_key_by_key(desk: Desk) -> None:
    desk.write(
        """\
        remediation: {search: samarati, levels: {age: {max: 2}, zip: {min: 1}}}
        queries: {table: staff, protects: [pay], limits: {min_group: 3, max_overlap: 4}}
        attributes: {age: quasi-identifier, zip: quasi-identifier}
        """,
        "base.yaml",
    )
    policy = desk.load("""\
        extends: [base.yaml]
        remediation: {objective: height, levels: {age: {max: 1}}}
        queries: {limits: {max_overlap: 2}}
        """)
    assert policy.remediation is not None
    assert policy.queries is not None
    assert (policy.remediation.search, policy.remediation.objective) == ("samarati", "height")
    assert {name: (r.min, r.max) for name, r in policy.remediation.levels.items()} == {"age": (0, 1), "zip": (1, None)}
    assert (policy.queries.table, policy.queries.limits.min_group, policy.queries.limits.max_overlap) == ("staff", 3, 2)


def test_outputs_merge_by_type(desk: Desk) -> None:
    desk.write("outputs: [{type: clusters, min_size: 5}, {type: statistics, min_n: 3}]\n", "base.yaml")
    policy = desk.load("extends: [base.yaml]\noutputs: [{type: clusters, min_size: 11}, {id: statistics, min_n: 8}]\n")
    assert [o.model_dump(include={"type", "min_size", "min_n"}) for o in policy.outputs] == [
        {"type": "clusters", "min_size": 11},
        {"type": "statistics", "min_n": 8},
    ]


def test_what_two_bases_share_lies_below_both(desk: Desk) -> None:
    desk.write("requirements: [{id: k, model: k-anonymity, k: 3}]\nmissing: reject\n", "root.yaml")
    desk.write("extends: [root.yaml]\nrequirements: [{id: k, k: 11}]\n", "left.yaml")
    desk.write("extends: [root.yaml]\nname: right\n", "right.yaml")
    policy = desk.load("extends: [left.yaml, right.yaml]\n")
    assert policy.requirements[0].parameters() == {"k": 11}
    assert policy.extends_chain == ("right", "left.yaml", "root.yaml")


def test_a_circle_is_refused_with_its_chain(desk: Desk) -> None:
    desk.write("extends: [b.yaml]\n", "a.yaml")
    desk.write("extends: [p.yaml]\n", "b.yaml")
    problem = desk.problems("extends: [a.yaml]\nrequirements: [{model: k-anonymity, k: 5}]\n")[0]
    assert "p.yaml -> a.yaml -> b.yaml -> p.yaml" in problem.what
    assert problem.where == "b.yaml:1:11"


def test_a_policy_that_extends_itself(desk: Desk) -> None:
    problem = desk.problems("extends: [p.yaml]\nrequirements: [{model: k-anonymity, k: 5}]\n")[0]
    assert "p.yaml -> p.yaml" in problem.what


def test_a_chain_that_is_too_long(desk: Desk) -> None:
    for number in range(60):
        desk.write(f"extends: [c{number + 1}.yaml]\n", f"c{number}.yaml")
    desk.write("requirements: [{model: k-anonymity, k: 5}]\n", "c60.yaml")
    assert any(problem.code == "limit" for problem in desk.problems("extends: [c0.yaml]\n"))


def test_a_problem_in_a_base_is_found_at_its_place(desk: Desk) -> None:
    base, places = unmarked("requirements:\n  - {model: k-anonymity, k: »0}\n")
    desk.write(base, "base.yaml")
    (problem,) = desk.problems("extends: [base.yaml]\n")
    assert problem.where.startswith("base.yaml:")
    assert place(problem) == places[0]


def test_a_base_may_be_wrong_in_itself(desk: Desk) -> None:
    desk.write("- a list\n", "base.yaml")
    text, places = unmarked("extends: [base.yaml]\nrequirements: [{model: k-anonymity, k: »0}]\n")
    assert [place(problem) for problem in desk.problems(text)] == [(1, 1), *places]


@pytest.mark.parametrize(
    ("base", "over"),
    [
        ("requirements: »{model: k-anonymity, k: 5}", "requirements: [{model: max-risk, max: 0.1}]"),
        ("attributes: »[age]", "attributes: {zip: insensitive}"),
        ("queries: »all", "queries: {protects: [pay]}"),
        ("version: »2", "version: 1"),
        ("name: »a b", "name: ab"),
        ("extends: »other.yaml", "name: x"),
        ("pack: {»titel: t, title: t, source: s}", "name: x"),
        ("»anything: else", "name: x"),
    ],
)
def test_what_is_wrong_in_a_base_is_not_hidden_by_what_lies_over_it(desk: Desk, base: str, over: str) -> None:
    text, places = unmarked(base + "\n")
    desk.write(text, "base.yaml")
    desk.write("requirements: [{model: k-anonymity, k: 5}]\n", "other.yaml")
    (problem,) = desk.problems(f"extends: [base.yaml]\n{over}\noutputs: [{{type: clusters, min_size: 5}}]\n")
    assert problem.where.startswith("base.yaml:")
    assert place(problem) == places[0]


def test_a_base_of_a_mapping_is_held_to_the_same(desk: Desk) -> None:
    desk.write("version: 2\n", "base.yaml")
    (problem,) = desk.problems({"extends": ["base.yaml"], "requirements": [{"model": "k-anonymity", "k": 5}]})
    assert problem.where == "base.yaml:1:10"


def test_an_empty_base_is_named_beside_other_problems(desk: Desk) -> None:
    desk.write("", "empty.yaml")
    problems = desk.problems("name: a\nname: b\nextends: [empty.yaml]\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert [problem.what for problem in problems] == ["the key 'name' appears twice", "the file is empty"]


def test_one_of_a_list_of_attributes_can_be_changed_or_dropped(desk: Desk) -> None:
    desk.write(
        """\
        attributes: {ill: sensitive, pay: sensitive, job: sensitive}
        requirements: [{id: close, model: t-closeness, t: 0.2, sensitive: [ill, pay, job]}]
        """,
        "base.yaml",
    )
    policy = desk.load("""\
        extends: [base.yaml]
        requirements: [{id: close-ill, t: 0.1}, {id: close-pay, severity: off}]
        """)
    assert [(r.id, r.t) for r in policy.requirements] == [("close-ill", 0.1), ("close-job", 0.2)]  # type: ignore[attr-defined]


def test_a_block_can_be_emptied(desk: Desk) -> None:
    desk.write("remediation: {search: samarati}\nrequirements: [{model: k-anonymity, k: 5}]\n", "base.yaml")
    assert desk.load("extends: [base.yaml]\nremediation:\n").remediation is None


@pytest.mark.parametrize("extends", ["base.yaml", "{a: b}", "[[base.yaml]]", "[]", "~"])
def test_extends_is_a_list_of_names(desk: Desk, extends: str) -> None:
    desk.write("requirements: [{model: k-anonymity, k: 5}]\n", "base.yaml")
    problems = desk.problems(f"extends: {extends}\n")
    assert problems


@pytest.mark.parametrize("name", starter_names())
def test_every_starter_pack_can_be_extended(desk: Desk, name: str) -> None:
    policy = desk.load(
        f"extends: [{name}]\nrequirements: [{{id: own, model: k-anonymity, k: 5}}]\nundeclared: insensitive\n"
    )
    assert "own" in [requirement.id for requirement in policy.requirements]
    assert policy.extends_chain[0] == name


def test_a_pack_says_where_its_figures_are_from(desk: Desk) -> None:
    policy = desk.load("extends: [cms-cell-11]\nrequirements: [{model: k-anonymity, k: 5}]\n")
    (citation,) = policy.citations
    assert citation.pack == "cms-cell-11"
    assert citation.certainty in {"A", "B"}


def test_a_pack_loads_by_its_name(desk: Desk) -> None:
    assert load_policy("cms-cell-11").name == "cms-cell-11"


def test_a_requirement_means_the_same_alone_and_inherited(desk: Desk) -> None:
    desk.write("attributes: {ill: sensitive}\nrequirements: [{model: distinct-l-diversity, l: 2}]\n", "base.yaml")
    policy = desk.load("""\
        extends: [base.yaml]
        attributes: {pay: sensitive}
        requirements:
          - {model: distinct-l-diversity, l: 3, sensitive: ill}
          - {model: t-closeness, t: 0.1, sensitive: pay}
        """)
    assert [(r.id, r.sensitive) for r in policy.requirements] == [  # type: ignore[attr-defined]
        ("distinct-l-diversity", "ill"),
        ("t-closeness", "pay"),
    ]
    assert policy.requirements[0].parameters()["l"] == 3


def test_a_pack_leaves_the_sensitive_attribute_to_its_heir(desk: Desk) -> None:
    desk.write("requirements: [{model: distinct-l-diversity, l: 2}]\n", "base.yaml")
    policy = desk.load(
        "extends: [base.yaml]\nattributes: {ill: sensitive}\nrequirements: [{model: distinct-l-diversity, l: 3}]\n"
    )
    assert [(r.id, r.sensitive, r.l) for r in policy.requirements] == [("distinct-l-diversity", "ill", 3)]  # type: ignore[attr-defined]
