"""The proposal as a policy file: YAML, with the evidence in comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from auditor.dialect import CsvDialect
from auditor.errors import Unsupported
from auditor.policy.file.yaml import FORBIDDEN, MAX_BYTES, MAX_SCALAR
from auditor.profile._ladders import NAMED
from auditor.profile._measure import ColumnProfile, Exposure, Profile
from auditor.profile._propose import Proposal

K = 11
"""The size of a class that is demanded."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})

HEAD = """\
# A policy to start from, proposed by `auditor init` from {records:,} records in {columns:,} columns.
#
# Roles and ladders are guesses from names, counts and shapes. Of the data only round numbers stand here, and values of
# quasi-identifiers that at least {named} records share. Go through the columns: whoever knows a person may know the
# quasi-identifiers, should not learn what is sensitive, and must not find an identifier or free text in a release.
# Lines that say "unsure" want a decision; until then the column has the strictest role that it may need. Where they say
# "review", the ladder keeps what is frequent; groups by meaning tell more. Then set the requirements, and run:
#
#     auditor check DATA -p THIS_FILE --source
"""


FILL_IN = "add range: [least, largest], the ends that everybody knows; until then they are inferred from the data"
"""What is said of few numbers: their ends would be values of the data."""
USUAL = CsvDialect()
MANY = 200
"""Columns beyond which no value is named."""
WIDE = 999
"""Columns beyond which ladders, and requirements column by column, are left out: a policy may hold only so many."""
WIDEST = 6_000

NO_LADDERS = """\
#
# The table is so wide that no ladders are proposed, and nothing is required of single columns; many of its columns may
# be worth dropping before a release.
"""


WITH_CONTRACT = """\
#
# Where a comment begins with a place in a data contract, the role is what stands there; what the contract does not say
# of a column is a guess as above.
"""


@dataclass(frozen=True)
class ContractLines:
    """What a policy says of its data contract: the line that names it, and which of its columns the data lacks."""

    held: str
    absent: Sequence[str]


def write(
    name: str,
    profile: Profile,
    proposals: Sequence[Proposal],
    exposure: Exposure,
    *,
    reading: CsvDialect = USUAL,
    doubt: str | None = None,
    contract: ContractLines | None = None,
) -> str:
    """The policy as text.

    Args:
        name: the policy's name.
        profile: the table's columns.
        proposals: what is proposed for each.
        exposure: who stands alone where they are put together.
        reading: how numbers and days were read.
        doubt: why they may be read otherwise.
        contract: what stands in a policy that is proposed with a data contract.

    Raises:
        Unsupported: the table has more columns, or longer names, than a policy file can hold.
    """
    wide = len(proposals) > WIDE
    if len(proposals) > MANY:
        proposals = [replace(each, hierarchy="suppress") if each.by_frequency else each for each in proposals]
    named = [pair for pair in zip(profile.columns, proposals, strict=True) if _can_be_named(pair[0].name)]
    lines = [
        (HEAD + (WITH_CONTRACT if contract else "") + NO_LADDERS * wide)
        .format(records=profile.records, columns=len(profile.columns), named=NAMED)
        .rstrip("\n"),
        "version: 1",
        f"name: {_policy_name(name)}",
        *([contract.held] if contract else []),
        *_reading(reading, doubt),
        "attributes:" if named else "attributes: {}",
        *_attributes(named, ladders=not wide),
        *_unnamed(profile),
        *(contract.absent if contract else ()),
        "undeclared: fail",
        *_exposure(profile, exposure),
        *_seldom_missing(named),
        *_requirements([] if wide else [proposal for _, proposal in named]),
    ]
    text = "".join(f"{line}\n" for line in lines)
    if len(proposals) > WIDEST or len(text.encode()) > MAX_BYTES:
        raise Unsupported(f"{len(proposals):,} columns are more than a policy file can name; select those to release")
    return text


def _reading(csv: CsvDialect, doubt: str | None) -> Iterator[str]:
    """How numbers and days are written, or why that has to be said."""
    said = {"decimal": csv.decimal, "thousands": csv.thousands, "dates": csv.dates}
    declared = {key: value for key, value in said.items() if value is not None}
    if declared:
        yield "# How numbers and days are written in the CSV files that this policy judges."
        yield f"reading: {_flow(declared)}"
    if doubt is not None:
        yield from wrap(
            f"How numbers are written is unsure, and so they are read as texts: {_printable(doubt)}",
            118,
            initial_indent="# ",
            subsequent_indent="# ",
        )
        yield '# Say it as in `reading: {decimal: ",", thousands: "."}`, or give it to init (--decimal, --thousands).'


