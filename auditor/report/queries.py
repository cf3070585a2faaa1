"""The words of a query audit: what was asked, what follows from the answers and why, read from a redacted document.

Below the internal audience a proof names queries and nothing else: ``answer 1 − answer 4 = one person's salary``. The
internal audience reads whose it is, and the numbers in the places of the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

from auditor.report import words
from auditor.report._constructs import MEANINGS
from auditor.result import HIDDEN, RequirementResult, Result, is_hidden, is_of_queries

if TYPE_CHECKING:
    from auditor.result.queries import Disclosure, QueriesResult, QueryResult

DECISIONS = {
    "answered": "answered",
    "answer": "answered",
    "deny": "denied",
    "unsupported": "not evaluated",
    "failed": "failed",
}
"""What became of a query, in words. Offline a query was answered; online it is answered or denied."""
OUTCOMES = tuple(dict.fromkeys(DECISIONS.values()))
TRACKERS = {
    "individual": "an individual tracker",
    "general": "a general tracker",
    "double": "a double tracker",
    "union": "a union tracker",
}
MOST_TERMS = 12
Answers: TypeAlias = Mapping[str, float | str | None]
"""The answer of each query, by its index."""


@dataclass(frozen=True)
class Proof:
    """One disclosure for the eye. `numbers` and `whose` are for the internal audience alone."""

    combination: str
    gives: str
    """How the combination leads to what follows: an equals sign where it is a sum of answers."""
    follows: str
    first_query: str
    users: str
    tracker: str
    insider: str
    records: str
    numbers: str | None
    whose: str | None

    @property
    def sentence(self) -> str:
        """In one line: what follows from what, and for whom."""
        internal = "" if self.whose is None else f": {self.whose}" + (f", {self.numbers}" if self.numbers else "")
        by = f", by {self.users}" if self.users else ""
        return f"{self.combination} {self.gives} {self.follows}{internal} (from query {self.first_query} on{by})"


def proofs(document: QueriesResult, most: int | None = None) -> list[Proof]:
    """The disclosures, as many as asked for."""
    return _proofs(document, document.disclosures[:most])


def _proofs(document: QueriesResult, disclosures: Sequence[Disclosure]) -> list[Proof]:
    answers = {query.index: query.answer for query in document.queries}
    return [_proof(disclosure, answers) for disclosure in disclosures]


def of_requirement(document: Result, requirement: RequirementResult, most: int) -> list[str]:
    """The disclosures that break a limit, each as a sentence."""
    if not is_of_queries(document):
        return []
    found = [disclosure for disclosure in document.disclosures if requirement.id in disclosure.breaks]
    found.sort(key=lambda disclosure: disclosure.breaks.index(requirement.id))  # what breaks it first of all
    return [proof.sentence for proof in _proofs(document, found[:most])] if found else []


def _proof(disclosure: Disclosure, answers: Answers) -> Proof:
    tracker, insider = disclosure.tracker, disclosure.insider
    return Proof(
        combination=_combination(disclosure),
        gives="=" if _weights(disclosure.certificate) else "give",
        follows=_follows(disclosure),
        first_query=disclosure.first_query,
        users=words.listed(disclosure.users),
        tracker=TRACKERS.get(tracker, tracker) if tracker else "",
        insider=f"{insider} knows some values already" if insider else "",
        records=words.number(disclosure.records_count),
        numbers=_numbers(disclosure, answers),
        whose=_whose(disclosure),
    )


def _combination(disclosure: Disclosure) -> str:
    weights, others = _weights(disclosure.certificate), disclosure.follows_from
    if weights:
        return _added([(f"answer {index}", weight) for index, weight in weights.items()]) + _besides(disclosure)
    if others:
        return f"the answers {words.listed(others, MOST_TERMS)}{_besides(disclosure)}"
    return f"the answers up to query {disclosure.first_query}{_besides(disclosure)}"


def _besides(disclosure: Disclosure) -> str:
    """What is added to the answers, where that may be told."""
    if weights := _weights(disclosure.known):
        added = _added([(f"the value of {record}", weight) for record, weight in weights.items()])
        known = f" {added[0]} {added[1:]}" if added.startswith("−") else f" + {added}"
    else:
        known = f" and what {disclosure.insider} knows" if disclosure.insider else ""
    return known + (f" + {disclosure.constant}" if disclosure.constant is not None else "")


def _weights(rationals: Mapping[str, str] | None) -> dict[str, Fraction]:
    """Coefficients by name; none where they are hidden, or (in a stored document) not numbers."""
    if rationals is None or is_hidden(rationals):
        return {}
    try:
        return {name: Fraction(weight) for name, weight in rationals.items()}
    except (ValueError, ZeroDivisionError):
        return {}


def _added(terms: Sequence[tuple[str, Fraction]]) -> str:
    """``(answer 1 + 2 × answer 3 − answer 2) / 2``; what is added first, and of many terms the first."""
    divisor = lcm(*(weight.denominator for _, weight in terms))
    terms = sorted(terms, key=lambda term: term[1] < 0)
    texts = [_term(name, weight * divisor, first=i == 0) for i, (name, weight) in enumerate(terms)]
    shown = " ".join(texts[:MOST_TERMS])
    if len(texts) > MOST_TERMS:
        shown += f" … {words.counted(len(texts) - MOST_TERMS, 'more answer')}"
    return f"({shown}) / {divisor:,}" if divisor > 1 else shown


def _term(name: str, weight: Fraction, *, first: bool) -> str:
    sign = "−" if weight < 0 else "" if first else "+"
    factor = "" if abs(weight) == 1 else f"{abs(weight).numerator:,} × "
    return f"{sign}{'' if first else ' '}{factor}{name}"


def _follows(disclosure: Disclosure) -> str:
    """What follows, of whom: never a value or a record."""
    kind, attribute, count = disclosure.kind, disclosure.attribute, disclosure.records_count
    one = count == 1 or (is_hidden(count) and kind in ("exact-value", "individual"))
    few = "a few people" if is_hidden(count) else words.counted(count or 0, "person", "people")
    people = "one person" if one else few
    if kind == "group":
        sum_ = "the sum" if disclosure.functional == "total" else "a weighted sum"
        return f"{sum_} of the {attribute} of {people}"
    if kind == "interval":
        return f"a narrow interval for the {attribute} of {people}"
    if kind == "finite-domain":
        return f"the only {attribute} that is possible for {people}"
    return f"one person's {attribute}" if one else f"the {attribute} of {people}"


def _numbers(disclosure: Disclosure, answers: Answers) -> str | None:
    """The combination with the answers in their places, and what comes out; None where these are not known."""
    low, high, weights = disclosure.low, disclosure.high, _weights(disclosure.certificate)
    if low is None and high is None:
        return None
    result = exactly(low) if low == high else f"from {exactly(low)} to {exactly(high)}"
    value = f"{disclosure.value}: " if disclosure.value is not None else ""
    terms = [(exactly(answers.get(index)), weight) for index, weight in weights.items()]
    plain = not disclosure.known and disclosure.constant is None and low == high
    if not plain or not 0 < len(terms) <= MOST_TERMS or any(text == "–" for text, _ in terms):
        return f"{value}{result}"
    return f"{value}{_added(terms)} = {result}"


def exactly(value: object) -> str:
    """A number of the data with all its digits, grouped; a dash for what is none."""
    if isinstance(value, str):
        try:
            number = Fraction(value)
        except (ValueError, ZeroDivisionError):
            return "–"
        value = number.numerator if number.denominator == 1 else float(number)
    if not isinstance(value, (int, float)):
        return "–"
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def _whose(disclosure: Disclosure) -> str | None:
    records = disclosure.records
    if not records:
        return None
    weights = disclosure.coefficients
    names = [f"{weights[str(r)]} × {r}" if weights and str(r) in weights else str(r) for r in records]
    return f"{'record' if len(records) == 1 else 'records'} {words.listed(names, 20)}"


def attacker(document: QueriesResult) -> str:
    """Against whom the answers are judged."""
    users = document.log.users
    whose = f" ({words.listed([words.shortened(user, 24) for user in users], 3)})" if users else ""
    return f"The users of the log{whose}, who know the public columns of every record and combine the answers."


def became(query: QueryResult) -> str:
    """What became of a query, in words."""
    return DECISIONS.get(query.decision, "not evaluated")


def asked(document: QueriesResult) -> str:
    """How many queries there are, and what became of them."""
    counts = Counter(map(became, document.queries))
    parts = [f"{words.number(counts[outcome])} {outcome}" for outcome in OUTCOMES if counts[outcome]]
    return f"{words.counted(sum(counts.values()), 'query', 'queries')}: {words.listed(parts)}" if parts else "no query"


def log(document: QueriesResult) -> str:
    """The log in one line."""
    facts = document.log
    of = f" of {words.counted(len(facts.users), 'user')}" if facts.users else ""
    return f"{words.shortened(facts.source, 44)}, {words.counted(facts.statements, 'statement')}{of}"


def disclosed(document: QueriesResult) -> str:
    """How much was disclosed, and from when on."""
    if not document.disclosures:
        return "nothing: what would disclose is denied" if document.online else "nothing was found"
    count, exposed = document.disclosures_count, document.exposed_count
    found = "some" if is_hidden(count) else words.counted(count or 0, "disclosure")
    if exposed is not None:
        found += f" about {'a few people' if is_hidden(exposed) else words.counted(exposed, 'person', 'people')}"
    return f"{found}, the first with the answer to query {document.first_compromise}"


def facts(document: QueriesResult) -> list[tuple[str, str]]:
    """What the audit saw, as pairs of a short name and a text."""
    return [("log", log(document)), ("asked", asked(document)), ("disclosed", disclosed(document))]


def unsupported(document: QueriesResult) -> list[str]:
    """Each construct that could not be audited, and in how many statements it stands."""
    return [
        f"{_named(each.construct)}: {words.counted(each.statements, 'statement')}, first in statement "
        f"{each.first_statement}"
        for each in document.unsupported
    ]


def _named(construct: str) -> str:
    """A construct with what it is, where it is known."""
    return f"{construct} ({MEANINGS[construct]})" if construct in MEANINGS else construct


def structural(document: QueriesResult) -> list[tuple[str, str]]:
    """What can be said of the query sets alone, as pairs of name and text."""
    shape = document.structural
    if shape is None:
        return []
    needed = shape.compromise_needs
    pairs = [
        ("Queries that were answered", words.number(shape.queries)),
        ("Smallest query set", words.number(shape.smallest_query_set)),
        ("Largest query set", words.number(shape.largest_query_set)),
        ("Largest overlap of two", words.number(shape.largest_overlap)),
    ]
    if needed is not None:
        queries = str(HIDDEN) if is_hidden(needed) else words.counted(needed, "query", "queries")
        pairs.append(("No value before", f"{queries} (Dobkin, Jones & Lipton 1979)"))
    return [(name, text) for name, text in pairs if text != "–"]


def coverage(document: QueriesResult) -> list[tuple[str, ...]]:
    """For every user: queries, what became of them, and the share of the records that the answered ones touch."""
    rows = document.data.rows if document.data else None
    return [
        (
            "no user named" if user.user is None else user.user,
            *map(words.number, (user.queries, user.answered, user.denied, user.unsupported)),
            words.number(user.records),
            _share(user.records, rows),
        )
        for user in document.coverage
    ]


def _share(records: int | None, rows: int | None) -> str:
    if isinstance(records, int) and isinstance(rows, int) and rows > 0:
        return words.percent(records / rows)
    return words.number(records)


def violated(queries: Sequence[QueryResult]) -> list[str]:
    """Each limit that single queries broke, or were denied by, and how many did."""
    counts = Counter(rule for query in queries if query.decision != "unsupported" for rule in query.violations)
    return [f"{rule}: {words.counted(count, 'query', 'queries')}" for rule, count in counts.most_common()]
