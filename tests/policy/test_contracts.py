"""A data contract or a file of dbt: what it says of columns, what is not read, and a policy that is held to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.errors import PolicyError, Problem
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.policy.contracts import DataContract, read_contract
from auditor.policy.file.problems import Problems
from auditor.policy.revision import policy_at
from auditor.result import Strictness
from tests.gate.repository import Repository
from tests.policy.conftest import Desk

STANDARD: dict[str, Any] = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "x",
    "version": "1",
    "status": "active",
}


def standard(*properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A contract with one table."""
    return {**STANDARD, "schema": [{"name": "people", "properties": list(properties)}], **more}


def dbt(*columns: dict[str, Any]) -> dict[str, Any]:
    return {"version": 2, "models": [{"name": "people", "columns": list(columns)}]}


def manifest(**columns: dict[str, Any]) -> dict[str, Any]:
    node = {"resource_type": "model", "name": "people", "columns": columns, "raw_code": "select 1"}
    return {"metadata": {"dbt_schema_version": "v12"}, "nodes": {"model.shop.people": node}, "sources": {}}


def reading(
    folder: Path, document: Any, table: str | None = None, name: str = "c.yaml"
) -> DataContract | list[Problem]:
    """What a file says, or what is wrong in it."""
    text = document if isinstance(document, str | bytes) else json.dumps(document)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = Problems()
    found = read_contract(folder / name, table, problems, "here", "--table NAME")
    assert (found is None) == bool(problems.found)
    return problems.found if found is None else found


def roles(
    folder: Path, document: Any, table: str | None = None, name: str = "c.yaml"
) -> dict[str, tuple[str | None, bool]]:
    found = reading(folder, document, table, name)
    assert isinstance(found, DataContract), found
    return {each.name: (each.role, each.is_personal) for each in found.columns}


ODCS = [
    ({"customProperties": [{"property": "auditor", "value": "sensitive"}]}, ("sensitive", True)),
    ({"customProperties": [{"property": "auditor", "value": "insensitive"}]}, ("insensitive", False)),
    ({"customProperties": [{"property": "auditor", "value": "text"}], "tags": ["pii"]}, ("text", True)),
    ({"customProperties": [{"property": "owner", "value": "sensitive"}]}, (None, False)),
    ({"classification": "Direct Identifier"}, ("identifier", True)),
    ({"tags": ["quasi_identifier", "finance"]}, ("quasi-identifier", True)),
    ({"classification": "PII"}, (None, True)),
    ({"classification": "\uff30\uff29\uff29"}, (None, True)),
    ({"classification": "sensitive"}, (None, True)),
    ({"tags": ["phi"]}, (None, True)),
    ({"classification": "restricted"}, (None, False)),
    ({"classification": "public"}, (None, False)),
    ({"classification": None, "tags": []}, (None, False)),
    ({"primaryKey": True, "criticalDataElement": True, "encryptedName": "e"}, (None, False)),
    ({"logicalType": "object", "properties": [{"name": "street", "tags": ["pii"]}]}, (None, True)),
    ({"logicalType": "array", "items": {"properties": [{"name": "s", "classification": "identifier"}]}}, (None, True)),
    ({"logicalType": "map", "map": {"value": {"logicalType": "string", "tags": ["personal"]}}}, (None, True)),
]


@pytest.mark.parametrize(("said", "read"), ODCS, ids=lambda value: str(value)[:50])
def test_the_words_of_the_standard(tmp_path: Path, said: dict[str, Any], read: tuple[str | None, bool]) -> None:
    for name in ("c.yaml", "c.json"):
        assert roles(tmp_path, standard({"name": "a", **said}), name=name) == {"a": read}


DBT = [
    ({"meta": {"auditor": "sensitive"}}, ("sensitive", True)),
    ({"config": {"meta": {"auditor": "pseudonym"}}}, ("pseudonym", True)),
    ({"meta": {"auditor": "text"}, "config": {"meta": {"auditor": "text"}}}, ("text", True)),
    ({"meta": {"pii": True}}, (None, True)),
    ({"config": {"meta": {"contains_pii": "true"}}}, (None, True)),
    ({"meta": {"pii": False, "owner": "ana"}}, (None, False)),
    ({"meta": {"pii": "phi"}}, (None, True)),
    ({"meta": {"pii": "on"}}, (None, True)),
    ({"meta": {"pii": 1}}, (None, True)),
    ({"meta": {"contains_pii": "TRUE "}}, (None, True)),
    ({"meta": {"PII": True}}, (None, True)),
    ({"meta": {"pii": "off", "contains_pii": None}}, (None, False)),
    ({"meta": {"pii": "low"}}, (None, False)),
    ({"meta": {"classification": "pii"}}, (None, True)),
    ({"tags": "pii"}, (None, True)),
    ({"config": {"tags": ["x", "indirect-identifier"]}}, ("quasi-identifier", True)),
    ({"data_tests": ["not_null"]}, (None, False)),
]


