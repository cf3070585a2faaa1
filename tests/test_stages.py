"""Stages: their times add up, a watcher sees each of them, and nobody else's threads are seen."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import auditor
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience
from auditor.stages import Moment, Stage, done_by, present, recorded, stage, tell, watching

TABLE = "zip,age,diagnosis\n" + "".join(f"{z},{a},{d}\n" for z in (1, 2) for a in (3, 4) for d in "xyxz")
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"zip": "quasi-identifier", "age": "quasi-identifier", "diagnosis": "sensitive"},
    "requirements": [{"model": "k-anonymity", "k": 3}],
    "remediation": {},
}


def spend(seconds):
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        pass


def test_the_clock_of_a_stage_stands_still_while_another_one_runs_inside():
    with recorded() as record:
        began = time.perf_counter()
        with stage(Stage.COUNTING):
            spend(0.01)
            with stage(Stage.HASHING):
                spend(0.03)
        whole = time.perf_counter() - began
    outer, inner = record.spent[Stage.COUNTING].seconds, record.spent[Stage.HASHING].seconds
    assert outer >= 0.01
    assert inner >= 0.03
    assert outer + inner <= whole
    assert list(record.spent) == [Stage.COUNTING, Stage.HASHING]


def test_work_that_is_recorded_by_itself_counts_in_full_for_the_stage_around_it():
    with recorded() as record, stage(Stage.AUDITING_DATA), recorded() as own, stage(Stage.COUNTING):
        spend(0.02)
    assert set(record.spent) == {Stage.AUDITING_DATA}
    assert record.spent[Stage.AUDITING_DATA].seconds >= own.spent[Stage.COUNTING].seconds >= 0.02


def test_a_stage_that_runs_twice_is_one_with_the_time_of_both_and_the_most_rows():
    with recorded() as record:
        for rows in (7, 3, None):
            with stage(Stage.WRITING, rows):
                spend(0.005)
    assert record.spent[Stage.WRITING].rows == 7
    assert record.spent[Stage.WRITING].seconds >= 0.015


def test_a_stage_that_fails_is_recorded_and_the_one_around_it_goes_on():
    seen = []
    with recorded() as record, watching(seen.append), stage(Stage.SEARCHING):
        with pytest.raises(ValueError, match="broken"), stage(Stage.COUNTING):
            raise ValueError("broken")
        tell(1, 2, "nodes")
    assert set(record.spent) == {Stage.SEARCHING, Stage.COUNTING}
    assert seen[-1] == Moment((Stage.SEARCHING,), 1, 2, "nodes")


def test_a_watcher_sees_every_stage_with_those_around_it():
    seen = []
    with watching(seen.append), stage(Stage.AUDITING_RELEASE), recorded(), stage(Stage.COUNTING, 5):
        here = present()
        here.tell(50, 100, "%")
    paths = [moment.path for moment in seen]
    both = (Stage.AUDITING_RELEASE, Stage.COUNTING)
    assert paths == [both[:1], both, both, both[:1]]
    assert seen[2] == Moment(both, 50, 100, "%", 5)


def test_nobody_is_told_of_what_other_threads_do_and_nothing_is_left_afterwards():
    seen = []

    def elsewhere():
        with stage(Stage.MASKING):
            return present()

    with recorded() as record, watching(seen.append), ThreadPoolExecutor(1) as pool:
        assert pool.submit(elsewhere).result() is None
    assert record.spent == {}
    assert seen == []
    assert present() is None


def test_the_engine_is_the_first_that_opened_data():
    with recorded() as record:
        done_by("spark", "4.0")
        done_by("duckdb", "2.0")
    assert (record.engine, record.version) == ("spark", "4.0")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def stages_of(work):
    return [each.stage for each in work.stages]


def test_a_result_says_which_engine_counted_how_many_rows_and_that_its_stages_do_not_overlap(table):
    import duckdb

    began = time.perf_counter()
    work = auditor.check(table, POLICY).work
    whole = time.perf_counter() - began
    assert (work.engine, work.version) == ("duckdb", duckdb.__version__)
    assert stages_of(work) == ["opening", "counting", "judging", "hashing"]
    assert {each.rows for each in work.stages if each.stage in ("counting", "judging")} == {16}
    assert 0 < sum(each.seconds for each in work.stages) <= whole + 0.002  # each rounded to a millisecond


def test_a_remediation_has_its_own_stages_and_each_of_its_audits_its_own(table, tmp_path):
    result = auditor.remediate(table, POLICY, output=tmp_path / "r.csv").result
    wanted = ["auditing the data", "opening", "counting", "searching", "writing", "auditing the release"]
    assert stages_of(result.work) == [*wanted, "looking at alternatives"]
    by_name = {each.stage: each for each in result.work.stages}
    for audit, around in ((result.before, "auditing the data"), (result.after, "auditing the release")):
        assert stages_of(audit.work)[:3] == ["opening", "counting", "judging"]
        assert sum(each.seconds for each in audit.work.stages) <= by_name[around].seconds + 0.003


def test_two_runs_are_equal_whatever_their_times(table):
    first, second = auditor.check(table, POLICY), auditor.check(table, POLICY)
    assert first.work is not second.work
    assert first == second


@pytest.mark.parametrize("audience", list(Audience))
def test_the_times_are_not_for_the_public(table, audience):
    document = redact(auditor.check(table, POLICY), audience).to_dict()
    assert document["work"]["engine"] == "duckdb"
    assert (document["work"]["stages"] is None) == (audience is Audience.PUBLIC)
    assert not any(path.startswith("work") for path in document["redacted"])


@pytest.mark.parametrize("format_", sorted(set(FORMATS) - {"json"}))
def test_no_format_but_json_shows_a_time(table, format_):
    result = auditor.check(table, POLICY)
    shown, without = (redact(each, Audience.INTERNAL) for each in (result, replace(result, work=None)))
    assert render(shown, format_) == render(without, format_)


def test_documents_with_times_and_without_are_read_back(table):
    document = redact(auditor.check(table, POLICY), Audience.REVIEWER).to_dict()
    for stored in (document, {**document, "work": None}, {k: v for k, v in document.items() if k != "work"}):
        again = parse(json.dumps(stored)).document_for(Audience.REVIEWER).to_dict()
        assert again == {**document, "work": stored.get("work")}
    public = parse(json.dumps(document)).document_for(Audience.PUBLIC).to_dict()
    assert public["work"]["stages"] is None
    assert parse(json.dumps(public)).document_for(Audience.PUBLIC).to_dict() == public


def test_the_documentation_knows_every_stage():
    text = Path("docs/progress.md").read_text(encoding="utf-8")
    listed = [line.split("|")[1].strip().strip("`") for line in text.splitlines() if line.startswith("| `")]
    assert set(listed) == {name.value for name in Stage}
