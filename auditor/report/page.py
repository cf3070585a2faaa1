"""What every format writes: a page, of records that name no format.

A kind of document (an audit, a gate's result, a comparison of policies, …) is one `Page`: what somebody has to look at
(`lines`), what was checked (`suites`), and how it is told to a reader. A format is one file of `auditor.report.formats`
and knows no kind. Texts come from a stranger's files: each format sees to it that they stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import ClassVar, Protocol, cast

from auditor.result import Location, Tool

URGENCY = ("fail", "not-evaluated", "waived", "warning", "approved", "doubt", "pass")
"""What a line says of its subject, the most urgent first. A doubt is a warning about a demand that is met."""


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    @classmethod
    def of(cls, location: Location | None, otherwise: str | None = None) -> Place | None:
        """The place that a document states; where it states none, the first line of another file."""
        if location:
            return cls(location.file, location.line)
        return cls(otherwise, 1) if otherwise else None


@dataclass(frozen=True)
class Line:
    """One thing that somebody has to look at.

    Attributes:
        status: one of `URGENCY`, but pass.
        title: what it is called, in a few words.
        message: what is to be said below the title.
        sentence: both, where there is no title.
        rule: what it breaks, as ``auditor/k-anonymity``.
        place: where it is mended.
        identity: what stays the same while lines move and numbers change.
        mark: the same, shorter, among the rules of one page; `identity` where None.
        proof: the first evidence, where there is some.
        excuse: why it is let pass, by whom and until when.
        broken: whether it breaks its rule; what does not is said in `Page.notifications`, too.
        group: lines of one group stand together.
    """

    status: str
    title: str
    message: str
    sentence: str
    rule: str
    place: Place | None
    identity: tuple[str, ...]
    mark: tuple[str, ...] | None = None
    proof: tuple[str, ...] = ()
    excuse: str | None = None
    broken: bool = True
    group: int = 0


@dataclass(frozen=True)
class BrokenRule:
    """What lines break: its id, its name, what it asks for, and the command that tells more."""

    id: str
    name: str
    about: str
    help: str


@dataclass(frozen=True)
class CheckOutcome:
    """What became of a check that does not simply hold: failure, error or skipped; or what is said of one that does."""

    tag: str
    message: str = ""
    type: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class Check:
    """One thing that was checked, and its outcome (None: it holds, and nothing is to be said)."""

    group: str
    name: str
    place: Place | None
    outcome: CheckOutcome | None


@dataclass(frozen=True)
class Suite:
    """Checks that belong together, and what is known of all of them."""

    name: str
    checks: tuple[Check, ...]
    properties: tuple[tuple[str, str], ...] = ()


class Document(Protocol):
    """What a page is of: it is redacted already, and whatever a page tells comes from it."""

    def to_dict(self) -> Mapping[str, object]:
        """The JSON document as plain values."""


class Page:
    """A document as its formats see it; kinds of documents override what they have.

    `PARTS` are the parts that a kind has: a format that needs another one does not write it.
    """

    ROOM: ClassVar[str]
    """The package with the kind's `text`, `markdown` and `html`."""
    NAME: ClassVar[str] = "auditor"
    MARK: ClassVar[str] = ""
    """What fingerprints of its lines are called."""
    PARTS: ClassVar[frozenset[str]] = frozenset({"document", "text", "markdown", "html"})
    WRITTEN: ClassVar[str] = "there is no such format"
    """Why a kind that lacks parts lacks them."""

    document: Document

    def __init__(self, document: Document) -> None:
        """`document` is redacted already."""
        self.document = document

    @property
    def subject(self) -> object:
        """What the room's modules write."""
        return self.document

    def text(self, width: int = 100, colour: bool = False) -> str:
        """A screen of text."""
        shown: str = import_module(f"{self.ROOM}.text").document(self.subject, width=width, colour=colour)
        return shown

    def markdown(self) -> str:
        """A comment on a change."""
        shown: str = import_module(f"{self.ROOM}.markdown").document(self.subject)
        return shown

    def html(self) -> str:
        """One file that needs no network and no script."""
        shown: str = import_module(f"{self.ROOM}.html").document(self.subject)
        return shown

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """What somebody has to look at, in the document's order."""
        return ()

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """What was checked."""
        return ()

    @property
    def rules(self) -> Sequence[BrokenRule]:
        """The rules that lines of this page can break."""
        return ()

    @property
    def summary(self) -> str:
        """The whole in one line."""
        return ""

    @property
    def met(self) -> bool:
        """Whether nothing is wrong; where something is, a line says what, or the summary alone does."""
        return True

    @property
    def file(self) -> str | None:
        """Where a line that has no place of its own is looked for."""
        return None

    @property
    def tool(self) -> Tool:
        """The name and version of what wrote the document."""
        return Tool(**cast("dict[str, str]", self.document.to_dict()["tool"]))

    @property
    def properties(self) -> Mapping[str, object]:
        """What is known of the whole."""
        return {}

    @property
    def evaluated(self) -> bool | None:
        """Whether everything could be judged; None where that is no question."""
        return None

    @property
    def notifications(self) -> Sequence[tuple[str, str]]:
        """What belongs to no broken rule: error, warning or note, and a sentence."""
        return ()


def by_urgency(lines: Sequence[Line]) -> list[Line]:
    """The lines group by group, in each the most urgent first."""
    return sorted(lines, key=lambda line: (line.group, URGENCY.index(line.status)))
