"""The words and numbers that every readable format shares, read from a redacted document.

Nothing here says "anonymous", "safe" or "compliant": a report says which policy is met on which file, no more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, TypeVar, cast
from unicodedata import east_asian_width

from auditor.report._parts import Field, changed, hidden_paths, is_part
from auditor.report.page import URGENCY
from auditor.report.redact import Redacted, threshold
from auditor.result import (
    HIDDEN,
    Answer,
    ColumnFacts,
    Feasibility,
    Location,
    RequirementResult,
    Result,
    Verdict,
    WaiverFacts,
    is_hidden,
    is_of_masking,
    is_of_outputs,
    is_of_queries,
    is_of_remediation,
)

if TYPE_CHECKING:
    from auditor.result.remediation import RemediationResult

Kept = TypeVar("Kept", bound=Answer)
Value = TypeVar("Value")

SYMBOLS = {"pass": "✓", "fail": "✗", "warning": "!", "waived": "~", "not-evaluated": "?"}
STATUSES = {
    "pass": "met",
    "fail": "not met",
    "warning": "warning",
    "waived": "waived",
    "not-evaluated": "not evaluated",
}
_COMPARISONS = {">=": "at least", "<=": "at most", "<": "below"}
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Control characters, overrides of the writing direction and lone surrogates: what could make a text look, or do, else
than it says."""
BETWEEN_WORDS = "-_.:/ "
"""What parts the words of a name."""
_LAST_WORD = re.compile(rf"(?<=[{BETWEEN_WORDS}])[^{BETWEEN_WORDS}]+$")
"""The last word of a name, behind another one."""


def view(document: Redacted[Kept]) -> Redacted[Kept]:
    """The document for the eye: control characters are shown, not obeyed."""
    return Redacted(visible(document.result), document.audience)


def visible(value: Value) -> Value:
    """A text, or all texts in a value or a document, whose control characters are shown, not obeyed."""
    return cast("Value", _visible(value))


def _visible(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, StrEnum) else _BREAKING.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, Mapping):
        return {_visible(key): _visible(item) for key, item in value.items()}
    if isinstance(value, tuple):
        parts = tuple(map(_visible, value))
        return value if parts == value else parts
    if isinstance(value, list):
        return [_visible(item) for item in value]
    return changed(value, _visible_field) if is_part(value) else value


def _visible_field(field: Field, value: object) -> object:
    """A policy's text keeps its lines."""
    if field.name == "text" and isinstance(value, str):
        return "\n".join(map(visible, value.splitlines())) + "\n"
    return _visible(value)


def shortened(text: str, width: int) -> str:
    """At most `width` columns (wide characters take two), without its middle, so that both ends can be told apart.

    It is cut between words, where it has several: ``distinct-l-…class``.
    """
    if columns(text) <= width:
        return text
    last = columns(text) - columns(_LAST_WORD.sub("", text))
    width_behind = last if width // 3 < last <= width // 2 else width // 3
    head, tail = _whole(text, width - 1 - width_behind), _whole(text[::-1], width_behind)[::-1]
    twice = head[-1:] == tail[:1] and head[-1:] in BETWEEN_WORDS
    return f"{head}…{tail[twice:]}"


def _whole(text: str, width: int) -> str:
    """The longest beginning that fits and ends with a word; a part of one where the first does not fit."""
    fitting = _fitting(text, width)
    return fitting if text[len(fitting)] in BETWEEN_WORDS else _LAST_WORD.sub("", fitting)


def columns(text: str) -> int:
    """How many columns a text takes where letters are equally wide."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    return 2 if east_asian_width(letter) in "WF" else 1


def _fitting(text: str, width: int) -> str:
    """The longest beginning that fits."""
    return text[: sum(1 for _ in takewhile(width.__ge__, accumulate(map(_columns, text))))]


_SIZES = ("tinyint", "smallint", "integer", "bigint", "hugeint")
_TYPES = {
    "varchar": "text",
    "boolean": "true or false",
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **{f"{sign}{size}": "whole number" for sign in ("", "u") for size in _SIZES},
}
"""Types of columns in words, by the engine's names for them."""


def type_of(column: ColumnFacts) -> str:
    """The type of a column in words, ``text``; as the engine calls it where it has no such word (dates, lists)."""
    return _TYPES.get(column.type.partition("(")[0].lower(), column.type)


