"""The written release in every mode: a plain recount of the file, row by row, agrees with what the result promises."""

from __future__ import annotations

import csv
import importlib
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit import judged
from auditor.dialect import CsvDialect
from auditor.engines import RunLimits
from auditor.errors import OutOfTime
from auditor.remediate import remediate
from tests.remediate.test_release_property import AGES, MOODS, PLACES, TREE, age_at, mood_at, place_at

LABELS = {"age": age_at, "place": place_at, "mood": mood_at}
ATTRIBUTES: dict[str, Any] = {
    "id": "identifier",
    "person": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 20], "start": 0}}},
    "place": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
    "mood": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    "dx": "sensitive",
    "hiv": "sensitive",
    "key": "pseudonym",
}
Row = dict[str, str]
OUTSIDE = [{"person": f"q{i}", "dx": "abca"[i % 4], "hiv": "nny"[i % 3]} for i in range(12)]


def rows(*, gaps: bool) -> st.SearchStrategy[list[Row]]:
    """Rows of the table; with `gaps` an empty quasi-identifier is a missing one."""
    gap = [""] if gaps else []
    one = st.fixed_dictionaries(
        {
            "person": st.sampled_from([f"p{i}" for i in range(14)]),
            "age": st.sampled_from(AGES + gap),
            "place": st.sampled_from(PLACES + gap),
            "mood": st.sampled_from(MOODS + gap),
            "dx": st.sampled_from("abc"),
            "hiv": st.sampled_from("ny"),
        }
    )
    return st.lists(one, min_size=4, max_size=30).map(
        lambda found: [{name: f"{name}{i}" for name in ATTRIBUTES} | row for i, row in enumerate(found)]
    )


requirements = st.lists(
    st.one_of(
        st.builds(lambda k: {"model": "k-anonymity", "k": k}, st.integers(2, 5)),
        st.builds(
            lambda k, names: {"model": "k-anonymity", "k": k, "quasi_identifiers": names},
            st.integers(2, 6),
            st.sampled_from([["age"], ["place", "mood"]]),
        ),
        st.builds(
            lambda n, name, others: {"model": "distinct-l-diversity", "l": n, "sensitive": name, "others": others},
            st.integers(2, 3), st.sampled_from(["dx", "hiv"]), st.sampled_from(["ignore", "quasi-identifiers"]),
        ),
        st.builds(
            lambda t, name: {"model": "t-closeness", "t": t, "distance": "variational", "sensitive": name},
            st.sampled_from([0.2, 0.35, 0.5]), st.sampled_from(["dx", "hiv"]),
        ),
        st.builds(lambda p: {"model": "average-risk", "max": p}, st.sampled_from([0.5, 0.3])),
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip
remediations = st.fixed_dictionaries(
    {
        "suppression_limit": st.sampled_from([0, 0.3, {"records": 4}, 1.0]),
        "objective": st.sampled_from(["loss", "discernibility", "average-class-size"]),
        "suppress": st.sampled_from(["remove", "star"]),
    }
)
modes = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["value", "wildcard"]),
        "unit": st.sampled_from([None, "person"]),
        "reference": st.sampled_from(["released", "original", "reference.csv"]),
    }
)