def _can_be_named(name: str) -> bool:
    """Whether a policy file may hold the name: it refuses characters that make a text look like another one."""
    return not FORBIDDEN.search(name) and len(name) <= MAX_SCALAR


def _unnamed(profile: Profile) -> Iterator[str]:
    """The columns that a policy cannot name stay undeclared, so that a release that has them fails."""
    for place, column in enumerate(profile.columns, start=1):
        if not _can_be_named(column.name):
            yield f"# Column {place} is left out: its name is too long or holds control characters; rename it."


def _attributes(named: Sequence[tuple[ColumnProfile, Proposal]], *, ladders: bool) -> Iterator[str]:
    for column, proposal in named:
        yield f"  # {_evidence(column, proposal)}"
        yield f"  {scalar(proposal.column)}: {_attribute(proposal) if ladders else proposal.role}"
        if proposal.few:
            yield f"  #   {FILL_IN}"


def _policy_name(name: str) -> str:
    return scalar(re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:100].strip("-") or "policy")


def _evidence(column: ColumnProfile, proposal: Proposal) -> str:
    said = [f"{_printable(proposal.said)}; {proposal.why}" if proposal.said else proposal.why]
    if column.usable:
        said.append(f"{column.distinct:,} distinct value{'s' * (column.distinct != 1)}")
        said += [f"{_share(column.missing, column.records)} missing"] if column.missing else []
        said += [_unique(column.unique, column.records)] if column.unique else []
    return ", ".join(said) + "; unsure" * proposal.unsure + "; review its groups" * proposal.by_frequency


def _printable(text: str) -> str:
    """Text that ends no comment: a file's name may hold anything."""
    return text if text.isprintable() else ascii(text)


def _unique(unique: int, records: int) -> str:
    if unique == records:
        return "every record has a unique value"
    return f"{_share(unique, records)} of records have a unique value"


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole
    if part == whole:
        return "all"
    return f"{min(share, 99.9):.1f}".removesuffix(".0") + " %" if share >= 0.05 else "under 0.1 %"


def _attribute(proposal: Proposal) -> str:
    ends = None if proposal.range is None else list(proposal.range)
    said = {"role": proposal.role, "type": proposal.type, "range": ends, "hierarchy": proposal.hierarchy}
    given = {key: value for key, value in said.items() if value is not None}
    return proposal.role if len(given) == 1 else _flow(given)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return scalar(value) if isinstance(value, str) else json.dumps(value)


def scalar(text: str) -> str:
    """Text as a YAML scalar that every reader takes for that text, on one line of printable characters."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _exposure(profile: Profile, exposure: Exposure) -> Iterator[str]:
    if not exposure.columns:
        return
    yield "# Records with unique values, as the quasi-identifiers are combined one by one:"
    for name, unique in exposure.steps or ((f"{exposure.columns} together", exposure.together),):
        yield f"#   {_share(unique, profile.records) if unique else 'none':>11}  {scalar(name)}"
    if exposure.left_out:
        yield f"#   and {exposure.left_out} more that were not put together"


def _seldom_missing(named: Sequence[tuple[ColumnProfile, Proposal]]) -> Iterator[str]:
    seldom = [each.name for each, p in named if p.role == "quasi-identifier" and 0 < each.missing < K]
    if seldom:
        yield f"# Fewer than {K} records miss a value here: {', '.join(map(scalar, seldom))}."
        yield "# A missing value agrees with others only where all are `*`: these few would cost the whole column. Fill"
        yield "# them in, or let a release leave the records out: `remediation: {suppression_limit: 1%}`."


def _requirements(proposals: Sequence[Proposal]) -> Iterator[str]:
    yield "requirements:"
    yield f"  # Every record agrees with at least {K - 1} others on the quasi-identifiers."
    yield f"  - {{model: k-anonymity, k: {K}}}"
    sensitive = [scalar(p.column) for p in proposals if p.role == "sensitive"]
    if sensitive:
        yield "  # Whoever finds a person's class does not learn the value."
        yield f"  - {{model: distinct-l-diversity, sensitive: [{', '.join(sensitive)}], l: 2}}"
