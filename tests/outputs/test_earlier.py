"""What was suppressed before follows from nothing that is released later, held against every table that fits."""

import random
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.ledger import Ledger
from auditor.outputs import check_outputs, remember
from auditor.outputs.checks import _earlier
from auditor.outputs.readers import neutral
from auditor.result import Status, Verdict

COUNTS = {"type": "frequency-table", "suppressed": {"zeros": "possible"}}
ATTRIBUTES = {"age": "quasi-identifier", "sex": "quasi-identifier", "ward": "quasi-identifier"}
SPACE = list(product("xy", "FM"))
MOST = 4
EVERY = np.array(list(product(range(MOST + 3), repeat=len(SPACE))))
"""Every table of at most so many in each cell: of counts up to 4 each, two more leave room where nothing bounds one."""


def policy(*rules: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    return {"version": 1, "name": "p", "attributes": {**ATTRIBUTES, **attributes}, "outputs": list(rules)}


def table(by: Sequence[str], counts: dict[Any, Any], **more: Any) -> dict[str, Any]:
    cells = [{"key": [key] if len(by) == 1 else list(key), "count": count} for key, count in counts.items()]
    return {"type": "frequency-table", "by": list(by), "cells": cells, **more}


def verdicts(outputs: Sequence[Any], rules: dict[str, Any], ledger: Path, data: Any = None) -> list[Verdict]:
    """One after the other with a ledger, until one is refused."""
    found: list[Verdict] = []
    for each in outputs:
        found.append(check_outputs(each, rules, data, ledger=ledger, record=True).verdict)
        if found[-1] is not Verdict.PASS:
            break
    return found


PARTS = table(["age", "sex"], {("20", "F"): 40, ("20", "M"): None, ("30", "F"): 30, ("30", "M"): 20})
MARGINS = table(["age"], {"20": 45, "30": 50})
LATER = {
    "a margin": MARGINS,
    "a total": table(["age"], {None: 95}),
    "statistics": {
        "type": "statistics",
        "of": "age",
        "by": ["age"],
        "cells": [{"key": ["20"], "n": 45}, {"key": ["30"], "n": 50}],
    },
    "itemsets": {"type": "frequent-itemsets", "itemsets": [{"items": {"age": "20"}, "support": 45}]},
    "rules": {
        "type": "association-rules",
        "rules": [{"antecedent": {"age": "20"}, "consequent": {"sex": "F"}, "support": 40, "antecedent_support": 45}],
    },
    "a tree": {
        "type": "decision-tree",
        "target": "sex",
        "leaves": [{"path": {"age": "20"}, "count": 45}, {"path": {"age": "30"}, "count": 50}],
    },
}
RULES = [
    {**COUNTS, "min_cell": 10},
    {"type": "statistics", "min_n": 10, "extremes": "allow", "identical": "allow"},
    {"type": "frequent-itemsets", "min_support_count": 10, "channels": False},
    {"type": "association-rules", "min_support_count": 10, "channels": False},
    {"type": "decision-tree", "min_leaf": 10},
]


@pytest.mark.parametrize("name", LATER)
def test_an_output_of_any_type_gives_away_what_a_table_had_suppressed(tmp_path: Path, name: str) -> None:
    """45 less 40 are the 5 men of 20; nobody asked for `differencing`."""
    ledger, rules = tmp_path / "released.jsonl", policy(*RULES)
    assert check_outputs(PARTS, rules, ledger=ledger, record=True).passed
    result = check_outputs(LATER[name], rules, ledger=ledger)
    (broken,) = (each for each in result.requirements if each.status is not Status.PASS)
    assert (broken.model, broken.status) == ("suppressed-cell-recoverable", Status.FAIL)
    assert broken.id.endswith("-protection")
    (violation,) = result.outputs[0].violations
    assert violation.item == "age=20, sex=M, suppressed in entry 1 of the ledger (given from Python)"
    assert violation.requirement == broken.id


def test_a_policy_that_only_knows_the_later_type_protects_the_cell_too(tmp_path: Path) -> None:
    ledger = tmp_path / "released.jsonl"
    assert check_outputs(PARTS, policy(RULES[0]), ledger=ledger, record=True).passed
    assert check_outputs(LATER["statistics"], policy(RULES[1]), ledger=ledger).verdict is Verdict.FAIL


def test_what_followed_before_is_told_and_is_nobodys_fault(tmp_path: Path) -> None:
    """A ledger of two tables that were recorded one by one; the third adds nothing."""
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    rules = policy(RULES[0])
    check_outputs(PARTS, rules, ledger=one, record=True)
    check_outputs(MARGINS, rules, ledger=two, record=True)
    from auditor.ledger import read_ledger
    from tests.ledgers import append

    (margins,) = read_ledger(two).entries
    append(one, "output", dict(margins.body), "2026-01-01")
    result = check_outputs(table(["ward"], {"a": 50, "b": 45}), rules, ledger=one)
    assert result.passed
    assert _earlier.BEFORE in result.outputs[0].notes


def test_a_union_of_earlier_suppressed_cells_is_a_cell(tmp_path: Path) -> None:
    """47 less 40 are 7 people of two suppressed cells: fewer than 10. Of 60 they are 20."""
    cells = {("20", "F"): 40, ("20", "M"): None, ("20", "d"): None}
    for total, verdict in ((47, Verdict.FAIL), (60, Verdict.PASS)):
        ledger = tmp_path / f"{total}.jsonl"
        assert verdicts([table(["age", "sex"], cells), table(["age"], {"20": total})], policy(RULES[0]), ledger) == [
            Verdict.PASS,
            verdict,
        ]


def test_an_earlier_cell_is_held_to_the_protection(tmp_path: Path) -> None:
    """Of 45 with 40 known, the rest of two cells has 0 to 5: 5 wide."""
    cells = {("20", "F"): 40, ("20", "M"): None, ("20", "d"): None}
    for width, verdict in ((5, Verdict.PASS), (5.5, Verdict.FAIL)):
        ledger = tmp_path / f"{width}.jsonl"
        rules = policy({**COUNTS, "protection": width})
        assert verdicts([table(["age", "sex"], cells), MARGINS], rules, ledger) == [Verdict.PASS, verdict]


def test_a_later_sum_gives_away_a_suppressed_one(tmp_path: Path) -> None:
    cells = [("20", "F", 900), ("20", "M", None), ("30", "F", 400), ("30", "M", 700)]
    sums = {"type": "magnitude-table", "by": ["age", "sex"], "of": "pay"}
    sums["cells"] = [{"key": [age, sex], "sum": amount, "count": 20} for age, sex, amount in cells]
    means = {"type": "statistics", "of": "pay", "by": ["age"], "cells": [{"key": ["20"], "n": 40, "mean": 27.5}]}
    later = {**sums, "by": ["age"], "cells": [{"key": ["20"], "sum": 1100, "count": 40}]}
    rules = policy(
        {"type": "magnitude-table", "min_cell": 10},
        {"type": "statistics", "min_n": 10, "extremes": "allow", "identical": "allow"},
        pay={"role": "sensitive", "type": "number", "range": [0, 10_000]},
    )
    for at, each in enumerate((means, later)):
        assert verdicts([sums, each], rules, tmp_path / f"{at}.jsonl") == [Verdict.PASS, Verdict.FAIL]


def test_an_output_of_other_records_hides_nothing(tmp_path: Path) -> None:
    """A table of other people in the ledger, or beside it, contradicts the margins: they are looked at all the same."""
    ledger, rules = tmp_path / "released.jsonl", policy(RULES[0])
    other = table(["age"], {"20": 400, "30": 500})
    assert verdicts([PARTS, other], rules, ledger)[0] is Verdict.PASS
    result = check_outputs([MARGINS, table(["age", "ward"], {("20", "a"): 700, ("20", "b"): 20})], rules, ledger=ledger)
    assert result.verdict is Verdict.NOT_EVALUATED
    people = [("20", "F")] * 40 + [("20", "M")] * 5 + [("30", "F")] * 30 + [("30", "M")] * 20
    data = pd.DataFrame(people, columns=["age", "sex"])
    fresh = tmp_path / "fresh.jsonl"
    found = verdicts([PARTS, MARGINS], rules, fresh, data)
    assert found == [Verdict.PASS, Verdict.FAIL]


def test_the_same_table_of_another_year_is_no_difference(tmp_path: Path) -> None:
    """The cells of one year contradict those of the other; without data, and with it, both may be released."""
    first = table(["age", "sex"], {("20", "F"): 40, ("20", "M"): None, ("30", "F"): 30, ("30", "M"): 20})
    second = table(["age", "sex"], {("20", "F"): 44, ("20", "M"): 12, ("30", "F"): None, ("30", "M"): 25})
    rules = policy(RULES[0])
    assert verdicts([first, second, second], rules, tmp_path / "l.jsonl") == [Verdict.PASS] * 3
    people = [("20", "F")] * 44 + [("20", "M")] * 12 + [("30", "F")] * 3 + [("30", "M")] * 25
    data = pd.DataFrame(people, columns=["age", "sex"])
    ledger = tmp_path / "m.jsonl"
    assert check_outputs(first, rules, ledger=ledger, record=True).passed
    assert check_outputs(second, rules, data, ledger=ledger).passed


def test_a_run_of_which_nothing_is_of_the_data_is_a_mismatch() -> None:
    """It contradicts itself, too; nothing is left that a suppressed cell could follow from."""
    output = table(["age"], {"20": 4, "30": None, None: 3})
    data = pd.DataFrame({"age": ["20"] * 40})
    assert check_outputs(output, policy(RULES[0]), data).verdict is Verdict.FAIL


MEANS = {
    "mean": {"mean": "0.02"},
    "percent": {"percent": "2"},
    "rate": {"rate": "0.020"},
}
OF_50 = [
    table(["sex"], {"F": 50, "M": 30}),
    table(["sex", "age"], {("F", "x"): 30, ("F", "y"): 20, ("M", "x"): 15, ("M", "y"): 15}),
    {"type": "frequent-itemsets", "itemsets": [{"items": {"sex": "F"}, "support": 50}]},
]


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("later", OF_50)
@pytest.mark.parametrize("described", [True, False])
def test_the_n_of_a_mean_stands_in_another_output(tmp_path: Path, name: str, later: Any, described: bool) -> None:
    """0.02 of 50 is one death, whether n is told before, beside it or later; of 1,000 it would be twenty."""
    means = {"type": "statistics", "of": "died", "by": ["sex"], "cells": [{"key": ["F"], **MEANS[name]}]}
    died = {"role": "sensitive", **({"type": "integer", "range": [0, 1]} if described else {})}
    statistics = {"type": "statistics", "extremes": "deny", "identical": "allow"}
    rules = policy(statistics, RULES[0], RULES[2], died=died)
    assert check_outputs(means, rules).passed
    assert not check_outputs([means, later], rules).passed
    for at, order in enumerate(((means, later), (later, means))):
        found = verdicts(order, rules, tmp_path / f"{at}.jsonl")
        assert found[0] is Verdict.PASS
        assert found[1] in (Verdict.FAIL, Verdict.NOT_EVALUATED)
    many = table(["sex"], {"F": 1_000, "M": 2_000})
    assert verdicts([means, many], rules, tmp_path / "many.jsonl") == [Verdict.PASS] * 2


MEN = {"type": "frequent-itemsets", "itemsets": [{"items": {"sex": "M"}, "support": 60}]}
EVERYBODY = table(["age"], {"20": 50, "30": 60})


@pytest.mark.parametrize("rest", [[{**MEN, "records": 110}], [MEN, EVERYBODY]])
def test_the_n_of_a_mean_is_what_others_leave_of_all(tmp_path: Path, rest: list[Any]) -> None:
    """60 of 110 are men: 0.02 of the 50 women is one death."""
    cells = [{"key": ["F"], "mean": "0.02"}, {"key": ["M"], "mean": "0.2"}]
    means = {"type": "statistics", "of": "died", "by": ["sex"], "cells": cells}
    statistics = {"type": "statistics", "extremes": "deny", "identical": "allow"}
    died = {"role": "sensitive", "type": "integer", "range": [0, 1]}
    rules = policy(statistics, RULES[0], RULES[2], died=died)
    assert verdicts([means, *rest], rules, tmp_path / "one.jsonl")[-1] is Verdict.FAIL
    assert not check_outputs([means, *rest], rules).passed
    many = [{**MEN, "records": 1_060}] if len(rest) == 1 else [MEN, table(["age"], {"20": 500, "30": 560})]
    assert verdicts([means, *many], rules, tmp_path / "many.jsonl") == [Verdict.PASS] * (1 + len(rest))


Told = list[tuple[tuple[int, ...], int]]
"""Which cells of the space are added up, and what they come to."""


def drawn(draw: random.Random, people: np.ndarray) -> tuple[dict[str, Any], Told, list[tuple[int, ...]]]:
    """A table of the people, what it says, and which cells it suppresses."""
    by = draw.choice([["age"], ["sex"], ["age", "sex"], ["age", "sex"]])
    margins, counts, told, hidden = draw.random() < 0.5, {}, [], []
    values = {"age": ["x", "y"], "sex": ["F", "M"]}
    for key in product(*[[*values[column], *([None] if margins else [])] for column in by]):
        asked = dict(zip(by, key, strict=True))
        cells = tuple(
            at
            for at, (age, sex) in enumerate(SPACE)
            if asked.get("age") in (None, age) and asked.get("sex") in (None, sex)
        )
        suppressed = draw.random() < 0.35
        counts[key if len(by) > 1 else key[0]] = None if suppressed else int(people[list(cells)].sum())
        if suppressed:
            hidden.append(cells)
        else:
            told.append((cells, int(people[list(cells)].sum())))
    return table(by, counts), told, hidden


def determined(told: Told, hidden: Sequence[tuple[int, ...]]) -> bool:
    """Whether a suppressed cell is the same in every table of whole numbers that fits."""
    fits = np.ones(len(EVERY), dtype=bool)
    for cells, count in told:
        fits &= EVERY[:, list(cells)].sum(axis=1) == count
    return any(len(np.unique(EVERY[fits][:, list(cells)].sum(axis=1))) == 1 for cells in hidden)


def brute(outputs: Sequence[tuple[Any, Told, list[tuple[int, ...]]]]) -> Iterator[Verdict]:
    """What becomes of the outputs, one after the other, until one is refused."""
    told: Told = []
    hidden: list[tuple[int, ...]] = []
    for _, says, hides in outputs:
        told, hidden = [*told, *says], [*hidden, *hides]
        yield Verdict.FAIL if determined(told, hidden) else Verdict.PASS
        if determined(told, hidden):
            return


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_no_order_of_release_gives_a_suppressed_cell_away(tmp_path_factory, seed: int) -> None:
    """Two or three tables of one population: refused where every table that fits has the same number in a cell."""
    draw = random.Random(seed)
    people = np.array([draw.randint(0, MOST) for _ in SPACE])
    outputs = [each for _ in range(draw.choice([2, 2, 3])) if (each := drawn(draw, people))[1]]
    if not outputs:
        return  # a table in which no number stands is not evaluated
    refused = set()
    for at, order in enumerate((outputs, outputs[::-1])):
        ledger = tmp_path_factory.mktemp("ledger") / f"{at}.jsonl"
        found = verdicts([each for each, _, _ in order], policy(COUNTS), ledger)
        assert found == list(brute(order))
        refused.add(found[-1])
    assert len(refused) == 1


def itemsets(*given: tuple[Any, int | None]) -> dict[str, Any]:
    return {"type": "frequent-itemsets", "itemsets": [{"items": items, "support": count} for items, count in given]}


HELD = [
    {"type": "frequency-table", "suppressed": {"zeros": "possible"}},
    {"type": "frequent-itemsets", "min_support_count": 2, "channels": False},
]


def given_away(ledger: Path, earlier: dict[str, Any], *later: Any) -> list[str]:
    """The items of an earlier output that follow from what is released later, by what the result says of them."""
    output = neutral.from_json(earlier, source="old.json", columns=frozenset(ATTRIBUTES))
    remember([output], ledger, "", date(2026, 1, 1), Ledger(ledger.name))
    result = check_outputs(list(later), policy(*HELD), ledger=ledger)
    return sorted(
        {v.item.partition(", suppressed in")[0] for o in result.outputs for v in o.violations if "old.json" in v.item}
    )


RULE = {"type": "association-rules", "rules": [{"antecedent": ["bread"], "consequent": ["milk"], "confidence": "0.5"}]}
WOMEN_OF_20 = {"age": "20", "sex": "F"}


@pytest.mark.parametrize(
    ("earlier", "later", "items"),
    [
        (itemsets((["bread"], None)), itemsets((["bread"], 44)), ["bread"]),
        (itemsets((["milk"], None), (["bread", "milk"], 40)), itemsets((["bread"], 44)), []),
        (itemsets(({"age": "20"}, 90), (WOMEN_OF_20, None)), table(["sex"], {"M": 50, "F": 41}), []),
        (
            itemsets(({"age": "20"}, 90), (WOMEN_OF_20, None)),
            table(["age", "sex"], {("20", "M"): 50, ("20", "F"): 40}),
            ["age=20, sex=F"],
        ),
        (
            itemsets(({"sex": "F"}, 60), (WOMEN_OF_20, None)),
            table(["age", "sex"], {("20", "M"): 45, ("30", "F"): 20, ("30", "M"): 9}),
            ["age=20, sex=F"],
        ),
        (RULE, itemsets((["bread", "milk"], 44)), ["bread, milk"]),
        (RULE, table(["ward"], {"1": 30}), []),
    ],
)
def test_suppressed_supports_of_the_ledger(tmp_path: Path, earlier: Any, later: Any, items: list[str]) -> None:
    assert given_away(tmp_path / "l.jsonl", earlier, later) == items


@settings(max_examples=25)
@given(st.lists(st.integers(1, MOST), min_size=4, max_size=4), st.sets(st.integers(1, 8)))
def test_a_suppressed_support_follows_where_it_does_in_every_table(
    tmp_path_factory: Any, counts: list[int], hidden: set[int]
) -> None:
    """Of the cells and margins of a later table some are hidden; what all databases of whole numbers share follows."""
    keys = [(a, s) for a in ("x", "y", None) for s in ("F", "M", None)]
    inside = np.array([[a in (None, age) and s in (None, sex) for age, sex in SPACE] for a, s in keys])
    told = [at for at in range(1, len(keys)) if at not in hidden]
    numbers = inside @ np.array(counts)
    fitting = EVERY[(numbers[told] == (EVERY @ inside[told].T)).all(axis=1)]
    later = table(
        ["age", "sex"],
        {key: int(n) if at in told else None for at, (key, n) in enumerate(zip(keys, numbers, strict=True))},
    )
    earlier = itemsets(({"age": "x", "sex": "F"}, None))
    ledger = tmp_path_factory.mktemp("ledger") / "l.jsonl"
    follows = len(set(fitting[:, 0].tolist())) == 1
    assert given_away(ledger, earlier, later) == (["age=x, sex=F"] if follows else [])
