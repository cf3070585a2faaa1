"""Small releases on the edge of every demand: tables, outputs and logs, for comparing policies against them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

NAMES = ("age", "zip", "one", "flu", "a", "NA", "income", "diagnosis", "0**", "z*")
"""Words that stand somewhere below: columns, values, ids, a glob."""

ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi-identifier"},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
    "diagnosis": {
        "role": "sensitive",
        "hierarchy": {"tree": {"*": {"lung": ["flu", "cold"], "blood": ["HIV", "NA"]}}},
    },
    "income": {"role": "insensitive"},
    "tax": {"role": "insensitive"},
    "weight": {"role": "insensitive"},
    "record": {"role": "insensitive"},
}


def _table(*rows: tuple[Any, ...]) -> pa.Table:
    names = list(ATTRIBUTES)
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    numeric = ("income", "tax", "weight")
    return pa.table({n: pa.array(v, pa.float64() if n in numeric else pa.string()) for n, v in columns.items()})


ORIGINAL = _table(
    ("30", "021", "flu", 10, 1, 2, "a"),
    ("30", "021", "HIV", 12, 2, 2, "b"),
    ("30", "022", "flu", 30, 3, 1, "c"),
    ("40", "022", "cold", 31, 4, 5, "d"),
    ("40", "022", "flu", 50, 5, 1, "e"),
    ("40", "021", "NA", 90, 9, 1, "f"),
)
TABLES = (
    # classes of three, mixed
    _table(
        ("30", "0**", "flu", 11, 1, 2, "a"),
        ("30", "0**", "HIV", 11, 2, 2, "b"),
        ("30", "0**", "flu", 31, 3, 1, "c"),
        ("40", "0**", "cold", 31, 4, 5, "d"),
        ("40", "0**", "flu", 51, 5, 1, "e"),
        ("40", "0**", "NA", 80, 9, 1, "f"),
    ),
    # a value in different spellings of missing, and classes that meet where it may be anything
    _table(
        ("30", None, "flu", 10, 1, 2, "b"),
        ("30", "0**", "flu", 12, 2, 2, "a"),
        ("NA", "0**", "HIV", 30, 3, 1, "c"),
        ("40", "NA", "cold", 31, 4, 5, "d"),
        ("40", "0**", None, 50, 5, 1, "e"),
        ("40", "0**", "NA", None, 9, 1, "f"),
    ),
    # one alone, and the same record twice
    _table(
        ("30", "021", "flu", 20, 1, 1, "a"),
        ("30", "021", "flu", 20, 1, 1, "a"),
        ("30", "021", "HIV", 20, 4, 1, "c"),
        ("40", "022", "cold", 60, 4, 9, "d"),
        ("40", "022", "cold", 60, 4, 9, "e"),
        ("40.0", "022", "flu", 60, 9, 0.5, "f"),
    ),
    # everybody alike
    _table(*(("*", "***", value, 40, 4, 1, name) for name, value in zip("abcdef", 3 * ("flu", "HIV"), strict=True))),
)

LEAVES = {"target": "diagnosis", "records": 10}
RULES: dict[str, dict[str, Any]] = {
    "association-rules": {"min_support_count": 3, "max_confidence": 0.8, "sensitive": {"diagnosis": ["HIV"]}},
    "frequent-itemsets": {"min_support_count": 3, "channels": True},
    "decision-tree": {"min_leaf": 3, "max_confidence": 0.8, "sensitive": {"diagnosis": ["HIV"]}},
    "frequency-table": {"min_cell": 3, "protection": 1, "suppressed": {"zeros": "possible"}},
    "magnitude-table": {
        "min_cell": 2,
        "dominance": [{"n": 1, "k": 0.7}],
        "p_percent": 10,
        "pq": {"p": 10, "q": 50},
        "protection": {"sum": 1, "count": 1},
    },
    "statistics": {"min_n": 3},
    "regression": {"min_dof": 3, "min_indicator": 2},
    "clusters": {"min_size": 3, "max_confidence": 0.8, "sensitive": {"diagnosis": ["HIV"]}},
}


def _rule(value: str, support: int, antecedent: int, over: str = "30") -> dict[str, Any]:
    confidence = round(support / antecedent, 2)
    return {
        "antecedent": {"age": over},
        "consequent": {"diagnosis": value},
        "support": support,
        "antecedent_support": antecedent,
        "confidence": confidence,
    }


def _leaf(value: str, **counts: int) -> dict[str, Any]:
    return {"path": {"age": value}, "count": sum(counts.values()), "counts": counts}


def _cells(*counts: int | None) -> list[dict[str, Any]]:
    return [{"key": [f"{30 + i}"], "count": count} for i, count in enumerate(counts)]


def _sums(*largest: list[int]) -> list[dict[str, Any]]:
    return [
        {"key": [f"{30 + i}"], "sum": sum(each), "count": len(each), "largest": each} for i, each in enumerate(largest)
    ]


def _frequencies(*counts: int | None) -> dict[str, Any]:
    return {"type": "frequency-table", "by": ["age"], "cells": _cells(*counts)}


def _magnitudes(*largest: list[int]) -> dict[str, Any]:
    return {"type": "magnitude-table", "by": ["age"], "of": "income", "cells": _sums(*largest)}


def _rules(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"type": "association-rules", "records": 10, "rules": list(rules)}


def _tree(*leaves: dict[str, Any]) -> dict[str, Any]:
    return {"type": "decision-tree", "target": "diagnosis", "records": 10, "leaves": list(leaves)}


def _itemsets(*supports: int) -> dict[str, Any]:
    items = ({"age": "30"}, {"diagnosis": "HIV"}, {"age": "30", "diagnosis": "HIV"}, {"zip": "a"})
    found = [{"items": each, "support": n} for each, n in zip(items, supports, strict=False)]
    return {"type": "frequent-itemsets", "records": 10, "itemsets": found}


def _statistics(**told: float) -> dict[str, Any]:
    cells = [{"key": ["30"], "n": 4, "mean": 3, **told}, {"key": ["40"], "n": 3, "mean": 5}]
    return {"type": "statistics", "of": "income", "by": ["age"], "cells": cells}


def _regression(dof: int, ones: int) -> dict[str, Any]:
    term = {"name": "zip[T.a]", "coefficient": 2.0, "condition": {"zip": "a"}, "ones": ones}
    return {"type": "regression", "outcome": "income", "records": dof + 2, "dof": dof, "terms": [term]}


def _clusters(size: int, sick: int, **told: Any) -> dict[str, Any]:
    sizes = {"size": size, "radius": 2.0, "counts": {"diagnosis": {"HIV": sick, "flu": size - sick}}, **told}
    return {"type": "clusters", "clusters": [sizes, {"size": 6, "counts": {"diagnosis": {"HIV": 1, "flu": 5}}}]}


OUTPUTS: dict[str, list[tuple[list[dict[str, Any]], Any]]] = {
    "association-rules": [
        ([_rules(_rule("HIV", 4, 5))], None),
        ([_rules(_rule("flu", 4, 5), _rule("HIV", 3, 9, "40"))], None),
        ([_rules(_rule("flu", 4, 4))], None),
        ([_rules({**_rule("flu", 4, 5), "antecedent": {"diagnosis": "HIV"}, "consequent": {"age": "30"}})], None),
    ],
    "frequent-itemsets": [
        ([_itemsets(5, 5, 3)], None),
        ([_itemsets(4, 6, 3, 2)], None),
        ([_itemsets(3, 9)], None),
        ([_itemsets(3)], None),
    ],
    "decision-tree": [
        ([_tree(_leaf("30", flu=4, HIV=1), _leaf("40", flu=1, HIV=4))], None),
        ([_tree(_leaf("30", flu=5), _leaf("40", flu=3, HIV=2))], None),
        ([_tree(_leaf("30", flu=3, HIV=3), _leaf("40", flu=2, HIV=2))], None),
        ([_tree(_leaf("30", flu=4, HIV=1), _leaf("40", flu=4, HIV=1)), _tree(_leaf("30", flu=4, HIV=2))], None),
    ],
    "frequency-table": [
        ([_frequencies(4, 3, 9)], None),
        ([_frequencies(3, 0, 9)], None),
        ([_frequencies(6, None, 9), _frequencies(6, None, 9)], None),
        ([_frequencies(6, 3, 9), {"type": "frequency-table", "by": [], "cells": [{"key": [], "count": 19}]}], None),
        (
            [
                {
                    "type": "frequency-table",
                    "by": ["age"],
                    "cells": [*_cells(3, None, None), {"key": [None], "count": 9}],
                }
            ],
            None,
        ),
        ([_frequencies(5, 10, 15)], None),
    ],
    "magnitude-table": [
        ([_magnitudes([5, 4, 3], [6, 6, 6])], None),
        ([_magnitudes([10, 1, 1], [6, 6, 6])], None),
        ([_magnitudes([7, 2, 1], [9, 1])], None),
        ([_magnitudes([7, 6])], None),
    ],
    "statistics": [
        ([_statistics()], None),
        ([_statistics(max=9)], None),
        ([_statistics(var=0, n=3)], None),
        ([_statistics(), _statistics(n=5)], None),
    ],
    "regression": [([_regression(5, 2)], None), ([_regression(3, 1)], None), ([_regression(2, 3)], None)],
    "clusters": [
        ([_clusters(4, 1)], None),
        ([_clusters(5, 4)], None),
        ([_clusters(3, 3)], None),
        ([_clusters(4, 1, centre={"age": 31.5})], None),
    ],
}

LIMITS: dict[str, dict[str, Any]] = {
    "queries: exact": {"exact_value": "deny"},
    "queries: groups": {"min_group": 2, "exact_value": "allow"},
    "queries: sets": {"query_set_size": {"min": 2, "both_ends": True}, "max_overlap": 2},
    "queries: intervals": {"interval": {"min_width": 5}, "max_queries": 3, "exact_value": "allow"},
}
QUERIED = _table(
    ("30", "021", "flu", 10, 1, 2, "a"),
    ("30", "021", "HIV", 12, 2, 2, "b"),
    ("30", "022", "flu", 30, 3, 1, "c"),
    ("40", "022", "cold", 31, 4, 5, "d"),
    ("40", "022", "flu", 50, 5, 1, "e"),
    ("40", "021", "NA", None, 9, 1, "f"),
)
_LARGEST = "SELECT MAX(income) FROM data"
_SUM = "SELECT SUM(income) FROM data"
LOGS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("one", f"{_SUM} WHERE age = '30'"),),
    (("one", f"{_SUM} WHERE age = '30'"), ("age", f"{_SUM} WHERE age = '30' AND zip = '021'")),
    (("one", f"{_SUM} WHERE age = '30'"), ("one", f"{_SUM} WHERE age = '30' AND zip = '022'")),
    (
        ("one", "SELECT MAX(income) FROM data WHERE age = '30'"),
        ("one", "SELECT MIN(income) FROM data WHERE age = '30'"),
    ),
    (("one", "SELECT AVG(income) FROM data"), ("age", "SELECT COUNT(*) FROM data WHERE income > 20")),
    (("one", "SELECT MAX(tax) FROM data"), ("one", "SELECT COUNT(*) FROM data WHERE diagnosis = 'HIV'")),
    (("one", f"{_SUM} WHERE record IN ('a', 'b', 'c')"),),
)