def number(value: object, against: object = None) -> str:
    """A number for the eye: grouped integers, four significant digits, and more where it would look like `against`.

    >>> number(30162), number(0.123456), number("inf"), number(None)
    ('30,162', '0.1235', '∞', '–')
    >>> number(0.20000001, against=0.2)
    '0.20000001'
    """
    if value is None:
        return "–"
    if value in ("inf", "-inf") or (isinstance(value, float) and math.isinf(value)):
        return "-∞" if str(value).startswith("-") else "∞"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    shown = _significant(value, 4)
    digits = 5
    while isinstance(against, (int, float)) and value != against and float(shown.replace(",", "")) == against:
        shown, digits = _significant(value, digits), digits + 1
    return shown


def _significant(value: float, digits: int) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    text = f"{value:,.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def percent(share: object) -> str:
    """A share as a percentage; a share that is not 0 never looks like 0, one that is not 1 never like 100 %."""
    if not isinstance(share, (int, float)):
        return number(share)
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if share > 0.9995 else f"{share * 100:.1f} %"


def of_all(count: object, whole: object) -> str:
    """A count and its share: ``2,570 (40.4 %)``; the count alone where it is 0, or one of them is not known."""
    if not (isinstance(count, int) and isinstance(whole, int) and count and whole):
        return number(count)
    return f"{number(count)} ({percent(count / whole)})"


def required(requirement: RequirementResult) -> str:
    """What the policy demands of the number, in words: ``at least 11``."""
    if requirement.bound is None:
        return "none allowed" if requirement.columns else requirement.demand or "–"
    words = f"{_COMPARISONS.get(requirement.comparison or '', '')} {number(requirement.bound)}"
    words += "".join(f", {also.parameter} at least {number(also.bound)}" for also in requirement.also)
    return words.strip()


def achieved(requirement: RequirementResult) -> str:
    """The worst class's number, with that of the second parameter where a model has two."""
    words = number(requirement.achieved, requirement.bound)
    return words + "".join(f", {also.parameter} {number(also.achieved)}" for also in requirement.also)


def margin(requirement: RequirementResult) -> str:
    """How far the number stands on the right side of the bound; negative on the wrong side."""
    value, bound = _real(requirement.achieved), _real(requirement.bound)
    if is_hidden(requirement.achieved):
        return str(HIDDEN)
    if value is None or bound is None:
        return "–"
    distance = value - bound if requirement.comparison == ">=" else bound - value
    if math.isinf(distance):
        return "+∞" if distance > 0 else "−∞"
    if isinstance(distance, float):
        distance = float(f"{distance:.12g}")
    return f"{'+' if distance > 0 else '−' if distance < 0 else '±'}{number(abs(distance))}"


def _real(value: object) -> float | None:
    if value == "inf":
        return math.inf
    return value if isinstance(value, (int, float)) else None


def where(location: Location | None) -> str:
    """The place in the policy file: ``policies/p.yaml:31``."""
    return f"{location.file}:{location.line}" if location else "–"


def policy_file(requirements: Sequence[RequirementResult]) -> str | None:
    """The one file that every requirement stands in; None where there are several."""
    files = {requirement.location.file for requirement in requirements if requirement.location}
    return files.pop() if len(files) == 1 else None


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str], most: int = 12) -> str:
    """``age, sex and zip``; after `most` names, how many more there are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def headline(document: Result) -> str:
    """The verdict in words. The policy's name follows it."""
    verdict = document.verdict
    if is_of_masking(document) and document.masking is not None:
        return _verdict("The masked release" if document.written else "The masked table", verdict)
    if is_of_remediation(document) and document.before is not None:
        if document.solution is None:
            return "No release was found that meets policy"
        planned = not document.written and verdict in (Verdict.PASS, Verdict.WAIVED)
        return "A release was planned that meets policy" if planned else _verdict("The release", verdict)
    if is_of_queries(document):
        return _DECIDED[verdict] if document.online else _verdict("The answers in the log", verdict, many=True)
    if is_of_outputs(document):
        return _verdict("The outputs", verdict, many=True)
    return _verdict("", verdict)


