"""What testing policies found.

A test's table is the repository's own, but it may be a sample of real data: a number measured on it is shown to every
audience but the public. Texts may come from a stranger's branch; they stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.formats.text import inert
from auditor.report.page import Check, Line, Outcome, Page, Place, Rule, Suite
from auditor.result import Audience, PolicyTestsResult, plain

RULE = Rule(
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

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The document for the eye."""
        shown: dict[str, Any] = words.visible(dict(self.document))
        return shown

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
            _check(each["policy"], each["name"], each["location"], None if each["passed"] else _why(each))
            for each in self.shown["tests"]
        )
        mutants = (
            _check(
                each["policy"],
                f"coverage {each['requirement']} {each['field'] or ''}".strip(),
                each["location"],
                _missed(each) if each["noticed_by"] is None else None,
            )
            for each in self.shown["mutants"] or ()
        )
        return (Suite("policy tests", (*tests, *mutants)),)

    @property
    def rules(self) -> Sequence[Rule]:
        """See `Page`."""
        return [RULE]

    @property
    def summary(self) -> str:
        """See `Page`."""
        return _headline(self.shown)

    @property
    def properties(self) -> Mapping[str, Any]:
        """See `Page`."""
        return {"verdict": self.shown["verdict"], "audience": self.shown["audience"]}


def _line(name: str, why: str, place: Mapping[str, Any] | None) -> Line:
    return Line(
        status="fail",
        title=name,
        message=why,
        sentence=f"{name}: {why}",
        rule=RULE.id,
        place=Place.of(place),
        identity=(name, str(place and place["file"])),
        mark=(name,),
    )


def _check(policy: str, name: str, place: Mapping[str, Any] | None, why: str | None) -> Check:
    outcome = None if why is None else Outcome("failure", why, "policy-test", f"{why}\n{words.where(place)}")
    return Check(policy, name, Place.of(place), outcome)


def document(found: PolicyTestsResult, audience: Audience) -> dict[str, Any]:
    """The result as plain values, without measured numbers for the public."""
    hidden = []
    if audience is Audience.PUBLIC:
        hidden = [f"tests/{i}/achieved/{j}/measured" for i, t in enumerate(found.tests) for j in range(len(t.achieved))]
        tests = tuple(
            replace(test, achieved=tuple(replace(each, measured=None) for each in test.achieved))
            for test in found.tests
        )
        found = replace(found, tests=tests)
    return {**plain(found), "audience": audience.value, "redacted": hidden}


def _headline(shown: Mapping[str, Any]) -> str:
    failed = sum(not test["passed"] for test in shown["tests"])
    sentences = [words.counted(len(shown["tests"]), "test") + f", {failed} failed"]
    if shown["mutants"] is not None:
        missed = sum(mutant["noticed_by"] is None for mutant in shown["mutants"])
        sentences.append(f"{words.counted(len(shown['mutants']), 'loosened number')}, {missed} that no test notices")
    symbol = words.SYMBOLS["pass" if shown["verdict"] == "pass" else "fail"]
    return f"{symbol} {'; '.join(sentences)}"


def _why(test: Mapping[str, Any]) -> str:
    """What of a test was not as expected, in one line."""
    numbers = [_number(each) for each in test["achieved"]]
    reason = [f"not evaluated: {test['reason']}"] if test["reason"] and not test["passed"] else []
    return "; ".join([*test["differences"], *numbers, *reason])


def _number(each: Mapping[str, Any]) -> str:
    measured = "another number" if each["measured"] is None else words.number(each["measured"])
    return f"achieved {each['requirement']}: expected {words.number(each['expected'])}, found {measured}"


def _missed(mutant: Mapping[str, Any]) -> str:
    if mutant["field"] is None:
        return f"{mutant['requirement']}: no test notices when it is left out"
    return f"{mutant['requirement']}: no test notices {mutant['field']} {mutant['old']} → {mutant['new']}"


def _unnoticed(shown: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mutant for mutant in shown["mutants"] or () if mutant["noticed_by"] is None]


def _wrong(shown: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any] | None]]:
    """Everything that stands in the way: what it is called, why, and where."""
    tests = [(test["name"], _why(test), test["location"]) for test in shown["tests"] if not test["passed"]]
    return tests + [(f"{m['policy']}: coverage", _missed(m), m["location"]) for m in _unnoticed(shown)]


def _text(shown: Mapping[str, Any]) -> str:
    lines = [_headline(shown)]
    for test in shown["tests"]:
        symbol = words.SYMBOLS["pass" if test["passed"] else "fail"]
        place = "" if test["passed"] else f" ({words.where(test['location'])})"
        lines.append(f"  {symbol} {test['policy']}: {test['name']}{place}")
        lines += [] if test["passed"] else [f"      {_why(test)}"]
    missed = _unnoticed(shown)
    lines += ["", "Not covered"] if missed else []
    lines += [f"  • {_missed(mutant)} ({words.where(mutant['location'])})" for mutant in missed]
    lines += ["", "Not checked", *(f"  • {item}" for item in shown["not_checked"])] if shown["not_checked"] else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: Mapping[str, Any]) -> str:
    blocks = [f"### {safe(_headline(shown))}"]
    rows = ["| Test | Where | Why |", "|---|---|---|"]
    wrong = _wrong(shown)
    rows += [f"| {safe(name)} | {safe(words.where(place))} | {safe(why)} |" for name, why, place in wrong[:MOST_ROWS]]
    blocks += ["\n".join(rows)] if wrong else []
    blocks += [f"and {len(wrong) - MOST_ROWS} more"] if len(wrong) > MOST_ROWS else []
    return "\n\n".join(blocks) + "\n"
