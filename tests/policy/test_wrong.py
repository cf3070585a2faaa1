"""Every wrong policy ends in problems that name the place, what was read and what would be right.

The mark » in a policy stands before each place where a problem is expected; it is removed before loading.
"""

import pytest

from tests.policy.conftest import Desk, place, unmarked

REQUIRED = "requirements:\n  - {model: k-anonymity, k: 5}\n"

CLOSE = "requirements: [{{model: t-closeness, t: 0.2, ground: {ground}}}]\n"

CASES = {
    "unknown key": ("»requirments: []\n" + REQUIRED, "'requirments'", "did you mean 'requirements'?"),
    "unknown model": (
        "requirements:\n  - {model: »k-anonimity, k: 5}\n",
        "'k-anonimity'",
        "did you mean 'k-anonymity'?",
    ),
    "no model": ("requirements:\n  - »{k: 5}\n", "without model", "k-anonymity"),
    "model is a list": ("requirements:\n  - {model: »[k], k: 5}\n", "a list", "k-anonymity"),
    "unknown parameter": ("requirements:\n  - {model: k-anonymity, k: 5, »kk: 3}\n", "'kk'", "did you mean"),
    "missing parameter": ("requirements:\n  - »{model: k-anonymity}\n", "k is missing", ""),
    "quoted number": ('requirements:\n  - {model: k-anonymity, k: »"5"}\n', "'5'", "without quotes"),
    "word for number": ("requirements:\n  - {model: k-anonymity, k: »five}\n", "'five'", "a whole number"),
    "fraction for count": ("requirements:\n  - {model: k-anonymity, k: »5.5}\n", "'5.5'", "a whole number"),
    "sexagesimal": ("requirements:\n  - {model: k-anonymity, k: »1:30}\n", "'1:30'", "a whole number"),
    "hexadecimal": ("requirements:\n  - {model: k-anonymity, k: »0x10}\n", "'0x10'", "a whole number"),
    "underscores": ("requirements:\n  - {model: k-anonymity, k: »1_000}\n", "'1_000'", "a whole number"),
    "infinity": ("requirements:\n  - {model: max-risk, max: ».inf}\n", "'.inf'", "a number"),
    "not a number": ("requirements:\n  - {model: max-risk, max: ».nan}\n", "'.nan'", "a number"),
    "overflow": ("requirements:\n  - {model: max-risk, max: »1e999}\n", "'1e999'", ""),
    "out of range": ("requirements:\n  - {model: max-risk, max: »1.5}\n", "'1.5'", "less than or equal to 1"),
    "zero k": ("requirements:\n  - {model: k-anonymity, k: »0}\n", "'0'", "greater than or equal to 1"),
    "no patterns": ("limits: {patterns: »0}\n" + REQUIRED, "'0'", "greater than or equal to 1"),
    "nothing for a number": ("requirements:\n  - {model: k-anonymity, k: »}\n", "nothing", "a whole number"),
    "a list for a number": ("requirements:\n  - {model: k-anonymity, k: »[5]}\n", "a list", "a whole number"),
    "a mapping for a number": ("requirements:\n  - {model: k-anonymity, k: »{a: 5}}\n", "a mapping", "a whole number"),
    "severity": (
        "requirements:\n  - {model: k-anonymity, k: 5, severity: »warn}\n",
        "'warn'",
        "did you mean 'warning'?",
    ),
    "id": ("requirements:\n  - {id: »a b, model: k-anonymity, k: 5}\n", "'a b'", "pattern"),
    "same id twice": (
        "requirements:\n  - {id: k, model: k-anonymity, k: 5}\n  - {id: »k, model: k-anonymity, k: 6}\n",
        "'k' appears twice",
        "p.yaml:2:10",
    ),
    "requirements is a mapping": ("requirements: »{model: k-anonymity, k: 5}\n", "a mapping", "a list"),
    "a requirement is text": ("requirements:\n  - »k-anonymity\n", "'k-anonymity'", "a mapping"),
    "unknown role": ("attributes: {age: »quasi}\n" + REQUIRED, "'quasi'", "did you mean 'quasi-identifier'?"),
    "role review": (
        "attributes: {age: »review}\n" + REQUIRED,
        "'review'",
        "wanted: somebody's decision: identifier or text if",
    ),
    "attribute without role": ("attributes: {age: »{type: number}}\n" + REQUIRED, "role is missing", ""),
    "unknown attribute key": ("attributes: {age: {role: sensitive, »ordr: [a]}}\n" + REQUIRED, "'ordr'", "'order'"),
    "a truth value in words": (
        "queries: {limits: {query_set_size: {min: 5, both_ends: »yes}}}\nattributes: {x: sensitive}\n",
        "'yes'",
        "true or false",
    ),
    "unknown hierarchy": (
        "attributes: {age: {role: sensitive, hierarchy: {»interval: {widths: [5]}}}}\n" + REQUIRED,
        "'interval'",
        "did you mean 'intervals'?",
    ),
    "hierarchy word": (
        "attributes: {age: {role: sensitive, hierarchy: »supress}}\n" + REQUIRED,
        "'supress'",
        "did you mean 'suppress'?",
    ),
    "two hierarchies": (
        "attributes: {age: {role: sensitive, hierarchy: {prefix: [2], »mask: {}}}}\n" + REQUIRED,
        "'mask'",
        "prefix",
    ),
    "widths that do not nest": (
        "attributes: {a: {role: sensitive, hierarchy: {intervals: {widths: »[5, 12]}}}}\n" + REQUIRED,
        "multiple of 5",
        "",
    ),
    "a prefix that grows": (
        "attributes: {a: {role: sensitive, hierarchy: {prefix: »[2, 3]}}}\n" + REQUIRED,
        "fewer characters",
        "",
    ),
    "dates that shrink": (
        "attributes: {a: {role: sensitive, hierarchy: {date: »[year, month]}}}\n" + REQUIRED,
        "must grow",
        "",
    ),
    "groups that overlap": (
        "attributes: {a: {role: sensitive, hierarchy: {groups: »[[x, y], [y, z]]}}}\n" + REQUIRED,
        "one group only",
        "",
    ),
    "a mask of two characters": (
        "attributes: {a: {role: sensitive, hierarchy: {mask: {character: »'**'}}}}\n" + REQUIRED,
        "'**'",
        "at most 1 character",
    ),
    "a range of three": ("attributes: {a: {role: sensitive, range: »[1, 2, 3]}}\n" + REQUIRED, "a list", "a list of 2"),
    "a range upside down": ("attributes: {a: »{role: sensitive, range: [2, 1]}}\n" + REQUIRED, "least number", ""),
    "missing is not a word": ("missing: »ignore\n" + REQUIRED, "'ignore'", "value, wildcard, reject"),
    "version": ("version: »2\n" + REQUIRED, "'2'", "1"),
    "name": ("name: »my policy\n" + REQUIRED, "'my policy'", "pattern"),
    "threshold": ("risk: {threshold: »0}\n" + REQUIRED, "'0'", "greater than 0"),
    "suppression in two ways": (
        "remediation: {suppression_limit: »{share: 1%, records: 5}}\n" + REQUIRED,
        "one of both",
        "",
    ),
    "suppression above all": (
        "remediation: {suppression_limit: »200%}\n" + REQUIRED,
        "'200%'",
        "less than or equal to 1",
    ),
    "search": ("remediation: {search: »optimum}\n" + REQUIRED, "'optimum'", "did you mean 'optimal'?"),
    "objective": ("remediation: {objective: »losss}\n" + REQUIRED, "'losss'", "did you mean 'loss'?"),
    "levels": (
        "attributes: {a: quasi-identifier}\nremediation: {levels: {a: »{min: 2, max: 1}}}\n" + REQUIRED,
        "min",
        "",
    ),
    "method": ("protection: [{attributes: [a], method: »rank, p: 5}]\n" + REQUIRED, "'rank'", "rank-swapping"),
    "masked identifier": (
        "attributes: {a: identifier}\nprotection: [{attributes: [»a], method: rounding, base: 5}]\n" + REQUIRED,
        "'a' has the role identifier",
        "insensitive or pseudonym or quasi-identifier or sensitive",
    ),
    "masked texts": (
        "attributes: {note_*: text}\nprotection: [{attributes: [»note_1], method: rounding, base: 5}]\n" + REQUIRED,
        "'note_*' has the role text",
        "",
    ),
    "a key in the policy": (
        "protection: [{attributes: [a], method: pseudonyms, key: »0123456789abcdef}]\n" + REQUIRED,
        "key is written in the policy",
        "{secret: NAME}",
    ),
    "output type": ("outputs: [{type: »rules}]\n", "'rules'", "association-rules"),
    "share above one": ("outputs: [{type: decision-tree, max_confidence: »90}]\n", "'90'", "less than or equal to 1"),
    "waiver without an end": (
        REQUIRED + "waivers:\n  - »{requirement: k-anonymity, reason: r, owner: o, approved_by: a}\n",
        "expires is missing",
        "",
    ),
    "waiver until never": (
        REQUIRED
        + "waivers:\n  - {requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: »2027-02-30}\n",
        "'2027-02-30'",
        "a date such as",
    ),
    "waiver of nothing": (
        REQUIRED
        + "waivers:\n  - {requirement: »k-anonimity, reason: r, owner: o, approved_by: a, expires: 2027-02-03}\n",
        "'k-anonimity'",
        "did you mean 'k-anonymity'?",
    ),
    "waiver of another parameter": (
        REQUIRED
        + "waivers:\n  - {requirement: k-anonymity, at_least: {l: »3}, reason: r, owner: o, approved_by: a,"
        + " expires: 2027-02-03}\n",
        "no parameter 'l'",
        "",
    ),
    "nothing to judge": ("»name: empty\n", "nothing to judge", "requirements, queries or outputs"),
    "no mapping": ("»- a\n- b\n", "a list", "a mapping"),
    "text": ("»hello\n", "'hello'", "a mapping"),
    "unknown quasi-identifier": (
        "attributes: {age: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 5, quasi_identifiers: [»agee]}]\n",
        "'agee'",
        "did you mean 'age'?",
    ),
    "grouping by an identifier": (
        "attributes: {id: identifier}\nrequirements:\n  - {model: k-anonymity, k: 5, quasi_identifiers: [»id]}\n",
        "the role identifier",
        "quasi-identifier",
    ),
    "unknown sensitive attribute": (
        "attributes: {ill: sensitive}\nrequirements:\n  - {model: distinct-l-diversity, l: 2, sensitive: »il}\n",
        "'il'",
        "did you mean 'ill'?",
    ),
    "one unknown of a list": (
        "attributes: {ill: sensitive}\nrequirements:\n  - {model: distinct-l-diversity, l: 2, sensitive: [ill, »il]}\n",
        "'il'",
        "did you mean 'ill'?",
    ),
    "sensitive is not sensitive": (
        "attributes: {ill: insensitive}\nrequirements:\n  - {model: distinct-l-diversity, l: 2, sensitive: »ill}\n",
        "the role insensitive",
        "sensitive",
    ),
    "no sensitive attribute": (
        "attributes: {age: quasi-identifier}\nrequirements:\n  - »{model: distinct-l-diversity, l: 2}\n",
        "which sensitive attribute is not said",
        "role: sensitive",
    ),
    "which sensitive attribute": (
        "attributes: {a: sensitive, b: sensitive}\nrequirements:\n  - »{model: distinct-l-diversity, l: 2}\n",
        "which sensitive attribute is not said",
        "one of a, b",
    ),
    "unit": ("unit: »person\n" + REQUIRED, "'person'", "declare it"),
    "ground without hierarchy": (
        "attributes: {ill: sensitive}\nrequirements:\n  - {model: t-closeness, t: 0.2, ground: »hierarchical}\n",
        "needs a hierarchy",
        "on attribute ill",
    ),
    "ground without order": (
        "attributes: {ill: {role: sensitive, type: text}}\n" + CLOSE.format(ground="»ordered"),
        "needs the order",
        "on attribute ill",
    ),
    "ground of another distance": (
        "attributes: {ill: sensitive}\nrequirements:\n  - »{model: t-closeness, t: 0.2, distance: kl, ground: equal}\n",
        "distance: emd",
        "",
    ),
    "level without hierarchy": (
        "attributes: {zip: insensitive}\nrequirements:\n  - {model: minimum-level, attribute: »zip, level: 1}\n",
        "needs a hierarchy",
        "on attribute zip",
    ),
    "queries that protect nothing": ("queries: »{table: t}\n", "protect nothing", "role: sensitive"),
    "amending nothing": ("requirements:\n  - »{id: k, severity: error}\n", "without model", "inherited"),
    "unknown pack": ("extends: [»cms-cell-12]\n" + REQUIRED, "'cms-cell-12'", "did you mean 'cms-cell-11'?"),
    "missing base": ("extends: [»./base.yaml]\n" + REQUIRED, "does not exist", ""),
    "duplicate key": ("name: a\n»name: b\n" + REQUIRED, "'name' appears twice", "line 1"),
    "merge key": ("attributes:\n  a: &a {role: sensitive}\n  b: {»<<: *a}\n" + REQUIRED, "merge key", "extends"),
    "python tag": ("name: »!!python/object/apply:os.system id\n" + REQUIRED, "'!!python/object", "no tags"),
    "string tag": ("name: »!!str a\n" + REQUIRED, "the tag", "no tags"),
    "own tag": ("name: »!x a\n" + REQUIRED, "the tag", "no tags"),
    "second document": (REQUIRED + "»---\nname: b\n", "second document", "one policy per file"),
    "unclosed bracket": ("name: [a\nrequirements»: []\n", "not YAML", ""),
    "tab as indentation": ("risk:\n»\tthreshold: 1\n", "not YAML", ""),
    "unknown alias": ("name: »*a\n" + REQUIRED, "'*a'", "anchors"),
    "key that is a list": ("»[a, b]: c\n" + REQUIRED, "a key that is not text", ""),
    "escaped control character": ('description: »"a\\0b"\n' + REQUIRED, "control character", ""),
}


