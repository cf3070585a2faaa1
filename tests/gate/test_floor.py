"""Floors of the base revision: policies that every release must meet, new ones too, whatever their own policy says."""

from __future__ import annotations

import json

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_WEAKENED, NotEvaluated, PolicyError
from auditor.result import Verdict
from auditor.result.gate import Change, GateStatus, ReleaseResult
from tests.gate.repository import DATA, MANIFEST, Repository, cli
from tests.gate.tables import ALL, PEOPLE

FLOOR_FILE, NEW_FILE, NEW_TABLE = "policies/org.yaml", "policies/new.yaml", "out/new.csv"
FLOOR = "version: 1\nname: org\nrequirements:\n  - {id: floor-k, model: k-anonymity, k: 2}\n"
HELD = MANIFEST.replace("trusted: {", "trusted: {at_least: [policies/org.yaml], ")
RELEASE = "  new: {policy: policies/new.yaml, data: out/new.csv, recipients: [x], purpose: y}\n"
MORE = HELD.replace("trusted:", RELEASE + "trusted:")
NEW = """\
version: 1
name: new
attributes: {age: quasi-identifier, zip: quasi-identifier, diagnosis: sensitive}
requirements:
  - {id: k, model: k-anonymity, k: 2}
"""
ALONE = DATA + "50,3,flu\n"
"""One person is alone in a class."""


@pytest.fixture
def held(repository: Repository) -> Repository:
    """A repository whose base revision has a floor: two in each class."""
    return holding(repository, FLOOR)


def holding(repository: Repository, floor: str) -> Repository:
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", HELD)
    repository.write(FLOOR_FILE, floor)
    repository.commit("a floor")
    repository.git("checkout", "-q", "-B", "change")
    return repository


def adding(repository: Repository, policy: str = NEW, table: str = DATA, entry: str = MORE) -> ReleaseResult:
    """What becomes of a new release."""
    repository.write("auditor.yaml", entry)
    repository.write(NEW_FILE, policy)
    repository.write(NEW_TABLE, table)
    repository.commit()
    return next(each for each in repository.gate("new").releases if each.name == "new")


def test_a_new_release_that_meets_the_floor_needs_nobody(held: Repository) -> None:
    """Its columns are its own business: the floor names none of them, and declares nothing."""
    release = adding(held)
    assert (release.status, release.presence, release.change) == (GateStatus.PASS, Change.NEW, None)
    assert [(floor.name, floor.verdict, floor.met) for floor in release.floors] == [(FLOOR_FILE, Verdict.PASS, True)]
    assert held.gate().exit_code == EXIT_MET


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        NEW.replace("k: 2", "k: 3"),
        "version: 1\nname: new\nextends: [org.yaml]\n" + NEW.split("\n", 2)[2].replace("id: k,", "id: l,"),
        # the k of a diversity follows from it
        NEW.replace("k-anonymity, k: 2", "distinct-l-diversity, l: 2"),
        NEW.replace("{id: k", "{id: l, model: distinct-l-diversity, l: 2}\n  - {id: k"),
        NEW + "risk: {threshold: 0.9}\nmissing: wildcard\n",
        NEW.replace("age: quasi-identifier", "age: {role: quasi-identifier, missing_values: [NA]}"),
    ],
)
def test_a_stricter_one_needs_nobody_either(held: Repository, policy: str) -> None:
    release = adding(held, policy, "age,zip,diagnosis\n" + 3 * "30,1,flu\n30,1,asthma\n30,1,cold\n")
    assert (release.status, release.why) == (GateStatus.PASS, "The policy is met.")


DODGES = {
    "no demand": (NEW.replace("k: 2", "k: 1"), "requirements/k/k"),
    "all columns insensitive": (
        NEW.replace("quasi-identifier", "insensitive"),
        "requirements/floor-k/quasi_identifiers",
    ),
    "fewer quasi-identifiers": (NEW.replace("k: 2", "k: 2, quasi_identifiers: [zip]"), "quasi_identifiers"),
    "a warning": (NEW.replace("k: 2", "k: 2, severity: warning"), "severity"),
    "the floor's id on another model": (
        NEW.replace("{id: k, model: k-anonymity, k: 2", "{id: floor-k, model: average-risk, max: 1"),
        "requirements/floor-k",
    ),
    "extending it, and dropping it": (
        "extends: [org.yaml]\n"
        + NEW.replace("{id: k, model", "{id: floor-k, severity: off, model")
        # something has to be left that judges a dataset
        + "  - {id: u, model: uniqueness, max: 1}\n",
        "requirements/floor-k",
    ),
    "what is not declared passes": (NEW + "undeclared: insensitive\n", "undeclared"),
}