def write(path: Path, table: list[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return path


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def policy_of(folder: Path, asked: list[dict[str, Any]], how: dict[str, Any], mode: dict[str, Any]) -> Path:
    named = [requirement | {"id": f"r{i}"} for i, requirement in enumerate(asked)]
    policy = {"name": "p", "attributes": ATTRIBUTES, "requirements": named, "remediation": how}
    policy |= {name: value for name, value in mode.items() if value is not None}
    file = folder / "policy.yaml"
    file.write_text(yaml.safe_dump(policy), encoding="utf-8")
    return file


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans().flatmap(lambda gaps: rows(gaps=gaps)), requirements, remediations, modes)
def test_the_written_file_keeps_what_the_result_promises(
    tmp_path: Path, table: list[Row], asked: list[dict[str, Any]], how: dict[str, Any], mode: dict[str, Any]
) -> None:
    data, target = write(tmp_path / "data.csv", table), tmp_path / "release.csv"
    target.unlink(missing_ok=True)
    outside = write(tmp_path / "reference.csv", OUTSIDE)
    policy = policy_of(tmp_path, asked, how, mode)
    done = remediate(data, policy, output=target)
    if done.solution is None:
        assert not target.exists()
        return
    assert done.passed
    levels, released = done.solution.levels, read(target)
    assert list(released[0]) == ["age", "place", "mood", "dx", "hiv", "key"]
    original = {row["key"]: row for row in table}
    starred = {row["key"] for row in released if _is_star(row, original[row["key"]], levels, mode)}
    for row in released:
        was = original[row["key"]]
        expected = {name: _label(name, levels[name], was, row, mode) for name in LABELS}
        if row["key"] in starred:
            expected = dict.fromkeys(LABELS, "*")
        assert row == {**expected, "dx": was["dx"], "hiv": was["hiv"], "key": row["key"]}
    gone = starred if how["suppress"] == "star" else set(original) - {row["key"] for row in released}
    limit = how["suppression_limit"]
    allowed = limit["records"] if isinstance(limit, dict) else int(Fraction(str(limit)) * len(table))
    assert len(gone) <= done.solution.suppressed_records <= allowed
    if how["suppress"] == "remove":
        assert len(gone) == done.solution.suppressed_records
    else:
        assert len(released) == len(table)
    if mode["unit"] is not None and how["suppress"] == "remove":
        assert not {original[key]["person"] for key in gone} & {original[row["key"]]["person"] for row in released}
    with_persons = [{**row, "person": original[row["key"]]["person"]} for row in released]
    q = {"released": with_persons, "original": table, "reference.csv": read(outside)}[mode["reference"]]
    for requirement in asked:
        assert _holds(requirement, with_persons, q, mode), requirement
    if mode["unit"] is None:
        again = auditor.check(target, policy, original=data)
        assert again.passed


def _label(name: str, level: int, was: Row, row: Row, mode: dict[str, Any]) -> str:
    if was[name]:
        return LABELS[name](level, was[name])
    # by value, a missing one joins the others where a level has one label that says nothing
    return row[name] if mode["missing"] == "value" and row[name] in {"*", "**"} else ""


def _is_star(row: Row, was: Row, levels: Any, mode: dict[str, Any]) -> bool:
    """Whether a record stayed as `*`, which its own labels would not be."""
    own = [_label(name, levels[name], was, row, mode) for name in LABELS]
    return [row[name] for name in LABELS] == ["*"] * 3 != own


def _group(row: Row, released: list[Row], names: list[str], mode: dict[str, Any]) -> list[Row]:
    """The records that agree with one: a missing value agrees with anything, or is empty on both sides alike."""
    wild = mode["missing"] == "wildcard"
    return [
        other for other in released
        if all(row[name] == other[name] or (wild and "" in (row[name], other[name])) for name in names)
    ]  # fmt: skip


def _count(group: list[Row], name: str, mode: dict[str, Any]) -> Counter[str]:
    pairs = [(row[name], row.get("person", "")) for row in group]
    return Counter(value for value, _ in (set(pairs) if mode["unit"] else pairs))


def _holds(requirement: dict[str, Any], released: list[Row], q: list[Row], mode: dict[str, Any]) -> bool:
    """The requirement's definition, record by record."""
    names = list(requirement.get("quasi_identifiers", LABELS))
    sensitive = requirement.get("sensitive", "dx")
    if requirement.get("others") == "quasi-identifiers":
        names += [name for name in ("dx", "hiv") if name != sensitive]
    groups = [_group(row, released, names, mode) for row in released]
    sizes = [len({row["person"] for row in group}) if mode["unit"] else len(group) for group in groups]
    match requirement["model"]:
        case "k-anonymity":
            return min(sizes) >= requirement["k"]
        case "average-risk":
            return sum(Fraction(1, size) for size in sizes) / len(sizes) <= Fraction(str(requirement["max"]))
        case "distinct-l-diversity":
            return all(len({row[sensitive] for row in group}) >= requirement["l"] for group in groups)
        case "t-closeness":
            whole = _count(q, sensitive, mode)
            far = [_variational(_count(group, sensitive, mode), whole) for group in groups]
            return max(far) <= Fraction(str(requirement["t"]))
    raise AssertionError(requirement)


def _variational(p: Counter[str], q: Counter[str]) -> Fraction:
    values = {*p, *q}
    return sum((abs(Fraction(p[v], p.total()) - Fraction(q[v], q.total())) for v in values), Fraction()) / 2


def test_the_recount_can_fail() -> None:
    mode = {"missing": "value", "unit": "person", "reference": "released"}
    one = {"age": "1", "place": "AA", "mood": "low", "dx": "a", "hiv": "n"}
    twice = [{**one, "person": "p1"}, {**one, "person": "p1", "dx": "b"}]
    assert not _holds({"model": "k-anonymity", "k": 2}, twice, twice, mode)
    assert _holds({"model": "k-anonymity", "k": 2}, twice, twice, mode | {"unit": None})
    diverse = {"model": "distinct-l-diversity", "l": 2, "others": "quasi-identifiers", "sensitive": "hiv"}
    assert not _holds(diverse, twice, twice, mode)


@pytest.mark.parametrize("kind", ["pandas", "csv", "parquet", "jsonl"])
def test_persons_go_whole_and_are_not_in_the_release(tmp_path: Path, kind: str) -> None:
    # p9 stands in both classes; of age 71 only p8 and p9 are left, who are two persons in three rows: both go, and with
    # p9 a row of age 21, which still has three persons
    table = [("p1", "21"), ("p2", "21"), ("p3", "21"), ("p9", "21"), ("p8", "71"), ("p8", "71"), ("p9", "71")]
    frame = pd.DataFrame(table, columns=["person", "age"])
    policy = {
        "name": "persons",
        "unit": "person",
        "attributes": {"person": "identifier", "age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "requirements": [{"model": "k-anonymity", "k": 3}],
        "remediation": {"suppression_limit": {"records": 4}, "levels": {"age": {"max": 0}}},
    }
    if kind == "pandas":
        done = auditor.remediate(frame, policy)
        assert done.data.to_dict("list") == {"age": ["21"] * 3}
    else:
        target = tmp_path / f"release.{kind}"
        frame.to_csv(tmp_path / "data.csv", index=False)
        done = remediate(tmp_path / "data.csv", policy, output=target)
        read_back = {"csv": pd.read_csv, "parquet": pd.read_parquet, "jsonl": lambda p: pd.read_json(p, lines=True)}
        assert read_back[kind](target).astype(str).to_dict("list") == {"age": ["21"] * 3}
        assert [path.name for path in tmp_path.iterdir() if "tmp" in path.name] == []
        assert done.after is not None
        assert done.after.data is not None
        assert done.after.data.sha256 == sha256(target.read_bytes()).hexdigest()
    assert done.passed
    assert done.solution is not None
    assert done.solution.suppressed_records == 4
    assert done.after is not None
    assert done.after.data is not None
    assert (done.after.data.units, done.after.data.rows, done.after.data.columns) == (3, 3, 1)
    assert [column.name for column in done.after.data.column_roles] == ["age"]
    fewer = policy | {"remediation": {**policy["remediation"], "suppression_limit": {"records": 3}}}  # type: ignore[dict-item]
    assert auditor.remediate(frame, fewer).solution is None


def test_records_that_stay_as_stars_are_a_class_of_their_own(tmp_path: Path) -> None:
    data = tmp_path / "data.parquet"
    pd.DataFrame({"age": [21] * 4 + [35, 47, 71], "dx": list("abababa")}).to_parquet(data)
    policy = {
        "name": "stars",
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}, "dx": "sensitive"},
        "requirements": [{"model": "k-anonymity", "k": 3}],
        "remediation": {"suppress": "star", "suppression_limit": {"records": 3}, "levels": {"age": {"max": 0}}},
    }
    target = tmp_path / "release.parquet"
    assert remediate(data, policy, output=target).passed
    assert Counter(pd.read_parquet(target)["age"]) == {"21": 4, "*": 3}
    four = policy | {"requirements": [{"model": "k-anonymity", "k": 4}]}
    done = remediate(data, four)
    assert done.solution is None
    assert done.shortfall is not None
    assert [obstacle.enough for obstacle in done.shortfall.obstacles] == [3]
    digits = {"model": "allowed-values", "attribute": "age", "pattern": "[0-9]+"}
    plain = policy | {"requirements": [{"model": "k-anonymity", "k": 3}, digits]}
    assert remediate(data, plain).solution is None


