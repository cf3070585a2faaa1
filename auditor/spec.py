"""What a bound of the policy is compared with: declared once, where the parameter is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Annotated, Any, get_args

from pydantic import BaseModel, Field, PlainSerializer, WithJsonSchema

from auditor.result import Kind


def as_json(number: Decimal) -> float | str:
    """A number as JSON holds it exactly: a float that is written so, else a whole number, else its digits as text.

    >>> as_json(Decimal(18)), as_json(Decimal(2**53 + 1)), as_json(Decimal("0.10000000000000000001"))
    (18.0, 9007199254740993, '0.10000000000000000001')
    """
    close = float(number)
    if Fraction(repr(close)) == Fraction(number):
        return close
    return int(number) if number == number.to_integral_value() else format(number, "f")


_DIGITS = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[-+0-9.eE]+$"}]}
Exact = Annotated[Decimal, PlainSerializer(as_json, return_type=Any, when_used="json"), WithJsonSchema(_DIGITS)]
"""A number that values of the data are compared with: all of its digits count, as the policy writes them."""


class Percent:
    """In ``Annotated``: marks a share that may also be written in percent: 2% is 0.02."""


Portion = Annotated[
    float,
    Percent(),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?\s*%$"},
            ]
        }
    ),
]
"""A part of a whole, or a percentage, whose bounds the parameter has."""
Share = Annotated[Portion, Field(ge=0, le=1)]
"""A number from 0 to 1, or a percentage."""


@dataclass(frozen=True)
class Spec:
    """The number that a parameter bounds. Annotate the parameter with it, beside its direction.

    ``k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=True)]``

    Args:
        kind: how a reader gets from the number to a count of people; the redaction decides by it.
        people: whether the bound is a least number of people (an integer), or the risk of one among them (a float).
            A public document hides counts below the largest that the policy demands.
    """

    kind: Kind
    people: bool

    def least(self, bound: object) -> int | None:
        """The least number of people that a bound demands; None where it demands none."""
        if not self.people or isinstance(bound, bool) or not isinstance(bound, int | float) or not bound:
            return None
        return bound if isinstance(bound, int) else ceil(1 / Fraction(repr(bound)))


@dataclass(frozen=True)
class Limit(Spec):
    """A parameter that is a demand of its own: a limit of a query log, or of a rule on outputs.

    Nothing has a default: what is forgotten fails where it is declared.

    Args:
        name: what results call it, ``exact-value``.
        demand: what it asks for where it bounds no number, "no value follows"; empty where it does.
        finding: what a reader is told where it is broken: a sentence without a number or a value of the data.
        source: where it is defined.
        example: the lines of a policy that demand it.
    """

    name: str
    demand: str
    finding: str
    source: str
    example: str


@cache
def specs(block: type[BaseModel]) -> dict[str, Spec]:
    """The declared specs of a block's parameters, by name; parameters that bound no number have none."""
    return {
        name: mark for name, field in block.model_fields.items() for mark in field.metadata if isinstance(mark, Spec)
    }


@cache
def limits(block: type[BaseModel]) -> dict[str, Limit]:
    """The limits that a block of the policy can set, by the path of their parameter, in the order of its fields.

    ``min_group``, ``query_set_size/min``: a limit with several parameters has a block of its own.
    """
    own = specs(block)
    found = {name: spec for name, spec in own.items() if isinstance(spec, Limit)}
    for name, field in block.model_fields.items():
        for kind in get_args(field.annotation) or (field.annotation,):
            if name not in own and isinstance(kind, type) and issubclass(kind, BaseModel):
                found |= {f"{name}/{path}": limit for path, limit in limits(kind).items()}
    order = list(block.model_fields)
    return dict(sorted(found.items(), key=lambda each: order.index(each[0].partition("/")[0])))
