"""What testing policies found.

A test's table is the repository's own, but it may be a sample of real data: a number measured on it is shown to every
audience but the public. Texts may come from a stranger's branch; they stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.formats.text import inert
from auditor.report.page import BrokenRule, Check, CheckOutcome, Line, Page, Place, Suite
from auditor.report.redact import Redacted, concealed
from auditor.result import Audience, Location, is_hidden, plain
from auditor.result.policy_tests import AchievedDifference, CaseResult, Mutant, PolicyTestsResult

RULE = BrokenRule(
    "auditor/policy-test",
    "policy-test",
    "The policy's tests pass, and would notice a weaker policy.",
    "auditor test --help",
)
MOST_ROWS = 200
"""So many entries are shown in Markdown; a comment on a change has an end."""


class TestsPage(Page):
    """What testing policies found."""

    __test__ = False  # nothing that pytest collects
    NAME: ClassVar[str] = "auditor test"
    MARK: ClassVar[str] = "auditorPolicyTest/v1"
    PARTS: ClassVar[frozenset[str]] = frozenset({"document", "text", "markdown", "lines", "suites"})
    WRITTEN: ClassVar[str] = "test results have no page of their own"

    document: Redacted[PolicyTestsResult]

    @cached_property
    def shown(self) -> PolicyTestsResult:
        """The document for the eye."""
        return words.visible(self.document.result)

    def text(self, width: int = 100, colour: bool = False) -> str:  # noqa: ARG002  (plain lines)
        """See `Page`."""
        return _text(self.shown)

    def markdown(self) -> str:
        """See `Page`."""
        return _markdown(self.shown)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """See `Page`."""
        return tuple(_line(name, why, place) for name, why, place in _wrong(self.shown))

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """See `Page`. One check per test, and one per number that a test should notice."""
        tests = (
            _check(each.policy, each.name, each.location, None if each.passed else _why(each))
            for each in self.shown.tests
        )
        mutants = (
            _check(
                each.policy,
                f"coverage {each.requirement} {each.field or ''}".strip(),
                each.location,
                _missed(each) if each.noticed_by is None else None,
            )
            for each in self.shown.mutants or ()
        )
        return (Suite("policy tests", (*tests, *mutants)),)

    @property
    def rules(self) -> Sequence[BrokenRule]:
        """See `Page`."""
        return [RULE]

    @property
    def summary(self) -> str:
        """See `Page`."""
        return _headline(self.shown)

    @property
    def properties(self) -> Mapping[str, object]:
        """See `Page`."""
        return {"verdict": self.shown.verdict, "audience": self.document.audience}


def _line(name: str, why: str, place: Location | None) -> Line:
    return Line(
        status="fail",
        title=name,
        message=why,
        sentence=f"{name}: {why}",
        rule=RULE.id,
        place=Place.of(place),
        identity=(name, str(place and place.file)),
        mark=(name,),
    )


def _check(policy: str, name: str, place: Location | None, why: str | None) -> Check:
    outcome = None if why is None else CheckOutcome("failure", why, "policy-test", f"{why}\n{words.where(place)}")
    return Check(policy, name, Place.of(place), outcome)


@dataclass(frozen=True)
class RedactedTests(Redacted[PolicyTestsResult]):
    """The result as an audience may see it."""

    def to_dict(self) -> dict[str, object]:
        """See `Redacted`."""
        return {**plain(self.result), "audience": self.audience.value, "redacted": [*self.redacted]}


def redact(found: PolicyTestsResult, audience: Audience) -> RedactedTests:
    """The result without measured numbers for the public."""
    if audience is Audience.PUBLIC:
        numbers = {
            f"tests/{i}/achieved/{j}/measured" for i, t in enumerate(found.tests) for j in range(len(t.achieved))
        }
        found = concealed(found, audience, numbers)
    return RedactedTests(found, audience)


def _headline(shown: PolicyTestsResult) -> str:
    failed = sum(not test.passed for test in shown.tests)
    sentences = [words.counted(len(shown.tests), "test") + f", {failed} failed"]
    if shown.mutants is not None:
        missed = sum(mutant.noticed_by is None for mutant in shown.mutants)
        sentences.append(f"{words.counted(len(shown.mutants), 'loosened number')}, {missed} that no test notices")
    symbol = words.SYMBOLS["pass" if shown.verdict == "pass" else "fail"]
    return f"{symbol} {'; '.join(sentences)}"


def _why(test: CaseResult) -> str:
    """What of a test was not as expected, in one line."""
    numbers = [_number(each) for each in test.achieved]
    reason = [f"not evaluated: {test.reason}"] if test.reason and not test.passed else []
    return "; ".join([*test.differences, *numbers, *reason])


def _number(each: AchievedDifference) -> str:
    measured = "another number" if each.measured is None or is_hidden(each.measured) else words.number(each.measured)
    return f"achieved {each.requirement}: expected {words.number(each.expected)}, found {measured}"


def _missed(mutant: Mutant) -> str:
    if mutant.field is None:
        return f"{mutant.requirement}: no test notices when it is left out"
    return f"{mutant.requirement}: no test notices {mutant.field} {mutant.old} → {mutant.new}"


def _unnoticed(shown: PolicyTestsResult) -> list[Mutant]:
    return [mutant for mutant in shown.mutants or () if mutant.noticed_by is None]


def _wrong(shown: PolicyTestsResult) -> list[tuple[str, str, Location | None]]:
    """Everything that stands in the way: what it is called, why, and where."""
    tests: list[tuple[str, str, Location | None]] = [
        (test.name, _why(test), test.location) for test in shown.tests if not test.passed
    ]
    return tests + [(f"{m.policy}: coverage", _missed(m), m.location) for m in _unnoticed(shown)]


def _text(shown: PolicyTestsResult) -> str:
    lines = [_headline(shown)]
    for test in shown.tests:
        symbol = words.SYMBOLS["pass" if test.passed else "fail"]
        place = "" if test.passed else f" ({words.where(test.location)})"
        lines.append(f"  {symbol} {test.policy}: {test.name}{place}")
        lines += [] if test.passed else [f"      {_why(test)}"]
    missed = _unnoticed(shown)
    lines += ["", "Not covered"] if missed else []
    lines += [f"  • {_missed(mutant)} ({words.where(mutant.location)})" for mutant in missed]
    lines += ["", "Not checked", *(f"  • {item}" for item in shown.not_checked)] if shown.not_checked else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: PolicyTestsResult) -> str:
    blocks = [f"### {safe(_headline(shown))}"]
    rows = ["| Test | Where | Why |", "|---|---|---|"]
    wrong = _wrong(shown)
    rows += [f"| {safe(name)} | {safe(words.where(place))} | {safe(why)} |" for name, why, place in wrong[:MOST_ROWS]]
    blocks += ["\n".join(rows)] if wrong else []
    blocks += [f"and {len(wrong) - MOST_ROWS} more"] if len(wrong) > MOST_ROWS else []
    return "\n\n".join(blocks) + "\n"
