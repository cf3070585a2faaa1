"""The laws that models declare or owe, over every model of the registry; and liars, to prove that the tests bite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from auditor.classes import ClassTable, Domain, FloatArray
from auditor.models import ClassModel, GroupedRequirement, SensitiveModel, Stricter, TableModel, registry
from auditor.models._base import MERGES_AND_SUPPRESSES
from auditor.models._cells import cells_of
from auditor.models.delta_disclosure import DeltaDisclosure
from auditor.models.entropy_l_diversity import EntropyLDiversity
from auditor.result import Kind
from auditor.spec import Spec
from tests.strategies import Case, cases, choices, groupings, merged, renamed, repeated, requirements

CLOSE = {"rtol": 1e-11, "atol": 1e-12}
"""How far two ways to sum the same terms may lie apart; a law holds up to this, and far within any tolerance."""


@dataclass(frozen=True)
class Subject:
    """A model with one choice of its parameters that are not numbers."""

    model: type[GroupedRequirement]
    choice: dict[str, Any]

    def __str__(self) -> str:
        name = str(self.model.model_fields["model"].default)
        return "-".join([name, *(str(value) for value in self.choice.values() if isinstance(value, str))])


def _subjects(kind: type[GroupedRequirement]) -> list[Subject]:
    models = [model for model in registry().values() if issubclass(model, kind)]
    return [Subject(model, choice) for model in models for choice in choices(model)]


def over(subjects: list[Subject]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("subject", subjects, ids=str)


CLASS_MODELS = _subjects(ClassModel)
SENSITIVE_MODELS = _subjects(SensitiveModel)
TABLE_MODELS = _subjects(TableModel)
MERGING = [subject for subject in CLASS_MODELS if subject.model.monotone.generalization]
SUPPRESSING = [subject for subject in CLASS_MODELS if subject.model.monotone.suppression]


# Merging


def check_merging_keeps_it(subject: Subject, data: st.DataObject) -> None:
    """Classes that satisfy the model satisfy it merged, any number of them, while q is fixed."""
    case = data.draw(cases(external=data.draw(st.booleans())))
    model = data.draw(requirements(subject.model, subject.choice, case))
    good = [row for row, wrong in zip(case.counts, _violating(model, case), strict=True) if not wrong]
    if len(good) > 1:
        satisfying = case.with_counts(good)
        assert not _violating(model, merged(satisfying, data.draw(groupings(satisfying)))).any()


def check_merging_adds_nothing_to_suppress(subject: Subject, data: st.DataObject) -> None:
    """However classes are merged, no more records violate than before."""
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    coarser = merged(case, data.draw(groupings(case)))
    assert _records_violating(model, coarser) <= _records_violating(model, case)


@over(MERGING)
@given(data=st.data())
def test_merging_keeps_the_model(subject: Subject, data: st.DataObject) -> None:
    check_merging_keeps_it(subject, data)


@over(SUPPRESSING)
@given(data=st.data())
def test_merging_adds_nothing_to_suppress(subject: Subject, data: st.DataObject) -> None:
    check_merging_adds_nothing_to_suppress(subject, data)


class LenientDisclosure(DeltaDisclosure):
    """A liar: δ-disclosure that skips the values which a class lacks, as some tools do, yet declares that it merges."""

    model: Literal["lenient-disclosure"] = "lenient-disclosure"  # type: ignore[assignment]

    def measure(self, classes: ClassTable) -> FloatArray:
        cells = cells_of(classes)
        with np.errstate(divide="ignore"):
            return cells.max(np.abs(np.log(cells.share) - np.log(cells.reference)))


class SuppressingEntropy(EntropyLDiversity):
    """A liar: entropy ℓ-diversity that declares that suppression is monotone with it."""

    model: Literal["suppressing-entropy"] = "suppressing-entropy"  # type: ignore[assignment]
    monotone = MERGES_AND_SUPPRESSES


class Oversized(ClassModel):
    """A liar: classes must be small, which merging breaks."""

    model: Literal["oversized"] = "oversized"
    most: Annotated[int, Stricter.LOWER, Spec(Kind.COUNT, people=False)] = 3
    comparison = "<="
    bound_field: ClassVar[str] = "most"

    def measure(self, classes: ClassTable) -> Any:
        return classes.sizes


@pytest.mark.parametrize(
    ("liar", "law"),
    [
        (LenientDisclosure, check_merging_keeps_it),
        (Oversized, check_merging_keeps_it),
        (SuppressingEntropy, check_merging_adds_nothing_to_suppress),
    ],
)
def test_a_liar_is_caught(liar: type[GroupedRequirement], law: Any) -> None:
    @settings(
        database=None,
        max_examples=2000,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def hold(data: st.DataObject) -> None:
        law(Subject(liar, {}), data)

    with pytest.raises(AssertionError):
        hold()


# What a number must not depend on


@over(CLASS_MODELS)
@given(data=st.data())
def test_the_order_of_classes_does_not_matter(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    order = data.draw(st.permutations(range(len(case.counts))))
    shuffled = case.with_counts([case.counts[index] for index in order])
    _same(model.measure(shuffled.table), model.measure(case.table)[order])
    np.testing.assert_array_equal(_violating(model, shuffled), _violating(model, case)[order])


@over(CLASS_MODELS)
@given(data=st.data())
def test_a_class_is_judged_alone(subject: Subject, data: st.DataObject) -> None:
    """A batch of some classes gives them the numbers that the whole table gives them."""
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    for index, row in enumerate(case.counts):
        alone = case.with_counts([row])
        _same(model.measure(alone.table), model.measure(case.table)[[index]])
        assert _violating(model, alone)[0] == _violating(model, case)[index]


@over(SENSITIVE_MODELS)
@given(data=st.data())
def test_the_names_of_values_do_not_matter(subject: Subject, data: st.DataObject) -> None:
    """Codes may be dealt out in any order, as long as order, hierarchy and costs go with the values."""
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    other = renamed(case, data.draw(st.permutations(range(len(case.labels)))))
    _same(model.measure(other.table), model.measure(case.table))
    np.testing.assert_array_equal(_violating(model, other), _violating(model, case))


@over(SENSITIVE_MODELS)
@given(data=st.data(), times=st.sampled_from([2, 10, 100, 2**31, 2**40]))
def test_repeating_every_record_changes_no_share_and_no_distance(
    subject: Subject, data: st.DataObject, times: int
) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    _same(model.measure(repeated(case, times).table), model.measure(case.table))


@over([subject for subject in SENSITIVE_MODELS if not subject.model.reads_reference])
@given(data=st.data())
def test_a_model_that_reads_no_reference_does_not_depend_on_it(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    other = Case(case.counts, replace(case.domain, reference=case.domain.reference[::-1] + 1))
    np.testing.assert_array_equal(model.measure(other.table), model.measure(case.table))


@over([subject for subject in SENSITIVE_MODELS if subject.model.reads_reference])
def test_a_model_that_reads_the_reference_depends_on_it(subject: Subject) -> None:
    case = Case([[1, 1, 2], [3, 1, 1]], _plain_domain([4, 2, 3]))
    other = Case(case.counts, _plain_domain([4, 3, 2]))
    numbers = {"t": 0.2, "beta": 1, "delta": 1}
    fields = {name: value for name, value in numbers.items() if name in subject.model.model_fields}
    model: Any = subject.model(**subject.choice, **fields)
    assert (model.measure(case.table) != model.measure(other.table)).any()


@over(CLASS_MODELS)
@given(data=st.data())
def test_a_number_is_never_nan_or_negative(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases(external=True))
    numbers = data.draw(requirements(subject.model, subject.choice, case)).measure(case.table)
    assert numbers.shape == (len(case.counts),)
    assert numbers.dtype in (np.int64, np.float64)
    assert (numbers >= 0).all()


# Whole-table models


@over(TABLE_MODELS)
@given(data=st.data())
def test_merging_lowers_a_whole_table_number(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    coarser = merged(case, data.draw(groupings(case)))
    assert model.numerator(coarser.table) <= model.numerator(case.table)


@over(TABLE_MODELS)
@given(data=st.data())
def test_a_whole_table_number_is_a_share_and_adds_up_over_batches(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    whole = model.numerator(case.table)
    assert 0 <= whole <= sum(map(sum, case.counts))
    assert whole == sum(model.numerator(case.with_counts([row]).table) for row in case.counts)


# Helpers


def _violating(model: ClassModel, case: Case) -> Any:
    return model.violates(case.table, model.measure(case.table))


def _records_violating(model: ClassModel, case: Case) -> int:
    return int(case.table.rows[_violating(model, case)].sum())


def _same(numbers: Any, expected: Any) -> None:
    np.testing.assert_allclose(numbers, expected, **CLOSE)


def _plain_domain(reference: list[int]) -> Domain:
    steps = np.arange(len(reference))
    return Domain(
        labels=tuple("abc"),
        reference=np.array(reference),
        ranks=steps,
        ladder=np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]]),
        costs=np.abs(steps[:, None] - steps).astype(float),
    )


# What a model ensures, and what suffices for it: comparing policies builds on both


@over(CLASS_MODELS)
@given(data=st.data())
def test_a_class_that_satisfies_a_model_has_what_the_model_ensures(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    assert isinstance(model, ClassModel)
    distinct = model.least_distinct if isinstance(model, SensitiveModel) else 1
    for row, wrong in zip(case.counts, _violating(model, case), strict=True):
        assert wrong or (sum(row) >= model.least_size and np.count_nonzero(row) >= distinct)


@over([*CLASS_MODELS, *TABLE_MODELS])
@given(data=st.data())
def test_classes_that_have_what_suffices_satisfy_the_model(subject: Subject, data: st.DataObject) -> None:
    case = data.draw(cases())
    model = data.draw(requirements(subject.model, subject.choice, case))
    if model.suffices is None:
        return
    size, distinct = model.suffices
    enough = case.with_counts(
        [
            [max(count, size if place == 0 else 0, 1 if place < distinct else 0) for place, count in enumerate(row)]
            for row in case.counts
        ]
    )
    if distinct > len(case.labels):
        return
    if isinstance(model, TableModel):
        number = model.numerator(enough.table) / int(enough.table.rows.sum())
        assert number <= model.bound
    else:
        assert not _violating(model, enough).any()
