"""Values that a rule on outputs lists, and the data and the output hold in another spelling, or not at all.

A limit that is about listed values would look at none of them, and pass. Where one occurs in another spelling, or its
column does, the limit is not evaluated; where nothing of a list occurs, the result says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from auditor.outputs._examination import Context, Examination
from auditor.outputs.published.outputs import AssociationRules, Clustering, DecisionTree, FrequentItemsets, Published
from auditor.policy.outputs import Output
from auditor.values import ALIKE, misspelled


def columns_listed(rule: Output) -> set[str]:
    """The columns whose values a rule lists."""
    return {column for listed, _ in rule.lists.values() for column in listed} - {""}


def look_up(output: Published, rule: Output, context: Context, checked: Examination) -> None:
    """Leave the limits open that read a list whose values, or columns, are spelled otherwise; tell what is nowhere."""
    held = _held(output)
    known = {*held, *(context.counts.names if context.counts is not None else ())}
    for name, (listed, limits) in rule.lists.items():
        read = [limit for limit in limits if getattr(rule, limit) not in (None, {}, "allow")]
        secret = any(path.startswith("outputs/") and f"/{name}/" in path for path in context.policy.secret_names)
        for column, values in listed.items():
            labels = {*held.get(column, ()), *_of_the_data(column, context)}
            if column and column not in known:
                what, nowhere, near = "column", True, misspelled([column], known, listed)[1]
            else:
                absent, near = misspelled(values, labels, values)
                what, nowhere = f"value of {column!r}", len(absent) == len(values)
            if near:
                text = f"a {what} that" if secret else f"the {what} {near[0][0]!r}, which"
                reason = f"{text} {name} lists does not occur, and one that differs from it {ALIKE} does"
                checked.open_limits |= dict.fromkeys(read, reason)
            elif nowhere and read and (context.counts is not None or name not in limits):
                where = "the data" if context.counts is not None else "the output"
                checked.notes.append(f"None of the values that {name} lists for {column!r} occurs in {where}.")


def _of_the_data(column: str, context: Context) -> Iterable[str]:
    if context.counts is None or column not in context.counts.names:
        return ()
    return (label for label in context.counts.column(column)[0] if label is not None)


def _held(output: Published) -> dict[str, set[str]]:
    """The values of each column that an output speaks of."""
    held: dict[str, set[str]] = {}
    for column, values in _spoken(output):
        held.setdefault(column, set()).update(values)
    return held


def _spoken(output: Published) -> Iterator[tuple[str, Iterable[str]]]:
    groups = output.groups if isinstance(output, AssociationRules | FrequentItemsets) else ()
    if isinstance(output, DecisionTree):
        for node in (*output.leaves, *output.inner):
            yield output.target or "", [label for label, _ in (*(node.counts or ()), *(node.shares or ()))]
    elif isinstance(output, Clustering):
        for cluster in output.clusters:
            yield from ((column, [value for value, _ in counts]) for column, counts in cluster.counts)
    for group in groups:
        for condition in group:
            yield condition.attribute, condition.values
            if not condition.attribute:  # an item whose column nobody knows may be of one that is listed otherwise
                items = (value.partition("=") for value in condition.values)
                yield from ((column, [value]) for column, equals, value in items if equals)
