"""No number of one class tells the public of a small group: over every model, every limit and every planted class."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
import yaml

import auditor
from auditor.models import ClassModel, RecordRequirement, SensitiveModel, TableModel, registry
from auditor.policy import outputs as output_rules
from auditor.policy import queries as query_limits
from auditor.report import redact
from auditor.report.stored import parse
from auditor.result import Audience, Kind
from auditor.result.queries import Disclosure
from auditor.spec import Spec, limits, specs
from tests.report import samples

K = 11
POPULATION = {"sample": {"population": {"data": "population.csv", "counts": "persons"}}}
MEASURED = [name for name, model in registry().items() if issubclass(model, ClassModel | TableModel)]


@pytest.fixture(autouse=True)
def population(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The population of the tables of this file, for the models that read one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "population.csv").write_text("age,dx,persons\na,flu,200\nb,flu,2000\nc,flu,4000\n", "utf-8")


def demand(name: str) -> dict[str, Any]:
    """The example of a model, of the columns of `table`; what needs a hierarchy is asked for without."""
    model = registry()[name]
    entry: dict[str, Any] = {**yaml.safe_load(model.EXAMPLE), "id": "it"}
    entry.pop("ground", None)
    entry.pop("values", None)
    if issubclass(model, SensitiveModel):
        entry["sensitive"] = "dx"
    return entry


def table(small: int, rare: int, third: int = 300) -> pd.DataFrame:
    """1,000 records: a class of `small`, `rare` of them with a rare value, one of the rest, one of `third`."""
    rows = [("a", "rare")] * rare + [("a", "flu")] * (small - rare)
    rows += [("b", "flu" if i % 2 else "asthma") for i in range(1000 - third - small)]
    rows += [("c", "asthma" if i % 3 else "flu") for i in range(third)]
    return pd.DataFrame(rows, columns=["age", "dx"])


def seen_of(name: str, data: pd.DataFrame, audience: Audience = Audience.PUBLIC) -> dict[str, Any]:
    """What an audience sees of the one model, under a policy whose k is 11."""
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        **POPULATION,
        "requirements": [demand(name), {"id": "k", "model": "k-anonymity", "k": K}],
    }
    document = redact(auditor.check(data, policy), audience).to_dict()
    return next(each for each in document["requirements"] if each["id"] == "it")


@pytest.mark.parametrize("name", MEASURED)
def test_what_the_public_sees_of_a_model_does_not_depend_on_a_small_class(name: str) -> None:
    shown = {(small, rare): seen_of(name, table(small, rare)) for small in (1, 2, 3, 10) for rare in {0, 1, small}}
    for number in ("achieved", "smallest_group"):
        assert len({str(each[number]) for each in shown.values()} - {"None"}) <= 1, number
    assert len({str(also["achieved"]) for each in shown.values() for also in each["also"]} - {"None"}) <= 1


@pytest.mark.parametrize("name", [name for name in MEASURED if issubclass(registry()[name], SensitiveModel)])
def test_nor_on_the_few_in_a_large_class_who_have_or_lack_a_value(name: str) -> None:
    shown = {rare: seen_of(name, table(97, rare)) for rare in (1, 2, 10, 87, 96)}
    assert len({str(each["achieved"]) for each in shown.values()} - {"None"}) <= 1


EDGES = ("low", "high", "violates", "status", "sha256", "reason", "message")
"""What may differ: a verdict is public, and so is in which interval, of ends that the bound gives, a number lies."""


def numbers_of(value: Any, place: str = "") -> dict[str, float]:
    """Every number of a document with its place, but for the ends of intervals."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    found = {} if isinstance(value, bool) or not isinstance(value, int | float) else {place: value}
    for name, part in parts:
        if name not in EDGES:
            found |= numbers_of(part, f"{place}/{name}")
    return found