_DECIDED = {
    "pass": "Every query can be answered under policy",
    "fail": "Not every query can be answered under policy",
    "waived": "Every query can be answered (with waivers) under policy",
    "not-evaluated": "Not every query could be decided under policy",
}


def _verdict(what: str, verdict: Verdict, *, many: bool = False) -> str:
    """What is said of something, or of several things; a sentence without a subject where it is empty."""
    meets, does = ("meet", "do") if many else ("meets", "does")
    said = {
        "pass": f"{what} {meets} policy",
        "fail": f"{what} {does} not meet policy",
        "waived": f"{what} {meets} only with waivers policy",
        "not-evaluated": f"{what} could not be judged against policy",
    }[verdict].strip()
    return said[0].upper() + said[1:]


def why(document: Result, width: int = 60) -> str:
    """One or two sentences: what the verdict rests on; names are cut to `width`."""
    if not (is_of_remediation(document) or is_of_masking(document)) or document.before is None:
        return _judged(document, width)
    before = _in_the_way(document.before.requirements, width)
    was = f"The original table did not meet {before}." if before else "The original table also met them all."
    if is_of_remediation(document) and document.solution is None:
        return _nothing_written(document, width)
    written = "" if document.written else " Nothing was written."
    return f"{_judged(document, width)}{written} {was}"


def blank(document: Result, width: int = 60) -> str | None:
    """How many columns of a release hold nothing, and which; None where none does, or nobody knows."""
    classes = document.classes
    if classes is None or not classes.blank_columns:
        return None
    names = [shortened(name, width) for name in classes.blank_columns]
    of = f"{len(names)} of {counted(len(classes.quasi_identifiers), 'column')}"
    return f"{of} {'holds' if len(names) == 1 else 'hold'} nothing: every record has the same {listed(names, 6)}."


def _nothing_written(document: RemediationResult, width: int) -> str:
    """That nothing was written, and which requirement stands in the way."""
    if document.verdict == "not-evaluated":
        unjudged = [each.id for each in document.requirements if each.status == "not-evaluated"]
        names = listed([shortened(name, width) for name in unjudged], 3)
        return f"Nothing was written: {names} could not be evaluated, so there is nothing to search for."
    obstacles = document.shortfall.obstacles if document.shortfall else ()
    named = [shortened(obstacle.requirement, width) for obstacle in obstacles]
    names = listed(named, 3) or "all requirements together"
    if any(obstacle.of_release for obstacle in obstacles):
        return f"Nothing was written: the release that was found does not meet {names}, and no other was tried."
    return f"Nothing was written: {names} cannot be met within the policy's levels and suppression limit."


def _in_the_way(requirements: Sequence[RequirementResult], width: int) -> str:
    names = [shortened(each.id, width) for each in requirements if each.status in ("fail", "not-evaluated")]
    return listed(names, 3)


def _judged(document: Result, width: int) -> str:
    by_status: dict[str, list[str]] = {}
    for requirement in document.requirements:
        by_status.setdefault(requirement.status, []).append(shortened(requirement.id, width))
    if not by_status:
        return "Nothing was judged."
    parts = [
        (len(ids), f"{_OUTCOMES[status]} ({listed(ids, 3)})")
        for status in ("fail", "not-evaluated", "waived", "warning")
        if (ids := by_status.get(status))
    ]
    return of_total(parts, counted(len(document.requirements), "requirement"))


_OUTCOMES = {"fail": "not met", "not-evaluated": "not evaluated", "waived": "waived", "warning": "not met (warning)"}


def of_total(parts: Sequence[tuple[int, str]], total: str) -> str:
    """What became of how many of a total: ``2 of 5 requirements not met (k, l); 1 waived (m).``."""
    if not parts:
        return f"{total} judged, every one met."
    (first, said), *others = parts
    return "; ".join([f"{first} of {total} {said}", *(f"{count} {text}" for count, text in others)]) + "."


def doubted(shown: Result) -> list[tuple[RequirementResult, str]]:
    """Requirements that are met, with what a finding warns of all the same: no pass by silence."""
    met = {each.id: each for each in shown.requirements if each.status == "pass"}
    return [
        (met[each.requirement], each.message)
        for each in shown.findings
        if each.level == "warning" and each.requirement in met
    ]


