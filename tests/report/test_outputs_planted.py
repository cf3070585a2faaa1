"""No page that the public reads of mining outputs depends on a small group: over every rule and limit there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pandas as pd
import pytest
import yaml

import auditor
from auditor.policy.outputs import Output, OutputLimit, OutputRule
from auditor.report import redact, render
from auditor.result import Audience
from auditor.spec import limits
from tests.report.test_kinds import numbers_of
from tests.report.test_outputs_redacted import CHANCE

RULES: dict[str, type[OutputRule]] = {rule.model_fields["type"].default: rule for rule in get_args(get_args(Output)[0])}
"""The rules on outputs, by the type of output that each is on."""


def demands() -> Iterator[tuple[str, str]]:
    """Each limit of each rule."""
    for kind, rule in RULES.items():
        yield from ((kind, name) for name, limit in limits(rule).items() if isinstance(limit, OutputLimit))


def rule_of(kind: str, name: str) -> dict[str, Any]:
    """The example of a limit, as the rule on this type."""
    limit = limits(RULES[kind])[name]
    assert isinstance(limit, OutputLimit)
    known = {field: of for field, of in yaml.safe_load(limit.example).items() if field in RULES[kind].model_fields}
    return {**known, "type": kind, "id": "it"}


def table(small: int) -> pd.DataFrame:
    """1,000 records: `small` with a rare value in a ward of 300, and `small` in a ward of their own."""
    rows = [("a", "HIV", 5.0)] * small + [("a", "flu", 1.0)] * (300 - small)
    rows += [("b", "flu", 2.0)] * small + [("c", "flu", 3.0)] * (300 - small)
    rows += [("d", "flu", float(at % 7)) for at in range(400)]
    return pd.DataFrame(rows, columns=["ward", "dx", "cost"])


def outputs(small: int) -> dict[str, dict[str, Any]]:
    """An output of each type about `table`, in which a few stand alone, are left over, or are the exceptions."""
    rest = 300 - small
    rules = [
        {"antecedent": {"ward": "a"}, "consequent": {"dx": "flu"}, "antecedent_support": 300, "support": rest},
        {"antecedent": {"ward": "a"}, "consequent": {"dx": "HIV"}, "antecedent_support": 300, "support": small},
        {"antecedent": {"ward": "b"}, "consequent": {"dx": "flu"}, "antecedent_support": small, "support": small},
    ]
    sets = [({"ward": "a"}, 300), ({"ward": "a", "dx": "flu"}, rest), ({"ward": "b"}, small), ({"ward": "c"}, rest)]
    leaves = [
        {"path": {"ward": "a"}, "counts": {"flu": rest, "HIV": small}},
        {"path": {"ward": "b"}, "counts": {"flu": small}},
        {"path": {"ward": "c"}, "counts": {"flu": rest}},
        {"path": {"ward": "d"}, "counts": {"flu": 400}},
    ]
    sizes = {"a": 300, "b": small, "c": rest, "d": 400}
    sums = {ward: of.sum() for ward, of in table(small).groupby("ward")["cost"]}
    means = [{"key": [w], "n": n, "mean": f"{sums[w] / n:.4f}", "max": "6.0"} for w, n in sizes.items()]
    terms = [{"name": "const"}, {"name": "ward", "condition": {"ward": "b"}, "ones": small}]
    clusters = [{"size": n, "radius": small / 10, "centre": {"cost": f"{sums[w] / n:.4f}"}} for w, n in sizes.items()]
    clusters[0]["counts"] = {"dx": {"HIV": small, "flu": rest}}
    return {
        "association-rules": {"rules": rules, "records": 1000},
        "frequent-itemsets": {"itemsets": [{"items": of, "support": n} for of, n in sets], "records": 1000},
        "decision-tree": {"target": "dx", "leaves": leaves},
        "frequency-table": {
            "by": ["ward"],
            "cells": [{"key": [w], "count": n if w != "c" else None} for w, n in sizes.items()]
            + [{"key": [None], "count": 1000}],
        },
        "magnitude-table": {
            "by": ["ward"],
            "of": "cost",
            "cells": [{"key": [w], "count": n, "sum": sums[w], "largest": [5, 3]} for w, n in sizes.items()],
        },
        "statistics": {"of": "cost", "by": ["ward"], "cells": means},
        "regression": {"outcome": "cost", "terms": terms, "records": small + 4, "dof": small + 2},
        "clusters": {"clusters": clusters},
    }


def test_every_type_of_output_has_one_here() -> None:
    assert outputs(1).keys() == RULES.keys()


@pytest.mark.parametrize("with_data", [False, True])
@pytest.mark.parametrize(("kind", "name"), list(demands()))
def test_what_the_public_reads_does_not_depend_on_a_small_group(kind: str, name: str, with_data: bool) -> None:
    """A number that the pages of 1, 2 and 3 people both show is the same in both, and so is every word."""
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"ward": "quasi-identifier", "dx": "sensitive", "cost": {"role": "sensitive", "type": "number"}},
        "outputs": [rule_of(kind, name)],
    }
    pages, numbers = set(), []
    for small in (1, 2, 3):
        output = {"type": kind, **outputs(small)[kind]}
        result = auditor.check_outputs(output, policy, table(small) if with_data else None)
        seen = redact(result, Audience.PUBLIC)
        numbers.append(numbers_of(seen.to_dict()))
        pages.add(CHANCE.sub("", render(seen, "html")))
    for place in set().union(*numbers):
        assert len({page[place] for page in numbers if place in page}) == 1, place
    assert len(pages) == 1


def test_the_law_above_can_fail() -> None:
    policy = {"version": 1, "name": "p", "attributes": {"ward": "quasi-identifier"}}
    rule = rule_of("frequency-table", "min_cell")
    shown = [
        redact(
            auditor.check_outputs(
                {"type": "frequency-table", **outputs(n)["frequency-table"]}, {**policy, "outputs": [rule]}
            ),
            Audience.INTERNAL,
        ).to_dict()
        for n in (1, 2)
    ]
    assert numbers_of(shown[0]) != numbers_of(shown[1])


@pytest.mark.parametrize("rule", [{"rounded_to": 3}, {"min_cell": 300}], ids=str)
def test_how_many_items_violate_does_not_tell_which_of_them_are_small(rule: dict[str, int]) -> None:
    """Of counts that are to be multiples of 3, one of 3 is none that violates, and one of 2 is."""
    policy = {"version": 1, "name": "p", "attributes": {"ward": "quasi-identifier"}}
    policy["outputs"] = [{"type": "frequency-table", "id": "it", **rule}]
    pages = set()
    for small in (1, 2, 3):
        output = {"type": "frequency-table", **outputs(small)["frequency-table"]}
        result = auditor.check_outputs(output, policy)
        assert result.outputs[0].violations_count > 1
        seen = redact(result, Audience.PUBLIC)
        assert seen.to_dict()["outputs"][0]["violations_count"] is None
        pages.add(CHANCE.sub("", "".join(render(seen, each) for each in ("html", "text", "markdown", "sarif"))))
    assert len(pages) == 1


@pytest.mark.parametrize("hidden", [["am"], ["am", "af"]], ids=str)
def test_what_a_limit_reached_is_no_public_number_of_a_table_that_does_not_pass(hidden: list[str]) -> None:
    """The smallest count that is published, 30 less the suppressed one: margins are public."""
    policy = {"version": 1, "name": "p", "attributes": {"ward": "quasi-identifier", "sex": "quasi-identifier"}}
    policy["outputs"] = [{"type": "frequency-table", "id": "it", "min_cell": 5, "differencing": True}]
    pages = set()
    for small in (1, 2, 3):
        counts = {"am": small, "af": 60 - small, "bm": 30 - small, "bf": 40 + small}
        cells = [{"key": [*key], "count": None if key in hidden else n} for key, n in counts.items()]
        sums: list[tuple[list[str | None], int]] = [(["a", None], 60), (["b", None], 70), ([None, "m"], 30)]
        cells += [{"key": key, "count": n} for key, n in (*sums, ([None, "f"], 100), ([None, None], 130))]
        result = auditor.check_outputs({"type": "frequency-table", "by": ["ward", "sex"], "cells": cells}, policy)
        assert (result.verdict, result.requirements[0].achieved) == ("fail", 30 - small)
        seen = redact(result, Audience.PUBLIC)
        pages.add(CHANCE.sub("", "".join(render(seen, each) for each in ("html", "text", "markdown", "junit"))))
    assert len(pages) == 1


def test_of_a_table_that_passes_it_stays_public() -> None:
    policy = {"version": 1, "name": "p", "attributes": {"ward": "quasi-identifier"}}
    policy["outputs"] = [{"type": "frequency-table", "id": "it", "min_cell": 5}]
    cells = [{"key": ["a"], "count": 40}, {"key": ["b"], "count": 70}]
    result = auditor.check_outputs({"type": "frequency-table", "by": ["ward"], "cells": cells}, policy)
    assert redact(result, Audience.PUBLIC).to_dict()["requirements"][0]["achieved"] == 40


@pytest.mark.parametrize("least", [5, 300])
def test_outputs_of_nearly_as_many_records_do_not_tell_who_lacks_a_value(least: int) -> None:
    """Of 500 records and of 498: two lack what the second is about. Where both pass, both are published anyhow."""
    policy = {"version": 1, "name": "p", "attributes": {"ward": "quasi-identifier", "sex": "quasi-identifier"}}
    policy["outputs"] = [{"type": "frequent-itemsets", "id": "it", "min_support_count": least}]
    both = [
        {"type": "frequent-itemsets", "records": records, "itemsets": [{"items": {name: "x"}, "support": 200}]}
        for name, records in (("ward", 500), ("sex", 498))
    ]
    seen = redact(auditor.check_outputs(both, policy), Audience.PUBLIC).to_dict()
    assert [each["records"] for each in seen["outputs"]] == ([500, 498] if seen["verdict"] == "pass" else [None, None])
    assert seen["verdict"] == ("pass" if least == 5 else "fail")
