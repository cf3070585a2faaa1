"""A policy may come from a stranger's branch: it costs bounded time and memory, and ends in a clear problem."""

import os
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import PolicyError
from auditor.policy import Policy, load_policy
from auditor.policy.compare import compare
from tests.policy.conftest import Desk

PACES = 8
"""So many times as long as `paced` may a body take: about 5 seconds on a machine that is not busy."""
BYTES = 100_000_000


def paced() -> float:
    """The CPU seconds that this machine takes for some fixed work right now, its memory traced."""
    began = time.process_time()
    assert len({str(number): (number,) for number in range(200_000)}) == 200_000
    return time.process_time() - began


@contextmanager
def bounded() -> Iterator[None]:
    """Fail when the body takes too long or too much memory; a bomb would take orders of magnitude more."""
    tracemalloc.start()
    pace = paced()
    tracemalloc.reset_peak()
    began = time.process_time()
    try:
        yield
        assert time.process_time() - began < PACES * pace
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


def laughs() -> str:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    return "\n".join(lines)


BOMBS = {
    "billion laughs": laughs(),
    "quadratic blowup": "a: &a [" + "x, " * 5000 + "x]\nb: [" + "*a, " * 5000 + "*a]\n",
    "deep lists": "a: " + "[" * 100_000,
    "deep mappings": "a: " + "{a: " * 100_000,
    "deep blocks": "\n".join(" " * i + "a:" for i in range(1000)),
    "alias inside its anchor": "a: &a [*a]\n",
    "alias of the whole": "&a {requirements: *a}\n",
    "many keys": "".join(f"k{i}: 1\n" for i in range(100_000)),
    "many items": "requirements: [" + "{}, " * 100_000 + "{}]\n",
    "one huge text": "name: " + "x" * 900_000 + "\n",
    "one huge key": "x" * 900_000 + ": 1\n",
    "one huge number": "requirements: [{model: k-anonymity, k: " + "9" * 900_000 + "}]\n",
    "too large": "# " + "x" * 2_000_000 + "\nrequirements: [{model: k-anonymity, k: 5}]\n",
    "many duplicates": "name: a\n" * 100_000,
    "many anchors": "".join(f"k{i}: &a{i} x\n" for i in range(50_000)),
    "many documents": "---\n" * 100_000,
    "many tags": "a: [" + "!x y, " * 50_000 + "z]\n",
    "endless comment": "#" * 1_000_000,
    "only indentation": " " * 1_000_000,
    "many percent signs": "%" * 1_000_000,
    "nested amendments": "requirements: [" + "{id: k}, " * 10_000 + "]\n",
    "many sensitive": "requirements: [" + "{model: t-closeness, t: 1, sensitive: [" + "a, " * 15_000 + "a]}]\n",
    "many globs": "attributes: {" + ", ".join(f"'{i}*': insensitive" for i in range(5000)) + "}\n"
    "requirements: [{model: k-anonymity, k: 5, quasi_identifiers: [" + "zz, " * 5000 + "zz]}]\n",
    "greedy glob": "attributes: {'" + "*a" * 3000 + "b': sensitive}\n"
    "requirements: [{model: distinct-l-diversity, l: 2, sensitive: '" + "a" * 5000 + "'}]\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_does_not_go_off(desk: Desk, bomb: str) -> None:
    file = desk.write(BOMBS[bomb])
    with bounded(), pytest.raises(PolicyError) as wrong:
        load_policy(file)
    assert len(str(wrong.value)) < 100_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\n# nothing\n", "the file is empty"),
        (b"---\n", "nothing"),
        (b"\xff\xfe", "not UTF-8"),
        (b"name: caf\xe9\n", "not UTF-8"),
        (b"name: a\x00b\n", "U+0000"),
        (b"name: a\x1bb\n", "U+001B"),
        ("name: a\u202eb\n".encode(), "U+202E"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        (b"PK\x03\x04", "U+0003"),
    ],
)
def test_bytes_that_are_no_policy(desk: Desk, content: bytes, said: str) -> None:
    (desk.folder / "p.yaml").write_bytes(content)
    with pytest.raises(PolicyError) as wrong:
        load_policy("p.yaml")
    assert said in str(wrong.value)
    assert str(wrong.value).startswith("p.yaml:")


def test_the_place_of_a_bad_byte(desk: Desk) -> None:
    (desk.folder / "p.yaml").write_bytes(b"name: a\nowner: caf\xe9\n")
    with pytest.raises(PolicyError, match=r"^p\.yaml:2:11: "):
        load_policy("p.yaml")


def test_a_byte_order_mark_and_windows_lines_are_fine(desk: Desk) -> None:
    (desk.folder / "p.yaml").write_bytes(b"\xef\xbb\xbfrequirements:\r\n  - {model: k-anonymity, k: 5}\r\n")
    policy = load_policy("p.yaml")
    assert policy.requirements[0].parameters() == {"k": 5}
    assert str(policy.origin("requirements/0")) == "p.yaml:2:5"


