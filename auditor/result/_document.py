"""The document that every auditing command answers with, and its parts but requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, PolicyNotMet, UsageError, nearest
from auditor.result._marks import Audience, Kind, Status, Verdict, column, fact, path, plain, total
from auditor.result._requirement import Location, RequirementResult
from auditor.result._work import Work

SCHEMA_VERSION = 1
LACKING = "the data has no column "
"""How the reason begins why a requirement on a column of another table is not evaluated."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """The program that judged."""

    name: str = fact("auditor")
    version: str = fact()


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Where a starter pack has its figures from."""

    pack: str = fact()
    """The name of the pack."""
    source: str = fact()
    """The text that contains the figures."""
    edition: str = fact(None)
    checked_on: str = fact(None)
    certainty: str | None = fact(None)
    """A: primary text seen. B: reliable second hand. C: from memory."""
    notice: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class PolicyFacts:
    """The policy that was judged against.

    `sha256` is of the effective policy as canonical JSON, waivers excluded. `extends` is the chain, nearest first;
    `text` the effective policy as YAML (secrets shown as "confidential").
    """

    name: str = fact()
    sha256: str = fact()
    file: str | None = fact(None)
    """The policy file, or the name of a pack."""
    description: str | None = fact(None)
    owner: str | None = fact(None)
    extends: tuple[str, ...] = fact(())
    citations: tuple[Citation, ...] = fact(())
    text: str | None = fact(None)
    protection_threshold: int | None = fact(None)
    """The largest k that the policy demands: a public document hides totals from 1 to one less than it."""


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """One column of the data and the role that the policy gives it.

    `named` says whether the policy has its name, rather than a glob or a rule for the columns that it does not name;
    None in documents of older versions.
    """

    name: str = column()
    role: str = fact()
    type: str = fact()
    """The engine's name of the type."""
    named: bool | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class DataFacts:
    """The data that was judged. `unit` is "rows", or the column whose distinct values are counted.

    `guessable` says whether the files say so little that `sha256` would confirm a guess of them: below the internal
    audience the digest of such a table is hidden unless it is released. None is not known, as in older documents.
    `before_release` says that it was judged as a table before its release.
    """

    source: str = path()
    """What was named on the command line."""
    rows: int = total()
    """Records, the header not counted."""
    columns: int = fact()
    sha256: str | None = fact(None)
    """Of the file; of several files, of their digests in the order of their names."""
    guessable: bool | None = fact(None)
    before_release: bool = fact(False)
    unit: str = fact("rows")
    units: int | None = total(None)
    """How many distinct units there are; None where rows are counted."""
    format: str | None = fact(None)
    files: int = fact(1)
    column_roles: tuple[ColumnFacts, ...] = fact(())
    recipients: tuple[str, ...] = fact(())
    purpose: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class CountsFacts:
    """The file of counts that was kept beside a result: its name, its digest, and the columns that it has.

    The file holds values of the data, and random bytes: its digest confirms no guess of them.
    """

    file: str = path()
    sha256: str = fact()
    columns: tuple[str, ...] = column(())


@dataclass(frozen=True, kw_only=True)
class SinceFacts:
    """An earlier result that was to be added to: its file, that file's digest, and its day.

    Where its counts were not taken over, the digest could confirm a guess of it: it is for the internal audience alone.

    Where `added`, the counts of `records_before` records were taken over and `records_added` were counted; else all of
    the data was counted anew, and `reason` says why.
    """

    result: str = path()
    sha256: str | None = fact()
    evaluated_on: str = fact()
    added: bool = fact()
    reason: str | None = fact(None)
    """Why all of the data was counted anew."""
    records_before: int | None = total(None)
    records_added: int | None = total(None)


@dataclass(frozen=True, kw_only=True)
class SizeBin:
    """Classes whose size lies from `low` to `high` (None: open), both included."""

    low: int = fact()
    high: int | None = fact()
    classes: int = total()
    records: int = total()


