"""Commands with their files: every model, limit and starter pack over random tables, outputs, logs and histories.

The same on every run: a case is drawn from a generator that its own name seeds, so that a further case changes no
other. Policies are drawn without knowing whether they are valid: that one is refused is an answer, too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import yaml
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from auditor.models import registry
from auditor.policy import starter_names
from auditor.policy.outputs import OutputRule

TEXT = dict[str, Any]
ROLES = {
    "person": "pseudonym",
    "ward": "insensitive",
    "weight": "insensitive",
    "age": "quasi-identifier",
    "zip": "quasi-identifier",
    "sex": "quasi-identifier",
    "illness": "sensitive",
    "income": "sensitive",
}
LADDERS: dict[str, Any] = {
    "age": {"intervals": {"widths": [10, 40]}},
    "zip": {"mask": {"side": "right"}},
    "sex": "suppress",
}
AS_JSON = ["--format", "json", "--as-of", "2026-06-01", "--quiet"]


@dataclass(frozen=True)
class Case:
    """Commands run one after the other in a folder of these files; `history` are earlier commits of the folder."""

    name: str
    files: dict[str, str]
    commands: list[list[str]]
    history: list[dict[str, str]] = field(default_factory=list)


def corpus(times: int = 6) -> Iterator[Case]:
    """Every case; `times` is how many are drawn of a kind."""
    kinds = (_audits, _packs, _releases, _outputs, _logs, _comparisons, _masks, _tradeoffs, _hides, _starts, _gates)
    for kind in kinds:
        yield from kind(times)


def _seeded(*name: object) -> random.Random:
    return random.Random("/".join(map(str, name)))


def table(draw: random.Random, rows: int, *, repeated: bool = True) -> str:
    """A table of people as CSV: few values a column, some missing; where `repeated`, some persons with several rows."""
    lines = ["person,age,zip,sex,illness,income,ward,weight"]
    for row in range(rows):
        cells = (
            draw.choice([row, row, row // 2]) if repeated else row,
            draw.choice([30, 31, 34, 47, 61]),
            draw.choice(["1010", "1011", "1020", "2010"]),
            draw.choice(["m", "f"]),
            draw.choice(["flu", "flu", "cold", "HIV", "ulcer", ""]),
            draw.choice([1000, 1500, 2000, 2000.5, 9000]),
            draw.choice(["a", "b"]),
            draw.choice([1, 2, 7.5]),
        )
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def _drawn(draw: random.Random, at: FieldInfo) -> Any:
    """A value for a field of the policy, by its type and its bounds."""
    low = max(
        (float(getattr(each, "ge", getattr(each, "gt", 0))) for each in at.metadata if isinstance(each, Ge | Gt)),
        default=0,
    )
    high = min((float(each.le) for each in at.metadata if isinstance(each, Le)), default=10.0)
    return _of(draw, at.annotation, low, high)


def _of(draw: random.Random, kind: Any, low: float, high: float) -> Any:
    if get_origin(kind) is Literal:
        return draw.choice(get_args(kind))
    if NoneType in get_args(kind):
        return draw.choice([None, *(_of(draw, each, low, high) for each in get_args(kind) if each is not NoneType)])
    if kind is bool:
        return draw.random() < 0.5
    if kind is int:
        return draw.choice([int(low), 1, 2, 3, 5])
    if kind is float:
        return draw.choice([each for each in (0.1, 0.25, 0.5, 1, 1.5, 2.5, 5) if low <= each <= high])
    return None


TEXTS: TEXT = {"attribute": "age", "match": "person", "weights": "weight", "matrix": None, "pattern": None}
LISTS: TEXT = {"values": ["flu", "HIV"], "attributes": ["age", "income"], "sensitive": "illness"}


def requirement(draw: random.Random, model: str) -> TEXT:
    """A requirement of a model: its numbers and names drawn, the rest left to its defaults."""
    entry: TEXT = {"id": "one", "model": model}
    for name, at in registry()[model].model_fields.items():
        if name in {"id", "model", "severity", "because", "hard"}:
            continue
        if not at.is_required() and name != "sensitive" and draw.random() < 0.5:
            continue
        drawn = {**TEXTS, **LISTS}.get(name, ...)
        drawn = _drawn(draw, at) if drawn is ... else drawn
        if drawn is not None:
            entry[name] = drawn
    return entry


def policy(draw: random.Random, *requirements: TEXT, **more: Any) -> str:
    """A policy over `table` as YAML."""
    content = {
        "version": 1,
        "name": "compared",
        "attributes": {
            **ROLES,
            **{name: {"role": ROLES[name], "hierarchy": ladder} for name, ladder in LADDERS.items()},
            "income": {"role": "sensitive", "type": "number"},
        },
        "undeclared": draw.choice(["insensitive", "insensitive", "fail", "quasi-identifier"]),
        "missing": draw.choice(["value", "wildcard", "reject"]),
        **({"unit": "person"} if draw.random() < 0.3 else {}),
        "requirements": list(requirements),
        **more,
    }
    return yaml.safe_dump(content, sort_keys=False)


def _audits(times: int) -> Iterator[Case]:
    for model in registry():
        for at in range(times):
            draw = _seeded("check", model, at)
            rules = policy(draw, requirement(draw, model))
            data = table(draw, draw.choice([1, 8, 40, 200]))
            files = {"p.yaml": rules, "d.csv": data, "o.csv": data}
            words = [["--audience", each, *AS_JSON] for each in ("internal", "reviewer", "public")]
            yield Case(f"check-{model}-{at}", files, [["check", "d.csv", "-p", "p.yaml", *each] for each in words])


def _packs(times: int) -> Iterator[Case]:
    """Every starter pack, under a policy that says what the columns are."""
    for pack in starter_names():
        for at in range(max(1, times // 3)):
            draw = _seeded("pack", pack, at)
            rules = policy(draw, extends=[pack])
            output = frequency_table(draw)
            files = {"p.yaml": rules, "d.csv": table(draw, draw.choice([40, 200])), "t.json": json.dumps(output)}
            words = ["-p", "p.yaml", "--audience", draw.choice(["internal", "reviewer", "public"]), *AS_JSON]
            commands = [
                ["show", "-p", "p.yaml", "--format", "json"],
                ["check", "d.csv", *words],
                ["outputs", "t.json", *words],
            ]
            yield Case(f"pack-{pack}-{at}", files, commands)


def _releases(times: int) -> Iterator[Case]:
    for model in registry():
        for at in range(max(1, times // 3)):
            draw = _seeded("remediate", model, at)
            search = {
                "search": draw.choice(["optimal", "incognito", "samarati"]),
                "suppression_limit": draw.choice([0, 0.1, 0.3]),
            }
            k = {"id": "two", "model": "k-anonymity", "k": draw.choice([2, 3])}
            rules = policy(draw, requirement(draw, model), k, remediation=search)
            words = ["-o", "r.csv", "--lattice", "l.csv", "--mapping", "m.csv", "--audience", "internal", *AS_JSON]
            files = {"p.yaml": rules, "d.csv": table(draw, draw.choice([12, 60]))}
            yield Case(f"remediate-{model}-{at}", files, [["remediate", "d.csv", "-p", "p.yaml", *words]])


def frequency_table(draw: random.Random) -> TEXT:
    """A table of counts with its margins, small cells suppressed or not."""
    counts = {(ward, ill): draw.choice([0, 1, 3, 8, 12, 30]) for ward in "ab" for ill in ("flu", "cold", "HIV")}
    cells = [{"key": list(key), "count": None if 0 < n < 5 and draw.random() < 0.7 else n} for key, n in counts.items()]
    margins = [{"key": [ward, None], "count": sum(n for key, n in counts.items() if key[0] == ward)} for ward in "ab"]
    return {"type": "frequency-table", "by": ["ward", "illness"], "cells": [*cells, *margins]}


def _rule(draw: random.Random, kind: type[OutputRule]) -> TEXT:
    drawn = {
        name: _drawn(draw, at)
        for name, at in kind.model_fields.items()
        if name not in {"id", "because", "type"} and draw.random() < 0.6
    }
    return {
        "type": kind.model_fields["type"].default,
        **{name: value for name, value in drawn.items() if value is not None},
    }


def _of_type(draw: random.Random, name: str) -> TEXT:
    """An output of a type, as the neutral JSON has it."""
    n = [draw.choice([2, 5, 11, 40, 90]) for _ in range(4)]
    people = {"records": sum(n)} if draw.random() < 0.7 else {}
    match name:
        case "frequency-table":
            return frequency_table(draw)
        case "frequent-itemsets":
            sets = [(["sex=f"], n[0] + n[1]), (["ward=a"], n[0] + n[2]), (["sex=f", "ward=a"], n[0])]
            members: TEXT = {"itemsets": [{"items": items, "support": count} for items, count in sets]}
        case "association-rules":
            counts = {"support": n[0], "antecedent_support": n[0] + n[1], "consequent_support": n[0] + n[2]}
            members = {"rules": [{"antecedent": {"sex": "f"}, "consequent": {"illness": "HIV"}, **counts}]}
        case "decision-tree":
            leaves = [{"path": {"sex": sex}, "counts": {"flu": n[at], "HIV": n[at + 2]}} for at, sex in enumerate("mf")]
            members = {"leaves": leaves, "target": "illness"}
        case "magnitude-table":
            cells = [{"key": [ward], "sum": count * 1000, "count": count} for ward, count in zip("ab", n, strict=False)]
            members = {"by": ["ward"], "of": "income", "cells": [*cells, {"key": [None], "sum": (n[0] + n[1]) * 1000}]}
        case "statistics":
            cells = [
                {"key": [ward], "n": count, "mean": "1500.5", "max": 9000} for ward, count in zip("ab", n, strict=False)
            ]
            members = {"of": "income", "by": ["ward"], "cells": cells}
        case "regression":
            members = {"outcome": "income", "dof": n[0], "terms": [{"name": "age", "coefficient": 41.5, "ones": n[1]}]}
        case _:
            members = {"clusters": [{"size": n[0], "centre": {"age": 31.5}}, {"size": n[1], "centre": {"age": 60}}]}
    return {"type": name, **people, **members}


def _kinds() -> Iterator[type[OutputRule]]:
    waiting = [OutputRule]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if "type" in kind.model_fields:
            yield kind


def _outputs(times: int) -> Iterator[Case]:
    for kind in sorted(_kinds(), key=lambda each: each.__name__):
        for at in range(times * 2):
            draw = _seeded("outputs", kind.__name__, at)
            output = _of_type(draw, kind.model_fields["type"].default)
            rules = policy(draw, outputs=[_rule(draw, kind)])
            files = {"p.yaml": rules, "d.csv": table(draw, 60), "t.json": json.dumps(output)}
            words = ["-p", "p.yaml", "--audience", "internal", *AS_JSON]
            commands = [["outputs", "t.json", *words], ["outputs", "t.json", "-d", "d.csv", *words]]
            yield Case(f"outputs-{kind.__name__}-{at}", files, commands)


ASKED = (
    "sum(income)", "avg(income)", "count(*)", "max(income)", "min(income)", "count(illness)",
    "sum(income * 2 - weight)", "sum(CASE WHEN sex = 'f' THEN income ELSE 0 END)",
    "count(*) FILTER (WHERE illness = 'HIV')", "sum(0 * income)",
    "count(DISTINCT illness)",
)  # fmt: skip
WHERE = (
    "age > 30",
    "sex = 'f'",
    "zip = '1010' AND ward = 'a'",
    "age BETWEEN 31 AND 47",
    "illness = 'flu'",
    "NOT sex = 'm'",
)
LIMITS: tuple[TEXT, ...] = (
    {"exact_value": "deny"},
    {"min_group": 3},
    {"query_set_size": {"min": 4, "both_ends": True}},
    {"exact_value": "deny", "min_group": 5, "interval": {"min_width": 100}},
    {"max_overlap": 3},
    {"max_queries": 4},
)


def _logs(times: int) -> Iterator[Case]:
    for at in range(times * 8):
        draw = _seeded("queries", at)
        lines = []
        for number in range(draw.choice([1, 3, 6])):
            by = draw.choice(["", "", " GROUP BY sex", " GROUP BY ward, sex"])
            condition = draw.choice(["", f" WHERE {draw.choice(WHERE)}"])
            lines += [f"-- user: {draw.choice(['ana', 'ben'])}"] if number % 2 == 0 else []
            lines.append(f"SELECT {draw.choice(ASKED)} FROM staff{condition}{by};")
        asked = {
            "table": "staff",
            "key": "person",
            "limits": draw.choice(LIMITS),
            "scope": draw.choice(["pooled", "per-user"]),
        }
        files = {
            "p.yaml": policy(draw, queries=asked),
            "d.csv": table(draw, 16, repeated=False),
            "log.sql": "\n".join(lines) + "\n",
        }
        words = ["queries", "log.sql", "-p", "p.yaml", "-d", "d.csv", "--audience", draw.choice(["internal", "public"])]
        yield Case(f"queries-{at}", files, [[*words, *AS_JSON]])


def _comparisons(times: int) -> Iterator[Case]:
    for model in registry():
        for at in range(times):
            draw = _seeded("diff", model, at)
            one, other = requirement(draw, model), requirement(draw, model)
            other = {**one, **dict(draw.sample(sorted(other.items(), key=repr), min(2, len(other))))}
            state = draw.getrandbits(32)
            files = {"a.yaml": policy(random.Random(state), one), "b.yaml": policy(random.Random(state), other)}
            commands = [
                ["diff", "a.yaml", "b.yaml", "--format", "json"],
                ["diff", "b.yaml", "a.yaml", "--format", "json"],
            ]
            yield Case(f"diff-{model}-{at}", files, commands)


METHODS: tuple[TEXT, ...] = (
    {"method": "microaggregation", "attributes": ["income"], "k": 3},
    {"method": "rank-swapping", "attributes": ["income"], "p": 10},
    {"method": "noise", "attributes": ["income"], "p": 10},
    {"method": "pram", "attributes": ["illness"], "matrix": "invariant", "theta": 0.8},
    {"method": "rounding", "attributes": ["income"], "base": 100},
    {"method": "global-recoding", "attributes": ["income"], "breaks": [1500, 5000]},
)


def _masks(times: int) -> Iterator[Case]:
    for at in range(times):
        draw = _seeded("mask", at)
        rules = policy(draw, {"id": "k", "model": "k-anonymity", "k": 2}, protection=[draw.choice(METHODS)])
        words = ["-o", "r.csv", "--seed", "7", "--audience", "internal", *AS_JSON]
        yield Case(
            f"mask-{at}", {"p.yaml": rules, "d.csv": table(draw, 60)}, [["mask", "d.csv", "-p", "p.yaml", *words]]
        )


def _tradeoffs(times: int) -> Iterator[Case]:
    for at in range(max(1, times // 3)):
        draw = _seeded("tradeoff", at)
        methods = draw.sample([each for each in METHODS if each["attributes"] == ["income"]], 2)
        rules = policy(draw, {"id": "k", "model": "k-anonymity", "k": 2}, protection=methods)
        words = ["-p", "p.yaml", "--seeds", "2", "--processes", "1", "--audience", "internal", *AS_JSON]
        yield Case(f"tradeoff-{at}", {"p.yaml": rules, "d.csv": table(draw, 40)}, [["tradeoff", "d.csv", *words]])


HIDING = ("bba", "cover", "exact", "iga", "max-fia", "max-min", "swa", "transactions")


def _hides(times: int) -> Iterator[Case]:
    """Every method that hides itemsets, and one that hides rules."""
    for method in (*HIDING, "verykios-1a"):
        for at in range(max(1, times // 3)):
            draw = _seeded("hide", method, at)
            baskets = [draw.sample("abcdef", draw.choice([1, 2, 3, 4])) for _ in range(30)]
            rule = method.startswith("verykios")
            files = {
                "d.dat": "".join(f"{' '.join(basket)}\n" for basket in baskets),
                "s.txt": "a => b\n" if rule else f"{' '.join(draw.sample('abcdef', 2))}\n",
            }
            words = ["--sensitive", "s.txt", "--min-support", "4", *(["--min-confidence", "0.4"] if rule else [])]
            words += ["--method", method, "-o", "r.dat", "--audience", "internal", *AS_JSON]
            yield Case(f"hide-{method}-{at}", files, [["hide", "d.dat", *words]])


def _starts(times: int) -> Iterator[Case]:
    """The policy that a table suggests, and the ladders of one."""
    for at in range(max(1, times // 3)):
        draw = _seeded("start", at)
        files = {"p.yaml": policy(draw), "d.csv": table(draw, 60)}
        ladders = ["hierarchy", "d.csv", "-p", "p.yaml", "--format", "json", "--quiet"]
        yield Case(f"start-{at}", files, [["init", "d.csv", "-o", "new.yaml", "--quiet"], ladders])


def _gates(times: int) -> Iterator[Case]:
    manifest = yaml.safe_dump(
        {
            "version": 1,
            "releases": {
                "one": {"policy": "p.yaml", "data": "d.csv", "recipients": ["university"], "purpose": "teaching"}
            },
            "trusted": {"approvers": ["dpo@example.org"]},
        }
    )
    for at in range(times * 2):
        draw = _seeded("gate", at)
        model = draw.choice(sorted(registry()))
        one = requirement(draw, model)
        other = {**one, **dict(draw.sample(sorted(requirement(draw, model).items(), key=repr), 2))}
        state, data = draw.getrandbits(32), table(draw, 40)
        before = {"auditor.yaml": manifest, "p.yaml": policy(random.Random(state), one), "d.csv": data}
        after = {**before, "p.yaml": policy(random.Random(state), other), "d.csv": draw.choice([data, table(draw, 40)])}
        yield Case(f"gate-{at}", after, [["gate", "--audience", "internal", *AS_JSON]], [before])
