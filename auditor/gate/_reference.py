"""What a change is held to: the base revision, and what its target branch says now.

Whoever writes a change chooses where it begins, and so an old commit to be compared with. Where the tip of the target
branch is another one, its floors hold, and of the trusted settings what is stricter on either side, merged or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from auditor.gate._floor import Floor, floors_of
from auditor.gate._schema import Trusted
from auditor.gate._sides import BaseSide
from auditor.gate.signatures.signers import signers_of
from auditor.policy.reading import Stricter, choices_of, directions, order
from auditor.policy.waivers import folded
from auditor.result import Strictness


@dataclass
class Reference:
    """What holds of the base revision, and of the tip of its target branch (None: it is the base revision itself)."""

    side: BaseSide | None
    target: BaseSide | None = None
    floors_of_base: tuple[Floor, ...] = field(init=False)
    floors: tuple[Floor, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.floors_of_base = self.floors = floors_of(self.side)
        if self.target is not None and self.target.manifest is not None:
            self.floors = floors_of(self.target)

    @property
    def base(self) -> Trusted:
        """The settings of the base revision; none where it has no manifest."""
        return Trusted() if self.side is None else self.side.trusted

    @property
    def tip(self) -> Trusted:
        """The settings of the target branch's tip."""
        return self.base if self.target is None else self.target.trusted

    @property
    def trusted(self) -> Trusted:
        """The settings that count."""
        return self.base if self.target is None else stricter_of(self.base, self.target.trusted)

    @property
    def approvers(self) -> frozenset[str]:
        """Who may approve, as `folded`."""
        return frozenset(map(folded, self.trusted.approvers))

    def notes(self) -> Iterator[str]:
        """What is to be said where the target branch demands other things than the base revision."""
        held, before = ([(each.name, each.policy.sha256) for each in of] for of in (self.floors, self.floors_of_base))
        if self.target is not None and (self.tip != self.base or held != before):
            yield (
                f"The change began before the present settings of the target branch ({self.target.commit[:12]}): its "
                "floors hold, and the stricter of both settings."
            )


def stricter_of(one: Trusted, other: Trusted) -> Trusted:
    """For each setting the stricter value of two, or what both allow: the keys are those that both list."""
    said = {
        name: _stricter(direction, name, getattr(one, name), getattr(other, name))
        for name, direction in directions(Trusted).items()
    }
    keys = {name: tuple(key.text for key in of) for name, of in signers_of(one.signers, other.signers).items()}
    return one.model_copy(update={**said, "signers": keys})


def _stricter(direction: Stricter, name: str, one: Any, other: Any) -> Any:
    if direction is Stricter.SUBSET:
        allowed = _spelled(name, other)
        return tuple(each for each, spelled in zip(one, _spelled(name, one), strict=True) if spelled in allowed)
    if direction is Stricter.SUPERSET:
        return tuple(dict.fromkeys((*one, *other)))
    return other if order(direction, one, other, choices_of(Trusted, name)) is Strictness.STRICTER else one


def _spelled(name: str, values: Iterable[str]) -> list[str]:
    """The values as they are compared: an address is one however it is written."""
    return [folded(each) if name == "approvers" else each for each in values]
