"""Names that differ only in case or Unicode form: two files here, one on other machines."""

from __future__ import annotations

from fnmatch import fnmatchcase
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED, NotEvaluated
from auditor.gate._twins import nearly, spelled, twins
from auditor.policy.git import Git
from auditor.policy.revision import RevisionFiles
from auditor.policy.tree import Tree
from auditor.result import Strictness
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository

NFC, NFD = (normalize(form, "müller") for form in ("NFC", "NFD"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["Policies/clinic.yaml", "policies/Clinic.yaml", "Auditor.yaml", "out/CLINIC.csv", "OUT/Clinic.CSV"],
)
@pytest.mark.parametrize("base", [False, True], ids=["new", "in the base revision, too"])
def test_a_twin_of_what_is_read_is_not_evaluated(repository: Repository, name: str, *, base: bool) -> None:
    repository.write(name, "releases: {}\n" if name == "Auditor.yaml" else DATA)
    repository.commit()
    if base:
        repository.git("branch", "-q", "-f", "main")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    (note,) = (each for each in found.notes if "only in case or Unicode form" in each)
    assert repr(name) in note
    repository.git("rm", "-q", name)
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET, "whoever mends it is not stopped"


def test_a_twin_that_is_staged_and_a_link_in_place_of_a_folder(repository: Repository) -> None:
    (repository.top / "Policies").symlink_to("elsewhere")
    repository.git("add", "-A")
    assert "'Policies' and 'policies' differ" in repository.gate().notes[0]
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize("other", [NFD, f"{NFC}\u200c", f"\ufeff{NFC}"])
def test_unicode_forms_of_one_name(repository: Repository, other: str) -> None:
    repository.replace("auditor.yaml", "out/clinic.csv", f"out/{NFC}.csv")
    for name in (NFC, other):
        repository.write(f"out/{name}.csv", DATA)
    repository.commit()
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize(
    ("name", "named"),
    [("policies/base.yaml", "policies/Base.yaml"), ("teams/a.yaml", "teams/A.yaml"), ("r.jsonl", "R.jsonl")],
    ids=["extended", "included", "the ledger"],
)
def test_what_rules_name(repository: Repository, name: str, named: str) -> None:
    repository.git("checkout", "-q", "main")
    repository.write("policies/base.yaml", POLICY)
    repository.write("policies/clinic.yaml", "name: clinic\nextends: [base.yaml]\n")
    repository.write("teams/a.yaml", "releases: {a: {policy: ../policies/base.yaml, data: ../out/clinic.csv}}\n")
    manifest = MANIFEST.replace("days: 90", "days: 90, ledger: r.jsonl")
    repository.write("auditor.yaml", f"{manifest}include: [teams/a.yaml]\n")
    repository.write("r.jsonl", "")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write(named, (repository.top / name).read_text(encoding="utf-8"))
    repository.commit()
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


TESTS = "policy: clinic.yaml\ntests:\n- {name: t, data: t.csv, expect: pass}\n"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsABgH5C9okWi0dh2l9GKJl\n"


@pytest.mark.parametrize(
    "twin",
    ["policies/Clinic_test.yaml", "policies/clinic_TEST.yaml", "policies/T.csv", "keys/DPO.pub", "Certificates/a.json"],
)
def test_what_is_read_beside_the_rules(repository: Repository, twin: str) -> None:
    """Policy tests with their tables, keys of signers, certificates of the base revision."""
    repository.git("checkout", "-q", "main")
    repository.write("policies/clinic_test.yaml", TESTS)
    repository.write("policies/t.csv", DATA)
    repository.write("keys/dpo.pub", KEY)
    manifest = MANIFEST.replace("90}", "90, signers: {dpo@example.org: keys/dpo.pub}}")
    repository.write("auditor.yaml", manifest + "weakenings: approvals/*.yaml\n")
    repository.write("certificates/a.json", '{"predicateType": "https://slsa.dev/verification_summary/v1"}')
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write(twin, "x")
    repository.commit()
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any(repr(twin) in note or repr(twin.partition("/")[0]) in note for note in found.notes)


def test_twins_of_nothing_that_is_read(repository: Repository) -> None:
    for name in ("Makefile", "makefile", "docs/A.yaml", "docs/a.yaml", "Out/other.csv", "out/other.csv"):
        repository.write(name, "a: 1\n")
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("out/*.csv", "Out/more.csv"),
        ("out/*.csv", "out/more.CSV"),
        ("out/*.csv", "out/more.CSV/part.csv"),
        ("out", "OUT/more.csv"),
        ("out/**/*.csv", "out/2026/More.Csv"),
    ],
)
def test_a_file_that_a_place_names_on_other_machines(repository: Repository, place: str, name: str) -> None:
    """A glob and a folder name more files where case does not count; nobody would have judged these."""
    repository.replace("auditor.yaml", "out/clinic.csv", place)
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET
    repository.write(name, DATA + "90,9,rare\n")
    repository.commit()
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any(repr(name) in note and "case and Unicode forms are ignored" in note for note in found.notes)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("last", "Out/more.csv"),
        ("last/*.csv", "Out/more.csv"),
        ("l*/**/*.csv", "Out/2026/more.csv"),
        ("all/**/*.csv", "OUT/more.csv"),
        ("all/*/*.csv", "Out/more.csv"),
    ],
)
def test_a_file_that_a_place_names_on_other_machines_through_a_link(
    repository: Repository, place: str, name: str
) -> None:
    (repository.top / "last").symlink_to("out")
    (repository.top / "all").mkdir()
    (repository.top / "all/last").symlink_to("../out")
    repository.replace("auditor.yaml", "out/clinic.csv", f"'{place}'")
    repository.write("Out/more.txt" if "*" in place else "Other/more.csv", "x\n")
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET
    repository.write(name, DATA + "90,9,rare\n")
    repository.commit()
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any(repr(name) in note and "case and Unicode forms are ignored" in note for note in found.notes)