def outcome(source: Path | dict[str, object]) -> Policy | PolicyError:
    """What loading ends in; anything but these two is a failure of the test that asks."""
    try:
        return load_policy(source)
    except PolicyError as wrong:
        return wrong


VALID = """\
version: 1
name: seed
unit: {column: person, rows: one-per-unit}
attributes:
  person: pseudonym
  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [5, 10], bottom: 15, top: 90}}}
  "lab_*": insensitive
  ill: {role: sensitive, order: [none, mild, severe], hierarchy: {tree: {Any: {A: [none], B: [mild, severe]}}}}
requirements:
  - &first {id: k, model: k-anonymity, k: 11, quasi_identifiers: [age]}
  - {model: t-closeness, t: 0.2, ground: ordered, severity: warning, because: "later"}
  - {model: distinct-l-diversity, l: 2, sensitive: [ill]}
remediation: {suppression_limit: 2%, levels: {age: {max: 1}}}
queries: {table: t, protects: [pay], limits: {min_group: 3}, scope: {coalition: 2}}
outputs: [{type: magnitude-table, dominance: [{n: 1, k: 50%}]}]
waivers: [{requirement: k, at_least: {k: 5}, reason: r, owner: o, approved_by: a, expires: 2027-03-31}]
"""
PIECES = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    "- ",
    "\n",
    "  ",
    "&a ",
    "*first",
    "*",
    "!!str ",
    "!",
    "'",
    '"',
    "%",
    "|",
    ">",
    "? ",
]
PIECES += [
    "#",
    "<<: ",
    "---\n",
    "...\n",
    "no",
    "~",
    "0",
    "-1",
    "1e9",
    "secret: X",
    "extends: [p.yaml]\n",
    "\t",
    "\x85",
    "é",
    "\U0001f600",
]


@settings(max_examples=300)
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(VALID)), st.integers(0, 12), st.sampled_from(["", *PIECES])),
        min_size=1,
        max_size=6,
    )
)
def test_a_damaged_policy_raises_nothing_but_policy_errors(
    edits: list[tuple[int, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = VALID
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_text(text, encoding="utf-8", newline="")
    loaded = outcome(file)
    if isinstance(loaded, PolicyError):
        assert loaded.problems
        assert all(problem.what for problem in loaded.problems)
    else:
        assert len(loaded.sha256) == 64
        assert loaded.to_yaml()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "version",
    "name",
    "extends",
    "unit",
    "attributes",
    "undeclared",
    "missing",
    "reference",
    "risk",
    "requirements",
]
KEYS += ["remediation", "protection", "queries", "outputs", "waivers", "pack", "description", "owner"]


@pytest.mark.slow
@settings(max_examples=300)
@given(blocks=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5))
def test_any_mapping_is_a_policy_or_a_policy_error(blocks: dict[str, object]) -> None:
    loaded = outcome(blocks)
    assert loaded.problems if isinstance(loaded, PolicyError) else loaded.requirements or loaded.blocks()


@settings(max_examples=200)
@given(content=st.binary(max_size=60))
def test_any_bytes_are_a_policy_or_a_policy_error(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.yaml"
    file.write_bytes(content)
    with pytest.raises(PolicyError):
        load_policy(file)


def test_the_seed_of_the_damage_is_valid(desk: Desk) -> None:
    assert len(desk.load(VALID).requirements) == 3


def test_what_stands_where_a_policy_should(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "dangling.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    for name, said in {
        "folder.yaml": "a folder",
        "pipe.yaml": "a pipe",
        "absent.yaml": "does not exist",
        "dangling.yaml": "does not exist",
        "loop.yaml": "",
        "a\0b": "",
        "x" * 5000: "",
        "": "",
    }.items():
        with pytest.raises(PolicyError) as wrong:
            load_policy(name)
        assert said in str(wrong.value), name


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_device_is_not_read() -> None:
    with bounded(), pytest.raises(PolicyError, match="a device"):
        load_policy("/dev/zero")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(desk: Desk) -> None:
    file = desk.write(VALID)
    file.chmod(0)
    with pytest.raises(PolicyError, match="cannot be read"):
        load_policy(file)


def test_the_nearest_spelling_of_a_missing_file(desk: Desk) -> None:
    desk.write(VALID, "hospital.yaml")
    with pytest.raises(PolicyError, match=r"did you mean 'hospital.yaml'\?"):
        load_policy("hospitl.yaml")


@pytest.mark.slow
def test_comparing_many_requirements_is_bounded() -> None:
    """Every one of the old policy is weaker in the new one, so a proof is looked for each time."""

    def policy(k: int) -> Policy:
        listed = [{"id": f"k{i}", "model": "k-anonymity", "k": k} for i in range(400)]
        columns = {f"c{i}": "quasi-identifier" for i in range(20)}
        return load_policy({"attributes": columns, "requirements": listed})

    old, new = policy(5), policy(3)
    with bounded():
        assert len(compare(old, new).differences) == 400
