"""The schema itself: directions, JSON Schema, the contract's example, canonical form."""

import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, get_args

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from auditor.models import Stricter, registry
from auditor.policy import Policy, generate, load_policy, policy_schema, starter_names, starter_policies
from auditor.policy._section import Section
from auditor.policy.file.yaml_text import yaml_text
from auditor.spec import Percent
from tests.policy.conftest import Desk

EXAMPLE = Path(__file__).parent / "data" / "spec_example.yaml"


def blocks_in(annotation: Any) -> set[type[BaseModel]]:
    """Every model that an annotation mentions, at any depth."""
    if isinstance(annotation, Section):
        return blocks_in(annotation.type)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {block for part in get_args(annotation) for block in blocks_in(part)}


def all_blocks() -> set[type[BaseModel]]:
    """Every model of the policy language, found by walking it."""
    found: set[type[BaseModel]] = set()
    waiting: set[type[BaseModel]] = {Policy}
    while waiting:
        block = waiting.pop()
        found.add(block)
        waiting |= {b for field in block.model_fields.values() for b in blocks_in(field.annotation)} - found
    return found


def test_the_walk_reaches_every_room_of_the_language() -> None:
    assert set(registry().values()) <= all_blocks()
    names = {block.__name__ for block in all_blocks()}
    assert {"Intervals", "Dominance", "IntervalLimit", "LevelRange", "RankSwapping", "Waiver", "Pack", "Unit"} <= names


@pytest.mark.parametrize("block", sorted(all_blocks(), key=lambda block: block.__name__))
def test_every_field_has_one_direction_and_a_description(block: type[BaseModel]) -> None:
    for name, field in block.model_fields.items():
        directions = [mark for mark in field.metadata if isinstance(mark, Stricter)]
        if name in {"model", "type", "method"} and field.default is not None:
            continue
        assert len(directions) == 1, f"{block.__name__}.{name} needs one Stricter direction"
        assert field.description, f"{block.__name__}.{name} needs a description"


@pytest.mark.parametrize("block", sorted(all_blocks(), key=lambda block: block.__name__))
def test_every_block_is_frozen_and_closed(block: type[BaseModel]) -> None:
    assert block.model_config.get("frozen") is True
    assert block.model_config.get("extra") == "forbid"


def test_the_committed_schema_is_fresh() -> None:
    assert generate.SCHEMA_FILE.read_text(encoding="utf-8") == generate.schema_text(), (
        "run python -m auditor.policy.generate"
    )


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(policy_schema())
    assert policy_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


class NoDates(yaml.SafeLoader):
    """YAML as editors read it: dates are text."""


NoDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith("timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def starter_files() -> list[Path]:
    return sorted(Path(str(starter_policies())).glob("*.yaml"))


@pytest.mark.parametrize("file", [EXAMPLE, *starter_files()], ids=lambda file: file.stem)
def test_valid_policies_validate(file: Path) -> None:
    document = yaml.load(file.read_text(encoding="utf-8"), NoDates)
    errors = list(jsonschema.Draft202012Validator(policy_schema()).iter_errors(document))
    assert not errors


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "requirments: []",
        "requirements: [{model: k-anonimity, k: 5}]",
        "requirements: [{model: k-anonymity, k: five}]",
        "requirements: [{model: k-anonymity}]",
        "attributes: {a: quasi}",
        "attributes: {a: {role: sensitive, hierarchy: {interval: {}}}}",
        "remediation: {suppression_limit: two}",
        "missing: ignore",
        "name: my policy",
    ],
)
def test_wrong_policies_do_not_validate(text: str) -> None:
    document = yaml.load(text, NoDates)
    assert list(jsonschema.Draft202012Validator(policy_schema()).iter_errors(document))


@pytest.mark.parametrize(
    "text",
    [
        "unit: person",
        "attributes: {a: {hierarchy: suppress}}",
        "requirements: [{id: k, severity: off}]",
        "requirements: [{model: k-anonymity, k: {secret: K}}]",
        "remediation: {suppression_limit: 2%}",
        "waivers: waivers.yaml",
        "reference: other.csv",
        "attributes: {a: {role: sensitive, missing_values: [1, no, '']}}",
    ],
)
def test_shorthands_validate(text: str) -> None:
    document = yaml.load(text, NoDates)
    assert not list(jsonschema.Draft202012Validator(policy_schema()).iter_errors(document))


@pytest.mark.parametrize("name", starter_names())
def test_every_starter_pack_loads(name: str) -> None:
    assert load_policy(name).name == name


