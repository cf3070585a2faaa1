"""For a terminal: the verdict, why, each requirement, and what was not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from auditor.report import masking, outputs, queries, reasons, remediation, since, words
from auditor.report._screen import Screen, bare_table
from auditor.report.redact import Redacted
from auditor.result import RequirementResult, Result, Status, is_of_outputs, is_of_queries

if TYPE_CHECKING:
    from auditor.result.masking import MaskingResult
    from auditor.result.outputs import OutputsResult
    from auditor.result.queries import QueriesResult
    from auditor.result.remediation import RemediationResult, Solution

_STYLES = {"pass": "green", "fail": "bold red", "warning": "yellow", "waived": "yellow", "not-evaluated": "magenta"}


def document(redacted: Redacted[Result], width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide; escape sequences only where `colour` asks for them."""
    shown, console = words.view(redacted).result, Screen(width, colour=colour, spare=1)
    _verdict(console, shown)
    made = f"audience {redacted.audience}, evaluated on {shown.evaluated_on}"
    console.facts([*_fact_lines(shown), ("for", made)])
    if remediation.compares(shown):
        console.print()
        console.print(_before_and_after(shown, console.width))
    elif shown.requirements:
        console.print()
        console.print(_requirements(shown, console.width))
    if remediation.alternatives(shown):
        console.print()
        console.print(Text(remediation.left_open(shown), style="bold"))
        console.print(_alternatives(shown))
    console.lists(_lists(shown))
    return console.text()


def _verdict(console: Screen, shown: Result) -> None:
    status = shown.verdict
    line = Text.assemble(
        (f"{words.SYMBOLS[status]} {words.headline(shown)} ", _STYLES[status]), (shown.policy.name, "bold")
    )
    console.print(line)
    console.paragraph(words.why(shown))
    blank = words.blank(shown)
    if blank:
        console.paragraph(f"{words.SYMBOLS['warning']} {blank}", _STYLES["warning"])


def _fact_lines(shown: Result) -> list[tuple[str, str]]:
    data, classes, risk = shown.data, shown.classes, shown.risk
    place = words.policy_file(shown.requirements) or shown.policy.file or "given from Python"
    lines = [("policy", f"{place}, sha256 {shown.policy.sha256[:12]}")]
    if remediation.is_one(shown):
        lines += remediation.facts(shown)
    if masking.is_one(shown):
        lines += masking.facts(shown)
    if is_of_queries(shown):
        lines += queries.facts(shown)
    if is_of_outputs(shown):
        lines += outputs.facts(shown)
    if data and (remediation.compares(shown) or not remediation.is_one(shown)):
        digest = f", sha256 {data.sha256[:12]}" if data.sha256 else ""
        lines.append(("data", f"{data.source}, {words.number(data.rows)} rows, {data.columns} columns{digest}"))
    if classes:
        lines.append(("knows", words.listed(classes.quasi_identifiers)))
        count, smallest = words.number(classes.count), words.number(classes.smallest)
        unique = words.number(classes.sample_uniques)
        lines.append(("classes", f"{count}, smallest {smallest}, unique records: {unique}"))
    if risk:
        highest, average = words.number(risk.prosecutor_highest), words.number(risk.marketer)
        lines.append(("risk", f"highest {highest}, average {average}"))
    return lines


def _requirements(shown: Result, width: int) -> Table:
    table = bare_table()
    wide, one_file = width >= 80, words.policy_file(shown.requirements) is not None
    columns = ["", "Requirement", "Required", "Achieved", *(["Margin"] if wide else []), "Status"]
    columns += ["Records", "Line" if one_file else "Where"] if wide else []
    for column in columns:
        table.add_column(column, overflow="fold", justify="right" if column in ("Records", "Line") else "left")
    together = reasons.without_columns(shown)
    for requirement in words.by_urgency(shown.requirements):
        if requirement not in together:
            table.add_row(*_row(requirement, wide, one_file))
    if together:
        unread = Status.NOT_EVALUATED
        symbol, status = (Text(said[unread], style=_STYLES[unread]) for said in (words.SYMBOLS, words.STATUSES))
        names, none = Text(words.listed([each.id for each in together], reasons.FEW)), Text("–")
        table.add_row(symbol, names, none, none, *([none] if wide else []), status, *([none, none] if wide else []))
    return table


