"""Accepted, time-limited exceptions, and which of them cover a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Annotated
from unicodedata import category, normalize

from pydantic import Field

from auditor.policy.base import Block, Stricter
from auditor.result import WaiverFacts

NEAR_EXPIRY_DAYS = 30
"""A waiver that ends within so many days is pointed out."""
DECLARED = "declared, not verified"
"""What is said of an approval: that the person named gave it cannot be seen from the file."""


class Scope(Block):
    """What a waiver is limited to; what is not said is not limited."""

    releases: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        (), description="Releases of the manifest, by name; a waiver limited to some covers no other data."
    )
    data: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        (), description="The data, by globs on its path or its file's name."
    )
    columns: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        (), description="The columns that may break a requirement on columns (identifiers, undeclared, allowed-values)."
    )


class Waiver(Block):
    """One requirement is waived until a date, down to a bound that still holds."""

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the waiver; defaults to the requirement's."
    )
    requirement: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="The id of what is waived.")
    at_least: Annotated[dict[str, int | float], Stricter.REVIEW] = Field(
        {}, description="The parameters, as they must hold in the meantime."
    )
    scope: Annotated[Scope | None, Stricter.REVIEW] = Field(None, description="What the waiver is limited to.")
    sha256: Annotated[str | None, Stricter.REVIEW] = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="The digest of the only data that the waiver covers."
    )
    reason: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Why the exception is acceptable.")
    owner: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Who asked for it.")
    approved_by: Annotated[str, Stricter.REVIEW] = Field(
        min_length=1, description="Who accepted it: somebody else than who asked."
    )
    ticket: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Where it is discussed.")
    expires: Annotated[date, Stricter.LOWER] = Field(description="The last day it holds, as 2027-03-31.")

    @property
    def is_self_approved(self) -> bool:
        """Whether who asked for it is who accepted it; such a waiver excuses nothing."""
        return same_person(self.owner, self.approved_by)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that it is limited to; empty where it is not."""
        return frozenset(self.scope.columns) if self.scope else frozenset()

    @property
    def limits(self) -> tuple[object, ...]:
        """What it is limited to, for comparing two waivers."""
        scope = self.scope or Scope()
        return (self.sha256, *(frozenset(names) for names in (scope.releases, scope.data, scope.columns)))


@dataclass(frozen=True)
class Covered:
    """The data that a waiver may cover: the release's name in the manifest, its source, and its digest when asked."""

    source: str
    sha256: Callable[[], str | None]
    release: str | None = None


def same_person(one: str, other: str) -> bool:
    """Whether two names are the same but for case and white space around them."""
    return folded(one) == folded(other)


def folded(name: str) -> str:
    """A name or address as those of one person are alike: without case, forms of Unicode, and what cannot be seen."""
    alike = normalize("NFKC", normalize("NFKC", name).casefold())
    return " ".join("".join(each for each in alike if category(each) != "Cf").split())


def facts(waiver: Waiver, as_of: date, wider: str | None) -> WaiverFacts:
    """The waiver as a result has it on a day; `wider` says how it excuses more than was found."""
    return WaiverFacts(
        reason=waiver.reason,
        owner=waiver.owner,
        approved_by=waiver.approved_by,
        approval=DECLARED,
        ticket=waiver.ticket,
        expires=waiver.expires.isoformat(),
        days_left=(waiver.expires - as_of).days,
        at_least=dict(waiver.at_least) or None,
        wider=wider,
    )


def in_force(
    waivers: Sequence[Waiver], requirement: str, as_of: date, covered: Iterable[Covered] | None = None
) -> Waiver | None:
    """The waiver of a requirement that has not lapsed; the one that lasts longest, if there are several.

    Args:
        waivers: all of them.
        requirement: the id of what may be waived.
        as_of: the day.
        covered: the data that it must cover one of; None looks at no limits of data.
    """
    held = [w for w in waivers if w.requirement == requirement and w.expires >= as_of and not w.is_self_approved]
    if covered is not None:
        some = tuple(covered)
        held = [w for w in held if any(covers(w, each) for each in some)]
    return max(held, key=lambda waiver: waiver.expires, default=None)


def covers(waiver: Waiver, covered: Covered) -> bool:
    """Whether a waiver's limits let it speak of some data."""
    scope = waiver.scope or Scope()
    names = (covered.source, PurePath(covered.source).name)
    return (
        (not scope.releases or covered.release in scope.releases)
        and (not scope.data or any(fnmatchcase(name, glob) for glob in scope.data for name in names))
        and (waiver.sha256 is None or waiver.sha256 == covered.sha256())
    )