@pytest.mark.slow
@pytest.mark.parametrize("dodge", DODGES)
def test_a_policy_below_the_floor_is_closed(held: Repository, dodge: str) -> None:
    """Even where the files meet the floor: the policy would let others through."""
    policy, field = DODGES[dodge]
    release = adding(held, policy, DATA)
    assert release.status in (GateStatus.WEAKENED, GateStatus.FAIL)
    (floor,) = release.floors
    assert not floor.met
    assert any(field in each.path for each in floor.below), [each.path for each in floor.below]
    assert release.change is not None
    assert held.gate().exit_code in (EXIT_WEAKENED, EXIT_NOT_MET)


WAIVED = "waivers: [{requirement: %s, reason: a long and good one, owner: o, approved_by: dpo@example.org, %s}]\n"
READ_OTHERWISE = {
    "waived": NEW + WAIVED % ("k", "expires: 2099-01-31"),
    "excused by a baseline": NEW + "baseline: [{requirement: k, achieved: {k: 1}, expires: 2099-01-31}]\n",
    "values called missing": NEW.replace(
        "age: quasi-identifier, zip: quasi-identifier",
        "age: {role: quasi-identifier, missing_values: ['40', '50']}, "
        "zip: {role: quasi-identifier, missing_values: ['2', '3']}",
    ),
    "wildcards": NEW.replace(
        "age: quasi-identifier, zip: quasi-identifier",
        "age: {role: quasi-identifier, missing_values: ['50']}, zip: {role: quasi-identifier, missing_values: ['3']}",
    )
    + "missing: wildcard\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("dodge", READ_OTHERWISE)
def test_the_files_are_judged_by_the_floors_own_reading(held: Repository, dodge: str) -> None:
    """The release's policy passes by what it excuses, or how it reads; one person is alone, and the floor says so."""
    release = adding(held, READ_OTHERWISE[dodge], ALONE)
    (floor,) = release.floors
    assert (floor.verdict, floor.failing) == (Verdict.FAIL, ("floor-k",))
    assert release.status is GateStatus.FAIL
    assert held.gate("new").exit_code == EXIT_NOT_MET


def test_the_roles_that_a_floor_names_hold(repository: Repository) -> None:
    """The stronger of both roles counts, by name or by glob, for the policy and for the data."""
    floor = FLOOR + "attributes: {ssn*: identifier, zip: quasi-identifier, age: insensitive}\n"
    held = holding(repository, floor)
    weak = NEW.replace("zip: quasi-identifier", "zip: insensitive")
    release = adding(held, weak, "age,zip,diagnosis\n30,1,flu\n30,1,asthma\n30,2,flu\n")
    assert release.status is GateStatus.FAIL
    assert release.floors[0].failing == ("floor-k",)
    assert "floors/policies/org.yaml/attributes/zip/role" in {each.path for each in release.floors[0].below}
    named = NEW.replace("age: quasi", "ssn_1: insensitive, age: quasi")
    release = adding(held, named, "ssn_1,age,zip,diagnosis\n1,30,1,flu\n2,30,1,asthma\n")
    assert release.floors[0].failing == ("identifiers",)
    assert adding(held, NEW, DATA).status is GateStatus.PASS


@pytest.mark.parametrize("says", ["entry", "policy"])
def test_what_a_floor_does_not_leave_out_is_released(repository: Repository, says: str) -> None:
    """The folder holds a second file: the floor leaves nothing out, whoever else does."""
    held = holding(repository, FLOOR + "not_released: []\n")
    held.write("out/new/a.csv", DATA)
    held.write("out/new/_raw.csv", "age,name\n31,Bob\n")
    folder = MORE.replace("data: out/new.csv,", "data: out/new,")
    entry = folder.replace("recipients: [x]", "not_released: [_raw.csv], recipients: [x]")
    release = (
        adding(held, entry=entry) if says == "entry" else adding(held, NEW + "not_released: [_raw.csv]\n", entry=folder)
    )
    assert release.status is GateStatus.WEAKENED
    assert f"floors/{FLOOR_FILE}/not_released" in {each.path for each in release.floors[0].below}
    assert not release.floors[0].met


def test_persons_and_rows_must_both_do_where_the_floor_does_not_say(held: Repository) -> None:
    """Counting rows, one person alone is two; what the release calls a person is not believed alone."""
    table = "age,zip,diagnosis,person\n30,1,flu,a\n30,1,flu,a\n40,2,flu,b\n40,2,flu,c\n"
    person = NEW.replace("age: quasi", "person: pseudonym, age: quasi")
    assert adding(held, person, table).floors[0].verdict is Verdict.PASS
    release = adding(held, person.replace("k: 2", "k: 1") + "unit: person\n", table)
    assert release.floors[0].failing == ("floor-k",)


def test_an_old_release_is_held_too(held: Repository) -> None:
    """One that was below the floor before, as nobody had a floor: nothing of it changed, and it is closed."""
    held.git("checkout", "-q", "main")
    held.replace(FLOOR_FILE, "k: 2", "k: 3")
    held.commit("a higher floor")
    held.git("checkout", "-q", "-B", "change")
    (release,) = held.gate().releases
    assert (release.status, release.presence) == (GateStatus.FAIL, Change.SAME)
    assert release.why == f"The floor {FLOOR_FILE} is not met (floor-k), and nobody has approved it."


def test_an_approval_opens_it_for_these_files(held: Repository) -> None:
    release = adding(held, READ_OTHERWISE["waived"], ALONE)
    approval = f"weakenings: [{{change: {release.change}, reason: r, approved_by: dpo@example.org}}]\n"
    approved = adding(held, READ_OTHERWISE["waived"], ALONE, MORE + approval)
    assert approved.approval is not None
    assert approved.status is not GateStatus.WEAKENED
    assert "floor" not in approved.why
    other = adding(held, READ_OTHERWISE["waived"], ALONE + "60,4,flu\n", MORE + approval)
    assert (other.approval, other.status) == (None, GateStatus.FAIL)


def test_a_waiver_in_the_floor_excuses_the_release_that_it_names(repository: Repository) -> None:
    waiver = WAIVED % ("floor-k", "scope: {releases: [new]}, expires: 2099-01-31")
    held = holding(repository, FLOOR + waiver)
    release = adding(held, NEW.replace("k: 2", "k: 1"), ALONE)
    assert (release.status, release.floors[0].verdict) == (GateStatus.PASS, Verdict.WAIVED)
    held.write("out/clinic.csv", ALONE)
    held.replace("policies/clinic.yaml", "k: 2", "k: 1")
    found = {each.name: each for each in held.gate().releases}
    assert found["clinic"].floors[0].failing == ("floor-k",)


@pytest.mark.parametrize(
    ("old", "new"),
    [("k: 2", "k: 1"), ("name: org", "name: org\nundeclared: insensitive"), ("k: 2}", "k: 2, severity: warning}")],
)
def test_a_change_cannot_lower_the_floor(held: Repository, old: str, new: str) -> None:
    held.replace(FLOOR_FILE, old, new)
    found = held.gate()
    assert (found.exit_code, found.trusted[0].path.split("/")[0]) == (EXIT_WEAKENED, "floors")
    assert "The floors are weakened" in found.notes[0]
    held.replace(FLOOR_FILE, new, old)
    held.replace(FLOOR_FILE, "k: 2", "k: 3")
    assert held.gate().trusted_change is None


def test_an_approval_of_a_floors_file_is_of_its_contents(repository: Repository) -> None:
    """The file's name says nothing of what an approver has seen in it."""
    ladder = "attributes: {zip: {role: quasi-identifier, hierarchy: {file: zip.csv}}}\n"
    repository.git("checkout", "-q", "main")
    repository.write("policies/zip.csv", "1;low;*\n2;low;*\n")
    held = holding(repository, FLOOR + ladder)
    changes = set()
    for text in ("1;one;*\n2;low;*\n", "1;low;*\n2;two;*\n"):
        held.write("policies/zip.csv", text)
        changes.add(held.gate().trusted_change)
    assert len(changes - {None}) == 2


def test_a_change_cannot_drop_the_floor(held: Repository) -> None:
    held.write("auditor.yaml", MANIFEST)
    found = held.gate()
    assert (found.exit_code, [each.path for each in found.trusted]) == (EXIT_WEAKENED, ["trusted/at_least"])
    assert found.releases[0].floors[0].met


def test_a_floor_is_read_from_the_base_revision(held: Repository) -> None:
    """What the change makes of the file counts once it is merged."""
    held.replace(FLOOR_FILE, "k: 2", "k: 1")
    release = adding(held, NEW.replace("k: 2", "k: 1"), ALONE)
    assert release.floors[0].failing == ("floor-k",)


def test_a_floor_is_no_link(held: Repository) -> None:
    """In the change, and in the base revision."""
    held.git("mv", FLOOR_FILE, "policies/real.yaml")
    (held.top / FLOOR_FILE).symlink_to("real.yaml")
    with pytest.raises(PolicyError, match="a link"):
        held.gate()
    held.commit()
    with pytest.raises(NotEvaluated, match=r"the floor policies/org\.yaml is not a regular file in the base revision"):
        held.gate(base="HEAD")


def test_a_starter_pack_is_a_floor_for_what_it_speaks_of(repository: Repository) -> None:
    """Its rules on tables: nothing is asked of a release of data, and a table is held to them."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", HELD.replace("policies/org.yaml", "uk-sdap-outputs"))
    repository.commit("a floor")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write("p.csv", PEOPLE)
    repository.write("t.json", json.dumps(ALL))
    lax = "version: 1\nname: t\nattributes: {zip: quasi-identifier, sex: quasi-identifier, smoker: sensitive}\n"
    lax += "outputs: [{type: frequency-table, min_cell: 2}]\n"
    repository.write("policies/new.yaml", lax)
    line = "  new: {policy: policies/new.yaml, original: p.csv, outputs: t.json, recipients: [x], purpose: y}\n"
    repository.write(
        "auditor.yaml", HELD.replace("policies/org.yaml", "uk-sdap-outputs").replace("trusted:", line + "trusted:")
    )
    (release,) = repository.gate("new").releases
    assert release.status in (GateStatus.FAIL, GateStatus.WEAKENED)
    assert any(each.path.startswith("floors/uk-sdap-outputs/outputs/") for each in release.floors[0].below)


@pytest.mark.parametrize("entry", ["at_least: [uk-sdap-outputs]", "policy: uk-sdap-outputs"])
def test_a_file_in_a_starter_packs_place(repository: Repository, entry: str) -> None:
    """The base revision means the pack; a file of its name that the change brings is not read in its stead."""
    repository.git("checkout", "-q", "main")
    lines = "  new: {policy: uk-sdap-outputs, original: p.csv, outputs: t.json, recipients: [x], purpose: y}\n"
    manifest = HELD.replace("policies/org.yaml", "uk-sdap-outputs") if "at_least" in entry else MANIFEST
    repository.write(
        "auditor.yaml", manifest if "at_least" in entry else manifest.replace("trusted:", lines + "trusted:")
    )
    repository.write("p.csv", PEOPLE)
    repository.write("t.json", json.dumps(ALL))
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.write("uk-sdap-outputs", "version: 1\nname: x\noutputs: [{type: frequency-table, min_cell: 1}]\n")
    found = repository.gate()
    assert found.exit_code in (EXIT_WEAKENED, EXIT_NOT_MET)
    if "at_least" in entry:
        assert found.trusted[0].path.startswith("floors/uk-sdap-outputs/")
    else:
        release = next(each for each in found.releases if each.name == "new")
        assert release.comparison is not None
        assert not release.comparison.at_least_as_strict


def test_data_beside_outputs_is_released(held: Repository) -> None:
    """A policy that speaks of outputs alone does not keep the floor from the data; a table in the house is another."""
    held.write("t.json", json.dumps(ALL))
    roles = NEW.split("requirements", maxsplit=1)[0]
    held.write("policies/new.yaml", roles + "outputs: [{type: frequency-table, min_cell: 2}]\n")
    held.write(NEW_TABLE, ALONE)
    for role, failing in (("data", ("floor-k",)), ("original", ())):
        line = f"  new: {{policy: policies/new.yaml, {role}: out/new.csv, outputs: t.json, recipients: [x]}}\n"
        held.write("auditor.yaml", HELD.replace("trusted:", line + "trusted:"))
        (release,) = held.gate("new").releases
        assert (release.floors[0].failing, release.floors[0].met) == (failing, not failing)


def test_what_a_floor_cannot_evaluate_is_no_pass(repository: Repository) -> None:
    held = holding(repository, FLOOR + "attributes: {person: pseudonym}\nunit: person\n")
    (release,) = held.gate().releases
    assert release.floors[0].verdict is Verdict.NOT_EVALUATED
    assert held.gate().exit_code in (EXIT_WEAKENED, EXIT_NOT_EVALUATED)


@pytest.mark.slow
def test_every_report_names_the_floor(held: Repository) -> None:
    adding(held, READ_OTHERWISE["waived"], ALONE)
    held.write("auditor.yaml", MORE + "reports: [r.html, r.md, r.xml, r.json]\n")
    code, text, _ = cli(held)
    assert code == EXIT_NOT_MET
    assert f"floor {FLOOR_FILE}: not met (floor-k)" in text
    assert f"floor {FLOOR_FILE}: met" in text
    for name in ("r.html", "r.md", "r.xml"):
        assert f"{FLOOR_FILE}" in (held.top / name).read_text(encoding="utf-8").replace("\\", "")
    document = json.loads((held.top / "r.json").read_text(encoding="utf-8"))
    floors = {each["name"]: each["floors"][0]["verdict"] for each in document["releases"]}
    assert floors == {"new": "fail", "clinic": "pass"}


def test_without_a_floor_nothing_is_said_of_one(repository: Repository) -> None:
    assert repository.gate().releases[0].floors == ()
