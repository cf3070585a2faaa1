"""What a file tells of single fields: `ModelStats`, and intervals of the data dictionary.

Programs write the least and the largest value that they met into the dictionary's intervals (KNIME and JPMML do), and
counts of single values into `ModelStats` (BigML does): these are statistics and tables like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.outputs.published.outputs import Cell, FrequencyTable, GroupStatistics, Published, Stated, Statistic
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import PmmlContext
from auditor.outputs.readers.pmml._predicates import array_values

NUMERIC = {
    "minimum": "min",
    "maximum": "max",
    "mean": "mean",
    "standardDeviation": "std",
    "median": "median",
    "interQuartileRange": "iqr",
}
MARGINS = "the data dictionary's intervals are taken for least and largest values of the data"


def of_dictionary(root: Element, context: PmmlContext) -> Iterator[Published]:
    """The least and largest values that the data dictionary states."""
    dictionary = root.first("DataDictionary")
    for field in dictionary.all("DataField") if dictionary is not None else ():
        intervals = list(field.all("Interval"))
        if len(intervals) == 1:
            margins = (("min", intervals[0].number("leftMargin")), ("max", intervals[0].number("rightMargin")))
            values = tuple((name, number) for name, number in margins if number is not None)
            if values:
                context.note(MARGINS)
                yield _statistics(field.required("name"), None, values, context)


def of_model(model: Element, context: PmmlContext) -> Iterator[Published]:
    """The statistics of fields that a model holds."""
    for stats in model.all("ModelStats"):
        if stats.first("MultivariateStats") is not None:
            context.left("statistics of several fields (MultivariateStats)")
        for field in stats.all("UnivariateStats"):
            yield from _univariate(field, context)


def _univariate(stats: Element, context: PmmlContext) -> Iterator[Published]:
    name = stats.attributes.get("field", "")
    if stats.attributes.get("weighted", "0") != "0" or stats.first("Anova") is not None:
        context.left("weighted statistics, or an analysis of variance")
    counts, numeric = stats.first("Counts"), stats.first("NumericInfo")
    total = counts.count("totalFreq") if counts is not None else None
    missing = (counts.count("missingFreq") or 0) if counts is not None else 0
    n = None if total is None else max(total - missing, 0)
    if numeric is not None:
        found = [(short, numeric.number(long)) for long, short in NUMERIC.items()]
        found += [
            (f"p{each.required('quantileLimit')}", each.number("quantileValue")) for each in numeric.all("Quantile")
        ]
        yield _statistics(name, n, tuple((key, number) for key, number in found if number is not None), context)
    discrete, continuous = stats.first("DiscrStats"), stats.first("ContStats")
    if discrete is not None:
        yield from _discrete(name, discrete, total, context)
    if continuous is not None:
        yield from _continuous(name, continuous, total, context)


def _statistics(
    name: str, n: int | None, values: tuple[tuple[str, Stated], ...], context: PmmlContext
) -> GroupStatistics:
    return GroupStatistics(**context.base(), of=name, by=(), cells=(Statistic(key=(), n=n, values=values),))


def _discrete(name: str, stats: Element, total: int | None, context: PmmlContext) -> Iterator[Published]:
    """The table of a field's values: one array of counts and one of values, in either order."""
    arrays = list(stats.all("Array"))
    numbers = next((each for each in arrays if each.attributes.get("type") == "int"), None)
    labels = next((each for each in arrays if each is not numbers), None)
    if numbers is None or labels is None:
        context.left("counts of a field's values that name no values, or values without their counts")
        return
    yield _table(name, array_values(labels), numbers, total, context)


def _continuous(name: str, stats: Element, total: int | None, context: PmmlContext) -> Iterator[Published]:
    """The table of a field's intervals; sums over them are not read."""
    intervals = [_label(each) for each in stats.all("Interval")]
    arrays = list(stats.all("Array"))
    if any(child.name not in ("Interval", "Array", "Extension") for child in stats.children) or len(arrays) > 1:
        context.left("sums over the intervals of a field")
    if arrays and intervals:
        yield _table(f"{name} (intervals)", intervals, arrays[0], total, context)


def _label(interval: Element) -> str:
    closure = interval.attributes.get("closure", "closedOpen")
    left, right = interval.attributes.get("leftMargin", "-∞"), interval.attributes.get("rightMargin", "∞")
    return f"{'[' if closure.startswith('closed') else '('}{left}, {right}{']' if closure.endswith('Closed') else ')'}"


def _table(name: str, labels: list[str], counts: Element, total: int | None, context: PmmlContext) -> FrequencyTable:
    numbers = [whole(stated(text)) for text in array_values(counts)]
    if len(numbers) != len(labels) or None in numbers:
        counts.wrong("counts that do not fit what they count", "a whole number for each value or interval")
    cells = tuple(Cell(key=(label,), count=number) for label, number in zip(labels, numbers, strict=True))
    return FrequencyTable(**context.base(), records=total, by=(name,), cells=cells)
