"""Results as the audits of this project produce them, from ordinary to hostile: what every renderer must stand.

The numbers of `failing` hang together: they are counted from `CLASS_SIZES`, as an audit would count them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise, product
from typing import Any

from auditor.models import registry
from auditor.result import (
    Also,
    Citation,
    ClassSummary,
    ColumnFacts,
    DataFacts,
    Dimensionality,
    DimensionStep,
    ExposedClass,
    Feasibility,
    Finding,
    Kind,
    Location,
    Monotone,
    NumberBin,
    PolicyFacts,
    RequirementResult,
    Result,
    Risk,
    RiskAtK,
    SizeBin,
    Status,
    Tool,
    Verdict,
    WaiverFacts,
    verdict_of,
)
from auditor.result.remediation import (
    AttributeCost,
    CoarserLadder,
    LadderChoice,
    Lattice,
    LatticeHeight,
    LatticeNode,
    Obstacle,
    RemediationResult,
    Shortfall,
    Solution,
)
from auditor.spec import specs

SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
QUASI_IDENTIFIERS = ("age", "sex", "zip", "admitted")
CLASS_SIZES = [1] * 12 + [2] * 14 + [3] * 11 + [4] * 9 + [7] * 13 + [10] * 6 + [16] * 40 + [40] * 60 + [240] * 3
CUTS = (1, 2, 3, 5, 11, 20, 50, 100)
POLICY_TEXT = """version: 1
name: hospital-discharge
unit: patient_id
requirements:
- {id: k, model: k-anonymity, k: 11}
- {id: t-closeness-diagnosis, model: t-closeness, sensitive: diagnosis, t: 0.2}
"""


def size_bins(sizes: Sequence[int], cuts: Sequence[int] = CUTS) -> tuple[SizeBin, ...]:
    """A histogram of class sizes with the given lower edges, the last bin open."""
    edges = [*cuts, None]
    bins = []
    for low, above in pairwise(edges):
        inside = [s for s in sizes if s >= low and (above is None or s < above)]
        bins.append(
            SizeBin(low=low, high=None if above is None else above - 1, classes=len(inside), records=sum(inside))
        )
    return tuple(bins)


def summary(sizes: Sequence[int], quasi_identifiers: tuple[str, ...] = QUASI_IDENTIFIERS) -> ClassSummary:
    """What an audit says of classes of these sizes."""
    rows = sum(sizes)
    below = {k: sum(s for s in sizes if s < k) for k in (2, 3, 5, 10, 11, 15, 20, 50)}
    return ClassSummary(
        count=len(sizes),
        smallest=min(sizes),
        largest=max(sizes),
        average=rows / len(sizes),
        sample_uniques=sizes.count(1),
        quasi_identifiers=quasi_identifiers,
        sizes=size_bins(sizes),
        risk_curve=tuple(RiskAtK(k=k, records_below=n, share_below=n / rows) for k, n in below.items()),
    )


def risk(sizes: Sequence[int], threshold: float = 0.2) -> Risk:
    """The risk block for classes of these sizes."""
    at_risk = sum(s for s in sizes if 1 / s > threshold)
    rows = sum(sizes)
    return Risk(
        prosecutor_highest=1 / min(sizes), marketer=len(sizes) / rows, share_at_risk=at_risk / rows, threshold=threshold
    )


def data_of(rows: int, **changes: Any) -> DataFacts:
    """A data block."""
    return replace(
        DataFacts(
            source="release.parquet",
            rows=rows,
            columns=6,
            sha256=SHA,
            format="parquet",
            column_roles=(
                ColumnFacts(name="age", role="quasi-identifier", type="VARCHAR"),
                ColumnFacts(name="sex", role="quasi-identifier", type="VARCHAR"),
                ColumnFacts(name="zip", role="quasi-identifier", type="VARCHAR"),
                ColumnFacts(name="admitted", role="quasi-identifier", type="VARCHAR"),
                ColumnFacts(name="diagnosis", role="sensitive", type="VARCHAR"),
                ColumnFacts(name="cost", role="sensitive", type="DOUBLE"),
            ),
            recipients=("University X", "Institute of Public Health"),
            purpose="Research on readmissions",
        ),
        **changes,
    )


def policy_of(**changes: Any) -> PolicyFacts:
    """A policy block."""
    return replace(
        PolicyFacts(
            name="hospital-discharge",
            sha256="2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
            file="policies/discharge.yaml",
            description="Discharge records for external research.",
            owner="privacy-office",
            extends=("cms-cell-11", "house-rules.yaml"),
            citations=(
                Citation(
                    pack="cms-cell-11",
                    source="CMS/ResDAC cell size suppression policy",
                    edition="26 January 2024",
                    checked_on="2026-11-01",
                    certainty="A",
                    notice="Figures from the named source; not legal advice.",
                ),
            ),
            text=POLICY_TEXT,
            protection_threshold=11,
        ),
        **changes,
    )


def k_anonymity(sizes: Sequence[int], k: int = 11, **changes: Any) -> RequirementResult:
    """k-anonymity on classes of these sizes."""
    below = [s for s in sizes if s < k]
    return replace(
        RequirementResult(
            id="k",
            model="k-anonymity",
            parameters={"k": k},
            severity="error",
            status=Status.FAIL if below else Status.PASS,
            achieved=min(sizes),
            bound=k,
            comparison=">=",
            edge=k,
            classes_violating=len(below),
            records_violating=sum(below),
            location=Location(file="policies/discharge.yaml", line=31),
            monotone=Monotone(generalization=True, suppression=True),
            quasi_identifiers=QUASI_IDENTIFIERS,
            exposed=(ExposedClass(key=(("age", "91"), ("zip", "10562")), number=1, records=1),) if below else (),
        ),
        **changes,
    )


def t_closeness(**changes: Any) -> RequirementResult:
    """t-closeness with a distribution of per-class distances."""
    bins = (
        NumberBin(low=0.0, high=0.05, violates=False, classes=31, records=1420),
        NumberBin(low=0.05, high=0.1, violates=False, classes=44, records=1010),
        NumberBin(low=0.1, high=0.15, violates=False, classes=38, records=677),
        NumberBin(low=0.15, high=0.2, violates=False, classes=25, records=410),
        NumberBin(low=0.2, high=0.2, violates=False, classes=0, records=0),
        NumberBin(low=0.2, high=0.25, violates=True, classes=18, records=280),
        NumberBin(low=0.25, high=0.3, violates=True, classes=12, records=111),
    )
    return replace(
        RequirementResult(
            id="t-closeness-diagnosis",
            model="t-closeness",
            parameters={"t": 0.2, "distance": "emd", "ground": "hierarchical"},
            severity="error",
            status=Status.FAIL,
            achieved=0.2871,
            bound=0.2,
            comparison="<=",
            classes_violating=30,
            records_violating=391,
            location=Location(file="policies/discharge.yaml", line=33),
            monotone=Monotone(generalization=True, suppression=False),
            sensitive="diagnosis",
            quasi_identifiers=QUASI_IDENTIFIERS,
            distribution=bins,
            because="a known illness must not follow from the group",
            citation="N. Li, T. Li, S. Venkatasubramanian, t-closeness, ICDE 2007",
        ),
        **changes,
    )


def others() -> tuple[RequirementResult, ...]:
    """Requirements of the remaining kinds."""
    return (
        RequirementResult(
            id="p-sensitive",
            model="p-sensitive-k-anonymity",
            parameters={"p": 2, "k": 5},
            severity="warning",
            status=Status.WARNING,
            achieved=1,
            bound=2,
            comparison=">=",
            also=(Also(parameter="k", achieved=1, bound=5),),
            classes_violating=46,
            records_violating=109,
            location=Location(file="policies/discharge.yaml", line=35),
            sensitive="diagnosis",
        ),
        RequirementResult(
            id="average-risk",
            model="average-risk",
            parameters={"max": 0.1},
            severity="error",
            status=Status.PASS,
            achieved=168 / 3918,
            bound=0.1,
            comparison="<=",
            location=Location(file="policies/discharge.yaml", line=36),
        ),
        RequirementResult(
            id="recursive-l-diversity-cost",
            model="recursive-l-diversity",
            parameters={"c": 4, "l": 3},
            severity="error",
            status=Status.WAIVED,
            achieved=math.inf,
            bound=4.0,
            comparison="<",
            classes_violating=60,
            records_violating=310,
            location=Location(file="policies/discharge.yaml", line=37),
            sensitive="cost",
            waiver=WaiverFacts(
                reason="Costs are published by the ministry at the same detail.",
                owner="privacy-office",
                approved_by="dpo@hospital.example",
                expires="2027-03-31",
                days_left=130,
                ticket="PRIV-112",
                at_least={"c": 9},
            ),
        ),
    )


def dimensions(sizes: Sequence[int], k: int = 11) -> Dimensionality:
    """A dimensionality check whose last step is these classes."""
    rows = sum(sizes)
    last = (4200, len(sizes), sizes.count(1), sum(s for s in sizes if s < k))
    steps = [("sex", 2, 2, 0, 0), ("admitted", 36, 71, 0, 0), ("age", 95, 120, 0, min(77, last[3])), ("zip", *last)]
    return Dimensionality(
        k=k,
        steps=tuple(
            DimensionStep(
                attribute=name,
                distinct_values=values,
                classes=classes,
                unique_records=unique,
                unique_share=unique / rows,
                below_k=below,
                below_k_share=below / rows,
            )
            for name, values, classes, unique, below in steps
        ),
    )


def with_kind(requirement: RequirementResult) -> RequirementResult:
    """A requirement that says what its number is, as its model declares it."""
    model = registry().get(requirement.model)
    if requirement.kind is not None or model is None:
        return requirement
    bound = getattr(model, "bound_field", None)
    return replace(requirement, kind=Kind.COUNT.value if bound is None else specs(model)[bound].kind.value)


def result_of(
    requirements: tuple[RequirementResult, ...], sizes: Sequence[int] = CLASS_SIZES, **changes: Any
) -> Result:
    """A result of `check` around these requirements."""
    return replace(
        Result(
            tool=Tool(version="0.1.0"),
            command="check",
            evaluated_on="2026-11-21",
            verdict=verdict_of(requirements),
            policy=policy_of(),
            data=data_of(sum(sizes)),
            classes=summary(sizes),
            risk=risk(sizes),
            requirements=tuple(map(with_kind, requirements)),
            not_checked=("queries", "outputs"),
            assumptions=(
                "Each row is taken as one person, because the policy names no unit.",
                "A missing value equals a missing value (missing: value).",
                "The reference distribution is that of the released table.",
            ),
            dimensionality=dimensions(sizes),
            reproduce="auditor check release.parquet -p policies/discharge.yaml",
        ),
        **changes,
    )


def failing() -> Result:
    """The ordinary bad day: some requirements fail, one is a warning, one waived."""
    finding = Finding(
        requirement="k",
        message="Classes smaller than k single people out on the quasi-identifiers.",
        records_count=sum(s for s in CLASS_SIZES if s < 11),
        location=Location(file="policies/discharge.yaml", line=31),
    )
    return result_of(
        (k_anonymity(CLASS_SIZES), t_closeness(), *others()),
        findings=(finding,),
        feasibility=(
            Feasibility(
                requirement="t-closeness-diagnosis",
                bound=0.2,
                best_possible=0.24,
                why="Even one single class of the whole table is farther from the reference than the bound.",
            ),
        ),
    )


def passing() -> Result:
    """Everything holds."""
    sizes = [24] * 50 + [310] * 4
    within = t_closeness(status=Status.PASS, achieved=0.1, classes_violating=0, records_violating=0, distribution=())
    return result_of((k_anonymity(sizes), within), sizes)


def average_risk(sizes: Sequence[int]) -> RequirementResult:
    """The mean of 1/|E| over the records of classes of these sizes."""
    return replace(others()[1], achieved=len(sizes) / sum(sizes))


def waived() -> Result:
    """Nothing fails, because of a waiver."""
    return result_of((others()[2],), [40] * 60)


def not_evaluated() -> Result:
    """The unit's column is absent, and no data block could be filled."""
    requirement = k_anonymity(
        [1],
        status=Status.NOT_EVALUATED,
        achieved=None,
        classes_violating=None,
        records_violating=None,
        exposed=(),
        reason="The unit column patient_id is not in the data.",
    )
    return result_of((requirement,), data=None, classes=None, risk=None, dimensionality=None)