def test_an_original_is_read_as_the_user_said(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_bytes(b"age#dx\n" + "21#'Grün'\n71#'rot'\n".encode("latin-1") * 6)
    policy = {
        "name": "original",
        "reference": "original",
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}, "dx": "sensitive"},
        "requirements": [{"model": "t-closeness", "t": 0.1, "distance": "variational"}],
    }
    done = remediate(data, policy, output=tmp_path / "r.csv", csv=CsvDialect("#", "'", "latin-1"))
    assert done.passed
    assert (tmp_path / "r.csv").read_text("utf-8") == "age#dx\n" + "*#Grün\n" * 6 + "*#rot\n" * 6


def test_a_release_without_its_units_names_no_command_that_would_verify_it(tmp_path: Path) -> None:
    pd.DataFrame({"person": list("abc"), "age": ["21"] * 3}).to_csv(tmp_path / "d.csv", index=False)
    policy: dict[str, Any] = {
        "unit": "person",
        "attributes": {"person": "identifier", "age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "requirements": [{"model": "k-anonymity", "k": 3}],
    }
    done = remediate(tmp_path / "d.csv", policy, output=tmp_path / "r.csv", reproduce="auditor check r.csv")
    assert done.result.reproduce is None
    assert auditor.check(tmp_path / "r.csv", policy).exit_code == 3
    single = policy | {"unit": {"column": "person", "rows": "one-per-unit"}}
    done = remediate(tmp_path / "d.csv", single, output=tmp_path / "r.csv", reproduce="auditor check r.csv")
    assert done.result.reproduce == "auditor check r.csv"
    assert auditor.check(tmp_path / "r.csv", single).passed


def test_one_time_limit_holds_for_the_search_and_every_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[RunLimits] = []

    def noting(*given: Any, **options: Any) -> Any:
        seen.extend(each for each in given if isinstance(each, RunLimits))
        return judged(*given, **options)

    monkeypatch.setattr("auditor.remediate._remediate.judged", noting)
    monkeypatch.setattr("auditor.remediate._written.judged", noting)
    frame = pd.DataFrame({"age": ["21"] * 3})
    policy = {
        "attributes": {"age": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": 3}],
        "remediation": {"search": "optimal", "suppression_limit": "0%"},
    }
    assert auditor.remediate(frame, policy, time_limit=60).passed
    assert len(seen) == 3  # before, the written release, the table handed out
    assert {id(each) for each in seen} == {id(seen[0])}
    assert seen[0].seconds == 60
    with pytest.raises(OutOfTime):
        auditor.remediate(frame, policy, time_limit=1e-9)


def test_what_cannot_be_judged_is_not_searched_and_is_reported(tmp_path: Path) -> None:
    pd.DataFrame({"age": ["21"] * 3}).to_csv(tmp_path / "d.csv", index=False)
    policy = {
        "attributes": {"age": "quasi-identifier", "person": "pseudonym"},
        "unit": "person",
        "requirements": [{"model": "k-anonymity", "k": 3}],
    }
    done = remediate(tmp_path / "d.csv", policy, output=tmp_path / "r.csv")
    assert (done.exit_code, done.solution, done.shortfall) == (3, None, None)
    assert done.before is not None
    assert not (tmp_path / "r.csv").exists()


def test_columns_that_no_level_makes_comply_leave_no_solution(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    pd.DataFrame({"age": ["21"] * 3, "note": ["x"] * 3}).to_csv(data, index=False)
    policy = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}, "note": "insensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 3},
            {"id": "notes", "model": "allowed-values", "attribute": "note", "values": ["y"]},
        ],
    }
    done = remediate(data, policy, output=tmp_path / "r.csv")
    assert (done.exit_code, done.solution, done.after) == (1, None, None)
    assert done.shortfall is not None
    assert [(each.requirement, each.columns) for each in done.shortfall.obstacles] == [("notes", ("note",))]
    assert "notes: note would not comply at any level that may be searched" in done.result.to_html()
    assert not (tmp_path / "r.csv").exists()


def test_the_room_is_called_as_its_function_is() -> None:
    assert signature(auditor.remediate) == signature(remediate)
    assert signature(importlib.import_module("auditor.remediate")) == signature(remediate)  # type: ignore[arg-type]