WITH_CONSEQUENCES = {"merge key"}
"""What the problem takes along: without the merge key an attribute lacks its role."""


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_policy_names_the_place_and_the_remedy(desk: Desk, case: str) -> None:
    marked, what, right = CASES[case]
    text, places = unmarked(marked)
    problems = desk.problems(text)
    assert len(problems) == 1 or case in WITH_CONSEQUENCES, str(problems)
    problem = next(problem for problem in problems if place(problem) == places[0])
    assert what in problem.what, str(problem)
    assert right in problem.right, str(problem)
    assert problem.where.startswith("p.yaml:")


def test_all_problems_are_reported_at_once(desk: Desk) -> None:
    text, places = unmarked("""\
        »nam: x
        missing: »sometimes
        attributes:
          age: {role: »quasi, »typ: number}
          zip: {role: quasi-identifier, hierarchy: {mask: {side: »up}}}
        requirements:
          - {model: k-anonymity, k: »0, quasi_identifiers: »[]}
          - {model: »l-diversity, l: 2}
          - »{model: max-risk}
        """)
    problems = desk.problems(text)
    assert sorted(map(place, problems)) == sorted(places)


def test_a_hundred_problems_are_enough(desk: Desk) -> None:
    problems = desk.problems("".join(f"key{i}: 1\n" for i in range(5000)))
    assert len(problems) == 100
    assert "reading stopped" in problems[-1].what


def test_messages_never_grow_with_the_input(desk: Desk) -> None:
    (problem,) = desk.problems("requirements:\n  - {model: k-anonymity, k: " + "x" * 60_000 + "}\n")
    assert len(str(problem)) < 300


def test_a_mapping_from_python_names_the_path(desk: Desk) -> None:
    (problem,) = desk.problems({"requirements": [{"model": "k-anonymity", "k": "5"}]})
    assert problem.where == "policy mapping at requirements/0/k"
    assert "without quotes" in problem.right


@pytest.mark.parametrize("value", [b"bytes", object(), 1j, print])
def test_a_value_that_no_file_could_hold(desk: Desk, value: object) -> None:
    problems = desk.problems({"name": value, "requirements": [{"model": "k-anonymity", "k": 5}]})
    assert type(value).__name__ in problems[0].what


def test_a_self_containing_mapping(desk: Desk) -> None:
    endless: dict[str, object] = {}
    endless["attributes"] = endless
    assert any(problem.code == "limit" for problem in desk.problems(endless))