def huge() -> Result:
    """Counts beyond 32 and 53 bits."""
    sizes = [2**31 + 7, 2**53 + 1, 10**18]
    return result_of((k_anonymity(sizes),), sizes)


def crowd(requirements: int, waivers: int, limits: int, name: str) -> Result:
    """As many requirements, waivers and limits as asked, their texts made of one name."""
    failing_ones = (k_anonymity(CLASS_SIZES, id=f"{name * (1 + i % 4)}{i}") for i in range(requirements))
    waived_ones = (replace(others()[2], id=f"{name * 3}{i}") for i in range(waivers))
    return result_of(
        (*failing_ones, *waived_ones),
        not_checked=tuple(name * 2 + str(i) for i in range(limits)),
        assumptions=tuple(f"{name * (1 + 4 * (i % 5))} {i}." for i in range(limits)),
        data=data_of(
            sum(CLASS_SIZES), source=name * 6, unit=name * 3, purpose=name * 10, recipients=(name * 4, name * 5)
        ),
        policy=policy_of(name=name * 8),
        classes=replace(summary(CLASS_SIZES), quasi_identifiers=tuple(name + str(i) for i in range(12))),
    )


def many() -> Result:
    """Sixty requirements with long names, waivers and long lists."""
    name = "neighbour-and-employer-and-landlord-and-insurer-"
    columns = tuple(f"a_rather_long_column_name_of_an_insurer_{i}" for i in range(40))
    requirements = tuple(
        t_closeness(id=f"{name}{i}", location=Location(file="policies/" + "deep/" * 12 + "p.yaml", line=100 + i))
        for i in range(50)
    ) + tuple(replace(others()[2], id=f"{name}waived-{i}") for i in range(10))
    long = (
        "The policy assumes that an attacker does not have what "
        + "an extraordinarily patient colleague " * 6
        + "knows."
    )
    return result_of(
        requirements,
        classes=replace(summary(CLASS_SIZES), quasi_identifiers=columns),
        not_checked=tuple(f"block-{i}" for i in range(30)),
        assumptions=(long,) * 20,
        dimensionality=None,
        policy=policy_of(name="a-policy-" + "with-a-long-name-" * 6 + "end"),
    )