PARTS = st.sampled_from(["a", "A", "ß", "ss", "**", "*", "?", "[aA]"])


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(st.sampled_from("aAß"), min_size=1, max_size=4))
def test_what_a_pattern_matches_but_for_case(pattern: list[str], parts: list[str]) -> None:
    """Beside a second reading of patterns: by their first part, and the rest."""

    def matches(parts: list[str], pattern: list[str]) -> bool:
        if not pattern or not parts:
            return not parts and all(part == "**" for part in pattern)
        if pattern[0] == "**":
            return matches(parts, pattern[1:]) or matches(parts[1:], pattern)
        return fnmatchcase(parts[0], pattern[0]) and matches(parts[1:], pattern[1:])

    name, place = "/".join(parts), "/".join(pattern)
    alike = matches(name.casefold().split("/"), place.casefold().split("/"))
    assert list(nearly(spelled([name]), place)) == ([name] if alike and not matches(parts, pattern) else [])


def test_a_rename_by_case_is_compared(repository: Repository) -> None:
    repository.git("mv", "policies/clinic.yaml", "policies/Clinic.yaml")
    repository.git("mv", "out/clinic.csv", "out/Clinic.csv")
    repository.write("auditor.yaml", MANIFEST.replace("clinic.", "Clinic."))
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET
    repository.write("out/Clinic.csv", DATA + "40,2,flu\n")
    (release,) = repository.gate().releases
    assert Strictness.WEAKER in {each.verdict for each in release.changes if each.path == "releases/clinic/data"}
    repository.write("out/Clinic.csv", DATA)
    repository.replace("policies/Clinic.yaml", "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED
    repository.write("policies/Clinic.yaml", POLICY)
    repository.write("auditor.yaml", MANIFEST.replace("clinic.", "Clinic.").replace("  clinic:", "  CLINIC:"))
    assert repository.gate().exit_code == EXIT_WEAKENED, "the release of that name is judged no more"


def test_a_copy_of_the_base_revision_overwrites_nothing(repository: Repository) -> None:
    """As on a file system on which `A.csv` is `a.csv`: the first of them is there when the second is written."""
    copy = repository.top / ".git" / "copy"
    copy.mkdir()
    snapshot = RevisionFiles(Tree(Git(repository.top), "HEAD", repository.top), "HEAD", copy)
    (copy / "auditor.yaml").touch()
    with pytest.raises(NotEvaluated, match="but for case"):
        snapshot.file("auditor.yaml")


@given(st.lists(st.text("aAbßſ/üÜ", min_size=1).filter(lambda n: all(n.split("/"))), max_size=6, unique=True))
def test_what_two_names_are_to_a_file_system(names: list[str]) -> None:
    """Beside pairwise comparison: a twin of a file is another spelling of its whole name, or of a folder around it."""
    read = names[:1]

    def alike(one: str, other: str) -> bool:
        return one != other and one.casefold() == other.casefold()

    heads = ["/".join(name.split("/")[: n + 1]) for name in names for n in range(name.count("/") + 1)]
    mine = ["/".join(name.split("/")[: n + 1]) for name in read for n in range(name.count("/") + 1)]
    leaves = {name.casefold() for name in names}
    expected = any(
        one.casefold() == own.casefold() and alike(one, other) and one.casefold() in leaves
        for own in mine
        for one in heads
        for other in heads
    )
    assert bool(list(twins(names, read))) is expected