def _row(requirement: RequirementResult, wide: bool, one_file: bool) -> list[Text]:
    status = requirement.status
    columns = f" ({words.listed(requirement.columns, 6)})" if requirement.columns else ""
    start = [Text(words.SYMBOLS[status], style=_STYLES[status]), Text(requirement.id + columns)]
    numbers = [Text(words.required(requirement)), Text(words.achieved(requirement))]
    outcome = Text(words.STATUSES[status], style=_STYLES[status])
    if not wide:
        return [*start, *numbers, outcome]
    records = Text(words.number(requirement.records_violating))
    place = requirement.location
    line = Text(str(place.line) if place and one_file else words.where(place))
    return [*start, *numbers, Text(words.margin(requirement)), outcome, records, line]


def _before_and_after(shown: RemediationResult | MaskingResult, width: int) -> Table:
    table = bare_table()
    for column in ("", "Requirement", "Required", "Before", "After", "Status", *(["Policy"] if width >= 80 else [])):
        table.add_column(column, overflow="fold")
    for pair in remediation.pairs(shown):
        style, requirement = _STYLES[pair.status], pair.requirement
        cells = [
            Text(words.SYMBOLS[pair.status], style=style),
            *map(Text, (requirement.id, words.required(requirement), pair.before, pair.after)),
            Text(pair.words, style=style),
            Text(words.where(requirement.location).rpartition("/")[2]),
        ]
        table.add_row(*cells[: len(table.columns)])
    return table


def _alternatives(shown: Result) -> Table:
    table = bare_table()
    for column in ("", *remediation.ALTERNATIVE_COLUMNS):
        table.add_column(
            column, overflow="fold", justify="right" if column in ("Suppressed", "Blank columns") else "left"
        )
    for row in remediation.alternatives(shown):
        mark, lines = "→" if row.taken else "", "\n".join([*row.lines, *([row.reason] if row.reason else [])])
        table.add_row(*map(Text, (mark, row.loss, row.suppressed, row.blank, lines)))
    return table


def _lists(shown: Result) -> list[tuple[str, list[str]]]:
    waivers = [f"{r.id}: {words.waived_until(r.waiver)}" for r in shown.requirements if r.waiver]
    infeasible = [words.out_of_reach(f) for f in shown.feasibility]
    note = words.small_numbers(shown)
    lists = [
        *(_searched(shown.solution) if remediation.released(shown) and shown.solution else []),
        *(masking.lists(shown) if masking.is_one(shown) else []),
        ("What stands in the way", remediation.lacking(shown) if remediation.is_one(shown) else []),
        *(_asked(shown) if is_of_queries(shown) else []),
        *(_published(shown) if is_of_outputs(shown) else []),
        ("Why not evaluated", reasons.reasons(shown)),
        ("Findings", words.findings(shown)),
        ("Cannot be met by generalizing this table", infeasible),
        ("Waived", waivers),
        ("Not checked", list(shown.not_checked)),
        ("Assumed", since.assumed(shown)),
        ("Hidden", [note] if note else []),
    ]
    return [(title, lines) for title, lines in lists if lines]


MOST_PROOFS = 12


def _asked(shown: QueriesResult) -> list[tuple[str, list[str]]]:
    """What follows from the answers, what could not be audited, and how much each user touched."""
    proofs = [proof.sentence for proof in queries.proofs(shown, MOST_PROOFS)]
    if len(shown.disclosures) > len(proofs):
        proofs.append(f"and {words.number(len(shown.disclosures) - len(proofs))} more, in the JSON document")
    touched = [
        f"{user}: {words.counted(int(answered.replace(',', '')), 'answer')} about {share} of the records"
        for user, _, answered, _, _, _, share in queries.coverage(shown)[:MOST_PROOFS]
    ]
    return [
        ("What follows from the answers", proofs),
        ("Could not be audited", queries.unsupported(shown)),
        ("Denied by" if shown.online else "Limits that queries broke", queries.violated(shown.queries)),
        ("What each user touched", touched),
    ]


def _published(shown: OutputsResult) -> list[tuple[str, list[str]]]:
    """What in the outputs violates, and what could not be judged."""
    found = [*outputs.violations(shown, MOST_PROOFS), *outputs.unnamed(shown)]
    return [("What violates", found), ("Could not be judged", outputs.unread(shown))]


def _searched(solution: Solution) -> list[tuple[str, list[str]]]:
    """What the release looks like, what it loses and how it was found."""
    ladders = [f"{each.attribute}: {remediation.reads_like(each)}" for each in solution.ladders if each.level]
    losses = [f"{name} {value}: {meaning}" for name, value, meaning in remediation.losses(solution)]
    arguments = [f"{name}: {argument}" for name, argument in solution.arguments.items()]
    return [
        ("Values now read", ladders),
        ("What it loses", losses),
        ("How it was found", remediation.found(solution)),
        ("By which argument ways were decided", arguments),
    ]