def unicode() -> Result:
    """Right-to-left names, combining marks, an override of the writing direction, characters beyond the BMP."""
    return result_of(
        (
            k_anonymity(CLASS_SIZES, id="مجهولية-k", because="لأن الجار يعرف العمر"),
            t_closeness(sensitive="診断 🩺 e\u0301"),
        ),
        classes=summary(CLASS_SIZES, ("السن", "ביטוח", "zip\u202etxt.exe", "郵便番号")),
        data=data_of(sum(CLASS_SIZES), source="إصدار \udcff.parquet"),
    )


HOSTILE = (
    "</style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "::error file=x,line=1::pwned%0A::set-output",
    "a|b `c` [d](javascript:alert(1)) @everyone <!-- x -->",
    "=cmd|'/C calc'!A0",
    "\x1b[31mred\x1b[0m\x07\r\n::warning::x\nline",
    "]]></failure><x/>&amp;\x00",
    "{{ 7 * 7 }} {% raw %}",
)


def hostile() -> Result:
    """Markup, commands and escapes wherever a stranger's text can stand."""
    requirements = tuple(
        k_anonymity(
            CLASS_SIZES,
            id=text,
            columns=(text,),
            sensitive=text,
            because=text,
            reason=text,
            notes=(text,),
            location=Location(file=text, line=i + 1),
        )
        for i, text in enumerate(HOSTILE)
    )
    everything = " ".join(HOSTILE)
    return result_of(
        requirements,
        data=data_of(
            sum(CLASS_SIZES),
            source=everything,
            sha256=HOSTILE[0],
            unit=everything,
            column_roles=tuple(ColumnFacts(name=t, role=t, type=t) for t in HOSTILE),
            recipients=HOSTILE,
            purpose=everything,
        ),
        policy=policy_of(name=everything, text=everything, extends=HOSTILE, owner=everything, sha256=HOSTILE[1]),
        classes=summary(CLASS_SIZES, HOSTILE),
        findings=tuple(Finding(requirement=t, message=t) for t in HOSTILE),
        not_checked=HOSTILE,
        assumptions=HOSTILE,
        reproduce=everything,
    )


