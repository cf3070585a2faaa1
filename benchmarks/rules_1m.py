"""An 8,000-rule PMML file against a million records: every count from the data, of records and of people.

The rules are true of the data: one to three items lead to a fourth. They are judged by support, antecedent, exceptions
and confidence, and what the file says is compared with the data.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import duckdb
import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, judge, process, show, start
from _tables import AUDITOR

RECORDS, PEOPLE, RULES = 1_000_000, 400_000, 8_000
COLUMNS = ("age", "sex", "zip", "job", "marital", "education", "country", "diagnosis")
VALUES = (12, 2, 30, 15, 5, 8, 10, 20)
Codes = NDArray[np.int64]


def main() -> int:
    start(f"{RULES:,} rules of a PMML file against {RECORDS:,} records, whole processes")
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as name:
        folder = Path(name)
        codes = _table(folder / "records.parquet")
        _pmml(folder / "rules.pmml", codes)
        met = []
        for what, unit in (("records", None), ("people, 2.5 records each", "person")):
            policy = folder / f"{unit}.yaml"
            policy.write_text(json.dumps(_policy(unit)))
            command: list[str | Path] = [
                AUDITOR,
                "outputs",
                folder / "rules.pmml",
                "-p",
                policy,
                "-d",
                folder / "records.parquet",
            ]
            cost = process([*command, "--quiet", "--report", folder / "result.json"], expected=(0, 1))
            show(what, cost)
            document = json.loads((folder / "result.json").read_text())
            _confirm(document, unit)
            met += [judge(f"counted by {what}, CPU seconds", cost.cpu, 20)]
            met += [judge(f"counted by {what}, peak MB", cost.peak_mb or 0, 2048)]
    return MET if all(met) else MISSED


def _confirm(document: dict[str, Any], unit: str | None) -> None:
    """End the benchmark unless every rule was judged and none disagrees with the data."""
    (output,) = document["outputs"]
    reasons = {violation["reason"] for violation in output["violations"]}
    if output["items"] != RULES or output["not_evaluated"] or "mismatch" in reasons:
        sys.exit(f"not every rule was judged by the data ({unit}): {output['not_evaluated']}, {reasons}")


def _table(path: Path) -> Codes:
    """int64[records, columns]: values drawn with unequal shares, some columns hanging together."""
    generator = np.random.default_rng(5)
    shares = [np.sort(generator.dirichlet(np.full(count, 2.0)))[::-1] for count in VALUES]
    codes = np.stack([generator.choice(len(each), RECORDS, p=each) for each in shares], axis=1)
    codes[:, 3] = np.where(generator.random(RECORDS) < 0.5, codes[:, 5] % VALUES[3], codes[:, 3])
    codes[:, 7] = np.where(generator.random(RECORDS) < 0.3, codes[:, 0] % VALUES[7], codes[:, 7])
    people = generator.integers(0, PEOPLE, RECORDS)
    columns = {name: codes[:, at] for at, name in enumerate(COLUMNS)} | {"person": people}
    connection = duckdb.connect()
    texts = ", ".join(f"'{name}' || {name} AS {name}" for name in columns)
    connection.register("columns", columns)
    connection.execute(f"COPY (SELECT {texts} FROM columns) TO '{path}' (FORMAT parquet)")
    return codes


def _pmml(path: Path, codes: Codes) -> None:
    """Write random rules with the supports and confidences that they have in the data."""
    generator = np.random.default_rng(7)
    held = {(at, v): np.packbits(codes[:, at] == v) for at, count in enumerate(VALUES) for v in range(count)}
    numbers = {item: str(place) for place, item in enumerate(held)}
    items = [f"<Item id='{numbers[at, v]}' value='{COLUMNS[at]}={COLUMNS[at]}{v}'/>" for at, v in held]
    itemsets: dict[tuple[tuple[int, int], ...], str] = {}
    rules: list[str] = []
    while len(rules) < RULES:
        columns = generator.permutation(len(COLUMNS))[: generator.integers(2, 5)]
        chosen = [(int(at), int(generator.integers(VALUES[at]))) for at in columns]
        left = np.bitwise_and.reduce([held[item] for item in chosen[1:]])
        antecedent, both = (int(np.bitwise_count(bits).sum()) for bits in (left, left & held[chosen[0]]))
        if both:
            sides = [itemsets.setdefault(tuple(sorted(side)), str(len(itemsets))) for side in (chosen[1:], chosen[:1])]
            support, confidence = quoteattr(repr(both / RECORDS)), quoteattr(repr(both / antecedent))
            sides_text = f"antecedent='{sides[0]}' consequent='{sides[1]}'"
            rules.append(f"<AssociationRule {sides_text} support={support} confidence={confidence}/>")
    listed = [
        f"<Itemset id='{name}'>{''.join(f'<ItemRef itemRef={quoteattr(numbers[item])}/>' for item in key)}</Itemset>"
        for key, name in itemsets.items()
    ]
    sizes = f"numberOfTransactions='{RECORDS}' numberOfItems='{len(items)}' numberOfItemsets='{len(listed)}'"
    thresholds = f"numberOfRules='{RULES}' minimumSupport='0.0' minimumConfidence='0.0'"
    model = f"<AssociationModel functionName='associationRules' {sizes} {thresholds}>"
    body = "\n".join([model, *items, *listed, *rules, "</AssociationModel>"])
    path.write_text(f"<PMML xmlns='http://www.dmg.org/PMML-4_4' version='4.4'><Header/>\n{body}\n</PMML>\n")


def _policy(unit: str | None) -> dict[str, Any]:
    limits = {"min_support_count": 11, "min_antecedent_count": 11, "min_exceptions": 11, "max_confidence": 0.8}
    return {
        "version": 1,
        "name": "rules",
        "attributes": {**dict.fromkeys(COLUMNS, "quasi-identifier"), "person": "pseudonym"},
        "outputs": [{"type": "association-rules", **limits}],
        **({"unit": unit} if unit else {}),
    }


if __name__ == "__main__":
    sys.exit(main())
