"""What the target branch got since a change began: it holds, whoever chose where to begin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED, NotEvaluated, PolicyError
from auditor.gate._reference import stricter_of
from auditor.gate._schema import Trusted
from auditor.policy.reading import Stricter, choices_of, directions, order
from auditor.result import Strictness
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository
from tests.gate.test_floor import ALONE, FLOOR, FLOOR_FILE, HELD, NEW, NEW_FILE, NEW_TABLE, RELEASE
from tests.gate.test_waivers import begun, both, judged

TARGET = {"GITHUB_BASE_REF": "main"}
NEWCOMER = MANIFEST.replace("trusted:", RELEASE + "trusted:")


def on_main(repository: Repository, **files: str) -> None:
    """Main goes on, and the change does not."""
    repository.git("checkout", "-q", "main")
    for name, text in files.items():
        repository.write(name.replace("__", "/") + ".yaml", text)
    repository.commit("main goes on")
    repository.git("checkout", "-q", "change")


def newcomer(repository: Repository, table: str = DATA, policy: str = NEW) -> None:
    repository.write("auditor.yaml", NEWCOMER)
    repository.write(NEW_FILE, policy)
    repository.write(NEW_TABLE, table)
    repository.commit("a new release")


@pytest.mark.parametrize("environment", [TARGET, {}], ids=["a platform", "here"])
def test_a_floor_that_the_change_began_before(repository: Repository, environment: dict[str, str]) -> None:
    newcomer(repository, ALONE, NEW.replace("k: 2", "k: 1"))
    assert repository.gate(environment=environment).exit_code == EXIT_MET, "nothing held it"
    on_main(repository, auditor=HELD, policies__org=FLOOR)
    found = repository.gate(environment=environment)
    release = next(each for each in found.releases if each.name == "new")
    assert (release.status, release.why) == (
        GateStatus.FAIL,
        f"The floor {FLOOR_FILE} is not met (floor-k), and nobody has approved it.",
    )
    assert any("The change began before the present settings of the target branch" in note for note in found.notes)
    newcomer(repository)
    assert repository.gate(environment=environment).exit_code == EXIT_MET, "what meets it needs nobody"


def test_what_the_target_demands_can_be_approved(repository: Repository) -> None:
    newcomer(repository, ALONE, NEW.replace("k: 2", "k: 1"))
    on_main(repository, auditor=HELD, policies__org=FLOOR)
    change = next(each.change for each in repository.gate("new").releases)
    entry = f"weakenings: [{{change: {change}, reason: r, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", NEWCOMER + entry)
    repository.commit("approved")
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(("k", "status"), [(3, GateStatus.FAIL), (1, GateStatus.PASS)])
def test_a_floor_is_the_one_that_the_target_has_now(repository: Repository, k: int, status: GateStatus) -> None:
    """Raised it holds, and lowered it does: the change leaves it as it is."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", HELD)
    repository.write(FLOOR_FILE, FLOOR)
    repository.commit("a floor")
    repository.git("checkout", "-q", "-B", "change")
    weak = {"table": ALONE, "policy": NEW.replace("k: 2", "k: 1")} if k == 1 else {}
    newcomer(repository, **weak)
    repository.write("auditor.yaml", HELD.replace("trusted:", RELEASE + "trusted:"))
    repository.commit("with the floor")
    on_main(repository, policies__org=FLOOR.replace("k: 2", f"k: {k}"))
    release = next(each for each in repository.gate("new").releases)
    assert release.status is status


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[dpo@example.org]", "[other@example.org]", "who is no longer an approver of the target branch"),
        ("max_waiver_days: 90", "max_waiver_days: 5", "ends more than 5 days from now"),
    ],
)
def test_a_waiver_is_held_to_what_the_target_trusts_now(repository: Repository, old: str, new: str, why: str) -> None:
    begun(repository, both())
    repository.commit("nothing")
    assert judged(repository).status is GateStatus.WAIVED
    on_main(repository, auditor=MANIFEST.replace(old, new))
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert why in release.why


