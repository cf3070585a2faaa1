"""A stored result read back: the same value, no wider audience, and clear errors for what is not one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience, is_of_queries
from tests.report import query_samples, samples
from tests.report.every import EVERY


def stored(name: str, audience: Audience) -> str:
    return render(redact(EVERY[name](), audience), "json")


@pytest.mark.parametrize("name", EVERY)
def test_an_internal_document_reads_back_as_its_result(name: str) -> None:
    result = parse(stored(name, Audience.INTERNAL)).result
    assert redact(result, Audience.INTERNAL).to_dict() == redact(EVERY[name](), Audience.INTERNAL).to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("kept", Audience)
@pytest.mark.parametrize("wanted", Audience)
def test_rendering_again_gives_what_rendering_at_once_would_have(name: str, kept: Audience, wanted: Audience) -> None:
    again = parse(stored(name, kept))
    widths = list(Audience)
    if widths.index(wanted) > widths.index(kept):
        with pytest.raises(UsageError, match=f"stored for audience {kept}"):
            again.document_for(wanted)
    else:
        assert again.document_for(wanted).to_dict() == redact(EVERY[name](), wanted).to_dict()


def test_an_older_document_is_shown_and_its_numbers_of_no_kind_are_hidden_from_the_public() -> None:
    """The first example report, from before results said the kind of a number."""
    (file,) = (Path(__file__).parent / "older").glob("*.json")
    written = json.loads(file.read_text(encoding="utf-8"))
    assert not any("kind" in each for each in written["requirements"])
    found = parse(file.read_bytes())
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        shown = found.document_for(audience)
        assert [each["status"] for each in shown.to_dict()["requirements"]] == ["fail"] * 5 + ["warning"]
        assert all(render(shown, name) for name in FORMATS)
    achieved = [each["achieved"] for each in found.document_for(Audience.REVIEWER).to_dict()["requirements"]]
    assert achieved == [each["achieved"] for each in written["requirements"]]
    assert {each["achieved"] for each in found.document_for(Audience.PUBLIC).to_dict()["requirements"]} == {None}


def test_unknown_keys_are_tolerated_and_left_out() -> None:
    document = json.loads(stored("failing", Audience.REVIEWER))
    document["added_later"] = document["data"]["added_later"] = {"cell": "SECRET"}
    again = parse(json.dumps(document)).document_for(Audience.REVIEWER).to_dict()
    assert again == redact(samples.failing(), Audience.REVIEWER).to_dict()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON document"),
        ("{", "not a JSON document"),
        ("[" * 100_000, "not a JSON document"),
        ('{"schema_version": NaN}', "not a JSON document"),
        (b"\xff\xfe\x00", "not a JSON document"),
        ("1" * 5000, "not a JSON document"),
        ("[]", "no schema_version"),
        ('"text"', "no schema_version"),
        ("{}", "no schema_version"),
        ('{"schema_version": 2}', "schema_version is not 1"),
        ('{"schema_version": 1}', "tool should be present"),
    ],
)
def test_what_is_not_a_result_is_a_clear_error(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse(text)


def test_a_document_that_is_not_shown_again_is_named_as_what_it_is() -> None:
    """A comparison of policies is for everybody: nothing of it is redacted, so nothing of it is read back."""
    policy = load_policy(
        {"attributes": {"age": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
    )
    document = compare(policy, policy).to_dict() | {"audience": "public"}
    with pytest.raises(DataError, match="the document of auditor diff is not shown again"):
        parse(json.dumps(document))
    for command in ("check", "gate"):
        with pytest.raises(DataError, match="the document of a dry run is not shown again"):
            parse(json.dumps({"schema_version": 1, "command": command, "dry_run": True}))


def test_a_document_is_redacted_as_what_it_is_whatever_its_command_says() -> None:
    log = replace(next(iter(query_samples.AUDITS.values()))(), command="check")
    assert is_of_queries(log)
    assert not is_of_queries(replace(samples.failing(), command="queries"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("audience", "everyone", "audience should be one of public, reviewer, internal"),
        ("audience", None, "audience should be one of"),
        ("verdict", "maybe", "verdict should be one of"),
        ("verdict", [], "verdict should be one of"),
        ("data/rows", "many", "data/rows should be a whole number"),
        ("data/rows", True, "data/rows should be a whole number"),
        ("requirements", {}, "requirements should be a list"),
        ("requirements/0/bound", [], "requirements/0/bound should be a number or text"),
        ("requirements/0/location/line", None, "requirements/0/location/line should be a whole number"),
        ("requirements/1/distribution/0/violates", 1, "should be true or false"),
        ("policy/name", None, "policy/name should be text"),
        ("redacted", [1], "redacted/0 should be text"),
        ("classes/quasi_identifiers", "age", "classes/quasi_identifiers should be a list"),
    ],
)
def test_a_wrong_part_is_named_by_its_path_and_never_by_its_value(path: str, value: Any, message: str) -> None:
    document = json.loads(stored("failing", Audience.REVIEWER))
    *parents, last = path.split("/")
    place = document
    for step in parents:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    with pytest.raises(DataError, match=message):
        parse(json.dumps(document))


def test_a_forged_list_of_redactions_hides_nothing_that_is_there() -> None:
    document = json.loads(stored("failing", Audience.PUBLIC))
    document["redacted"] += ["data", "verdict", "requirements/99/achieved", "policy/name", "a/b", ""]
    again = parse(json.dumps(document))
    assert again.redacted == tuple(redact(samples.failing(), Audience.PUBLIC).to_dict()["redacted"])
    for format_ in FORMATS:
        render(again.document_for(Audience.PUBLIC), format_)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.slow
@given(st.data())
def test_a_damaged_document_is_an_error_or_still_renders(data: st.DataObject) -> None:
    document = json.loads(stored("failing", Audience.REVIEWER))
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        deeper = isinstance(place[key], (dict, list)) and place[key]
        if not deeper or data.draw(st.booleans()):
            break
        place = place[key]
    if data.draw(st.booleans()):
        place[key] = data.draw(values)
    else:
        del place[key]
    try:
        again = parse(json.dumps(document))
    except DataError:
        return
    for format_ in FORMATS:
        render(again.document_for(Audience.PUBLIC), format_).encode()
        if again.audience is not Audience.PUBLIC:
            render(again.document_for(Audience.REVIEWER), format_).encode()