def known(requirement: RequirementResult) -> str:
    """What an attacker with bounded knowledge knows; empty for one who knows every quasi-identifier of a record."""
    said = requirement.parameters.get("knows")
    if not isinstance(said, Mapping):
        return ""
    return " and ".join(f"any {count} {what if count != 1 else what.removesuffix('s')}" for what, count in said.items())


def detail(requirement: RequirementResult) -> str:
    """One requirement's outcome as a sentence, for annotations and code-quality lists."""
    return _outcome(requirement, requirement.model)


def named(requirement: RequirementResult) -> str:
    """The same where nothing else tells its id, which mostly tells the model, too."""
    if requirement.id.endswith(requirement.model):
        return _outcome(requirement, requirement.id)
    return f"{requirement.id}: {detail(requirement)}"


def _outcome(requirement: RequirementResult, name: str) -> str:
    sensitive = f" for {requirement.sensitive}" if requirement.sensitive else ""
    bounded = f" knowing {known(requirement)}" if known(requirement) else ""
    words = f"{name}{sensitive}{bounded}: {STATUSES[requirement.status]}"
    if requirement.achieved is not None:
        words += f"; required {required(requirement)}, achieved {achieved(requirement)}"
    if requirement.records_violating is not None:
        words += f"; records violating: {number(requirement.records_violating)}"
    if requirement.columns:
        words += f"; columns: {listed(requirement.columns)}"
    if requirement.reason:
        words += f"; {requirement.reason}"
    return "; ".join([words, *requirement.notes])


def waived_until(waiver: WaiverFacts) -> str:
    """Until when a requirement is waived, by whom and why."""
    left = counted(waiver.days_left, "day")
    known = f" ({waiver.approval})" if waiver.approval else ""
    return f"until {waiver.expires} ({left} left), approved by {waiver.approved_by}{known}: {waiver.reason}"


def findings(document: Result) -> list[str]:
    """Each finding once, with the requirements that it concerns and their records; not of those not evaluated."""
    concerned: dict[str, list[str]] = {}
    unread = {each.id for each in document.requirements if each.reason}
    for finding in document.findings:
        if finding.requirement in unread:
            continue
        names = concerned.setdefault(finding.message, [])
        if finding.requirement is not None:
            records = finding.records_count
            names.append(finding.requirement + ("" if records is None else f" ({number(records)} records)"))
    return [f"{listed(names, 1000)}: {message}" if names else message for message, names in concerned.items()]


def out_of_reach(feasibility: Feasibility) -> str:
    """What no generalization of the table can reach, with the number that proves it."""
    bound, best = feasibility.bound, feasibility.best_possible
    numbers = f"required {number(bound)}, best possible {number(best, bound)}"
    return f"{feasibility.requirement}: {numbers}: {feasibility.why}"


def events_known(document: Result) -> int:
    """How many records of a person an attacker of some requirement knows; 1 where none says more."""
    said = (each.parameters.get("knows") for each in document.requirements)
    return max((each.get("events") or 1 for each in said if isinstance(each, Mapping)), default=1)


def attacker(document: Result) -> str:
    """Against whom the quasi-identifiers protect, in plain words."""
    names = document.classes.quasi_identifiers if document.classes else ()
    if not names:
        return "No quasi-identifiers were declared, so no attacker was modelled."
    most = events_known(document)
    records = f"up to {most} records of " if most > 1 else ""
    return (
        f"Someone who knows {listed(names)} of {records}a person, knows that the person is in this file, and looks for "
        "matching records."
    )


def unit(document: Result) -> str:
    """What a class size counts."""
    data = document.data
    if data is None and is_of_outputs(document) and document.outputs:
        return "The unit that the outputs state."
    if data is None or data.unit == "rows":
        return "Rows: each row is taken as one person."
    return f"Distinct values of {data.unit} ({number(data.units)} in {number(data.rows)} rows)."


def small_numbers(document: Result) -> str | None:
    """What `HIDDEN` means in this document, or None where nothing was hidden."""
    if not hidden_paths(document):
        return None
    return f"Hidden numbers are between 1 and {threshold(document) - 1}, or would reveal such a number."


def by_urgency(requirements: Sequence[RequirementResult]) -> list[RequirementResult]:
    """What the reader must act on first, first; else the policy's order."""
    return sorted(requirements, key=lambda requirement: URGENCY.index(requirement.status))
