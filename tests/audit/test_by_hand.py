"""`check` against an audit by hand: random tables under random policies, every figure of the result."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
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


TENTHS = st.integers(1, 20).map(lambda n: n / 10)
SHARES = st.integers(1, 10).map(lambda n: n / 10)
SMALL = st.integers(1, 4)
MISSING = st.sampled_from(["allowed", "forbidden"])


def entry(model: str, optional: dict[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"model": st.just(model), **fields}, optional=optional)


ON_SIZES = st.one_of(
    entry("k-anonymity", k=SMALL),
    entry("max-risk", max=SHARES),
    entry("average-risk", max=SHARES),
    entry("uniqueness", max=st.integers(0, 10).map(lambda n: n / 10)),
)
ON_VALUES = st.one_of(
    entry("alpha-k-anonymity", {"values": st.just(["flu", "hiv"])}, alpha=SHARES, k=SMALL),
    entry("p-sensitive-k-anonymity", p=SMALL, k=SMALL),
    entry("distinct-l-diversity", l=SMALL),
    entry("entropy-l-diversity", l=st.integers(2, 6).map(lambda n: n / 2)),
    entry("recursive-l-diversity", c=TENTHS, l=SMALL),
    entry("basic-beta-likeness", beta=TENTHS),
    entry("enhanced-beta-likeness", beta=TENTHS),
    entry("delta-disclosure", delta=TENTHS),
    entry("t-closeness", t=SHARES, distance=st.sampled_from(["variational", "kl", "js"])),
    entry("t-closeness", {"ground": st.sampled_from(["equal", "ordered", "hierarchical"])}, t=SHARES),
)
ON_COLUMNS = st.one_of(
    entry("minimum-level", attribute=st.just("sick"), level=st.integers(1, 2)),
    entry(
        "allowed-values",
        {"missing": MISSING},
        attribute=st.just("zip"),
        pattern=st.sampled_from(["[0-9]+", "NA|1.0", "1"]),
    ),
    entry("allowed-values", attribute=st.just("site"), values=st.just(["a"]), missing=MISSING),
    entry("allowed-values", {"min": st.integers(-3, 2)}, attribute=st.just("cost"), max=st.integers(1, 9)),
    entry("allowed-values", {"max": st.integers(1, 9)}, attribute=st.just("cost"), min=st.integers(-3, 2)),
)


@st.composite
def requirements(draw: st.DrawFn, index: int) -> dict[str, Any]:
    """Any requirement of the language on the columns above; `sensitive` is one column or several."""
    found = draw(st.one_of(ON_SIZES, ON_VALUES, ON_VALUES, ON_COLUMNS))
    found |= {"id": f"r{index}", "severity": draw(st.sampled_from(["error", "error", "warning"]))}
    if "attribute" in found:
        return found
    if draw(st.booleans()):
        found["quasi_identifiers"] = draw(st.lists(st.sampled_from(QUASI_IDENTIFIERS), min_size=1, unique=True))
    if found["model"] in ("k-anonymity", "max-risk", "average-risk", "uniqueness"):
        return found
    only_sick = found.get("ground") == "hierarchical" or "values" in found
    usable = ["sick"] if only_sick else list(SENSITIVE)
    chosen = draw(st.lists(st.sampled_from(usable), min_size=1, max_size=3, unique=True))
    found["sensitive"] = chosen[0] if len(chosen) == 1 else chosen
    found["others"] = draw(st.sampled_from(["ignore", "ignore", "quasi-identifiers"]))
    return found


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


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(audits())
def test_every_figure_of_a_result(audit: Any) -> None:
    setting, policy, original = audit
    expected = expected_results(setting, policy)
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