@pytest.mark.parametrize("setting", ["max_approval_days: 5", "unsigned: forbidden"])
def test_an_approval_is_held_to_what_the_target_trusts_now(repository: Repository, setting: str) -> None:
    repository.replace("policies/clinic.yaml", "l: 2", "l: 1")
    repository.commit("weaker")
    (release,) = repository.gate().releases
    entry = f"weakenings: [{{change: {release.change}, reason: r, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", MANIFEST + entry)
    repository.commit("approved")
    assert repository.gate().exit_code == EXIT_MET
    place = "weakenings: approvals/*.yaml\n"  # where approvals can be signed
    on_main(repository, auditor=MANIFEST.replace("90}", f"90, {setting}}}") + place)
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_variable_that_the_target_lists_no_more_is_not_read(repository: Repository) -> None:
    listed = MANIFEST.replace("90}", "90, env: [RAW]}").replace("out/clinic.csv", "'${RAW}/clinic.csv'")
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", listed)
    repository.commit("a variable")
    repository.git("checkout", "-q", "-B", "change")
    environment = {"RAW": str(repository.top / "out")}
    assert repository.gate(environment=environment).exit_code == EXIT_MET
    on_main(repository, auditor=MANIFEST)
    with pytest.raises(PolicyError, match="RAW"):
        repository.gate(environment=environment)


def test_a_change_that_began_before_the_manifest(repository: Repository) -> None:
    """It brings a manifest of its own, and the target has one with a floor by now."""
    repository.git("checkout", "-q", "--orphan", "older")
    repository.git("rm", "-rfq", ".")
    repository.write("README.md", "before\n")
    beginning = repository.commit("before")
    repository.git("branch", "-q", "-f", "main", beginning)
    repository.git("checkout", "-q", "-B", "change")
    repository.write("policies/clinic.yaml", POLICY)
    repository.write("out/clinic.csv", DATA)
    newcomer(repository, ALONE, NEW.replace("k: 2", "k: 1"))
    assert repository.gate().exit_code == EXIT_MET
    on_main(repository, auditor=HELD, policies__org=FLOOR, policies__clinic=POLICY)
    release = next(each for each in repository.gate("new").releases)
    assert (release.status, release.floors[0].failing) == (GateStatus.FAIL, ("floor-k",))


def test_a_target_that_cannot_be_read_is_not_evaluated(repository: Repository) -> None:
    on_main(repository, auditor="releases: 1\n")
    with pytest.raises(NotEvaluated, match="the manifest of the tip of the target branch is wrong") as wrong:
        repository.gate()
    assert wrong.value.exit_code == EXIT_NOT_EVALUATED


NAMES = st.lists(st.sampled_from(["a@example.org", "b@example.org", "C@example.org", "c@example.org"]), unique=True)
DAYS = st.none() | st.integers(0, 3)
SETTINGS = st.fixed_dictionaries(
    {
        "approvers": NAMES,
        "env": NAMES,
        "at_least": NAMES,
        "max_waiver_days": DAYS,
        "max_approval_days": DAYS,
        "unsigned": st.sampled_from(["allowed", "forbidden"]),
        "revoked": st.lists(st.sampled_from(["0" * 40, "1" * 40]), unique=True),
        "ledger": st.none() | st.just("r.jsonl"),
    }
)


@given(SETTINGS, SETTINGS)
def test_what_counts_is_as_strict_as_either_side(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Every setting that has an order, of two sides that nobody compared by hand."""
    sides = [Trusted(**{name: tuple(v) if isinstance(v, list) else v for name, v in s.items()}) for s in (one, other)]
    held = stricter_of(*sides)
    for name, direction in directions(Trusted).items():
        if direction is Stricter.REVIEW:
            continue
        now = [each.lower() for each in held.approvers] if name == "approvers" else getattr(held, name)
        for side in sides:
            was = [each.lower() for each in side.approvers] if name == "approvers" else getattr(side, name)
            found = order(direction, was, now, choices_of(Trusted, name))
            assert found in (Strictness.STRICTER, Strictness.EQUAL), (name, was, now)
