"""Generated class tables, policies' models, and the operations that the laws are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Le
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from auditor.classes import Cells, ClassTable, Domain
from auditor.models import GroupedRequirement, registry

Counts = list[list[int]]


def table_of(counts: Sequence[Sequence[int]], domain: Domain | None = None) -> ClassTable:
    """A class table from dense counts: one row per class, one column per sensitive value.

    The reference distribution is that of the table itself unless a `domain` brings its own.
    """
    dense = np.asarray(counts, dtype=np.int64)
    if domain is None:
        domain = Domain(tuple(str(i) for i in range(dense.shape[1])), dense.sum(axis=0))
    owner, values = np.nonzero(dense)
    lengths = np.bincount(owner, minlength=len(dense))
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    sizes = dense.sum(axis=1)
    return ClassTable(sizes, sizes, Cells(starts, values.astype(np.int64), dense[owner, values], domain))


@dataclass(frozen=True)
class Case:
    """A class table in dense form (one row of counts per class) with the domain of its sensitive attribute."""

    counts: Counts
    domain: Domain

    @cached_property
    def table(self) -> ClassTable:
        """The classes. In the population a record with the first value is one of one person, then of two, and so on."""
        people = np.asarray(self.counts, dtype=np.int64) @ np.arange(1, len(self.labels) + 1)
        return replace(table_of(self.counts, self.domain), people=people)

    @property
    def labels(self) -> tuple[str | None, ...]:
        return self.domain.labels

    @property
    def reference(self) -> dict[str | None, int]:
        """q as a histogram, for the oracle."""
        return dict(zip(self.labels, self.domain.reference.tolist(), strict=True))

    def histogram(self, index: int) -> dict[str | None, int]:
        """One class as a histogram, for the oracle."""
        return {label: count for label, count in zip(self.labels, self.counts[index], strict=True) if count}

    @property
    def order(self) -> list[str | None]:
        """The values in ascending order."""
        assert self.domain.ranks is not None
        return [self.labels[code] for code in np.argsort(self.domain.ranks)]

    @property
    def paths(self) -> dict[str | None, list[int]]:
        """For each value the nodes above it, itself first."""
        assert self.domain.ladder is not None
        return {label: self.domain.ladder[:, code].tolist() for code, label in enumerate(self.labels)}

    def with_counts(self, counts: Counts) -> Case:
        """Other classes against the same reference."""
        return Case(counts, self.domain)


# Operations


def merged(case: Case, groups: Sequence[int]) -> Case:
    """The classes with the same group number put together, as generalization does; the reference stays."""
    together = [[0] * len(case.labels) for _ in range(max(groups) + 1)]
    for row, group in zip(case.counts, groups, strict=True):
        together[group] = [a + b for a, b in zip(together[group], row, strict=True)]
    return case.with_counts([row for row in together if any(row)])


def repeated(case: Case, times: int) -> Case:
    """Every record of the table and of the reference, so many times."""
    domain = replace(case.domain, reference=case.domain.reference * times)
    return Case([[count * times for count in row] for row in case.counts], domain)


def renamed(case: Case, codes: Sequence[int]) -> Case:
    """The same table with the values coded differently: code i becomes what was `codes[i]`."""
    d, codes = case.domain, list(codes)
    domain = Domain(
        labels=tuple(d.labels[code] for code in codes),
        reference=d.reference[codes],
        ranks=None if d.ranks is None else d.ranks[codes],
        ladder=None if d.ladder is None else d.ladder[:, codes],
        costs=None if d.costs is None else d.costs[np.ix_(codes, codes)],
        numeric=d.numeric,
    )
    return Case([[row[code] for code in codes] for row in case.counts], domain)


# Tables


@st.composite
def ladders(draw: st.DrawFn, values: int) -> list[list[int]]:
    """A hierarchy over so many leaves: at each level the node above each leaf; one root."""
    levels = [list(range(values))]
    for _ in range(draw(st.integers(0, 2))):
        parents = draw(st.lists(st.integers(0, values - 1), min_size=values, max_size=values))
        levels.append([parents[node] for node in levels[-1]])
    return [*levels, [0] * values]


@st.composite
def costs(draw: st.DrawFn, values: int) -> list[list[float]]:
    """An expert's cost matrix: non-negative, zero diagonal, else anything (asymmetric, no triangle inequality)."""
    tenths = draw(st.lists(st.integers(0, 20), min_size=values**2, max_size=values**2))
    return [[0.0 if i == j else tenths[i * values + j] / 10 for j in range(values)] for i in range(values)]