@pytest.mark.parametrize(("said", "read"), DBT, ids=lambda value: str(value)[:50])
def test_the_words_of_dbt(tmp_path: Path, said: dict[str, Any], read: tuple[str | None, bool]) -> None:
    assert roles(tmp_path, dbt({"name": "a", **said})) == {"a": read}
    assert roles(tmp_path, manifest(a={"name": "a", "description": "…", **said}), name="manifest.json") == {"a": read}


def test_words_that_tell_no_role_are_known_by_their_name(tmp_path: Path) -> None:
    found = reading(tmp_path, standard({"name": "a", "classification": "restricted", "tags": ["uid", "uid"]}))
    assert isinstance(found, DataContract)
    assert found.columns[0].unread == ("classification 'restricted'", "tag 'uid'")


def test_a_column_has_its_physical_name(tmp_path: Path) -> None:
    assert roles(tmp_path, standard({"name": "birth date", "physicalName": "dob", "tags": ["pii"]})) == {
        "dob": (None, True)
    }


def said_to_be(role: Any) -> dict[str, Any]:
    return standard({"name": "a", "customProperties": [{"property": "auditor", "value": role}]})


WRONG: list[tuple[Any, str, str]] = [
    (said_to_be("secret"), "'secret' was read", "value"),
    (said_to_be([]), "a list was read", "value"),
    (standard({"name": "a", "classification": "identifier", "tags": ["quasi-identifier"]}), "has the roles", "value"),
    (dbt({"name": "a", "meta": {"auditor": "insensitive"}, "tags": ["pii"]}), "tag 'pii' calls it personal", "value"),
    (dbt({"name": "a", "meta": {"auditor": "text"}, "config": {"meta": {"auditor": "pseudonym"}}}), "has", "value"),
    (dbt({"name": "a", "meta": "pii"}), "meta: 'pii' was read", "value"),
    (dbt({"name": "a", "tags": [{"pii": True}]}), "tag: a mapping was read", "value"),
    (standard({"name": "a"}, {"name": "a"}), "'a' appears twice", "duplicate"),
    (standard({"logicalType": "string"}), "without name", "missing"),
    (standard(), "names no column", "contract"),
    ({**standard({"name": "a"}), "apiVersion": "v2.2.2"}, "apiVersion: 'v2.2.2' was read", "value"),
    ({**STANDARD, "schema": []}, "no table", "contract"),
    ({**STANDARD, "schema": {"name": "a"}}, "schema: a mapping was read", "value"),
    ({"models": {"people": {"fields": {}}}}, "models: a mapping was read", "value"),
    ({"dataContractSpecification": "1.1.0", "models": {}}, "is no data contract", "contract"),
    ({"attributes": {}}, "is no data contract", "contract"),
    ("", "is no data contract", "contract"),
    ("- a", "is no data contract", "contract"),
    ("kind: [", "not YAML", "yaml"),
    ("kind: DataContract\nkind: x\n", "appears twice", "duplicate"),
    (b"\xff", "not UTF-8", "encoding"),
    ("a: !!python/object/apply:os.system [id]\n", "the tag", "tag"),
    ("a" * (1 << 20) + "b", "too large", "limit"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "what", "code"), WRONG, ids=lambda value: str(value)[-40:])
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, document: Any, what: str, code: str) -> None:
    found = reading(tmp_path, document)
    assert isinstance(found, list)
    assert [(what in each.what, each.code) for each in found] == [(True, code)]
    assert found[0].where.startswith(("c.yaml", "here"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "not JSON"),
        ('{"metadata": {"dbt_schema_version": 1}, "nodes": {}, "nodes": {}}', "appears twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ("[]", "is no data contract"),
        ('{"metadata": {"dbt_schema_version": 1}, "nodes": [1], "sources": {"a": 1}}', "no table"),
        (
            '{"metadata": {"dbt_schema_version": 1}, "nodes": {"m": {"resource_type": "model", "name": "a"}}}',
            "no column",
        ),
    ],
    ids=lambda text: text[:20],
)
def test_hostile_json_is_an_error(tmp_path: Path, text: str, what: str) -> None:
    (problem,) = reading(tmp_path, text, name="manifest.json")
    assert isinstance(problem, Problem)
    assert what in problem.what


def test_a_role_in_a_manifest_is_placed_by_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (problem,) = reading(tmp_path, manifest(a={"name": "a", "meta": {"auditor": "key"}}), name="manifest.json")
    assert isinstance(problem, Problem)
    assert problem.where == "manifest.json at nodes/model.shop.people/columns/a/meta/auditor"


