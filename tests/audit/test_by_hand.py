"""`check` against an audit by hand: random tables under random policies, every figure of the result."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import auditor
from tests.audit import by_hand

PATHS = {
    "flu": ("flu", "lung", "any"),
    "asthma": ("asthma", "lung", "any"),
    "hiv": ("hiv", "blood", "any"),
    "none": ("none", "none", "any"),
    None: (None, None, "any"),
}
TREE = {"any": {"lung": ["flu", "asthma"], "blood": ["hiv"], "none": ["none"]}}
COLUMNS = {
    "sex": st.sampled_from(["f", "m"]),
    "zip": st.sampled_from(["01", "1", "1.0", "NA", None]),
    "site": st.sampled_from(["a", "b", None]),
    "sick": st.sampled_from(["flu", "asthma", "hiv", "none", None]),
    "cost": st.sampled_from(["1", "1.0", "2", "10", "-3"]),
    "grade": st.sampled_from(["low", "mid", "high"]),
    "person": st.sampled_from(["ana", "bo", "cy", "di"]),
}
HIERARCHIES = {"sick": {"tree": TREE}}
SENSITIVE = ("sick", "cost", "grade")
QUASI_IDENTIFIERS = ("sex", "zip", "site")


@st.composite
def requirements(draw: st.DrawFn, index: int) -> dict[str, Any]:
    """Any requirement of the language on the columns above; `sensitive` is one column or several."""
    tenths = st.integers(1, 20).map(lambda n: n / 10)
    shares = st.integers(1, 10).map(lambda n: n / 10)
    small = st.integers(1, 4)
    one_of_three = st.fixed_dictionaries({}, optional={"values": st.just(["flu", "hiv"])})
    own = draw(
        st.one_of(
            st.fixed_dictionaries({"model": st.just("k-anonymity"), "k": small}),
            st.fixed_dictionaries({"model": st.just("max-risk"), "max": shares}),
            st.fixed_dictionaries({"model": st.just("average-risk"), "max": shares}),
            st.fixed_dictionaries({"model": st.just("uniqueness"), "max": st.integers(0, 10).map(lambda n: n / 10)}),
            st.tuples(
                st.fixed_dictionaries({"model": st.just("alpha-k-anonymity"), "alpha": shares, "k": small}),
                one_of_three,
            ).map(lambda parts: {**parts[0], **parts[1]}),
            st.fixed_dictionaries({"model": st.just("p-sensitive-k-anonymity"), "p": small, "k": small}),
            st.fixed_dictionaries({"model": st.just("distinct-l-diversity"), "l": small}),
            st.fixed_dictionaries({"model": st.just("entropy-l-diversity"), "l": st.integers(2, 6).map(lambda n: n / 2)}),
            st.fixed_dictionaries({"model": st.just("recursive-l-diversity"), "c": tenths, "l": small}),
            st.fixed_dictionaries({"model": st.just("basic-beta-likeness"), "beta": tenths}),
            st.fixed_dictionaries({"model": st.just("enhanced-beta-likeness"), "beta": tenths}),
            st.fixed_dictionaries({"model": st.just("delta-disclosure"), "delta": tenths}),
            st.fixed_dictionaries(
                {"model": st.just("t-closeness"), "t": shares, "distance": st.sampled_from(["variational", "kl", "js"])}
            ),
            st.fixed_dictionaries(
                {"model": st.just("t-closeness"), "t": shares},
                optional={"ground": st.sampled_from(["equal", "ordered", "hierarchical"])},
            ),
            column_requirements(),
        )
    )  # fmt: skip
    own |= {"id": f"r{index}", "severity": draw(st.sampled_from(["error", "error", "warning"]))}
    if "attribute" in own:
        return own
    if draw(st.booleans()):
        own["quasi_identifiers"] = draw(st.lists(st.sampled_from(QUASI_IDENTIFIERS), min_size=1, unique=True))
    if own["model"] in ("k-anonymity", "max-risk", "average-risk", "uniqueness"):
        return own
    usable = ["sick"] if own.get("ground") == "hierarchical" or "values" in own else list(SENSITIVE)
    chosen = draw(st.lists(st.sampled_from(usable), min_size=1, max_size=3, unique=True))
    own["sensitive"] = chosen[0] if len(chosen) == 1 else chosen
    own["others"] = draw(st.sampled_from(["ignore", "ignore", "quasi-identifiers"]))
    return own


def column_requirements() -> st.SearchStrategy[dict[str, Any]]:
    missing = st.sampled_from(["allowed", "forbidden"])
    return st.one_of(
        st.fixed_dictionaries({"model": st.just("minimum-level"), "attribute": st.just("sick"), "level": st.integers(1, 2)}),
        st.fixed_dictionaries(
            {"model": st.just("allowed-values"), "attribute": st.just("zip"), "pattern": st.sampled_from(["[0-9]+", "NA|1.0", "1"])},
            optional={"missing": missing},
        ),
        st.fixed_dictionaries(
            {"model": st.just("allowed-values"), "attribute": st.just("site"), "values": st.just(["a"]), "missing": missing}
        ),
        st.fixed_dictionaries(
            {"model": st.just("allowed-values"), "attribute": st.just("cost")},
            optional={"min": st.integers(-3, 2), "max": st.integers(1, 9)},
        ).filter(lambda r: "min" in r or "max" in r),
    )  # fmt: skip


@st.composite
def audits(draw: st.DrawFn) -> tuple[by_hand.Setting, dict[str, Any], list[dict[str, Any]] | None]:
    """(the table, how the policy reads it), the policy, the original table where the policy refers to one."""
    rows = draw(st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=12))
    original = draw(st.none() | st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=8))
    unit = draw(st.sampled_from([None, None, "person"]))
    order = draw(st.sampled_from([None, ["low", "mid", "high"], ["none", "low", "mid", "high", "worst"]]))
    missing_values = draw(st.sampled_from([[], ["NA"]]))
    attributes: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in QUASI_IDENTIFIERS}
    attributes |= {name: {"role": "sensitive"} for name in SENSITIVE}
    attributes["sick"]["hierarchy"] = HIERARCHIES["sick"]
    attributes["cost"]["type"] = "number"
    attributes["zip"]["missing_values"] = missing_values
    attributes["person"] = {"role": "pseudonym"}
    if order is not None:
        attributes["grade"]["order"] = order
    policy: dict[str, Any] = {
        "name": "random",
        "attributes": attributes,
        "missing": draw(st.sampled_from(["value", "wildcard", "reject"])),
        "risk": {"threshold": draw(st.sampled_from([0.2, 0.5, 0.33]))},
        "requirements": [draw(requirements(i)) for i in range(draw(st.integers(1, 5)))],
    }
    if unit is not None:
        policy["unit"] = unit
    if original is not None:
        policy["reference"] = "original"
    known = {
        name: by_hand.Attribute(
            role=each["role"],
            numeric=each.get("type") == "number",
            order=tuple(each["order"]) if "order" in each else None,
            paths=PATHS if name == "sick" else None,
            missing_values=tuple(each.get("missing_values", ())),
        )
        for name, each in attributes.items()
    }
    setting = by_hand.Setting(rows, known, policy["missing"], unit, original, policy["risk"]["threshold"])
    return setting, policy, original


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in COLUMNS})


def expected_results(
    setting: by_hand.Setting, policy: dict[str, Any]
) -> dict[str, tuple[dict[str, Any], by_hand.Expected]]:
    """What the result must say, by the id that the contract gives each requirement."""
    found = {}
    for requirement in policy["requirements"]:
        listed = requirement.get("sensitive")
        for sensitive in listed if isinstance(listed, list) else [listed]:
            name = f"{requirement['id']}-{sensitive}" if isinstance(listed, list) else requirement["id"]
            found[name] = requirement, by_hand.judged(setting, requirement, sensitive)
    return found


def close(number: Any) -> Any:
    return number if number is None else pytest.approx(float(number), rel=1e-9, abs=1e-12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(audits())
def test_every_figure_of_a_result(audit: Any) -> None:
    setting, policy, original = audit
    expected = expected_results(setting, policy)
    assume(len(expected) == sum(len(r["sensitive"]) if isinstance(r.get("sensitive"), list) else 1 for r in policy["requirements"]))  # fmt: skip
    result = auditor.check(table(setting.rows), policy, original=None if original is None else table(original))

    assert [r.id for r in result.requirements] == list(expected)
    for found in result.requirements:
        requirement, wanted = expected[found.id]
        assert found.status.value == wanted.status, (requirement, found.reason)
        assert found.achieved == close(wanted.achieved), requirement
        assert (found.classes_violating, found.records_violating) == (
            wanted.classes_violating,
            wanted.records_violating,
        )
        assert [also.achieved for also in found.also] == ([wanted.smallest] if found.also else [])
        assert found.location is None
    assert result.verdict.value == by_hand.verdict([wanted.status for _, wanted in expected.values()])

    assert result.classes is not None
    assert result.risk is not None
    for name, number in by_hand.classes_block(setting).items():
        assert getattr(result.classes, name) == close(number), name
    for name, number in by_hand.risk_block(setting).items():
        assert getattr(result.risk, name) == close(number), name
    assert result.data is not None
    assert result.data.rows == len(setting.rows)
    assert result.data.units == (by_hand.size(setting, setting.rows) if setting.unit else None)
