"""Who may see what: the marks, the audiences, and that no small number can be computed from what the public sees."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import result as shapes
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.result import HIDDEN, Audience, NumberBin, RequirementResult, Result, Visibility, is_hidden
from tests.report import samples
from tests.report.every import EVERY

K = 11


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a document with its slash path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path, value
        return
    for key, item in items:
        yield from walk(item, f"{path}/{key}".lstrip("/"))


def at(document: Any, path: str) -> Any:
    for step in path.split("/"):
        document = document[int(step) if isinstance(document, list) else step]
    return document


def test_every_field_of_every_result_is_marked() -> None:
    classes = [c for c in vars(shapes).values() if isinstance(c, type) and dataclasses.is_dataclass(c)]
    assert len(classes) > 15
    for shape in classes:
        for field in dataclasses.fields(shape):
            assert field.metadata.get("visibility") in set(Visibility), f"{shape.__name__}.{field.name}"


def test_a_field_without_a_mark_cannot_be_redacted() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Careless(Result):
        secret: int = 3

    careless = Careless(**{f.name: getattr(samples.passing(), f.name) for f in dataclasses.fields(Result)})
    with pytest.raises(KeyError):
        redact(careless, Audience.REVIEWER)


def test_internal_is_the_whole_document() -> None:
    result = samples.failing()
    assert redact(result, Audience.INTERNAL).to_dict() == {**result.to_dict(), "redacted": []}


def test_reviewer_sees_totals_exactly_and_no_cell() -> None:
    document = redact(samples.failing(), Audience.REVIEWER).to_dict()
    assert document["redacted"] == []
    assert document["requirements"][0]["achieved"] == 1
    assert document["requirements"][0]["exposed"] is None
    assert document["classes"]["smallest"] == 1


def test_public_hides_small_totals_and_lists_their_paths() -> None:
    document = redact(samples.failing(), Audience.PUBLIC).to_dict()
    assert "requirements/0/achieved" in document["redacted"]
    assert document["requirements"][0]["achieved"] is None
    assert document["requirements"][0]["status"] == "fail"
    assert document["requirements"][0]["bound"] == 11
    assert document["requirements"][0]["exposed"] is None
    assert document["requirements"][0]["records_violating"] == 260
    assert all(at(document, path) is None for path in document["redacted"])


@pytest.mark.parametrize(("k", "hidden"), [(None, 9), (11, 10), (5, 4), (1, 0)])
def test_the_threshold_is_the_policys_or_ten(k: int | None, hidden: int) -> None:
    for achieved in (1, 4, 5, 9, 10, 11, 12):
        requirement = samples.k_anonymity([40] * 50, achieved=achieved)
        result = samples.result_of((requirement,), [40] * 50, policy=samples.policy_of(protection_threshold=k))
        seen = redact(result, Audience.PUBLIC).to_dict()["requirements"][0]["achieved"]
        assert (seen is None) == (achieved <= hidden)


@pytest.mark.parametrize(
    ("model", "achieved", "hidden"),
    [
        ("max-risk", 1 / 3, True),  # one divided by a class of three
        ("max-risk", 1 / 11, False),
        ("max-risk", 1 / 12, False),
        ("uniqueness", 3 / 2000, True),  # three unique records
        ("uniqueness", 1 - 3 / 2000, True),  # three that are not
        ("uniqueness", 30 / 2000, False),
        ("uniqueness", 0.0, False),
        ("average-risk", 4 / 2000, True),  # four classes in all
        ("average-risk", 50 / 2000, False),
        ("t-closeness", 0.1, True),  # it may tell of anybody: nothing says how small the groups are
        ("distinct-l-diversity", 2, True),
        ("recursive-l-diversity", math.inf, False),
    ],
)
def test_a_total_that_reveals_a_small_count_is_hidden(model: str, achieved: float, hidden: bool) -> None:
    requirement = samples.t_closeness(model=model, achieved=achieved, distribution=(), quasi_identifiers=())
    document = redact(samples.result_of((requirement,), [40] * 50), Audience.PUBLIC).to_dict()
    assert ("requirements/0/achieved" in document["redacted"]) is hidden


def test_the_blocks_of_a_table_with_small_classes_reveal_nothing() -> None:
    sizes = [1, 1, 2] + [40] * 50
    document = redact(samples.result_of((samples.k_anonymity(sizes),), sizes), Audience.PUBLIC).to_dict()
    for path in (
        "classes/smallest",
        "classes/sample_uniques",
        "risk/prosecutor_highest",
        "risk/share_at_risk",
        "requirements/0/records_violating",
        "requirements/0/classes_violating",
        "dimensionality/steps/3/unique_records",
        "dimensionality/steps/3/unique_share",
    ):
        assert path in document["redacted"]


def test_a_small_complement_is_hidden() -> None:
    requirement = samples.t_closeness(records_violating=1997, classes_violating=30, distribution=())
    document = redact(samples.result_of((requirement,), [40] * 50), Audience.PUBLIC).to_dict()
    assert "requirements/0/records_violating" in document["redacted"]


def test_a_finding_is_hidden_with_its_requirement() -> None:
    sizes = [3] + [40] * 50
    finding = shapes.Finding(requirement="k", message="Too small.", records_count=3)
    document = redact(
        samples.result_of((samples.k_anonymity(sizes),), sizes, findings=(finding,)), Audience.PUBLIC
    ).to_dict()
    assert "findings/0/records_count" in document["redacted"]


class_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=60)


@given(class_sizes)
def test_the_public_sees_no_total_from_1_to_k_minus_1(sizes: list[int]) -> None:
    document = redact(samples.result_of((samples.k_anonymity(sizes),), sizes), Audience.PUBLIC).to_dict()
    facts = {
        "k",
        "low",
        "high",
        "bound",
        "edge",
        "threshold",
        "line",
        "days_left",
        "columns",
        "files",
        "schema_version",
    }
    facts |= {"protection_threshold"}
    for path, value in walk(document):
        if isinstance(value, (int, float)) and not isinstance(value, bool) and path.split("/")[-1] not in facts:
            assert not 1 <= value < K, path


def published(document: dict[str, Any], sizes: list[int]) -> list[tuple[list[int], int]]:
    """What a public document tells of the table, as linear facts: (which distinct sizes are counted, records)."""
    known = sorted(set(sizes))
    rows = len(known) * [1]
    facts = [(rows, document["data"]["rows"])]

    def below(size: float) -> list[int]:
        return [int(s < size) for s in known]

    facts += [(below(point["k"]), point["records_below"]) for point in document["classes"]["risk_curve"]]
    for part in document["classes"]["sizes"]:
        high = math.inf if part["high"] is None else part["high"]
        facts.append(([int(part["low"] <= s <= high) for s in known], part["records"]))
    facts.append((below(2), document["classes"]["sample_uniques"]))
    facts.append((below(document["requirements"][0]["bound"]), document["requirements"][0]["records_violating"]))
    step = document["dimensionality"]["steps"][-1]
    facts += [(below(2), step["unique_records"]), (below(document["dimensionality"]["k"]), step["below_k"])]
    return [(row, value) for row, value in facts if value is not None]


def combinations(facts: list[tuple[list[int], int]]) -> set[int]:
    """What a reader could compute: sums and differences of up to three published facts that count one set."""
    sets = {tuple(row): value for row, value in facts}
    for _ in range(2):
        for a, x in list(sets.items()):
            for b, y in facts:
                difference = tuple(p - q for p, q in zip(a, b, strict=True))
                if min(difference) >= 0:
                    sets[difference] = x - y
                total = tuple(p + q for p, q in zip(a, b, strict=True))
                if max(total) <= 1:
                    sets[total] = x + y
    return set(sets.values())


@given(class_sizes)
def test_no_small_number_follows_from_what_the_public_sees(sizes: list[int]) -> None:
    document = redact(samples.result_of((samples.k_anonymity(sizes),), sizes), Audience.PUBLIC).to_dict()
    if document["data"]["rows"] is None:
        assert sum(sizes) < K
        return
    assert not [n for n in combinations(published(document, sizes)) if 1 <= n < K]


def test_the_reader_of_that_test_does_find_a_lone_hidden_bin() -> None:
    sizes = [3] + [40] * 50
    document = redact(samples.result_of((samples.k_anonymity(sizes),), sizes), Audience.REVIEWER).to_dict()
    for part in document["classes"]["sizes"]:
        if part["records"] == 3:
            part["records"] = None
    document["classes"]["risk_curve"] = []
    document["requirements"][0]["records_violating"] = None
    document["dimensionality"]["steps"][-1].update(below_k=None)
    assert 3 in combinations(published(document, sizes))


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(1, 20)), min_size=1, max_size=8), st.integers(0, 8))
def test_no_small_bin_of_a_distribution_can_be_recovered(bins: list[tuple[int, int]], bound: int) -> None:
    distribution = tuple(
        NumberBin(low=float(i), high=i + 1.0, violates=i >= bound, classes=c, records=c * size)
        for i, (c, size) in enumerate(bins)
    )
    violating = [b for b in distribution if b.violates]
    requirement = samples.t_closeness(
        distribution=distribution,
        records_violating=sum(b.records for b in violating),
        classes_violating=sum(b.classes for b in violating),
    )
    rows, classes = sum(b.records for b in distribution), sum(b.classes for b in distribution)
    seen = redact(samples.result_of((requirement,), [40] * 50), Audience.PUBLIC).to_dict()["requirements"][0]
    for name, whole in (("records", rows), ("classes", classes)):
        shown = [b[name] for b in seen["distribution"] if b[name] is not None]
        assert not [n for n in shown if 1 <= n < K]
        hidden = whole - sum(shown)
        assert hidden == 0 or hidden >= K or whole < K
        side = [b[name] for b in seen["distribution"] if b["violates"]]
        told = seen[f"{name}_violating"]
        if told is not None and None in side:
            assert told - sum(n for n in side if n is not None) not in range(1, K)


def secret(letters: str = "QXZJKV") -> st.SearchStrategy[str]:
    return st.text(letters, min_size=10, max_size=16).map(lambda token: f"SECRET{token}")


@pytest.mark.slow
@given(st.data())
def test_no_format_shows_a_secret_of_the_data(data: st.DataObject) -> None:
    """Keys, values and numbers of classes are planted; reviewer and public must not see them in any format."""
    tokens = data.draw(st.lists(secret(), min_size=4, max_size=4, unique=True))
    number = data.draw(st.integers(10**15, 10**16))
    exposed = (
        shapes.ExposedClass(key=((tokens[0], tokens[1]), (tokens[2], None)), number=number + 0.5, records=number),
        shapes.ExposedClass(key=(("zip", tokens[3]),), number=1.0, records=1),
    )
    result = samples.result_of((samples.k_anonymity(samples.CLASS_SIZES, exposed=exposed),))
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            for needle in (*tokens, str(number), f"{number:,}"):
                assert needle not in text
    assert all(token in render(redact(result, Audience.INTERNAL), "html") for token in tokens)


def test_every_cell_of_the_document_is_null_outside_internal() -> None:
    planted = samples.failing()
    cells = [
        f"{path}{field.name}"
        for path, owner in owners(planted)
        for field in dataclasses.fields(owner)
        if field.metadata["visibility"] is Visibility.CELL
    ]
    assert cells
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        document = redact(planted, audience).to_dict()
        assert all(at(document, path) is None for path in cells if not path.startswith("requirements/0/exposed/"))


def owners(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, value
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        if dataclasses.is_dataclass(part):
            yield from owners(part, f"{path}{field.name}/")
        elif isinstance(part, tuple):
            for i, item in enumerate(part):
                if dataclasses.is_dataclass(item):
                    yield from owners(item, f"{path}{field.name}/{i}/")


@given(st.fractions(0, 1), st.integers(1, 10**9))
def test_a_share_shown_to_the_public_counts_no_small_group(share: Fraction, rows: int) -> None:
    uniques = int(share * rows)
    requirement = RequirementResult(
        id="u", model="uniqueness", parameters={}, severity="error", status=shapes.Status.PASS, achieved=uniques / rows
    )
    result = samples.result_of((requirement,), data=samples.data_of(rows), classes=None, risk=None, dimensionality=None)
    seen = redact(result, Audience.PUBLIC).to_dict()["requirements"][0]["achieved"]
    if uniques > 0:
        assert (seen is None) == (uniques < K or rows - uniques < K)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_hidden_is_a_value_at_its_path_and_null_in_the_document(name: str) -> None:
    shown = redact(EVERY[name](), Audience.PUBLIC)
    written = shown.to_dict()
    for path in shown.redacted:
        value: Any = shown.result
        for step in path.split("/"):
            value = value[int(step)] if step.isdigit() else getattr(value, step)
        assert is_hidden(value), path
        assert at(written, path) is None, path
    assert redact(EVERY[name](), Audience.INTERNAL).redacted == ()


def test_nothing_is_computed_with_a_hidden_number() -> None:
    for compute in (lambda: HIDDEN + 1, lambda: HIDDEN > 0, lambda: sum([HIDDEN]), lambda: int(HIDDEN)):
        with pytest.raises(TypeError):
            compute()
    assert str(HIDDEN) == "hidden"
