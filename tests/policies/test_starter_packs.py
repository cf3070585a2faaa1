"""Starter packs: each loads, says where its figures are from, and holds the figures that its source states."""

import re
from fnmatch import fnmatchcase

import pytest

from auditor.policy import bind, load_policy
from auditor.policy.packs import starter_file, starter_names
from tests.conftest import ROOT

PACKS = [
    "abs-datalab",
    "cms-cell-11",
    "ema-0070-k11",
    "ema-0070-k12",
    "eu-magnitude",
    "ferpa-n10",
    "hipaa-expert-k11",
    "hipaa-safe-harbor",
    "opensafely",
    "uk-sdap-outputs",
]


def test_these_are_all_the_starter_packs():
    assert starter_names() == PACKS


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_loads_alone_and_through_extends(name):
    alone = load_policy(name)
    extended = load_policy({"version": 1, "name": "mine", "extends": [name]})
    assert alone.name == name
    assert extended.requirements == alone.requirements
    assert extended.outputs == alone.outputs
    assert extended.attributes == alone.attributes
    assert [citation.pack for citation in extended.citations] == [name]


def test_all_packs_together_are_one_policy():
    assert len(load_policy({"version": 1, "name": "all", "extends": PACKS}).citations) == len(PACKS)


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_says_where_its_figures_are_from_and_what_it_is_not(name):
    pack = load_policy(name).pack
    assert pack is not None
    assert pack.title.startswith("Figures from ")
    assert pack.source
    assert pack.edition
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", pack.checked_on or "")
    assert pack.certainty in {"A", "B"}
    assert (pack.notice or "").startswith("Not legal advice.")
    text = starter_file(name).read_text("utf-8").lower()
    assert not re.search(r"complian|complies|certified|guarantee", text)


@pytest.mark.parametrize("name", PACKS)
def test_every_entry_says_why_it_is_there(name):
    policy = load_policy(name)
    assert all(entry.because for entry in (*policy.requirements, *policy.outputs))


def outputs(name, kind):
    return next(rule for rule in load_policy(name).outputs if rule.type == kind)


def requirement(name, identity):
    return next(entry for entry in load_policy(name).requirements if entry.id == identity)


def test_figures_of_cms():
    """The policy: no cell of 1 to 10 can be reported or derived; a value of zero does not violate it."""
    table = outputs("cms-cell-11", "frequency-table")
    assert (table.min_cell, table.zeros_disclosive, table.differencing) == (10 + 1, False, True)
    assert outputs("cms-cell-11", "association-rules").min_exceptions == 10 + 1


def test_figures_of_abs_datalab():
    """The rules: at least 10 unweighted contributors, (1,50), (2,67); a share that equals k does not exceed it."""
    table = outputs("abs-datalab", "magnitude-table")
    assert table.min_cell == 10
    assert [(rule.n, rule.k, rule.inclusive) for rule in table.dominance] == [(1, 0.5, False), (2, 0.67, False)]


def test_figures_of_opensafely():
    """The documentation: "counts <= 7" are redacted, the others rounded to the nearest 5."""
    table = outputs("opensafely", "frequency-table")
    assert (table.min_cell, table.rounded_to) == (7 + 1, 5)


def test_figures_of_the_european_glossary():
    """The glossary: n=2, k=85 flags a cell whose two largest units contribute more than 85 %."""
    (rule,) = outputs("eu-magnitude", "magnitude-table").dominance
    assert (rule.n, rule.k, rule.inclusive) == (2, 0.85, False)


@pytest.mark.parametrize(("pack", "k"), [("ema-0070-k12", 12), ("ema-0070-k11", 11)])
def test_the_two_readings_of_ema_are_each_consistent(pack, k):
    """The risk bound and k say the same: classes of k meet the bound, classes of k - 1 do not."""
    bound = requirement(pack, "max-risk").max
    assert requirement(pack, "k").k == k
    assert 1 / k <= bound < 1 / (k - 1)


def test_the_rounded_reading_is_what_rounds_to_the_threshold():
    assert [n for n in range(1, 100) if round(1 / n, 2) <= 0.09] == [
        n for n in range(1, 100) if 1 / n <= requirement("ema-0070-k11", "max-risk").max
    ]


@pytest.mark.parametrize(
    ("identity", "allowed", "refused"),
    [
        ("zip3", ["123", "000", "123**", "*****"], ["12345", "1234*", "12345-6789", "12"]),
        ("birth-year", ["1950", "*"], ["1950-03", "1950-03-02", "50"]),
        (
            "age-90",
            ["0", "7", "89", "89.5", "90+", ">=90", "[85, 90)", "<15", "*"],
            ["90", "101", "90.5", "[85, 95)", "[90, 95)", "<90x", "ninety"],
        ),
    ],
)
def test_what_safe_harbor_lets_pass(identity, allowed, refused):
    pattern = re.compile(requirement("hipaa-safe-harbor", identity).pattern)
    assert [value for value in allowed if not pattern.fullmatch(value)] == []
    assert [value for value in refused if pattern.fullmatch(value)] == []


def test_safe_harbor_names_identifiers_and_an_exact_name_wins():
    policy = load_policy(
        {"version": 1, "name": "mine", "extends": ["hipaa-safe-harbor"], "attributes": {"device_type": "insensitive"},
         "undeclared": "sensitive",
         "requirements": [{"id": "zip3", "attribute": "postal"}, {"id": "death-year", "severity": "off"}]}
    )  # fmt: skip
    binding = bind(policy, ["ssn", "email_address", "zip", "age", "device_type", "device_id", "diagnosis"])
    assert binding.identifiers == ("ssn", "email_address", "device_id")
    assert binding.quasi_identifiers == ("zip", "age")
    assert binding.sensitive == ("diagnosis",)
    assert next(entry.attribute for entry in policy.requirements if entry.id == "zip3") == "postal"


def test_no_column_is_matched_by_two_globs_of_all_packs():
    names = list(load_policy({"version": 1, "name": "all", "extends": PACKS}).attributes)
    globs = [name for name in names if "*" in name]
    assert all(glob.index("*") == len(glob) - 1 for glob in globs)
    assert [(a, b) for a in globs for b in globs if a != b and fnmatchcase(a[:-1], b)] == []


def test_the_page_lists_every_pack_with_its_certainty():
    page = (ROOT / "docs" / "starter-packs.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|.*\| ([AB]) \|[^|]*\|$", page, re.MULTILINE)
    assert sorted(listed) == [(name, load_policy(name).pack.certainty) for name in PACKS]


def test_the_example_of_the_page_loads(tmp_path):
    page = (ROOT / "docs" / "starter-packs.md").read_text("utf-8")
    (tmp_path / "p.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1], "utf-8")
    policy = load_policy(tmp_path / "p.yaml")
    assert {bound.attribute for bound in bind(policy, ["postal"]).requirements if not bound.reason} == {"postal"}
