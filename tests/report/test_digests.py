"""A digest confirms a guess of a small file, so below the internal audience it is that of a release, or hidden."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience, Result

BELOW = (Audience.PUBLIC, Audience.REVIEWER)
MET, UNMET = 2, 9


def policy(k: int = MET, **blocks: Any) -> dict[str, Any]:
    attributes = {"age": "quasi-identifier", "pay": {"role": "sensitive", "type": "number"}}
    return {"version": 1, "name": "p", "attributes": attributes, **blocks} | (
        {} if k == 0 else {"requirements": [{"model": "k-anonymity", "k": k}]}
    )


def table(folder: Path, records: int = 8) -> Path:
    drawn = random.Random(1)
    file = folder / "stays.csv"
    lines = [f"{30 + n % 2},{n if records < 100 else drawn.random()}\n" for n in range(records)]
    file.write_text("age,pay\n" + "".join(lines), encoding="utf-8")
    return file


def told(result: Result, file: Path) -> set[Audience]:
    """The audiences that read the digest of a file in some format, at once or from a stored document."""
    digest = sha256(file.read_bytes()).hexdigest()
    found = set()
    for audience in Audience:
        stored = parse(render(redact(result, Audience.INTERNAL), "json")).document_for(audience)
        for document in (redact(result, audience), stored):
            pages = [str(render(document, format_)) for format_ in FORMATS]
            if any(digest[:12] in page for page in pages):
                found.add(audience)
    return found


def test_of_a_small_release_that_failed_the_public_sees_none(tmp_path: Path) -> None:
    file = table(tmp_path)
    assert told(auditor.check(file, policy(MET)), file) == set(Audience)
    assert told(auditor.check(file, policy(UNMET)), file) == {Audience.INTERNAL, Audience.REVIEWER}


def test_of_a_small_table_before_its_release_nobody_below_internal_sees_one(tmp_path: Path) -> None:
    file = table(tmp_path)
    assert told(auditor.check(file, policy(MET), source=True), file) == {Audience.INTERNAL}


def test_a_large_file_is_not_guessed(tmp_path: Path) -> None:
    file = table(tmp_path, 12_000)
    assert told(auditor.check(file, policy(20_000)), file) == set(Audience)
    assert told(auditor.check(file, policy(MET), source=True), file) == set(Audience)


@pytest.mark.parametrize("made", ["mask", "remediate", "queries", "outputs"])
def test_of_a_small_table_that_stays_nobody_below_internal_sees_one(made: str, tmp_path: Path) -> None:
    file = table(tmp_path)
    if made == "mask":
        noise = {"method": "noise", "attributes": ["pay"], "kind": "uncorrelated", "p": 5}
        result: Result = auditor.mask(file, policy(MET, protection=[noise]), seed=1).result
    elif made == "remediate":
        result = auditor.remediate(file, policy(MET)).result
    elif made == "queries":
        log = tmp_path / "log.sql"
        log.write_text("SELECT sum(pay) FROM stays;\n", encoding="utf-8")
        result = auditor.audit_queries(log, policy(0, queries={"table": "stays"}), file)
        assert told(result, log) == {Audience.INTERNAL}
    else:
        output = tmp_path / "table.csv"
        output.write_text("age,count\n30,4\n31,4\n", encoding="utf-8")
        rules = [{"type": "frequency-table", "min_cell": 5}]
        result = auditor.check_outputs(output, policy(0, outputs=rules), file)
        assert result.verdict == "fail"
        assert told(result, output) == {Audience.INTERNAL, Audience.REVIEWER}
    assert told(result, file) == {Audience.INTERNAL}


def test_an_older_document_does_not_say_whether_it_can_be_guessed(tmp_path: Path) -> None:
    file = table(tmp_path, 12_000)
    document = auditor.check(file, policy(20_000)).to_dict()
    del document["data"]["guessable"]
    shown = parse(json.dumps({**document, "redacted": []})).document_for(Audience.PUBLIC).to_dict()
    assert shown["data"]["sha256"] is None