SAMPLES = {
    "failing": failing,
    "passing": passing,
    "waived": waived,
    "not-evaluated": not_evaluated,
    "huge": huge,
    "many": many,
    "unicode": unicode,
    "hostile": hostile,
}
"""Every sample by name."""

assert {failing().verdict, passing().verdict, waived().verdict, not_evaluated().verdict} == set(Verdict)


RELEASED_SIZES = [24] * 50 + [310] * 8
"""The classes of a release of the same table: 340 records fewer."""


def _solves(levels: Sequence[int]) -> bool:
    """A rule that generalizing keeps: the first two attributes weigh double."""
    return 2 * levels[0] + sum(levels[1:]) + sum(levels[1:2]) >= 5


def lattice_of(heights: Sequence[int], drawn: bool, undecided_below: int = 0) -> tuple[Lattice, list[tuple[int, ...]]]:
    """The lattice of ladders of these heights under `_solves`, and its minimal generalizations, all enumerated."""
    nodes = sorted(product(*(range(height + 1) for height in heights)), key=lambda node: (sum(node), node))
    known = {node: _solves(node) for node in nodes if sum(node) >= undecided_below}
    solving = [node for node in nodes if known.get(node)]
    finer = {node: [(*node[:i], n - 1, *node[i + 1 :]) for i, n in enumerate(node) if n] for node in nodes}
    minimal = [node for node in solving if not any(known.get(below) for below in finer[node])]
    by_height = tuple(
        LatticeHeight(
            height=height,
            nodes=len(here := [node for node in nodes if sum(node) == height]),
            solving=sum(node in solving for node in here),
            minimal=sum(node in minimal for node in here),
            undecided=sum(node not in known for node in here),
        )
        for height in range(sum(heights) + 1)
    )
    shown = (LatticeNode(levels=n, solves=known.get(n), minimal=n in minimal) for n in nodes)
    lattice = Lattice(
        nodes=len(nodes),
        evaluated=len(known),
        solving=None if undecided_below else len(solving),
        by_height=by_height,
        drawn=tuple(shown) if drawn else (),
    )
    return lattice, minimal