@pytest.mark.parametrize("name", MEASURED)
def test_no_number_of_the_page_depends_on_a_small_class(name: str) -> None:
    """Whole pages of classes of 1, 2 and 3, among 1,000 records: a number that both show is the same in both.

    So nothing follows from any of them, alone, or from several by sum, difference or ratio.
    """
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        **POPULATION,
        "requirements": [demand(name), {"id": "k", "model": "k-anonymity", "k": K}],
    }
    pages = []
    for small, rare in ((1, 1), (2, 1), (3, 1), (3, 3)):
        # the largest class, which is public, has 695 in each: the third takes up the difference
        data = table(small, rare, 305 - small)
        pages.append(numbers_of(redact(auditor.check(data, policy), Audience.PUBLIC).to_dict()))
    for place in set().union(*pages):
        assert len({page[place] for page in pages if place in page}) == 1, place


@pytest.mark.parametrize("name", [name for name in MEASURED if issubclass(registry()[name], SensitiveModel)])
def test_nor_does_the_bin_in_which_it_lies_tell_of_it(name: str) -> None:
    """Of two small classes with the same verdicts no page tells which it is: from 0.3 to 0.4 is only 1 of 3."""
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        **POPULATION,
        "requirements": [demand(name), {"id": "k", "model": "k-anonymity", "k": K}],
    }
    shown: dict[tuple[str, ...], set[str]] = {}
    for small in range(1, K):
        page = redact(auditor.check(table(small, 1, 305 - small), policy), Audience.PUBLIC).to_dict()["requirements"]
        shown.setdefault(tuple(each["status"] for each in page), set()).add(
            str([each["distribution"] for each in page])
        )
    assert all(len(pages) == 1 for pages in shown.values())


def many(small: int) -> pd.DataFrame:
    """12 classes of one value, one of `small` records with two values, others with three; 12 are alone by their age.

    And `small` more are alone by age and sex.
    """
    rows = [(f"y{j}", "m", "h") for j in range(12) for _ in range(20)]
    rows += [("x", "m", "fg"[i % 2]) for i in range(small)]
    rows += [(f"z{j}", "m", "fgr"[i % 3]) for j in range(12) for i in range(60)]
    rows += [(f"u{j}", "m", "r") for j in range(12)]
    rows += [(f"p{j}", sex, "r") for j in range(small) for sex in "m" * 30 + "f"]
    return pd.DataFrame(rows, columns=["age", "sex", "dx"])


BY_AGE = {"quasi_identifiers": ["age"]}
BOTH: dict[str, list[dict[str, Any]]] = {
    "t": [{"model": "t-closeness", "t": t, "sensitive": "dx", **BY_AGE} for t in (0.55, 0.6)],
    "l": [{"model": "distinct-l-diversity", "l": n, "sensitive": "dx", **BY_AGE} for n in (2, 3)],
    "entropy": [{"model": "entropy-l-diversity", "l": n, "sensitive": "dx", **BY_AGE} for n in (1.5, 2.5)],
    "l and entropy": [
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "dx", **BY_AGE},
        {"model": "entropy-l-diversity", "l": 2.5, "sensitive": "dx", **BY_AGE},
    ],
    "unique": [{"model": "uniqueness", "max": 0.001, **BY_AGE}, {"model": "uniqueness", "max": 0.001}],
    "small": [{"model": "k-anonymity", "k": 2, **BY_AGE}, {"model": "k-anonymity", "k": 8, **BY_AGE}],
}


def counted(page: dict[str, Any]) -> set[int]:
    """The records of one side of something that a page counts, where it has one."""
    found = [each["records_violating"] for each in page["requirements"]]
    shares = [each["achieved"] for each in page["requirements"] if each["kind"] == "share"]
    found += [round(share * page["data"]["rows"]) for share in shares if share is not None]
    found += [step["unique_records"] for step in page["dimensionality"]["steps"]]
    return {number for number in found if number is not None}


