"""From what a column looks like to the role and the ladder that a policy could give it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from auditor import looks
from auditor.profile import _ladders as ladders
from auditor.profile._measure import ColumnProfile

FEW = 12
"""Numbers with so few values are codes, not quantities."""
REPEATING = 0.5
MANY_NAMES = 50
"""Names of people are many; a column of names with fewer values names something else."""
LONGEST_MASK = 12
MOST_LEVELS = 4
"""Of codes."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a policy could say about a column, and why.

    `unsure` marks a proposal that a person should look at first. It is never laxer than what it may turn out to be.
    `few` says that everybody may know which numbers there can be, and that the policy had better say it, too.
    `said` is what a data contract says of the column.
    """

    column: str
    role: str
    why: str
    hierarchy: Any = None
    type: str | None = None
    range: tuple[int, int] | None = None
    unsure: bool = False
    few: bool = False
    said: str = ""

    @property
    def by_frequency(self) -> bool:
        """Whether its ladder says nothing of what the values mean."""
        return isinstance(self.hierarchy, dict) and "common" in self.hierarchy


Rule = Callable[[ColumnProfile], Proposal | None]


def propose(column: ColumnProfile) -> Proposal:
    """The first rule that recognises the column speaks; one that nothing recognises may be known to an attacker."""
    return next(proposal for rule in _RULES if (proposal := rule(column)) is not None)


def proposed_as(column: ColumnProfile, role: str) -> Proposal:
    """What a policy could say about a column whose role is known: what the first rule says that finds this role."""
    if not column.usable:
        return propose(column)
    found = (proposal for rule in _RULES if (proposal := rule(column)) is not None and proposal.role == role)
    proposal = next(found, None)
    if proposal is None:
        why = f"it would be proposed as {propose(column).role}"
        proposal = _as_sensitive(column, why) if role == "sensitive" else Proposal(column.name, role, why)
    return replace(proposal, unsure=False)


def _unusable(column: ColumnProfile) -> Proposal | None:
    if column.usable:
        return None
    return Proposal(column.name, "text", "nested or binary values, which cannot be judged", unsure=True)


def _by_name(column: ColumnProfile) -> Proposal | None:
    if column.words & looks.NAMES:
        return Proposal(column.name, "identifier", "its name says that it names a person")
    if column.words & looks.PERHAPS_NAMES and not column.numeric and column.distinct > MANY_NAMES:
        return Proposal(column.name, "identifier", "its name says that it may name a person", unsure=True)
    return None


def _by_look(column: ColumnProfile) -> Proposal | None:
    if column.look in {look.name for look in looks.IDENTIFYING}:
        return Proposal(column.name, "identifier", f"looks like {column.look}")
    if column.look == looks.TEXT:
        return Proposal(column.name, "text", "looks like free text")
    return None


def _key(column: ColumnProfile) -> Proposal | None:
    nearly_unique = column.distinct_share >= looks.NEARLY_UNIQUE and column.distinct > 1
    if column.words & looks.KEYS and nearly_unique:
        return Proposal(
            column.name, "identifier", "its name says that it is a key, and nearly every record has a different value"
        )
    if column.words & {"id", "uuid", "guid"} and not column.numeric | (column.distinct <= MANY_NAMES):
        why = "its name says that it is a key; if it names a person with several records, say so under `unit`"
        return Proposal(column.name, "identifier", why, unsure=True)
    known = looks.POSTCODES | looks.SENSITIVE | looks.LEVELS_OF_CODES.keys()
    other = column.numeric or column.look is not None or column.words & known
    if nearly_unique and column.distinct > FEW and not other:
        return Proposal(column.name, "identifier", "nearly every record has a unique value", unsure=True)
    return None


def _sensitive(column: ColumnProfile) -> Proposal | None:
    by_name = bool(column.words & looks.SENSITIVE)
    if not by_name and column.look != looks.DISEASE:
        return None
    why = "its name says that nobody should learn it" if by_name else f"looks like {looks.DISEASE}"
    return replace(_as_sensitive(column, why), unsure=not by_name)


def _as_sensitive(column: ColumnProfile, why: str) -> Proposal:
    ladder = _disease_ladder(column)
    if column.binary:  # as an audit of a query log takes it to be where nothing is declared
        return Proposal(column.name, "sensitive", why, ladder, "integer", (0, 1))
    few = column.numeric and _are_few(column)
    kind = "integer" if few and column.whole else "number" if column.numeric else None
    return Proposal(column.name, "sensitive", why, ladder, kind, few=few)


def _constant(column: ColumnProfile) -> Proposal | None:
    if column.distinct > 1 or not column.records:
        return None
    why = "the same value in every record that has one" if column.distinct else "no value in any record"
    return Proposal(column.name, "insensitive", why, unsure=0 < column.missing < column.records)


def _date(column: ColumnProfile) -> Proposal | None:
    if column.look == looks.DATE:
        ladder = ladders.days(column.found) if column.found else {"date": ["month", "quarter", "year"]}
        why = (
            "looks like dates"
            if ladder
            else "looks like dates, but for some values; correct these, or name them under `missing_values`"
        )
        return Proposal(column.name, "quasi-identifier", why, ladder or "suppress", unsure=not ladder)
    if column.look is None and not column.numeric and column.found and (periods := ladders.days(column.found)):
        return Proposal(column.name, "quasi-identifier", "looks like months or quarters", periods)
    if column.look == looks.OTHER_DATE:
        periods = ladders.days(column.found) if column.found else None
        if periods and "month" in periods["date"]:
            return Proposal(column.name, "quasi-identifier", "looks like dates", periods)
        why = (
            "looks like dates, but which of them is the day is not told"
            if periods
            else "looks like dates, in no one form, or too many to tell"
        )
        return Proposal(column.name, "quasi-identifier", why, periods or "suppress", unsure=True)
    return None


def _postcode(column: ColumnProfile) -> Proposal | None:
    by_name = bool(column.words & looks.POSTCODES)
    if not by_name and column.look != looks.POSTCODE:
        return None
    why = "its name says that it is a postcode" if by_name else "looks like postcodes"
    return Proposal(column.name, "quasi-identifier", why, _code_ladder(column))


def _country(column: ColumnProfile) -> Proposal | None:
    named = column.words & looks.COUNTRIES
    if column.found is None or column.numeric or not (named or column.longest > len("AUT")):
        return None
    ladder = ladders.countries(column.found)
    if ladder is None:
        return None
    why = "countries" if ladder == "country" else "countries, most often one"
    return Proposal(column.name, "quasi-identifier", why, ladder, unsure=not named)


def _disease_ladder(column: ColumnProfile) -> Any:
    """ICD-10 by its structure; codes without their points (E119) are those of other lists, too, but for the name."""
    if column.look != looks.DISEASE and not column.words & looks.DISEASES:
        return None
    if column.found and column.distinct and ladders.covers("icd10", column.found):
        return "icd10"
    return {"prefix": [3, 1]} if column.look == looks.DISEASE else None


def _code(column: ColumnProfile) -> Proposal | None:
    """Codes by their first characters; few values are often no codes, unless the name says of which classification."""
    known = column.words & looks.LEVELS_OF_CODES.keys()
    if column.found is None or (column.distinct <= FEW and not known):
        return None
    by_name = bool(column.words & looks.CODES) or any(word.endswith("code") for word in column.words)
    lengths = _levels_of_codes(column) if by_name or looks.are_codes(column.found.labels) else ()
    if not lengths:
        return None
    why = "its name says that it is a code" if by_name else "looks like codes of one length"
    return Proposal(column.name, "quasi-identifier", why, {"prefix": list(lengths)}, unsure=not by_name)


def _number(column: ColumnProfile) -> Proposal | None:
    if column.numeric and column.words & looks.AGE:
        ladder = ladders.ages(column.found) if column.found else None
        return Proposal(column.name, "quasi-identifier", "its name says that it is an age", ladder)
    if not column.numeric or may_be_codes(column):
        return None
    ladder = ladders.intervals(column.found) if column.found else None
    return Proposal(column.name, "quasi-identifier", "numbers", ladder or _by_frequency(column), unsure=True)


def _other(column: ColumnProfile) -> Proposal:
    what = "numbers, so few that they may be codes" if column.numeric else "names or codes"
    unsure = column.distinct > FEW or (column.numeric and not column.binary)
    return Proposal(column.name, "quasi-identifier", what, _by_frequency(column), unsure=unsure)


def _are_few(column: ColumnProfile) -> bool:
    """Whether numbers are few and repeat, as codes and grades do."""
    return column.distinct <= FEW and column.distinct_share < REPEATING


def may_be_codes(column: ColumnProfile) -> bool:
    """Whether few numbers are whole, as codes are, and no name says that they are counted or measured."""
    counted = column.words & looks.COUNTS and not column.binary
    return _are_few(column) and column.whole and not counted


def _by_frequency(column: ColumnProfile) -> Any:
    return ladders.common(column.found) if column.found else "suppress"


def _levels_of_codes(column: ColumnProfile) -> tuple[int, ...]:
    """How many characters each level keeps, of codes of one length: all but one, all but two, …; not up to a point."""
    labels = column.found.labels if column.found else ()
    whole = len(next(iter(labels), ""))
    if any(len(label) != whole for label in labels):
        return ()
    known = next((levels for word, levels in looks.LEVELS_OF_CODES.items() if word in column.words), None)
    shorter = range(whole - 1, 0, -1) if known is None else known
    kept = [n for n in shorter if n < whole and any(label[n - 1] != "." for label in labels)]
    return tuple(kept[-MOST_LEVELS:])


def _code_ladder(column: ColumnProfile) -> Any:
    """Masking needs short values."""
    return {"mask": {"side": "right"}} if 0 < column.longest <= LONGEST_MASK else "suppress"


_RULES: tuple[Rule, ...] = (
    _unusable, _by_name, _by_look, _key, _sensitive, _constant, _date, _postcode, _country, _code, _number, _other,
)  # fmt: skip
"""The strict before the lax: a column that never varies is harmless only if it does not say what it must not."""