def test_the_contracts_example_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P_PERCENT", "15")
    policy = load_policy(EXAMPLE)
    assert policy.name == "hospital-discharge"
    assert policy.unit is not None
    assert (policy.unit.column, policy.unit.rows) == ("patient_id", "many-per-unit")
    assert [r.id for r in policy.requirements] == [
        "k",
        "neighbour",
        "recursive-l-diversity",
        "t-closeness-diagnosis",
        "t-closeness-cost",
        "max-risk",
        "average-risk",
        "allowed-values",
    ]
    assert policy.attributes["cost"].range == (0, 500000)
    assert policy.attributes["cost"].missing_values == ("", ".", "-9")
    assert policy.remediation is not None
    assert policy.remediation.suppression_limit.share == 0.02
    assert policy.queries is not None
    assert policy.queries.assume.insiders == {"u1": ("1", "7")}
    assert policy.blocks() == ("queries", "outputs", "protection", "remediation")
    assert policy.confidential("k") == frozenset()
    assert policy.extends_chain == ("cms-cell-11",)
    magnitude = next(output for output in policy.outputs if output.id == "magnitude-table")
    assert magnitude.p_percent == 15  # type: ignore[union-attr]
    assert [(d.n, d.k) for d in magnitude.dominance] == [(1, 0.5), (2, 0.67)]  # type: ignore[union-attr]


def test_the_effective_policy_loads_again(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    monkeypatch.setenv("P_PERCENT", "15")
    policy = load_policy(EXAMPLE)
    desk.write("a;*\n", "hierarchies/education.csv")
    desk.write("a;*\n", "hierarchies/icd.csv")
    again = desk.load(policy.to_yaml().replace("p_percent: confidential", "p_percent: {secret: P_PERCENT}"))
    assert again.canonical_json() == policy.canonical_json()
    assert again.waivers == policy.waivers


def test_the_canonical_form(desk: Desk) -> None:
    policy = desk.load("requirements: [{k: 5, model: k-anonymity}]\nwaivers: []\nname: tiny\n")
    assert json.loads(policy.canonical_json()) == {
        "version": 1,
        "name": "tiny",
        "attributes": {},
        "undeclared": "fail",
        "missing": "value",
        "reference": "released",
        "risk": {"threshold": 0.2},
        "requirements": [{"id": "k-anonymity", "model": "k-anonymity", "severity": "error", "k": 5}],
        "protection": [],
        "outputs": [],
    }
    assert " " not in policy.canonical_json()


def test_the_digest_follows_what_is_demanded_and_nothing_else(desk: Desk) -> None:
    base = "attributes: {a: quasi-identifier, b: sensitive}\nrequirements: [{model: k-anonymity, k: 5}]\n"
    digest = desk.load(base).sha256
    waiver = "waivers: [{requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: 2027-03-31}]\n"
    same = [
        base + waiver,
        "# a comment\n" + base,
        "attributes: {b: sensitive, a: quasi-identifier}\nrequirements: [{k: 5, model: k-anonymity, severity: error}]",
        base + "missing: value\nrisk: {threshold: 0.20}\n",
    ]
    other = [base.replace("k: 5", "k: 6"), base.replace("b: sensitive", "b: insensitive"), base + "missing: reject\n"]
    assert {desk.load(text).sha256 for text in same} == {digest}
    assert digest not in {desk.load(text).sha256 for text in other}


SCALARS = st.text(max_size=12) | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
TREES = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.recursive(
        SCALARS | st.lists(SCALARS, max_size=3),
        lambda inner: (
            st.dictionaries(st.text(min_size=1, max_size=8), inner, min_size=1, max_size=3)
            | st.lists(
                st.dictionaries(st.text(min_size=1, max_size=8), inner, min_size=1, max_size=3), min_size=1, max_size=2
            )
        ),
        max_leaves=10,
    ),
    min_size=1,
    max_size=4,
)


@given(document=TREES)
def test_yaml_text_reads_back_as_it_was(document: dict[str, Any]) -> None:
    assert yaml.safe_load(yaml_text(document, lambda path: "p.yaml:1:1")) == document


def test_policies_need_no_engine() -> None:
    program = (
        "import sys; from auditor.policy import load_policy; load_policy('cms-cell-11');"
        "heavy = {'duckdb', 'pandas', 'scipy', 'sqlglot', 'rich', 'jinja2', 'pyarrow'} & set(sys.modules);"
        "sys.exit(str(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_offers_what_it_says() -> None:
    import auditor.policy

    for name in auditor.policy.__all__:
        assert not isinstance(getattr(auditor.policy, name), types.ModuleType)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (model, name)
        for model, kind in registry().items()
        for name, field in kind.model_fields.items()
        if any(isinstance(mark, Percent) for mark in field.metadata)
    ],
)
def test_a_share_may_be_written_in_percent(model, parameter):
    entry = yaml.safe_load(registry()[model].EXAMPLE) | {parameter: "5%"}
    named = {each for key in ("attributes", "sensitive") if key in entry for each in np.atleast_1d(entry[key]).tolist()}
    attributes = {each: {"role": "insensitive", "type": "number"} for each in named} | {
        "q": "quasi-identifier",
        "s": "sensitive",
    }
    sample = {"population": str(Path(__file__).parent / "data" / "population.csv")}
    policy = load_policy({"attributes": attributes, "sample": sample, "requirements": [entry]})
    assert getattr(policy.requirements[0], parameter) == 0.05