@pytest.mark.parametrize("small", [2, 4, 6])
@pytest.mark.parametrize("both", BOTH)
def test_what_two_demands_count_tells_no_small_class_by_their_difference(both: str, small: int) -> None:
    """Of 242 who violate one bound and 240 who violate a wider one, two are a class of their own."""
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "sex": "quasi-identifier", "dx": "sensitive"},
        "requirements": [
            {"id": f"r{i}", **each} for i, each in enumerate([*BOTH[both], {"model": "k-anonymity", "k": K}])
        ],
    }
    result = auditor.check(many(small), policy)
    internal, public = (counted(redact(result, each).to_dict()) for each in (Audience.INTERNAL, Audience.PUBLIC))
    assert any(0 < abs(a - b) < K for a in internal for b in internal)
    assert public - {0}
    assert not [(a, b) for a in public for b in public if 0 < abs(a - b) < K]


@pytest.mark.parametrize("k", [3, 5, K])
def test_no_zero_tells_where_the_sizes_begin(k: int) -> None:
    """30 classes of 20 to 49 records, and one of fewer than k: pages of all these are the same."""
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": k}],
    }
    pages = []
    for small in range(1, k):
        ages = ["x"] * small + ["w"] * (45 - small) + [f"z{i}" for i in range(30) for _ in range(20 + i)]
        page = redact(auditor.check(pd.DataFrame({"age": ages}), policy), Audience.PUBLIC).to_dict()
        pages.append({place: part for place, part in page.items() if place not in ("run", "data")})
    assert pages[0]["classes"]["largest"] == 49
    assert all(page == pages[0] for page in pages)


@pytest.mark.parametrize("name", ["alpha-k-anonymity", "t-closeness", "entropy-l-diversity", "recursive-l-diversity"])
def test_a_number_of_large_groups_alone_stays_public(name: str) -> None:
    large = pd.concat([table(97, 40).query("age != 'a'")] * 3, ignore_index=True)
    seen, whole = seen_of(name, large), seen_of(name, large, Audience.INTERNAL)
    assert seen["achieved"] == whole["achieved"] is not None
    assert whole["smallest_group"] == large.groupby(["age", "dx"]).size().min()


def test_a_number_of_unknown_kind_is_not_public() -> None:
    data = table(100, 50)
    policy = {"version": 1, "name": "p", "attributes": {"age": "quasi-identifier", "dx": "sensitive"}}
    result = auditor.check(data, {**policy, "requirements": [{"model": "uniqueness", "max": 0.5}]})
    old = {**result.to_dict(), "requirements": [{**result.to_dict()["requirements"][0]}]}
    for kind in (None, "of the moon"):
        old["requirements"][0]["kind"] = kind
        seen = parse(auditor_json(old)).document_for(Audience.PUBLIC).to_dict()["requirements"][0]
        assert seen["achieved"] is None
        assert seen["status"] == "pass"


def auditor_json(document: dict[str, Any]) -> str:
    """A document as it is stored."""
    import json

    return json.dumps({**document, "redacted": []})


def test_every_bound_says_what_it_bounds() -> None:
    for name, model in registry().items():
        bound = getattr(model, "bound_field", None)
        if bound is not None:
            assert isinstance(specs(model)[bound].kind, Kind), name
    numbers = {int, float, Fraction}
    for block in (query_limits.Limits, *get_args(get_args(output_rules.Output)[0])):
        told = {path.split("/")[0] for path in limits(block)} | NO_DEMANDS
        bounds = {name for name, field in block.model_fields.items() if numbers & set(_types(field.annotation))}
        assert bounds <= told, block


NO_DEMANDS = {"group_effort"}
"""Numbers that say how long is looked, not what must hold."""


def _types(annotation: Any) -> list[Any]:
    return [each for inner in get_args(annotation) for each in _types(inner)] or [annotation]


def test_a_bound_that_does_not_say_it_is_refused() -> None:
    from typing import Annotated

    from auditor.direction import Stricter

    with pytest.raises(TypeError, match=r"Careless\.max bounds a number, so it needs a Spec"):

        class Careless(RecordRequirement):
            max: Annotated[float, Stricter.LOWER]
            bound_field = "max"