def solution_of(
    names: Sequence[str] = ("age", "sex", "zip"), heights: Sequence[int] = (3, 1, 3), **changes: Any
) -> Solution:
    """What was chosen in the lattice of ladders of these heights, and what it costs."""
    lattice, minimal = lattice_of(heights, drawn=len(names) == 3)
    chosen = minimal[0]
    named = [dict(zip(names, node, strict=True)) for node in minimal]
    return replace(
        Solution(
            search="optimal",
            objective="loss",
            levels=named[0],
            suppressed_records=340,
            loss=0.3812,
            losses={
                "height": float(sum(chosen)),
                "precision": 0.4,
                "loss": 0.3812,
                "discernibility": float(sum(s * s for s in RELEASED_SIZES) + sum(CLASS_SIZES) * 340),
                "discernibility-star": float(sum(s * s for s in RELEASED_SIZES) + 340 * 340),
                "average-class-size": sum(CLASS_SIZES) / (len(RELEASED_SIZES) + 1),
                "non-uniform-entropy": 26_496.6,
            },
            ties=tuple(named[:2]),
            minimal_generalizations=tuple(named),
            lattice=lattice,
            arguments={
                "k": "monotone under generalization with suppression",
                "t-closeness-diagnosis": "decides only the nodes looked at: suppression is not monotone with it",
            },
            ladders=tuple(
                LadderChoice(
                    attribute=name,
                    level=level,
                    height=height,
                    labels=(*(f"group {name} {step}" for step in range(max(level, 1), height)), "*"),
                )
                for name, level, height in zip(names, chosen, heights, strict=True)
            ),
            costs=tuple(
                AttributeCost(
                    attribute=name,
                    level=0,
                    loss=None if i == 0 else 0.3812 + 0.07 * i,
                    levels=None if i == 0 else named[-1],
                )
                for i, name in enumerate(names)
            ),
        ),
        **changes,
    )


def remediation_of(
    solution: Solution | None, after: Result | None, before: Result | None = None, **changes: Any
) -> RemediationResult:
    """A result of `remediate` around what was found: at its top it speaks of the release, where there is one."""
    table = before or result_of((k_anonymity(CLASS_SIZES), t_closeness(), average_risk(CLASS_SIZES)), reproduce=None)
    shown = after or table
    top = {each.name: getattr(shown, each.name) for each in fields(Result)}
    top |= {"command": "remediate", "verdict": shown.verdict, "written": after is not None and after.passed}
    return RemediationResult(**{**top, "before": table, "after": after, "solution": solution, **changes})


