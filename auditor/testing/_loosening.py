"""Tests that a policy was held to, and what became of them in a later version of it.

A table that a test wants to fail must go on failing, and its test must stay: who weakens a policy could otherwise take
away, or turn round, what would have told. That a table fails which was to pass is stricter, and no matter here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from auditor.files import text_digest
from auditor.policy import Policy
from auditor.result import Location, Strictness
from auditor.testing._file import Expected, PolicyTests
from auditor.testing._judge import Observation, day_of, judged, named_files

PASSING = frozenset({"pass", "waived"})
URGENCY = (Strictness.STRICTER, Strictness.INCOMPARABLE, Strictness.WEAKER)
Table = tuple[object, ...]


@dataclass(frozen=True)
class LostTest:
    """A test of the earlier version that is gone, expects something else, or does not find any more what it expects.

    `expected` and `now` are what it says and what takes its place, in words; `now` is None where it is gone.
    """

    test: str
    expected: str
    now: str | None
    verdict: Strictness
    note: str
    location: Location


def removed(
    old: PolicyTests, new: Sequence[PolicyTests], policy: Policy | None, as_of: date | None = None
) -> Iterator[LostTest]:
    """The tests of a file that no later one has: none of the same table, or none that expects as much to fail.

    A later test is one of the later policy: the same table judged by another file tells nothing of this one.
    A test that wanted its table to pass is no loss where the table fails by the later policy (None: there is none).
    """
    known: dict[Table, list[Expected]] = {}
    for tests in new:
        if policy is not None and tests.policy.path != policy.path:
            continue
        for index, case in enumerate(tests.cases):
            known.setdefault(_table(tests, index), []).append(case.expect)
    for index, case in enumerate(old.cases):
        others = known.get(_table(old, index), [])
        turned = [_turned(case.expect, other) for other in others]
        if Strictness.EQUAL in turned:
            continue
        if policy is not None and not others and not _wants_failure(case.expect):
            files, day = named_files(old, index), day_of(old, as_of)
            if judged(case, policy, files, day).verdict not in PASSING:
                continue
        verdict = min(turned, key=URGENCY.index, default=Strictness.WEAKER)
        now = ", ".join(_words(other) for other in others) or None
        note = "the test is removed" if now is None else "the test expects something else"
        yield LostTest(case.name, _words(case.expect), now, verdict, note, _place(old, index))


def unnoticed(old: PolicyTests, policy: Policy, as_of: date | None = None) -> Iterator[LostTest]:
    """The tests of a file whose tables failed, as they expect, and do not by a later policy."""
    for index, case in enumerate(old.cases):
        if not _wants_failure(case.expect):
            continue
        files, day = named_files(old, index), day_of(old, as_of)
        found = judged(case, policy, files, day)
        less = _less(case.expect, found)
        if less is not None and _less(case.expect, judged(case, old.policy, files, day)) is None:
            note = "a table of the policy tests that must fail no longer does"
            yield LostTest(case.name, _words(case.expect), found.verdict, less, note, _place(old, index))


def _table(tests: PolicyTests, index: int) -> Table:
    """What a test judges, and how: its files by contents, wherever they lie."""
    case = tests.cases[index]
    files = {key: _digest(file) for key, file in named_files(tests, index).items()}
    day = case.as_of or tests.read.block.as_of
    texts = (case.csv, case.sql, case.published)
    return tests.policy.name, texts, tuple(sorted(files.items())), case.source, case.only, day


def _digest(file: Path) -> str:
    try:
        return text_digest(file)
    except OSError:
        return ""


def _wants_failure(expected: Expected) -> bool:
    return bool(expected.fails) or (expected.verdict is not None and expected.verdict not in PASSING)


def _turned(old: Expected, new: Expected) -> Strictness:
    """How another expectation of the same table stands to an earlier one: to expect more to fail is stricter."""
    if _wants_failure(old) is not _wants_failure(new):
        return Strictness.WEAKER if _wants_failure(old) else Strictness.STRICTER
    return Strictness.EQUAL if set(old.fails or ()) <= set(new.fails or ()) else Strictness.INCOMPARABLE


def _less(expected: Expected, found: Observation) -> Strictness | None:
    """How less is found than a test expects to fail; None where it is as much or more."""
    if found.verdict in PASSING:
        return Strictness.WEAKER
    return Strictness.INCOMPARABLE if set(expected.fails or ()) - found.fails else None


def _words(expected: Expected) -> str:
    said: Mapping[str, object] = expected.model_dump(exclude_defaults=True, mode="json")
    return ", ".join(f"{key} {value}" for key, value in said.items())


def _place(tests: PolicyTests, index: int) -> Location:
    return Location(file=tests.file, line=tests.read.mark(f"tests/{index}").line)