@st.composite
def domains(draw: st.DrawFn, reference: Sequence[int]) -> Domain:
    """A sensitive attribute with everything that some distance reads."""
    m = len(reference)
    return Domain(
        labels=tuple("abcdefghij"[:m]),
        reference=np.array(reference, dtype=np.int64),
        ranks=np.array(draw(st.permutations(range(m))), dtype=np.int64),
        ladder=np.array(draw(ladders(m)), dtype=np.int64),
        costs=np.array(draw(costs(m))),
        numeric=draw(st.booleans()),
    )


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    classes: int = 6,
    values: int = 5,
    count: st.SearchStrategy[int] | None = None,
    external: bool = False,
) -> Case:
    """Up to so many classes of up to so many values; the reference is the table's own or, if `external`, any."""
    m = draw(st.integers(1, values))
    cell = count if count is not None else st.integers(0, 9)
    row = st.lists(cell, min_size=m, max_size=m).filter(any)
    counts = draw(st.lists(row, min_size=1, max_size=classes))
    reference = [sum(column) for column in zip(*counts, strict=True)]
    if external:
        reference = draw(st.lists(st.integers(0, 9), min_size=m, max_size=m).filter(any))
    return Case(counts, draw(domains(reference)))


def groupings(case: Case) -> st.SearchStrategy[list[int]]:
    """A group number for each class: any way to merge classes."""
    n = len(case.counts)
    return st.lists(st.integers(0, n - 1), min_size=n, max_size=n)


# Models

NOT_MEASURED = {"id", "model", "severity", "because", "hard", "quasi_identifiers", "sensitive", "others", "knows"}
"""Fields that say where and why a model applies; its number does not depend on them."""


def choices(model: type[GroupedRequirement]) -> list[dict[str, Any]]:
    """Every valid combination of the parameters that are not numbers (names of distances, files, lists of values).

    Read off the fields, so that a new model is under every law without being listed here.
    """
    fields = {name: field for name, field in model.model_fields.items() if name not in NOT_MEASURED}
    numbers = {name: _smallest(field) for name, field in fields.items() if _is_number(field)}
    options = {name: list(_options(field.annotation)) for name, field in fields.items() if name not in numbers}
    combinations = (dict(zip(options, values, strict=True)) for values in product(*options.values()))
    return [choice for choice in combinations if _is_valid(model, {**choice, **numbers})]


TYPICAL = {"k": 3, "l": 2, "p": 2, "max": 0.4, "alpha": 0.5, "c": 2, "beta": 1, "delta": 1, "t": 0.2}
"""Bounds that small tables meet in some classes and miss in others."""


def typical(name: str) -> Any:
    """A model by its policy name, with typical numbers (for a number not known here, the least that it may be)."""
    model = registry()[name]
    assert issubclass(model, GroupedRequirement)
    fields = {name: field for name, field in model.model_fields.items() if name not in NOT_MEASURED}
    numbers = {name: TYPICAL.get(name, _smallest(field)) for name, field in fields.items() if _is_number(field)}
    return model(**choices(model)[0], **numbers)


@st.composite
def requirements(draw: st.DrawFn, model: type[GroupedRequirement], choice: dict[str, Any], case: Case) -> Any:
    """The model with random numbers; half of the time its bound is a number that some class of the table has."""
    drawn = {
        name: _number(field)
        for name, field in model.model_fields.items()
        if name not in NOT_MEASURED and _is_number(field)
    }
    numbers = draw(st.fixed_dictionaries(drawn).filter(lambda numbers: _is_valid(model, {**choice, **numbers})))
    requirement = model(**choice, **numbers)
    if not hasattr(requirement, "measure") or draw(st.booleans()):
        return requirement
    attained = draw(st.sampled_from(requirement.measure(case.table).tolist()))
    candidate = {**choice, **numbers, requirement.bound_field: attained}
    return model(**candidate) if _is_valid(model, candidate) else requirement


def _is_number(field: FieldInfo) -> bool:
    return field.annotation in (int, float)


def _limits(field: FieldInfo) -> tuple[float, float]:
    low, high = 0.0, 6.0
    for limit in field.metadata:
        if isinstance(limit, Ge):
            low = float(limit.ge)  # type: ignore[arg-type]
        elif isinstance(limit, Gt):
            low = float(limit.gt) + 0.01  # type: ignore[arg-type]
        elif isinstance(limit, Le):
            high = float(limit.le)  # type: ignore[arg-type]
    return low, high


def _smallest(field: FieldInfo) -> float:
    low = _limits(field)[0]
    return int(low) if field.annotation is int else low


def _number(field: FieldInfo) -> st.SearchStrategy[Any]:
    low, high = _limits(field)
    if field.annotation is int:
        return st.integers(int(low), int(high))
    return st.one_of(st.floats(low, high), st.integers(int(low * 20) + 1, int(high * 20)).map(lambda n: n / 20))


def _options(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif NoneType in get_args(annotation):
        yield None
        for option in get_args(annotation):
            yield from () if option is NoneType else _options(option)
    elif get_origin(annotation) is tuple:
        yield ("a", "c")
    elif annotation is str:
        yield "costs.csv"
    elif get_origin(annotation) is Annotated:
        yield from _options(get_args(annotation)[0])
    elif annotation is float:
        yield 0.005
    else:
        raise NotImplementedError(f"tests/strategies.py does not know how to draw a {annotation}")


def _is_valid(model: type[GroupedRequirement], values: dict[str, Any]) -> bool:
    try:
        model(**values)
    except ValidationError:
        return False
    return True
