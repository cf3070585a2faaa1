"""What every requirement is, and the hooks that a privacy model fills in.

A requirement is at once the policy's YAML entry, its JSON Schema, its measure, its direction and its monotonicity.
`ClassModel` is the hook nearly every model uses: one number per class. `TableModel` is for numbers of the whole table,
`ColumnRequirement` for the contents of one column.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator

from auditor.classes import BoolArray, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._knowledge import Knowledge, Knows
from auditor.result import Kind, Monotone
from auditor.spec import specs

Severity = Literal["error", "warning", "off"]

TOLERANCE = 1e-9
"""Relative slack for numbers that are irrational by nature (logarithms) or come from a numerical solver.

A number within this of its bound counts as equal to it. Numbers that are ratios of counts do not use it: where floating
point is too close to the bound to tell, `ClassModel.exact` decides on integers.
"""

ROUNDING = 1e-12
"""What sums of rounded terms may be off near 0, where a relative tolerance means nothing."""

Comparison = Literal[">=", "<=", "<"]

MERGES = Monotone(generalization=True, suppression=False)
MERGES_AND_SUPPRESSES = Monotone(generalization=True, suppression=True)


class Requirement(BaseModel):
    """One entry of a policy's ``requirements``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the requirement; defaults to the model's."
    )
    severity: Annotated[Severity, Stricter.HIGHER] = Field(
        "error", description="error fails the policy, warning is reported, off drops an inherited requirement."
    )
    because: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Why this is required, for the reader.")
    hard: Annotated[bool | None, Stricter.TRUE] = Field(None, description="true: no baseline may excuse it.")

    @field_validator("hard")
    @classmethod
    def _hard_or_nothing(cls, hard: bool | None) -> bool | None:
        """False says what leaving it out says."""
        return hard or None

    SOURCE: ClassVar[str] = ""
    """Where the model is defined, as cited in documents and by ``auditor explain``."""
    EXAMPLE: ClassVar[str] = ""
    """A policy entry that demands it."""
    reads_population: ClassVar[bool] = False
    """Whether the number depends on how many persons of the population have the values of a class."""
    fixed_scheme: ClassVar[bool] = False
    """Whether it is void where levels are chosen by the data, or a person has several records."""
    FINDING: ClassVar[str] = "The data does not meet the requirement."
    """What the reader is told where it is violated: a sentence without a number or a value of the data."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a model whose bound does not say what it is compared with: its number could not be redacted."""
        super().__pydantic_init_subclass__(**kwargs)
        bound = getattr(cls, "bound_field", None)
        if bound is not None and bound not in specs(cls):
            raise TypeError(f"{cls.__name__}.{bound} bounds a number, so it needs a Spec beside its direction")

    @property
    def kind(self) -> Kind:
        """What the number is that is compared with the bound."""
        return specs(type(self))[getattr(self, "bound_field")].kind  # noqa: B009  (only those with a bound are asked)

    @property
    def name(self) -> str:
        """The model's name in policy files."""
        return str(getattr(self, "model"))  # noqa: B009  (every concrete requirement declares it as a literal)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What its verdict takes for granted besides what every verdict does, in sentences."""
        return ()

    def among(self, others: Sequence[Requirement]) -> Self:  # noqa: ARG002
        """The requirement beside all `others` of its policy, where they decide what it leaves open."""
        return self

    def parameters(self) -> dict[str, Any]:
        """What this requirement demands, without the fields that every requirement has."""
        shared = {"id", "model", "severity", "because", "hard", "quasi_identifiers", "sensitive"}
        return {k: v for k, v in self.model_dump(mode="json", exclude_none=True).items() if k not in shared}


class GroupedRequirement(Requirement):
    """A requirement on equivalence classes: on all quasi-identifiers, or on those that it names."""

    quasi_identifiers: Annotated[tuple[str, ...] | None, Stricter.SUPERSET] = Field(
        None, description="The grouping columns; defaults to every quasi-identifier of the policy.", min_length=1
    )

    @property
    def attacker(self) -> Knowledge | None:
        """What the attacker knows, where that is not every quasi-identifier: then patterns stand for classes."""
        return None

    @property
    def suffices(self) -> tuple[int, int] | None:
        """Members and distinct sensitive values that are enough: if every class has them, the requirement holds.

        Whatever is counted, rows or units. None where no such numbers decide.
        """
        return None

    @property
    def edge(self) -> int | None:
        """The size below which classes count: their records violate, or are the share that is judged; None: no size."""
        return None

    def exposes(self, patterns: ClassTable) -> BoolArray:
        """bool[n]: which patterns expose the persons who have them, for a requirement with an attacker."""
        raise NotImplementedError(f"{self.name} knows no attacker of bounded knowledge")


