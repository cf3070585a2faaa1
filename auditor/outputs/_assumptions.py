"""What a verdict on outputs takes for granted: of the data, of what was released before, and of the attacker.

Each sentence is one that the checks rely on. Who knows more than it says learns more than the result says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics, MagnitudeTable, Published
from auditor.outputs.published.quantities import quantity_of
from auditor.outputs.published.values import ROUNDOFF, SINGLE
from auditor.policy import Policy
from auditor.policy.outputs import MagnitudeTableLimits as MagnitudeRule
from auditor.policy.outputs import Output
from auditor.truths import truth_of

OF_DATA = "The outputs were made from the data that was given, all of it."
OF_FILES = "The counts are those that the files state; without the data nobody recomputed them."
NOTHING_BEFORE = "Nothing was released before that these outputs could be compared with."
LEDGER_BEGINS = "Nothing was released before: the ledger begins with these outputs."
LEDGER_IS_WHOLE = "The ledger holds every output that was released before from this data."

SEES_ALL = (
    "The attacker has these outputs, those of the ledger and the rules by which they were made. From all of these "
    "together, the attacker works out which counts of people, and which sums of 0 or more, are possible."
)
SEES_ALONE = (
    "Without `differencing`, the attacker does not subtract the groups of one output from those of others: only "
    "suppressed cells are derived from all outputs together."
)
MODELS_ALONE = (
    "Without `differencing` in a rule on tables or statistics, the attacker does not compare a model with another of "
    "the same form that was made from a few records more or fewer."
)
KNOWS_NOBODY = (
    "The attacker may know who is in the data and to which groups of the outputs everybody belongs, but nobody's "
    "protected value. Only a contributor to a sum knows one value: its own."
)
KNOWS_TO = (
    "Under `pq`, each contribution is known beforehand to within q percent; under `p_percent`, to within 100 percent. "
    "Under `dominance`, as many contributors as the rule counts pool what they know."
)
WITHOUT_A_CELL = "A combination of values that a table does not list is an unknown of 0 or more, not an empty one."
FREE = (
    "No yes-or-no column is taken to be part of another, unless their names say so, such as `over65` and `over66`: "
    "without the data, only names can tell. If one is, give the data, or publish both in one table."
)
OF_UNITS = (
    "The counts of tables and statistics are of units, as the policy counts; if they are of records, a group may be of "
    "fewer people than they say: give the data."
)
FLOATS = (
    f"Sums and means may have been added up in floating point, in any order: n values may be off by (n + 2) · 2^-"
    f"{(1 / ROUNDOFF).numerator.bit_length() - 1} of the sum of their absolute values (2^-"
    f"{SINGLE.denominator.bit_length() - 1} in a column of single precision), and by half a unit of the last "
    "digit that is written, of 13 at most."
)


def of_attacker(published: Sequence[Published], rules: Sequence[Output]) -> Iterator[str]:
    """What the attacker is taken to have and to know, for outputs of these types under these rules."""
    kinds = {output.type for output in published}
    judged = [rule for rule in rules if rule.type in kinds]
    yield SEES_ALL
    if any(not getattr(rule, "differencing", getattr(rule, "channels", True)) for rule in judged):
        yield SEES_ALONE
    if kinds & {"regression", "clusters"} and not any(getattr(rule, "differencing", False) for rule in rules):
        yield MODELS_ALONE
    yield KNOWS_NOBODY
    if any(isinstance(rule, MagnitudeRule) and (rule.dominance or rule.p_percent or rule.pq) for rule in judged):
        yield KNOWS_TO
    if any(isinstance(output, FrequencyTable) for output in published):
        yield WITHOUT_A_CELL


def of_columns(published: Iterable[Published]) -> Iterator[str]:
    """What is taken of columns of yes and no, where there are several and no data."""
    labels: dict[str, set[str]] = {}
    for output in published:
        if isinstance(output, FrequencyTable | GroupStatistics):
            for at, column in enumerate(output.by):
                labels.setdefault(column, set()).update(cell.key[at] or "" for cell in output.cells)
    told = (column for column, each in labels.items() if each - {""} and all(map(_is_truth, each - {""})))
    cut = ((column, quantity_of(column)) for column in told)
    if len({column if quantity.span is None else quantity.name for column, quantity in cut}) > 1:
        yield FREE


def of_units(published: Iterable[Published], policy: Policy) -> Iterator[str]:
    """Whom the counts of tables are taken to be of, where the policy counts units and there is no data."""
    many = policy.unit is not None and policy.unit.rows == "many-per-unit"
    if many and any(isinstance(output, FrequencyTable | GroupStatistics) for output in published):
        yield OF_UNITS


def _is_truth(label: str) -> bool:
    return truth_of(label) is not None


def of_floats(published: Iterable[Published]) -> Iterator[str]:
    """How exactly sums and means are compared with the data, where there are any."""
    if any(_adds_up(output) for output in published):
        yield FLOATS


def _adds_up(output: Published) -> bool:
    if isinstance(output, MagnitudeTable):
        return any(cell.sum is not None for cell in output.cells)
    return isinstance(output, GroupStatistics) and any(
        {"sum", "mean"} & dict(cell.values).keys() for cell in output.cells
    )