def test_a_manifest_may_be_larger_than_a_policy(tmp_path: Path) -> None:
    document = manifest(a={"name": "a", "tags": ["pii"]})
    document["macros"] = {f"macro.dbt.m{i}": {"macro_sql": "x" * 100, "depends_on": {}} for i in range(30_000)}
    assert roles(tmp_path, document, name="manifest.json") == {"a": (None, True)}


def test_what_is_no_file_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        problems = Problems()
        assert read_contract(path, None, problems, "here", "") is None
        assert [each.code for each in problems.found] == ["file"]


SEVERAL = {
    "models": [{"name": "stays", "columns": [{"name": "model"}]}, {"name": "people", "columns": [{"name": "p"}]}],
    "seeds": [{"name": "codes", "columns": [{"name": "seed"}]}],
    "sources": [
        {"name": "raw", "tables": [{"name": "stays", "columns": [{"name": "source"}]}]},
        {"name": "old", "tables": [{"name": "visits", "columns": [{"name": "old"}]}]},
    ],
}


@pytest.mark.parametrize(
    ("table", "column"),
    [("people", "p"), ("codes", "seed"), ("raw.stays", "source"), ("visits", "old"), ("old.visits", "old")],
)
def test_a_table_is_chosen_by_its_name(tmp_path: Path, table: str, column: str) -> None:
    assert list(roles(tmp_path, SEVERAL, table)) == [column]


def test_a_table_of_the_standard_is_chosen_by_either_name(tmp_path: Path) -> None:
    schema = [{"name": n, "physicalName": f"{n}_v2", "properties": [{"name": n}]} for n in ("one", "two")]
    for name in ("two", "two_v2"):
        assert list(roles(tmp_path, {**STANDARD, "schema": schema}, name)) == ["two"]


def test_a_table_of_a_manifest_is_chosen_by_its_unique_id(tmp_path: Path) -> None:
    document = manifest(a={"name": "a"})
    source = {"resource_type": "source", "name": "people", "source_name": "raw", "columns": {"b": {"name": "b"}}}
    document["sources"] = {"source.shop.raw.people": source}
    for name, column in (("model.shop.people", "a"), ("raw.people", "b"), ("source.shop.raw.people", "b")):
        assert list(roles(tmp_path, document, name, "manifest.json")) == [column]
    (problem,) = reading(tmp_path, document, "people", "manifest.json")
    assert isinstance(problem, Problem)
    assert "2 tables called 'people': model.shop.people, source.shop.raw.people" in problem.what


@pytest.mark.parametrize(
    ("table", "what", "right"),
    [(None, "has 5 tables: stays, people, codes", "--table NAME"), ("stay", "no table 'stay'", "did you mean 'stays'")],
)
def test_a_table_that_is_not_told_is_an_error(tmp_path: Path, table: str | None, what: str, right: str) -> None:
    (problem,) = reading(tmp_path, SEVERAL, table)
    assert isinstance(problem, Problem)
    assert what in problem.what
    assert right in problem.right


# A policy that is held to one

CONTRACT = standard(
    {"name": "email", "tags": ["pii"]},
    {"name": "zip", "customProperties": [{"property": "auditor", "value": "quasi-identifier"}]},
    {"name": "colour", "classification": "public"},
)
HELD = """\
contract: contract.yaml
attributes: {zip: quasi-identifier, ATTRIBUTES}
requirements: [{model: k-anonymity, k: 5}]
"""


@pytest.fixture
def contract(desk: Desk) -> Desk:
    desk.write(yaml.safe_dump(CONTRACT), "contract.yaml")
    return desk


@pytest.mark.parametrize(
    "attributes",
    [
        "email: insensitive",
        "Email: insensitive",
        '"*": insensitive',
        '"e*": insensitive',
        '"E*": insensitive',
        '"e*": insensitive, "*l": identifier',
        "email: identifier, EMAIL: insensitive",
        'Email: identifier, "*": insensitive',
        "Email: identifier}\nundeclared: insensitive\nlimits: {",
        "}\nundeclared: insensitive\nlimits: {",
    ],
)
def test_what_the_contract_calls_personal_is_not_insensitive(contract: Desk, attributes: str) -> None:
    (problem,) = contract.problems(HELD.replace("ATTRIBUTES", attributes))
    assert problem.code == "personal"
    assert problem.what.startswith("'email' is insensitive")
    assert "tag 'pii', contract.yaml:" in problem.what
    assert problem.where.startswith("p.yaml:3" if "undeclared" in attributes else "p.yaml:2")