@dataclass(frozen=True, kw_only=True)
class RiskAtK:
    """How many records stand in classes smaller than `k`."""

    k: int = fact()
    records_below: int = total()
    share_below: float = total(kind=Kind.SHARE)
    """`records_below` of all records, from 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class ClassSummary:
    """The equivalence classes of all quasi-identifiers together."""

    count: int = total()
    """How many classes there are."""
    smallest: int = total()
    """Records, or units, of the smallest class."""
    largest: int = total()
    average: float = total(kind=Kind.AVERAGE)
    """Records, or units, by class."""
    sample_uniques: int = total()
    """Classes of one record, or unit."""
    quasi_identifiers: tuple[str, ...] = column(())
    blank_columns: tuple[str, ...] | None = column(None)
    """Those of a release that hold the same value in every record; None before a release, and in older documents."""
    required: int | None = fact(None)
    """The size below which they count against the policy; None where there is none or it is secret, or not known."""
    sizes: tuple[SizeBin, ...] = fact(())
    """How many classes have each size, small to large."""
    risk_curve: tuple[RiskAtK, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Re-identification risk (El Emam 2013): see the docs for each number's formula."""

    prosecutor_highest: float = total(kind=Kind.RISK)
    """1 / the size of the smallest class: the chance that whoever knows a person in the data finds the record."""
    marketer: float = total(kind=Kind.SHARE)
    """Classes by records: the share of all records that whoever links all of them gets right, on average."""
    share_at_risk: float = total(kind=Kind.SHARE)
    """The share of records in classes of which 1 / size is above `threshold`."""
    threshold: float = fact()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something the reader should act on. `message` holds no number and no value of the data."""

    requirement: str | None = fact(None)
    """The id of the requirement; None where it is about the whole."""
    message: str = fact()
    records_count: int | None = total(None)
    """How many records, or units, it is about."""
    level: str = fact("error")
    """error, warning or note"""
    location: Location | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class DimensionStep:
    """What adding one more quasi-identifier does (Aggarwal 20.3.4): `attribute` joins those of the steps before."""

    attribute: str = column()
    distinct_values: int = total()
    classes: int = total()
    unique_records: int = total()
    unique_share: float = total(kind=Kind.SHARE)
    below_k: int = total()
    """Records in classes smaller than `k`."""
    below_k_share: float = total(kind=Kind.SHARE)


@dataclass(frozen=True, kw_only=True)
class Dimensionality:
    """The dimensionality check: quasi-identifiers joined one by one, fewest distinct values first."""

    k: int = fact()
    steps: tuple[DimensionStep, ...] = fact()


@dataclass(frozen=True, kw_only=True)
class Feasibility:
    """A requirement that no generalization of this table can meet, with the number that proves it."""

    requirement: str = fact()
    bound: float | str | None = fact()
    best_possible: float | None = total(kind=None)
    """What the whole table as one class reaches."""
    why: str = fact()
    kind: str | None = fact(None)
    """What `best_possible` is, as in a `RequirementResult`."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The answer of one auditing command: the JSON document as a Python value."""

    tool: Tool = fact()
    command: str = fact()
    evaluated_on: str = fact()
    """The day on which waivers were judged, as YYYY-MM-DD."""
    verdict: Verdict = fact()
    """pass, waived, fail or not-evaluated: the worst of what is required."""
    policy: PolicyFacts = fact()
    data: DataFacts | None = fact(None)
    classes: ClassSummary | None = fact(None)
    risk: Risk | None = fact(None)
    requirements: tuple[RequirementResult, ...] = fact(())
    findings: tuple[Finding, ...] = fact(())
    not_checked: tuple[str, ...] = fact(())
    """What no check of this command sees."""
    assumptions: tuple[str, ...] = fact(())
    """What the verdict takes for granted."""
    dimensionality: Dimensionality | None = fact(None)
    feasibility: tuple[Feasibility, ...] = fact(())
    reproduce: str | None = fact(None)
    """The command that verifies, without paths outside the working folder."""
    counts: CountsFacts | None = fact(None)
    since: SinceFacts | None = fact(None)
    work: Work | None = fact(None)
    """By which engine, and in how many seconds each stage; None in documents of older versions."""

    def __init_subclass__(cls) -> None:
        """Every document has this class's repr; the decorator would write another one."""
        super().__init_subclass__()
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """The verdict alone: a repr goes to logs and notebooks, which know no audience."""
        met = sum(each.status is Status.PASS for each in self.requirements)
        judged = f"{met} of {len(self.requirements)} requirements met"
        return f"<{type(self).__name__}: {self.verdict}, policy {self.policy.name}, {judged}>"

    def requirement(self, id_: str) -> RequirementResult:
        """What was found of the requirement, or limit, with this id; `UsageError` where there is none."""
        found = {each.id: each for each in self.requirements}
        if id_ not in found:
            raise UsageError(
                f"no requirement {id_!r}{nearest(id_, list(found))}; there are {', '.join(found) or 'none'}"
            )
        return found[id_]

    @property
    def passed(self) -> bool:
        """Whether every requirement of severity error is met, without a waiver."""
        return self.verdict is Verdict.PASS

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends with this result."""
        if self.verdict is Verdict.FAIL:
            return EXIT_NOT_MET
        return EXIT_NOT_EVALUATED if self.verdict is Verdict.NOT_EVALUATED else EXIT_MET

    def raise_unless_passed(self) -> None:
        """Raise `PolicyNotMet`, naming the requirements that are not met, unless the verdict is ``pass``."""
        if not self.passed:
            failed = [r.id for r in self.requirements if r.status not in (Status.PASS, Status.WARNING)]
            raise PolicyNotMet(
                f"policy {self.policy.name}: {self.verdict} ({', '.join(failed) or 'nothing was judged'})"
            )

    def to_dict(self) -> dict[str, Any]:
        """The complete document as plain values (audience ``internal``)."""
        return {"schema_version": SCHEMA_VERSION, "audience": Audience.INTERNAL.value, **plain(self)}
