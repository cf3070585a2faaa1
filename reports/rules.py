"""The third demonstration: mine rules from a real survey, audit them, and hide those that disclose.

Run it after ``pip install -e '.[demo]'``::

    python reports/rules.py                      # writes out/rules.html and out/hidden.html
    python reports/rules.py --mine FOLDER        # writes only what is audited and hidden, into a folder
    python reports/rules.py --examples reports   # writes the example report that is kept in reports/ again

The rules are those that mlxtend mines from `fair` of statsmodels (see fair.py). Some say of people of a certain age,
marriage and faith that they probably had an affair, so the audit ends in "do not meet" (exit code 1). Hiding changes as
few answers as it can; what is mined from the changed answers meets the policy.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pandas as pd
from _run import MET, NOT_MET, ROOT, auditor, example, say
from mlxtend.frequent_patterns import association_rules, fpgrowth
from statsmodels.datasets import fair

POLICY = "policies/demo/rules.yaml"
COLUMNS = ("rate_marriage", "age", "yrs_married", "children", "religious", "affair")
MEASURES = ("antecedents", "consequents", "antecedent support", "consequent support", "support", "confidence", "lift")
SUPPORT = 64
"""Records that a rule is mined for: 1 % of 6,366."""
CONFIDENCE = 0.5
AUDIT = ("outputs", "out/rules.csv", "-p", POLICY, "-d", "out/items.csv")
HIDE = (
    *("hide", "out/baskets.jsonl", "--sensitive", "out/sensitive.txt", "--min-support", str(SUPPORT)),
    *("--min-confidence", "0.6", "-o", "out/hidden.jsonl"),
)


def survey() -> list[dict[str, str]]:
    """The answers that are mined, as texts; whole numbers without a decimal point, as the codebook has the codes."""
    table = fair.load_pandas().data
    table["affair"] = (table["affairs"] > 0).map({True: "yes", False: "no"})
    return [
        {name: str(value).removesuffix(".0") for name, value in zip(COLUMNS, row, strict=True)}
        for row in table[list(COLUMNS)].to_numpy()
    ]


def items_of(answers: dict[str, str]) -> list[str]:
    """The answers of one respondent as items: ``age=32``."""
    return [f"{name}={value}" for name, value in answers.items()]


def mine(baskets: list[list[str]], target: Path) -> None:
    """Write the rules of some baskets as mlxtend and pandas write them."""
    names = sorted({item for basket in baskets for item in basket})
    held = [set(basket) for basket in baskets]
    table = pd.DataFrame({name: [name in basket for basket in held] for name in names})
    frequent = fpgrowth(table, min_support=SUPPORT / len(baskets), use_colnames=True)
    rules = association_rules(frequent, metric="confidence", min_threshold=CONFIDENCE)[list(MEASURES)]
    for side in ("antecedents", "consequents"):  # sets have no order; the example is to be the same every time
        rules[side] = [f"frozenset({{{', '.join(map(repr, sorted(items)))}}})" for items in rules[side]]
    rules.sort_values(["antecedents", "consequents"]).to_csv(target, index=False)


def write_inputs(folder: Path) -> None:
    """Write the table, the same as baskets, its rules, and which of them are sensitive."""
    folder.mkdir(exist_ok=True)
    answers = survey()
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(answers)
    baskets = [items_of(each) for each in answers]
    lines = [json.dumps({"items": basket}) for basket in baskets]
    (folder / "baskets.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    mine(baskets, folder / "rules.csv")


def write_sensitive(audit: Path, target: Path) -> int:
    """Write the rules that an audit for the internal audience found, one a line; how many there are."""
    document = json.loads(audit.read_text(encoding="utf-8"))
    found = [each["item"] for each in document["outputs"][0]["violations"] if each["reason"] == "high-confidence"]
    rules = [" => ".join(side.replace(", ", " ") for side in item.split(" => ")) for item in found]
    target.write_text("\n".join(rules) + "\n", encoding="utf-8")
    return len(rules)


def prepare(folder: Path) -> bool:
    """Write what is audited and hidden: what an audit for the internal audience finds is what to hide."""
    folder = folder.resolve()
    write_inputs(folder)
    found, rules = folder / "internal.json", str(folder / "rules.csv")
    audit = ("outputs", rules, "-p", POLICY, "-d", str(folder / "items.csv"), "--audience", "internal")
    code = auditor(*audit, "--report", str(found), "--quiet", show=False)
    return code == NOT_MET and write_sensitive(found, folder / "sensitive.txt") > 0


def demonstrate() -> int:
    """Mine, audit, hide, mine again and audit again; say where the reports are."""
    folder = ROOT / "out"
    if not prepare(folder) or auditor(*AUDIT, "--report", "out/rules.html", show=True) != NOT_MET:
        say(f"The audit was expected to end with exit code {NOT_MET}.")
        return 1
    if auditor(*HIDE, "--report", "out/hidden.html", show=True) != MET:
        say(f"Hiding was expected to end with exit code {MET}.")
        return 1
    baskets = [json.loads(line)["items"] for line in (folder / "hidden.jsonl").read_text(encoding="utf-8").splitlines()]
    mine(baskets, folder / "hidden-rules.csv")
    again = ("outputs", "out/hidden-rules.csv", "-p", POLICY, "--records", str(len(baskets)))
    if auditor(*again, show=True) != MET:
        say(f"The audit of what is mined now was expected to end with exit code {MET}.")
        return 1
    say(f"\nSome rules disclose, as expected. The report: {folder / 'rules.html'}")
    say(f"What is mined from the changed answers does not. The report on hiding: {folder / 'hidden.html'}")
    return 0


def write_examples(folder: Path) -> int:
    """Write the example reports into a folder."""
    write_inputs(ROOT / "out")
    code = example(folder, "rules", *AUDIT)
    return 0 if code == NOT_MET else 1


if __name__ == "__main__":
    options = sys.argv[1:]
    if options[:1] == ["--mine"]:
        sys.exit(0 if prepare(Path(options[1])) else 1)
    sys.exit(write_examples(Path(options[1])) if options[:1] == ["--examples"] else demonstrate())
