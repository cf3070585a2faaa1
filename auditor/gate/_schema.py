"""The manifest as a model: what is released, under which policy, and what only the base revision may say."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from auditor.dialect import CsvDialect, DateForm, DecimalMark, ThousandsMark
from auditor.policy.reading import Block, Stricter

Texts = tuple[str, ...]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Fingerprint = Annotated[str, Field(pattern=r"^(SHA256:[A-Za-z0-9+/]{43}|[0-9A-F]{40})$")]
ReleaseName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]


class CsvSettings(Block):
    """How the CSV files of a release are written, and which sheet of its workbooks is the table.

    A change that reads the same files alike may read the next ones otherwise: what makes another number or another row
    of the same text is for somebody to decide.
    """

    delimiter: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Found in the header if not given.")
    quote: Annotated[str, Stricter.REVIEW] = Field('"', description="The quote character.")
    encoding: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="UTF-8, or the byte order mark's.")
    line_ends: Annotated[Literal["any"] | None, Stricter.NEUTRAL] = Field(
        None, description="`any`: lines may end in several ways."
    )
    sheet: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, description="The sheet of a workbook; the only one with cells if not given."
    )
    decimal: Annotated[DecimalMark | None, Stricter.REVIEW] = Field(None, description="The decimal mark of numbers.")
    thousands: Annotated[ThousandsMark | None, Stricter.REVIEW] = Field(
        None, description="The mark between groups of three digits."
    )
    dates: Annotated[DateForm | None, Stricter.REVIEW] = Field(None, description="How days are written.")

    @property
    def dialect(self) -> CsvDialect:
        """The same, as what opens data takes it."""
        return CsvDialect(**dict(self))


class EarlierBlock(Block):
    """An earlier release. A plain string is where it is."""

    SHORTHAND: ClassVar[str | None] = "release"

    release: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="Where the release is.")
    original: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The table that it was made from, by which its people are followed."
    )


class Release(Block):
    """One thing that leaves the house: files, and the policy that they must meet.

    A field's direction says what a change of it is beside the base revision: what is judged no more is weaker, and so
    is a further recipient. Where the data stands is no matter of strictness.
    """

    policy: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="The policy file, or a starter pack.")
    data: Annotated[str | None, Stricter.NESTED] = Field(
        None, min_length=1, description="A path, glob, folder or database URL, relative to the manifest."
    )
    not_released: Annotated[Texts, Stricter.SUBSET] = Field(
        (),
        description="Files in the data's folder that no reader can read, or tables and views of its database "
        "file, that "
        "are not part of the release; globs.",
    )
    csv: Annotated[CsvSettings, Stricter.NEUTRAL] = Field(CsvSettings(), description="How CSV files are written.")
    original: Annotated[str | None, Stricter.NESTED] = Field(
        None, min_length=1, description="The table that the release was made from; query logs are about it."
    )
    previous: Annotated[str | tuple[EarlierBlock, ...] | None, Stricter.NESTED] = Field(
        None,
        description="An earlier release, or all of them from the first, each with its `original`: every class, counted "
        "in both, differs by 0 or at least k. An empty list: there is none.",
    )
    outputs: Annotated[str | Texts, Stricter.NESTED] = Field((), description="Files of mining outputs, or globs.")
    queries: Annotated[str | Texts, Stricter.NESTED] = Field((), description="Query logs, or globs of them.")
    dialect: Annotated[str, Stricter.REVIEW] = Field("postgres", description="The dialect of the logs' SQL.")
    recipients: Annotated[Texts, Stricter.SUBSET] = Field((), description="Who receives it.")
    purpose: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="What for.")
    sha256: Annotated[Digest | dict[str, Digest], Stricter.NEUTRAL] = Field(
        {},
        description="The expected hash of the data, or of its files by path; any other is not evaluated.",
    )

    @field_validator("previous")
    @classmethod
    def _previous_is_somewhere(
        cls, given: str | tuple[EarlierBlock, ...] | None
    ) -> str | tuple[EarlierBlock, ...] | None:
        if given == "":
            raise ValueError("previous is empty; name an earlier release, or say previous: [] where there is none")
        return given

    @property
    def earlier(self) -> tuple[EarlierBlock, ...]:
        """The earlier releases."""
        return (EarlierBlock(release=self.previous),) if isinstance(self.previous, str) else self.previous or ()

    def texts(self, role: str) -> list[str]:
        """The places that it names of a role, as they stand there; ``previous_original`` is of earlier releases."""
        if role == "previous":
            return [each.release for each in self.earlier]
        if role == "previous_original":
            return [each.original for each in self.earlier if each.original is not None]
        given: str | tuple[str, ...] | None = getattr(self, role)
        return [given] if isinstance(given, str) else list(given or ())


class Trusted(Block):
    """What a change cannot decide for itself: always read from the base revision."""

    max_waiver_days: Annotated[int | None, Stricter.LOWER] = Field(
        None, ge=0, description="The longest term of a waiver, in days."
    )
    max_approval_days: Annotated[int | None, Stricter.LOWER] = Field(
        None,
        ge=0,
        description="The longest term of an approval, in days; each must then say when it expires.",
    )
    approvers: Annotated[Texts, Stricter.SUBSET] = Field((), description="Who may approve: addresses, as git has them.")
    signers: Annotated[dict[str, Texts], Stricter.REVIEW] = Field(
        {}, description="Public keys by approver, SSH or OpenPGP, or the files that hold them: who signs approvals."
    )
    unsigned: Annotated[Literal["forbidden", "allowed"], Stricter.HIGHER] = Field(
        "allowed", description="Whether an approval that nobody signed counts, as declared."
    )
    revoked: Annotated[tuple[Fingerprint, ...], Stricter.SUPERSET] = Field(
        (),
        description="Fingerprints of keys or subkeys that are revoked; those of head and target count, too.",
    )
    env: Annotated[Texts, Stricter.SUBSET] = Field((), description="Variables that paths of data may name as ${NAME}.")
    at_least: Annotated[Texts, Stricter.SUPERSET] = Field(
        (),
        description="Floors: policy files or starter packs that every release must meet in addition to its own policy.",
    )
    ledger: Annotated[str | None, Stricter.NESTED] = Field(
        None, min_length=1, description="The ledger of certified releases, which a change may only lengthen."
    )


class Weakening(Block):
    """An approval of changes that are not at least as strict as the base revision."""

    change: Annotated[Digest | tuple[Digest, ...], Stricter.NEUTRAL] = Field(
        description="The change's digest as the gate prints it, or a list: one for each release that it weakens."
    )
    reason: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Why the change is acceptable.")
    approved_by: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Who accepted it.")
    ticket: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Where it is discussed.")
    expires: Annotated[date | None, Stricter.NEUTRAL] = Field(None, description="The last day on which it counts.")


class Manifest(Block):
    """``auditor.yaml``."""

    version: Annotated[Literal[1], Stricter.NEUTRAL] = Field(1, description="Version of the manifest's language.")
    include: Annotated[Texts, Stricter.NEUTRAL] = Field((), description="Manifests of teams, or globs of them.")
    releases: Annotated[dict[ReleaseName, Release], Stricter.NESTED] = Field({}, description="What is released.")
    other_tables: Annotated[Texts, Stricter.NEUTRAL] = Field(
        (), description="Tables beside the releases that are not about people (code lists, fixtures); paths or globs."
    )
    reports: Annotated[Texts, Stricter.NEUTRAL] = Field((), description="Reports that every run writes.")
    trusted: Annotated[Trusted, Stricter.NESTED] = Field(Trusted(), description="Read from the base revision.")
    weakenings: Annotated[tuple[Weakening, ...], Stricter.NEUTRAL] = Field((), description="Approved weakenings.")
