"""What is planted in the data, and in the names of its columns, is on no page below the internal audience."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.report import formats, redact, render
from auditor.report.rendered import page_of
from auditor.report.stored import parse
from auditor.result import Audience

BELOW = (Audience.PUBLIC, Audience.REVIEWER)
ROLES = ("insensitive", "quasi-identifier", "sensitive", "pseudonym", "identifier")
NAMES = st.text(st.sampled_from("abz 019.,;:=*[]{}<>|&\"'`\\/\n\té…"), min_size=0, max_size=12).map("SECRET{}".format)
"""Names with every mark that a message or a format writes in a way of its own."""


def planted(name: str, *, number: bool = False) -> pd.DataFrame:
    """24 records with a column of a secret name, of categories or of numbers."""
    column: list[Any] = [n * 7 % 24 + 0.5 for n in range(24)] if number else ["SECRETa", "SECRETb"] * 12
    return pd.DataFrame(
        {"age": [30 + n // 8 for n in range(24)], name: column, "dx": ["flu", "cold", "flu"] * 8, "pay": range(24)}
    )


def policy(name: str, role: str, how: str, **blocks: Any) -> dict[str, Any]:
    """A policy that reaches the column without its name: by ``"*"``, by a glob with a beginning, or as undeclared."""
    attributes: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [5, 10, 100]}}},
        "dx": "sensitive",
        "pay": {"role": "sensitive", "type": "number"},
    }
    if how != "undeclared":
        attributes[how] = role
    return {
        "version": 1,
        "name": "p",
        "attributes": attributes,
        "undeclared": role if how == "undeclared" else "fail",
        **blocks,
    }


def pages(result: Any, audience: Audience) -> dict[str, str]:
    """Every format of a result, at once and from the stored document of each wider audience."""
    wider = [each for each in Audience if list(Audience).index(each) >= list(Audience).index(audience)]
    found = {}
    for kept in wider:
        again = parse(render(redact(result, kept), "json")).document_for(audience).to_dict()
        assert again == redact(result, audience).to_dict()
    for format_ in formats.of(type(page_of(redact(result, audience)))):
        found[format_] = str(render(redact(result, audience), format_))
    return found | {"repr": repr(result)}


def leaks(result: Any) -> list[tuple[str, str, str]]:
    """Where something planted stands."""
    found = []
    for audience in BELOW:
        for format_, page in pages(result, audience).items():
            where = page.find("SECRET")
            if where >= 0:
                found.append((audience.value, format_, page[max(0, where - 100) : where + 60]))
    return found


def reached(role: str, how: str) -> list[str]:
    """The glob by which a list of columns reaches the secret one."""
    return [how] if how == "S*" and role != "identifier" else []


def of_check(name: str, role: str, how: str) -> Any:
    """Every requirement that may say the name of a column."""
    demanded: list[dict[str, Any]] = [
        {"model": "k-anonymity", "k": 30},
        {"model": "distinct-l-diversity", "l": 9, "sensitive": "dx", "others": "quasi-identifiers"},
        {"model": "max-linkage-risk", "max": 0.01, "match": "position"},
    ]
    if role == "sensitive" and how != "undeclared":
        demanded += [{"model": "distinct-l-diversity", "l": 9, "sensitive": how, "others": "quasi-identifiers"}]
    asked = policy(name, role, how, requirements=demanded)
    return auditor.check(planted(name), asked, original=planted(name, number=True))


def of_numbers(name: str, role: str, how: str) -> Any:
    """Numbers as text, which are told, and missing values, which are refused."""
    data = planted(name, number=True).astype({name: str})
    data.loc[3, name] = None
    asked = policy(name, role, how, requirements=[{"model": "t-closeness", "t": 0.01, "sensitive": "pay"}])
    return auditor.check(data, {**asked, "missing": "reject"})


def of_remediate(name: str, role: str, how: str) -> Any:
    """What is chosen of each quasi-identifier, and what is in its way."""
    demanded = [{"model": "k-anonymity", "k": 5}, {"model": "distinct-l-diversity", "l": 2, "sensitive": "dx"}]
    return auditor.remediate(planted(name), policy(name, role, how, requirements=demanded)).result


def of_mask(name: str, role: str, how: str) -> Any:
    """The masked columns, what is known of them, and what was lost."""
    methods = [{"method": "noise", "attributes": ["pay", *reached(role, how)], "kind": "uncorrelated", "p": 0.2}]
    asked = policy(name, role, how, protection=methods, requirements=[{"model": "k-anonymity", "k": 2}])
    return auditor.mask(planted(name, number=True), asked, seed=1).result


def of_tradeoff(name: str, role: str, how: str) -> Any:
    """A sweep over the column."""
    methods = [{"method": "rank-swapping", "attributes": ["pay", *reached(role, how)], "p": 30}]
    asked = policy(name, role, how, protection=methods, requirements=[{"model": "k-anonymity", "k": 2}])
    return auditor.tradeoff(planted(name, number=True), asked, seeds=1, processes=1)


def of_queries(name: str, role: str, how: str) -> Any:
    """A log that asks for the column by its name."""
    from auditor.queries import Statement

    quoted = '"' + name.replace('"', '""') + '"'
    log = [
        Statement(1, f"SELECT sum({quoted}), max({quoted}) FROM staff WHERE age < 31", "SECRET user"),
        Statement(2, "SELECT sum(pay) FROM staff WHERE pay > 3 AND age < 31", "SECRET user"),
        Statement(3, f"SELECT sum(pay) AS {quoted} FROM staff GROUP BY {quoted}"),
    ]
    queries = {"table": "staff", "limits": {"exact_value": "deny", "min_group": 5}}
    return auditor.audit_queries(log, policy(name, role, how, queries=queries), planted(name, number=True))


def of_outputs(name: str, role: str, how: str) -> Any:
    """A table of the column's values."""
    table = pd.crosstab(planted(name)[name], planted(name)["dx"])
    rules = [{"type": "frequency-table", "min_cell": 5, "differencing": True}]
    return auditor.check_outputs(table, policy(name, role, how, outputs=rules), planted(name))


