"""Clusterings: sizes, centres that are records, members that are nearly equal, and what is told of the members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs._indicator import marked
from auditor.outputs.checks._ones import hold_ones
from auditor.outputs.published.conditions import EVERYBODY, group_of
from auditor.outputs.published.outputs import Cluster, Clustering, GroupStatistics, Statistic
from auditor.outputs.published.values import among
from auditor.outputs.readers._numbers import stated
from auditor.policy.outputs import ClusteringLimits as Rule
from auditor.result.outputs import Picture, PictureItem
from auditor.spec import limits

MOST_DRAWN = 200
OF_ONES = "The centre of a column of 0 and 1 times the size of the cluster is a count of too few."


def check(output: Clustering, rule: Rule, context: Context) -> Examination:
    """Judge a clustering.

    * `min_size` n: no cluster has 1 … n − 1 members; nor do so few of them have a 1, or a 0, in a column of these: its
      centre is a mean, and times the size a count, as in statistics.
    * `centres: deny`: no centre has the values of a record, unless n records or more share them; only the data tells.
    * `min_radius` r: no cluster has a radius below r, for its members are nearly its centre.
    * `max_confidence` c: no sensitive value has a share above c of a cluster.
    """
    checked = Examination(items=len(output.clusters))
    for number, cluster in enumerate(output.clusters, start=1):
        name = f"cluster {number}"
        if rule.min_size is not None:
            _size(name, cluster, rule.min_size, checked)
        if rule.centres == "deny":
            _centre(name, cluster, rule.min_size or 2, context, checked)
        if rule.min_radius is not None:
            _radius(name, cluster, Fraction(repr(rule.min_radius)), checked)
        if rule.max_confidence is not None:
            _shares(name, cluster, rule, checked)
        _compare(name, cluster, checked)
    _ones(output, rule, context, checked)
    _left_over(output, rule, checked)
    checked.judged |= {limit for limit in limits(Rule) if limit not in checked.open_limits}
    checked.picture = _picture(output, rule, checked)
    return checked


def _left_over(output: Clustering, rule: Rule, checked: Examination) -> None:
    """The records in no cluster: where the file says how many there are in all, a difference tells their number."""
    sizes = [cluster.size for cluster in output.clusters if cluster.size is not None]
    if not output.clusters:
        checked.open_limits[""] = "it has no cluster"
    if output.records is None or not output.records_told or len(sizes) < len(output.clusters):
        return
    rest = output.records - sum(sizes)
    everybody = Cluster(size=rest)
    if rest < 0:
        sentence = "The clusters have more members than there are records."
        found = _violation("all clusters", everybody, "mismatch", sentence, (sum(sizes), output.records))
        checked.violations.append(found)
    elif rule.min_size is not None and 0 < rest < rule.min_size:
        sentence = "Few records are in no cluster, and a subtraction tells how many."
        found = _violation("no cluster", everybody, "min_size", sentence, (rest, rule.min_size))
        checked.violations.append(found)


def _size(name: str, cluster: Cluster, least: int, checked: Examination) -> None:
    if cluster.size is None:
        checked.open_limits["min_size"] = "the file does not state the size of each cluster"
    elif cluster.size:
        checked.reach("min_size", cluster.size, least=True)
        if cluster.size < least:
            sentence = "A cluster has too few members, and its centre describes only them."
            checked.violations.append(_violation(name, cluster, "min_size", sentence, (cluster.size, least)))


def _ones(output: Clustering, rule: Rule, context: Context, checked: Examination) -> None:
    """How many members have a 1, and how many a 0: the centres of a column are its means by cluster."""
    for table in _means(output):
        known, held = marked(table, context.policy, context.counts), Examination()
        assert isinstance(known, GroupStatistics)  # noqa: S101  (it is told of its values, no more)
        groups = [(f"cluster {cell.key[0]}", EVERYBODY, cell.n, dict(cell.values)) for cell in table.cells]
        hold_ones(known, groups, ("min_size", rule.min_size), held, context)
        for each in held.violations:
            checked.violations.append(replace(each, sentence=OF_ONES, about=None))
        checked.open_limits |= held.open_limits
        checked.notes += known.notes


def _means(output: Clustering) -> Iterator[GroupStatistics]:
    """Each column of the centres as a table of means; of clusters without members there are none."""
    cells: dict[str, list[Statistic]] = {}
    for number, cluster in enumerate(output.clusters, start=1):
        for column, text in cluster.centre if cluster.size else ():
            mean = stated(text)
            if mean is not None:
                cells.setdefault(column, []).append(
                    Statistic(key=(str(number),), n=cluster.size, values=(("mean", mean),))
                )
    for column, of in cells.items():
        yield GroupStatistics(source="", format="", sha256="", of=column, by=("cluster",), cells=tuple(of))


def _centre(name: str, cluster: Cluster, least: int, context: Context, checked: Examination) -> None:
    if not cluster.centre:
        return
    if context.counts is None:
        checked.open_limits["centres"] = "only the data shows whether a centre is a record"
        return
    lacking = [column for column, _ in cluster.centre if column not in context.counts.names]
    if lacking:
        checked.open_limits["centres"] = "a centre has columns that the data lacks"
        return
    group = group_of(dict(cluster.centre))
    count = context.counts.count(group)
    if 0 < count < least:
        checked.violations.append(
            Violation(
                item=name,
                limit="centres",
                sentence="The centre of a cluster has the values of a record.",
                reached=count,
                needed=least,
                records_count=count,
                about=group,
            )
        )


def _radius(name: str, cluster: Cluster, least: Fraction, checked: Examination) -> None:
    if cluster.radius is None:
        checked.open_limits["min_radius"] = "the file does not state the radius of each cluster"
        return
    checked.reach("min_radius", cluster.radius.value, least=True)
    if cluster.radius.value < least:
        sentence = "The members of a cluster are so near to its centre that it tells the values of each."
        reached = cluster.radius.value
        checked.violations.append(_violation(name, cluster, "min_radius", sentence, (reached, least)))


def _shares(name: str, cluster: Cluster, rule: Rule, checked: Examination) -> None:
    limit, most = "max_confidence", Fraction(repr(rule.max_confidence))
    counted = {column for column, _ in cluster.counts}
    if not counted or not counted.issuperset(rule.sensitive or ()):
        checked.open_limits[limit] = "the file does not state how many members of each cluster have a sensitive value"
    for column, value, share, count in _told(cluster, rule):
        checked.reach(limit, share, least=False)
        if share > most:
            checked.violations.append(
                Violation(
                    item=f"{name}: {column}={value}",
                    limit=limit,
                    sentence="Nearly all members of a cluster have one sensitive value.",
                    reached=share,
                    needed=most,
                    records_count=count,
                )
            )


def _told(cluster: Cluster, rule: Rule) -> Iterator[tuple[str, str, Fraction, int]]:
    """The share of each sensitive value in a cluster."""
    for column, counts in cluster.counts:
        total = sum(count for _, count in counts)
        for value, count in counts:
            sensitive = rule.sensitive is None or among(value, rule.sensitive.get(column, ()))
            if sensitive and total:
                yield column, value, Fraction(count, total), count


def _compare(name: str, cluster: Cluster, checked: Examination) -> None:
    """Counts of a column that are more than the cluster has members."""
    for _, counts in cluster.counts:
        total = sum(count for _, count in counts)
        if cluster.size is not None and total > cluster.size:
            sentence = "The values of a column are counted more often than the cluster has members."
            checked.violations.append(_violation(name, cluster, "mismatch", sentence, (total, cluster.size)))


def _violation(
    name: str, cluster: Cluster, limit: str, sentence: str, numbers: tuple[int | Fraction, int | Fraction]
) -> Violation:
    """The limit that is broken, and the number reached and needed."""
    return Violation(
        item=name,
        limit=limit,
        sentence=sentence,
        reached=numbers[0],
        needed=numbers[1],
        records_count=cluster.size,
    )


def _picture(output: Clustering, rule: Rule, checked: Examination) -> Picture:
    """Clusters by size and by the largest share of a sensitive value, the unsafe ones first."""
    unsafe = {(violation.item or "").partition(":")[0] for violation in checked.violations}
    items = [
        PictureItem(
            label=(name := f"cluster {number}"),
            status="unsafe" if name in unsafe else "safe",
            count=cluster.size,
            share=max((float(share) for *_, share, _ in _told(cluster, rule)), default=None),
        )
        for number, cluster in enumerate(output.clusters, start=1)
    ]
    items.sort(key=lambda item: item.status, reverse=True)
    return Picture(
        kind="clusters",
        items=tuple(items[:MOST_DRAWN]),
        least=rule.min_size,
        most=rule.max_confidence,
        left_out=max(0, len(items) - MOST_DRAWN),
    )