class SensitiveRequirement(GroupedRequirement):
    """A requirement on equivalence classes that reads a sensitive attribute."""

    sensitive: Annotated[str | tuple[str, ...] | None, Stricter.SUPERSET] = Field(
        None, description="The sensitive attribute, or several (one result each); may be left out when there is one."
    )


class ClassModel(GroupedRequirement):
    """A model that gives one number per class; a table satisfies it when every class does.

    A class's number stands against the bound as `comparison` says. The worst class is the smallest number for
    ``>=``, else the largest.
    """

    FINDING: ClassVar[str] = "Some classes do not meet the requirement."
    comparison: ClassVar[Comparison] = ">="
    monotone: ClassVar[Monotone] = MERGES
    bound_field: ClassVar[str]
    """The parameter that bounds the number."""
    size_field: ClassVar[str | None] = None
    """The parameter that bounds |E| besides, for a model that has two."""
    least_field: ClassVar[str | None] = None
    """The parameter that bounds the number from below, where its bound is the largest that it may be."""
    reads_reference: ClassVar[bool] = False
    """Whether the number depends on the reference distribution q."""
    counts_over_counts: ClassVar[bool] = False
    """Whether the number is a ratio of counts of the class alone (its denominator is at most their sum)."""
    tolerance: ClassVar[float | None] = None
    """The tolerance that verdicts of this model use (None: exact)."""
    size_decides: ClassVar[bool] = False
    """Whether a class satisfies the model exactly when |E| ≥ `least_size`."""

    knows: Knows = None

    @property
    def attacker(self) -> Knowledge | None:
        """`knows`."""
        return self.knows

    @property
    def bound(self) -> float:
        """The bound of the number, as the policy has it (an integer stays one)."""
        bound: float = getattr(self, self.bound_field)
        return bound

    @property
    def granted(self) -> Monotone:
        """What holds of `monotone` with these parameters."""
        return self.monotone

    @property
    def least_size(self) -> int:
        """A size that every class has which satisfies the model, where sizes count rows; 1 where it implies none."""
        return 1 if self.size_field is None else int(getattr(self, self.size_field))

    @property
    def suffices(self) -> tuple[int, int] | None:
        """The least size, where sizes alone decide."""
        return (self.least_size, 1) if self.size_decides else None

    @property
    def edge(self) -> int | None:
        """The least size, where sizes alone decide and the attacker knows every quasi-identifier."""
        return self.least_size if self.size_decides and self.attacker is None else None

    def tolerance_for(self, *, numeric: bool) -> float | None:  # noqa: ARG002
        """The tolerance in force for an attribute, once it is known whether it is numeric."""
        return self.tolerance

    @abstractmethod
    def measure(self, classes: ClassTable) -> FloatArray | IntArray:
        """One number per class (float64 or int64[n]); +∞ is allowed, NaN is not."""

    def exact(self, classes: ClassTable, index: int) -> Fraction | None:  # noqa: ARG002
        """The number of one class as an exact ratio of counts; None for a model whose number is irrational."""
        return None

    def violates(self, classes: ClassTable, numbers: FloatArray | IntArray) -> BoolArray:
        """bool[n]: which classes do not satisfy the model, given their numbers."""
        wrong = self._beyond(classes, numbers, self.bound, self.comparison)
        if self.size_field is not None:
            wrong |= classes.sizes < getattr(self, self.size_field)
        return wrong

    def exposes(self, patterns: ClassTable) -> BoolArray:
        """bool[n]: the patterns that violate."""
        return self.violates(patterns, self.measure(patterns))

    def _beyond(
        self, classes: ClassTable, numbers: FloatArray | IntArray, limit: float, comparison: Comparison
    ) -> BoolArray:
        """bool[n]: which numbers stand on the wrong side of a limit, compared exactly where they are ratios."""
        wrong = beyond(numbers, limit, comparison, self.tolerance or 0.0)
        if self.tolerance is None and numbers.dtype != np.int64:
            self._decide_borderline(classes, numbers, wrong, (limit, comparison))
        return wrong

    def _decide_borderline(
        self,
        classes: ClassTable,
        numbers: FloatArray | IntArray,
        wrong: BoolArray,
        against: tuple[float, Comparison],
    ) -> None:
        """Correct the verdicts that floating point is too coarse to give, in place."""
        limit, comparison = against
        window = TOLERANCE * max(abs(limit), 1.0)
        near = np.abs(numbers - limit) <= window
        if not near.any():
            return
        bound = Fraction(repr(limit))
        if self.counts_over_counts:
            # ratios over b and w are equal or at least 1/(b·w) apart: in small classes, near is equal
            largest = classes.sizes if classes.cells is None else classes.cells.totals
            equal = near & (largest < float(Fraction(1, 2 * bound.denominator) / Fraction(window)))
            wrong[equal] = not holds(bound, bound, comparison)
            near &= ~equal
        decided: dict[tuple[object, ...], bool] = {}
        for index in np.flatnonzero(near).tolist():
            people = None if classes.people is None else int(classes.people[index])
            counts = classes.cells.class_counts(index) if classes.cells else ()
            histogram = (int(classes.sizes[index]), people, *counts)
            if histogram not in decided:
                number = self.exact(classes, index)
                decided[histogram] = bool(wrong[index]) if number is None else not holds(number, bound, comparison)
            wrong[index] = decided[histogram]