COMMANDS: dict[str, Callable[[str, str, str], Any]] = {
    name.removeprefix("of_"): command for name, command in globals().items() if name.startswith("of_")
}


CASES = [("check", role, how) for role in ROLES for how in ("*", "S*", "undeclared")] + [
    (command, role, how)
    for command in COMMANDS
    if command != "check"
    for role, how in (("insensitive", "undeclared"), ("sensitive", "*"), ("quasi-identifier", "S*"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "role", "how"), CASES)
def test_the_name_of_a_column_that_the_policy_does_not_name(command: str, role: str, how: str) -> None:
    result = COMMANDS[command]('SECRET it\'s "x"', role, how)
    assert not leaks(result)
    assert "SECRET" in str(redact(result, Audience.INTERNAL).to_dict())


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES, st.sampled_from(["check", "numbers"]), st.sampled_from(["*", "undeclared"]))
def test_whatever_marks_the_name_has(name: str, command: str, how: str) -> None:
    assert not leaks(COMMANDS[command](name, "sensitive", how))


def test_a_column_that_the_policy_names_keeps_its_name() -> None:
    named = {**policy("SECRET", "insensitive", "SECRET"), "requirements": [{"model": "k-anonymity", "k": 2}]}
    roles = redact(auditor.check(planted("SECRET"), named), Audience.PUBLIC).to_dict()["data"]["column_roles"]
    assert [each["name"] for each in roles] == ["age", "SECRET", "dx", "pay"]


def test_a_place_stands_wherever_the_name_stood() -> None:
    shown = redact(of_check("SECRET", "sensitive", "*"), Audience.REVIEWER).to_dict()
    assert [each["name"] for each in shown["data"]["column_roles"]] == ["age", "column 2", "dx", "pay"]
    ids = [each["id"] for each in shown["requirements"]]
    assert "distinct-l-diversity-2-column-2" in ids or any(each.endswith("-column-2") for each in ids)
    by_column = next(each for each in shown["requirements"] if each["sensitive"] == "column 2")
    assert by_column["id"] in {each["requirement"] for each in shown["findings"]}


def test_types_name_no_value_and_no_field() -> None:
    data = pd.DataFrame({"age": [1, 1], "dx": pd.Categorical(["SECRETa", "SECRETb"]), "pay": [1.0, 2.0]})
    data["nested"] = [{"SECRET": 1}, {"SECRET": 2}]
    asked = policy("x", "insensitive", "*", outputs=[{"type": "frequency-table", "min_cell": 1}])
    told = [
        auditor.check(data, {**asked, "outputs": [], "requirements": [{"model": "k-anonymity", "k": 2}]}),
        auditor.check_outputs(pd.crosstab(data["age"], data["pay"]), asked, data),
    ]
    for result in told:
        assert not leaks(result)
        assert [each["type"] for each in redact(result, Audience.PUBLIC).to_dict()["data"]["column_roles"]][1] == "enum"