@pytest.mark.parametrize(
    ("spec", "bound", "least"),
    [
        (Spec(Kind.COUNT, people=True), 11, 11),
        (Spec(Kind.RISK, people=True), 0.09, 12),  # 1/0.09 = 11.1…: classes of 12
        (Spec(Kind.RISK, people=True), 0.1, 10),
        (Spec(Kind.COUNT, people=False), 60, None),
        (Spec(Kind.TRUTH, people=True), True, None),
    ],
)
def test_the_least_number_of_people_of_a_bound(spec: Spec, bound: Any, least: int | None) -> None:
    assert spec.least(bound) == least


def policy_of_limits(**limits: Any) -> auditor.Policy:
    """A policy on a log alone."""
    attributes = {"id": "identifier", "n": "quasi-identifier", "salary": {"role": "sensitive", "type": "number"}}
    queries = {"table": "staff", "key": "id", "limits": limits}
    return auditor.load_policy({"version": 1, "name": "p", "attributes": attributes, "queries": queries})


@pytest.mark.parametrize(
    ("limits", "threshold"),
    [
        ({"query_set_size": {"min": 60}, "min_group": 30}, 60),
        ({"min_group": 30}, 30),
        ({"max_overlap": 50, "max_queries": 200}, None),  # at most so many: that asks for no least number
    ],
)
def test_the_threshold_comes_from_query_limits_too(limits: dict[str, Any], threshold: int | None) -> None:
    from auditor.policy.facts import protection_threshold

    assert protection_threshold(policy_of_limits(**limits)) == threshold


def test_a_public_page_of_a_log_hides_what_is_below_its_limits(tmp_path: Path) -> None:
    staff = pd.DataFrame({"id": range(120), "n": range(120), "salary": range(120)})
    log = tmp_path / "log.sql"
    log.write_text("SELECT sum(salary) FROM staff WHERE n < 50;\nSELECT sum(salary) FROM staff;\n", encoding="utf-8")
    policy = policy_of_limits(query_set_size={"min": 60}, min_group=30)
    seen = redact(auditor.audit_queries(log, policy, staff), Audience.PUBLIC).to_dict()
    assert seen["structural"]["smallest_query_set"] is None
    size = next(each for each in seen["requirements"] if each["model"] == "query-set-size")
    assert size["status"] == "fail"
    assert size["achieved"] is None


def test_what_is_internal_is_in_no_repr() -> None:
    planted = samples.failing()
    (worst, *_) = planted.requirements[0].exposed
    assert worst.key is not None
    names = {field.name for field in fields(worst) if field.repr} | {f.name for f in fields(Disclosure) if f.repr}
    assert not names & {"key", "number", "records", "value", "low", "high", "users", "insider"}
    assert "exposed" not in repr(planted.requirements[0])
    assert repr(planted) == "<Result: fail, policy hospital-discharge, 1 of 5 requirements met>"


def test_a_repr_holds_no_record() -> None:
    """Of whatever the package gives back beside a document: a repr goes to logs, whatever it stands for."""
    data = pd.DataFrame({"age": [31.0, 32.0] * 10, "dx": ["SECRET", "flu"] * 10})
    attributes = {"age": {"role": "quasi-identifier", "type": "number"}, "dx": "sensitive"}
    policy = {"version": 1, "name": "p", "attributes": attributes, "requirements": [{"model": "k-anonymity", "k": 2}]}
    masking = {"protection": [{"method": "noise", "attributes": ["age"], "kind": "uncorrelated", "p": 1}]}
    lenient = {**policy, "requirements": [{"model": "k-anonymity", "k": 1}], **masking}
    given = (
        auditor.remediate(data, policy),
        auditor.mask(data, lenient),
        auditor.hide([["a", "SECRET"]] * 3 + [["a"]] * 9, [["SECRET"]], min_support=4),
    )
    for each in given:
        assert each.data is not None
        assert "SECRET" not in repr(each)
        assert "31" not in repr(each)
    held = {type(each) for each in given}
    public = {getattr(auditor, name) for name in auditor.__all__ if isinstance(getattr(auditor, name), type)}
    assert held == {
        each
        for each in public
        if any(
            f.name == "data"
            for f in getattr(each, "__dataclass_fields__", {}).values()
            if f.type in ("Any", "list[list[str]] | None")
        )
    }