@pytest.mark.parametrize(
    "attributes",
    [
        "email: identifier, colour: insensitive",
        'email: text, "*": insensitive',
        '"e*": pseudonym, "c*": insensitive',
        "}\nundeclared: quasi-identifier\nlimits: {",
        "colour: insensitive",
    ],
)
def test_any_other_role_will_do(contract: Desk, attributes: str) -> None:
    policy = contract.load(HELD.replace("ATTRIBUTES", attributes))
    assert contract.folder / "contract.yaml" in policy.sources
    assert "contract" not in policy.effective()


@pytest.mark.parametrize("attribute", ["cafe\u0301", "caf\u00e9", "CAF\u00c9", '"c*\u00e9"'])
@pytest.mark.parametrize("name", ["caf\u00e9", "cafe\u0301"])
def test_a_name_is_the_same_in_each_of_its_unicode_forms(contract: Desk, name: str, attribute: str) -> None:
    properties = [{"name": name, "tags": ["pii"]}, {"name": "zip"}]
    contract.write(yaml.safe_dump(standard(*properties)), "contract.yaml")
    (problem,) = contract.problems(HELD.replace("ATTRIBUTES", f"{attribute}: insensitive"))
    assert problem.code == "personal"


def test_each_of_two_columns_of_the_contract_in_other_letters_has_its_own_role(contract: Desk) -> None:
    contract.write(yaml.safe_dump(standard({"name": "mail", "tags": ["pii"]}, {"name": "MAIL"})), "contract.yaml")
    contract.load(HELD.replace("ATTRIBUTES", "mail: text, MAIL: insensitive"))


def test_a_role_is_personal_too(contract: Desk) -> None:
    (problem,) = contract.problems(HELD.replace("zip: quasi-identifier, ATTRIBUTES", "zip: insensitive"))
    assert problem.what.startswith("'zip' is insensitive, and the contract calls it personal (role 'quasi-identifier'")


def test_it_is_inherited_and_found_from_where_it_is_named(contract: Desk) -> None:
    contract.write(
        HELD.replace("ATTRIBUTES", "email: identifier").replace("contract.y", "../contract.y"), "base/b.yaml"
    )
    loose = "extends: [base/b.yaml]\nattributes: {email: insensitive}\n"
    assert [each.code for each in contract.problems(loose)] == ["personal"]


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("none.yaml", "file"),
        ("../c.yaml", "escape"),
        ("p.yaml", "contract"),
        ("{file: contract.yaml, table: x}", "contract"),
    ],
)
def test_a_contract_that_cannot_be_read_is_an_error(contract: Desk, named: str, code: str) -> None:
    text = HELD.replace("ATTRIBUTES", "email: text").replace("contract.yaml", named, 1)
    assert [(each.code, each.where.rpartition(":")[0]) for each in contract.problems(text)] == [(code, "p.yaml:1")]


def test_the_digest_is_that_of_the_same_policy_without_it(contract: Desk) -> None:
    held = HELD.replace("ATTRIBUTES", "email: identifier")
    assert contract.load(held).sha256 == contract.load(held.partition("\n")[2]).sha256


def test_a_policy_without_it_is_weaker_and_the_contents_are_not_compared(contract: Desk) -> None:
    held = contract.write(HELD.replace("ATTRIBUTES", "email: identifier"), "held.yaml")
    free = contract.write(held.read_text().partition("\n")[2], "free.yaml")
    other = contract.write(held.read_text().replace("contract.yaml", "other.yaml"), "else.yaml")
    contract.write(yaml.safe_dump({**CONTRACT, "version": "2"}), "other.yaml")
    policies = [load_policy(file) for file in (held, free, other)]
    assert [
        (each.path, each.verdict)
        for new in policies
        for each in compare(policies[0], new).differences
    ] == [("contract", Strictness.WEAKER), ("contract/file", Strictness.INCOMPARABLE)]  # fmt: skip


def test_a_policy_of_a_revision_is_held_to_the_contract_of_that_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path)
    repository.write("contract.yaml", yaml.safe_dump(CONTRACT))
    repository.write(
        "policies/held.yaml", HELD.replace("ATTRIBUTES", "email: text").replace("contract.y", "../contract.y")
    )
    repository.commit("a contract")
    monkeypatch.chdir(repository.top)
    loose = standard({"name": "zip", "tags": ["pii"]}, {"name": "colour", "tags": ["pii"]})
    repository.write("contract.yaml", yaml.safe_dump(loose))
    repository.write(
        "policies/held.yaml", (repository.top / "policies/held.yaml").read_text().replace("text", "insensitive")
    )
    with policy_at("HEAD:policies/held.yaml") as policy:
        assert policy.contract is not None
        assert policy.attributes["email"].role == "text"
    repository.write("contract.yaml", yaml.safe_dump(CONTRACT))
    with pytest.raises(PolicyError, match="'email' is insensitive"), policy_at("policies/held.yaml"):
        pass