class SensitiveModel(ClassModel, SensitiveRequirement):
    """A class model that reads the distribution of one sensitive attribute inside each class."""

    FINDING: ClassVar[str] = "In some classes the sensitive values reveal more than the policy allows."

    others: Annotated[Literal["ignore", "quasi-identifiers"], Stricter.REVIEW] = Field(
        "ignore",
        description="What the remaining sensitive attributes do: nothing, or join the grouping "
        "(Machanavajjhala et al. 2006, section 4.3).",
    )

    @property
    def least_distinct(self) -> int:
        """A number of distinct sensitive values that every class has which satisfies the model; 1: it implies none."""
        return 1

    @property
    def listed(self) -> tuple[str, ...] | None:
        """The sensitive values that the model limits, where it lists some; None: all."""
        return None

    def ground_for(self, *, numeric: bool) -> str | None:  # noqa: ARG002
        """The ground distance between values, for a model that reads one: ordered, hierarchical, matrix or equal."""
        return None


class TableModel(GroupedRequirement):
    """A model with one number for the whole table, computed from class sizes alone."""

    comparison: ClassVar[Comparison] = "<="
    monotone: ClassVar[Monotone] = MERGES
    bound_field: ClassVar[str]

    @property
    def bound(self) -> float:
        """The bound of the number."""
        return float(getattr(self, self.bound_field))

    @abstractmethod
    def numerator(self, classes: ClassTable) -> Fraction | int:
        """The sum over the batch's records of what the model averages; sums of batches add up, then N divides."""


def monotone_under(requirement: Requirement, *, units: bool, wildcards: bool) -> Monotone | None:
    """What is left of a model's monotonicity where persons are counted, or where a missing value may be any value.

    None for a requirement that does not look at classes.

    Sizes and numbers of distinct values only grow when classes merge, whatever is counted. Shares do not mix: a person
    of two classes is one person of their union, and groups that overlap are no partition. Overlapping groups also
    shrink with every record that is suppressed, as patterns of an attacker with bounded knowledge do.
    """
    if not isinstance(requirement, ClassModel | TableModel):
        return None
    kept = requirement.granted if isinstance(requirement, ClassModel) else requirement.monotone
    if units or wildcards:
        only_grows = kept.suppression
        kept = Monotone(generalization=only_grows, suppression=only_grows and not wildcards)
    return kept if requirement.attacker is None else Monotone(generalization=kept.generalization, suppression=False)


def largest_decide(requirement: Requirement, *, units: bool) -> bool:
    """Whether what an attacker with fewer columns learns follows from the patterns of the most columns.

    Whom a pattern exposes by its size alone, as in a model of the whole table, one of more columns exposes, too.
    """
    kept = monotone_under(requirement, units=units, wildcards=False)
    return isinstance(requirement, TableModel) or (kept is not None and kept.generalization)


class ColumnRequirement(Requirement):
    """A requirement on the contents of one column, judged on its distinct values."""

    attribute: Annotated[str, Stricter.REVIEW] = Field(description="The column that must comply.")

    @property
    def kind(self) -> Kind:
        """How many records do not comply."""
        return Kind.COUNT

    @property
    def least_level(self) -> int | None:
        """The finest level of the column's own hierarchy that complies; None for a requirement on other contents."""
        return None

    @property
    def conditions(self) -> dict[str, Any]:
        """What a value must meet, where no level says it, as engines ask: `pattern`, `values`, `least`, `most`."""
        raise NotImplementedError(f"{self.name} says neither a level nor what a value must meet")

    @property
    def forbids_missing(self) -> bool:
        """Whether a missing value does not comply."""
        return False


def beyond(numbers: FloatArray | IntArray, bound: float, comparison: Comparison, tolerance: float) -> BoolArray:
    """bool[n]: which numbers stand on the wrong side of the bound; within the relative tolerance counts as equal."""
    # 0, not 0.0: an integer bound stays an integer
    slack = max(tolerance * abs(bound), ROUNDING) if tolerance else 0
    if comparison == ">=":
        return np.asarray(numbers < bound - slack)
    if comparison == "<=":
        return np.asarray(numbers > bound + slack)
    return np.asarray(numbers >= bound - slack)


def holds(number: Fraction, bound: Fraction, comparison: Comparison) -> bool:
    """Whether an exact number stands on the right side of an exact bound."""
    if comparison == ">=":
        return number >= bound
    return number <= bound if comparison == "<=" else number < bound
