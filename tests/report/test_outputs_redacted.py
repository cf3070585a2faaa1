"""Mining outputs in every format: items, cells and the numbers behind them reach only whom they may."""

from __future__ import annotations

import json
import re
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience

POLICY = {
    "version": 1,
    "name": "secrets",
    "attributes": {"age": "quasi-identifier", "zip": "quasi-identifier", "job": "sensitive", "cost": "sensitive"},
    "outputs": [
        {
            "type": "association-rules",
            "min_support_count": 7000,
            "min_antecedent_count": 7000,
            "min_exceptions": 7000,
            "max_confidence": 0.1,
            "channels": True,
        },
        {"type": "frequent-itemsets", "min_support_count": 7000, "channels": True},
        {"type": "decision-tree", "min_leaf": 7000, "min_class_count": 7000, "max_confidence": 0.1},
        {
            "type": "frequency-table",
            "min_cell": 7000,
            "max_share_of_margin": 0.1,
            "rounded_to": 7,
            "differencing": True,
        },
        {"type": "magnitude-table", "min_cell": 7000, "dominance": [{"n": 1, "k": 0.1}], "p_percent": 50},
        {"type": "statistics", "min_n": 7000, "extremes": "deny"},
        {"type": "regression", "min_dof": 7000, "min_indicator": 7000},
        {"type": "clusters", "min_size": 7000},
    ],
}
"""Bounds that nearly everything breaks, so that as much as possible is said."""

tokens = st.text("QXZJKVW", min_size=9, max_size=12).map(lambda letters: f"SECRET{letters}")
small = st.integers(1_003, 6_997).filter(lambda n: n % 7)
"""Counts that no other number of a document is likely to be; 7,000 is the bound and nobody's count."""

CHANCE = re.compile(r"\b[0-9a-f]{12,64}\b|sha256-[A-Za-z0-9+/=]+|\b20\d\d-\d\d-\d\d\b")
"""Digests and dates, in which any four digits may stand."""


def every(a: str, b: str, c: str, n: tuple[int, ...]) -> list[dict[str, Any]]:
    """One output of each type, about the same three values."""
    rule = {"antecedent": {"age": a, "zip": b}, "consequent": {"job": c}, "support": n[0]}
    return [
        {
            "type": "association-rules",
            "records": 9_000_001,
            "rules": [{**rule, "antecedent_support": n[0] + n[1], "confidence": n[0] / (n[0] + n[1])}],
        },
        {
            "type": "frequent-itemsets",
            "records": 9_000_001,
            "itemsets": [
                {"items": {"age": a}, "support": n[0] + n[1]},
                {"items": {"age": a, "zip": b}, "support": n[0]},
            ],
        },
        {
            "type": "decision-tree",
            "target": "job",
            "leaves": [
                {"path": [["age", "=", a]], "counts": {c: n[2], "other": n[3]}},
                {"path": [["age", "!=", a]], "counts": {c: n[4]}},
            ],
        },
        {"type": "frequency-table", "by": ["age", "zip"], "cells": [{"key": [a, b], "count": n[5]}]},
        {"type": "magnitude-table", "by": ["zip"], "of": "cost", "cells": [{"key": [b], "count": n[6], "sum": n[7]}]},
        {
            "type": "statistics",
            "of": "cost",
            "by": ["zip"],
            "cells": [{"key": [b], "n": n[8], "mean": 1.5, "max": n[9]}],
        },
        {"type": "clusters", "clusters": [{"size": n[10], "centre": {"age": a}}]},
    ]


@pytest.mark.slow
@settings(max_examples=3)
@given(tokens, tokens, tokens, st.lists(small, min_size=11, max_size=11, unique=True))
def test_no_item_reaches_the_reviewer_and_no_number_of_one_the_public(a: str, b: str, c: str, n: list[int]) -> None:
    result = check_outputs(every(a, b, c, tuple(n)), POLICY)
    assert all(each.violations for each in result.outputs), "each type says something"
    for format_ in FORMATS:
        told = render(redact(result, Audience.REVIEWER), format_)
        assert not [needle for needle in (a, b, c) if needle in told], format_
        public = render(redact(result, Audience.PUBLIC), format_)
        assert not [needle for needle in (a, b, c) if needle in public], format_
        numbers = [*map(str, n), *(f"{number:,}" for number in n)]
        said = CHANCE.sub("", public)
        assert not [each for each in numbers if re.search(rf"(?<![\d.,]){each}(?![\d.,]?\d)", said)], format_


def test_the_test_above_can_fail() -> None:
    result = check_outputs(every("SECRETA", "SECRETB", "SECRETC", tuple(range(1_011, 6_600, 500))), POLICY)
    internal = render(redact(result, Audience.INTERNAL), "html")
    assert "SECRETA" in internal
    assert "1,011" in internal


@settings(max_examples=3)
@given(tokens, tokens)
def test_what_cannot_be_read_is_named_without_its_contents(a: str, b: str) -> None:
    broken = [
        {"type": "frequency-table", "by": ["age"], "cells": [{"key": [a], "count": b}]},
        {"type": "frequent-itemsets", "itemsets": [{"items": {"age": a}, "support": {b: a}}]},
        {"type": "decision-tree", "target": "job", "leaves": [{"path": [["age", b, a]], "counts": {a: 1}}]},
        {"type": "statistics", "of": "cost", "by": ["age"], "cells": [{"key": [a], "n": 3, "mean": b}]},
    ]
    result = check_outputs(broken, POLICY)
    assert [each.type for each in result.outputs] == ["unknown"] * len(broken)
    assert result.exit_code == 3
    for format_ in FORMATS:
        told = render(redact(result, Audience.REVIEWER), format_)
        assert a not in told, format_
        assert b not in told, format_


@pytest.mark.parametrize("audience", list(Audience))
def test_a_stored_audit_of_outputs_is_shown_as_it_was(audience: Audience) -> None:
    data = pd.DataFrame({"age": ["26"] * 4, "zip": ["1"] * 4, "job": ["x", "x", "x", "y"], "cost": [1, 2, 3, 4]})
    result = check_outputs(every("26", "1", "x", tuple(range(1_011, 6_600, 500))), POLICY, data)
    document = redact(result, audience)
    again = parse(json.dumps(document.to_dict())).document_for(audience)
    assert again.to_dict() == json.loads(json.dumps(document.to_dict()))
    for format_ in FORMATS:
        assert render(again, format_) == render(document, format_)