def remediated() -> RemediationResult:
    """The ordinary good end: a release that meets what the table did not."""
    within = t_closeness(status=Status.PASS, achieved=0.1, classes_violating=0, records_violating=0, distribution=())
    after = result_of((k_anonymity(RELEASED_SIZES), within, average_risk(RELEASED_SIZES)), RELEASED_SIZES)
    return remediation_of(solution_of(), after)


def planned() -> RemediationResult:
    """A plan: the release was audited and thrown away."""
    return replace(remediated(), written=False)


def release_fails() -> RemediationResult:
    """What was written beside its place did not pass its audit."""
    within = t_closeness(classes_violating=1, records_violating=24, distribution=())
    after = result_of((k_anonymity(RELEASED_SIZES), within, average_risk(RELEASED_SIZES)), RELEASED_SIZES)
    return remediation_of(solution_of(), after)


def infeasible() -> RemediationResult:
    """Nothing was found: one requirement is out of reach."""
    obstacle = Obstacle(
        requirement="t-closeness-diagnosis",
        model="t-closeness",
        bound=0.2,
        achieved=0.24,
        kind=Kind.OF_CLASS.value,
        to_suppress=420,
    )
    shortfall = Shortfall(
        coarsest={"age": 3, "sex": 1, "zip": 3},
        obstacles=(obstacle,),
        nearest={"age": 3, "sex": 1, "zip": 2},
        suppression_needed=391,
        coarser_ladders=(
            CoarserLadder(attribute="zip", enough=True),
            CoarserLadder(attribute="age", enough=False),
            CoarserLadder(attribute="admitted", enough=None),
        ),
    )
    return remediation_of(None, None, verdict=Verdict.FAIL, shortfall=shortfall)


def vast() -> RemediationResult:
    """Fifteen ladders, a lattice of billions of nodes, the search ended by its time limit."""
    names = tuple(f"attribute_{i}" for i in range(15))
    counts = [1]
    for _ in names:
        counts = [sum(counts[max(0, h - 4) : h + 1]) for h in range(len(counts) + 4)]
    by_height = tuple(
        LatticeHeight(height=h, nodes=n, solving=n // 3 if h > 20 else 0, undecided=n // 2 if h > 10 else 0)
        for h, n in enumerate(counts)
    )
    chosen = dict.fromkeys(names, 2)
    solution = solution_of(
        levels=chosen,
        lattice=Lattice(nodes=sum(counts), evaluated=48_211, by_height=by_height),
        ties=(chosen,),
        minimal_generalizations=None,
        proved_optimal=False,
        loss_bound=0.29,
        costs=(),
        ladders=tuple(LadderChoice(attribute=n, level=2, height=4, labels=("a to m", "a to z", "*")) for n in names),
    )
    return remediation_of(solution, remediated().after)


def rolled_up() -> RemediationResult:
    """A table whose finest levels did not fit into memory."""
    found = remediated().solution
    assert found is not None
    untried = dict.fromkeys(list(found.levels or {})[:2], (0,))
    changes: dict[str, Any] = {"never_tried": untried, "proved_optimal": False, "loss_bound": 0.01}
    return replace(remediated(), solution=replace(found, minimal_generalizations=None, **changes))


def hostile_remediation() -> RemediationResult:
    """Markup and commands as names of columns and as labels of ladders."""
    solution = solution_of(
        HOSTILE[:3],
        ladders=tuple(LadderChoice(attribute=t, level=1, height=2, labels=(t, "*")) for t in HOSTILE),
        arguments=dict.fromkeys(HOSTILE, HOSTILE[0]),
    )
    return remediation_of(solution, hostile(), hostile())


def crowded_remediation(requirements: int, waivers: int, limits: int, name: str) -> RemediationResult:
    """As `crowd`, with as many quasi-identifiers of as long names."""
    names = [name + str(i) for i in range(12)]
    solution = solution_of(
        ladders=tuple(LadderChoice(attribute=n, level=i % 3, height=2, labels=(n, "*")) for i, n in enumerate(names))
    )
    full = crowd(requirements, waivers, limits, name)
    return remediation_of(solution, full, full)


REMEDIATIONS = {
    "remediated": remediated,
    "planned": planned,
    "release-fails": release_fails,
    "infeasible": infeasible,
    "vast": vast,
    "rolled-up": rolled_up,
    "hostile-remediation": hostile_remediation,
}
"""Every sample of a remediation by name."""
