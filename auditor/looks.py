"""Names and shapes that tell what a column holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise


@dataclass(frozen=True, slots=True)
class Look:
    """A shape that values can have. `pattern` must match a whole value; RE2 and Python read it alike.

    A column has the look when at least `share` of its records that hold a value do. `person` says that such a value
    names one person wherever it stands.
    """

    name: str
    pattern: str
    share: float = 0.95
    person: bool = False


DATE = "ISO 8601 dates"
OTHER_DATE = "dates in a format other than ISO 8601"
POSTCODE = "postcodes"
DISEASE = "ICD-10 codes"
TEXT = "free text"
IDENTIFYING = (
    Look("e-mail addresses", r"[^@\s]+@[^@\s]+\.[^@\s]+", person=True),
    Look("web addresses", r"(https?|ftp)://\S+|www\.\S+"),
    Look("UUIDs", r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"),
    Look("social security numbers", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", person=True),
    Look("IP addresses", r"([0-9]{1,3}\.){3}[0-9]{1,3}|[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){3,7}"),
    Look("network card addresses", r"([0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}"),
    Look("bank accounts (IBAN)", r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", person=True),
    Look("telephone numbers", r"\+[0-9]{7,15}|(\+|\()?[0-9]{1,4}\)?([ ./-]+\(?[0-9]{2,}\)?){2,}"),
)
"""Shapes that name one person, or as good as."""

LOOKS = (
    Look(DATE, r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?"),
    Look(
        OTHER_DATE,
        r"([0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{2}|[0-9]{4})|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2})"
        r"([ T][0-9]{1,2}:[0-9]{2}.*)?"
        r"|[0-9]{1,2}(st|nd|rd|th|\.)?[ -][A-Za-zÀ-ÿ]{3,9}\.?[ -][0-9]{4}|[A-Za-zÀ-ÿ]{3,9}\.? [0-9]{1,2}, [0-9]{4}"
        r"|[0-9]{1,2}-[A-Za-z]{3}-[0-9]{2}",
    ),
    *IDENTIFYING,
    Look(POSTCODE, r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]|[0-9]{5}-[0-9]{4}"),
    Look(DISEASE, r"[A-Z][0-9]{2}(\.[0-9A-Z]{1,4})?"),
    Look(TEXT, r"\S+(\s+\S+){5,}\s*", share=0.3),
)
"""In the order of trial: the first look that a column has is its look."""

NAMES = frozenset({
    "firstname", "lastname", "surname", "forename", "fullname", "maidenname", "email", "mail", "phone", "telephone",
    "mobile", "cellphone", "fax", "ssn", "passport", "street", "mrn", "iban", "username", "login", "licence",
    "license", "plate", "vin", "imei", "photo", "fingerprint", "latitude", "longitude", "geocode",
})  # fmt: skip
"""Words that stand in the names of identifiers."""
PERHAPS_NAMES = frozenset({"name", "address", "account", "ip", "url", "card", "device"})
"""Words that stand in the names of identifiers and of much else."""
KEYS = frozenset({"id", "uuid", "guid", "key", "identifier", "number", "no", "nr", "record"})
"""Words that stand in the names of keys, which identify where they are unique."""
NEARLY_UNIQUE = 0.9
"""The share of different values among those of a column, from which on each record has one of its own."""
POSTCODES = frozenset({"zip", "zipcode", "zip3", "zip5", "postcode", "postal", "postalcode", "plz"})
DISEASES = frozenset({"diagnosis", "diagnoses", "diag", "dx", "disease", "icd", "icd10", "condition", "illness"})
"""Words that stand in the names of columns of diseases."""
SENSITIVE = DISEASES | {
    "treatment", "medication", "drug", "hiv", "result", "income", "salary", "wage", "earnings", "debt", "credit",
    "cost", "charge", "offence", "offense", "crime", "conviction", "affairs", "orientation", "belief", "vote",
}  # fmt: skip
"""Words that stand in the names of what nobody should learn about a person."""
AGE = frozenset({"age", "ages"})
COUNTS = frozenset({
    "count", "counts", "times", "size", "visits", "stays", "children", "kids", "persons", "members", "years", "yrs",
    "year", "months", "weeks", "days", "hours", "minutes", "duration", "length", "height", "weight",
})  # fmt: skip
"""Words that stand in the names of quantities, however few values they have."""
COUNTRIES = frozenset({
    "country", "countries", "nation", "nationality", "citizenship", "citizen", "origin", "birthplace", "born", "birth",
})  # fmt: skip
"""Words that stand in the names of columns of countries."""
CODES = frozenset({
    "code", "codes", "cd", "soc", "isic", "nace", "naics", "sic", "atc", "nuts", "fips", "isco", "isco08",
})  # fmt: skip
"""Words that stand in the names of codes, also of those that are written as numbers."""
LEVELS_OF_CODES = {"isco": (3, 2, 1), "isco08": (3, 2, 1), "nuts": (4, 3, 2), "fips": (2,)}
"""How many characters the levels of a classification keep, by the word of its name: ISCO-08 (ILO) has minor, sub-major
and major groups above its unit groups of four digits, NUTS (Regulation (EC) 1059/2003) the levels 2, 1 and 0 above 3,
and FIPS 6-4 the state above a county of five digits."""
HEADERS = frozenset({
    "birth", "born", "city", "class", "code", "country", "county", "date", "day", "department", "district", "dob",
    "education", "family", "first", "gender", "group", "hospital", "job", "last", "marital", "month", "nation",
    "nationality", "occupation", "origin", "place", "race", "region", "religion", "section", "sector", "sex", "site",
    "state", "status", "time", "title", "total", "town", "type", "unit", "value", "ward", "week", "weight", "year",
})  # fmt: skip
"""Words that stand in the names of columns of every sort."""

SYNONYMS = {
    "dob": "birth date", "birthdate": "birth date", "birthday": "birth date", "born": "birth date",
    "dod": "death date", "died": "death date", "deceased": "death date",
    "admitted": "admission date", "admit": "admission date", "discharged": "discharge date",
    **dict.fromkeys(POSTCODES, "zip"),
    "ages": "age", "dt": "date", "gender": "sex", "telephone": "phone", "surname": "last name",
    "lastname": "last name", "firstname": "first name", **dict.fromkeys(DISEASES, "diagnosis"),
}  # fmt: skip
"""Words that say the same in the names of columns, and what they say."""
FILLERS = frozenset({"of", "the", "at", "on", "in", "patient", "person", "client", "subject", "code", "value"})
"""Words that tell nothing in the names of columns of persons."""

RECORDS = (DATE, OTHER_DATE, *(look.name for look in IDENTIFYING))
"""Looks of values that nobody takes for the name of the column that holds such values."""


_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.]{0,10}[A-Za-z0-9]")
_DIGIT = re.compile(r"[0-9]")


def look_of(values: Sequence[str], counts: Sequence[int]) -> Look | None:
    """The first look that distinct values have, of which `counts` says how many records hold each; None: none.

    >>> look_of(["2024-01-31", "2024-02-29"], [3, 1]).name
    'ISO 8601 dates'
    >>> look_of(["a@example.org", "none"], [1, 1])
    """
    total = sum(counts)

    def holds(look: Look) -> bool:
        pattern = re.compile(look.pattern)
        return sum(compress(counts, (pattern.fullmatch(value) is not None for value in values))) >= look.share * total

    return next((look for look in LOOKS if values and holds(look)), None)


def are_codes(values: Sequence[str]) -> bool:
    """Whether values are codes of one length: digits among letters, or digits of which some begin with 0.

    >>> are_codes(["AT130", "DE212"]), are_codes(["01", "10"]), are_codes(["10", "12"]), are_codes(["Rome", "Oslo"])
    (True, True, False, False)
    """
    alike = len(set(map(len, values))) == 1 and all(map(_CODE.fullmatch, values))
    letters = any(not value.replace(".", "").isdigit() for value in values)
    return alike and any(map(_DIGIT.search, values)) and (letters or any(value.startswith("0") for value in values))


def words(column: str) -> frozenset[str]:
    """The words of a column's name, in lower case, with neighbours joined too.

    >>> sorted(words("patientFirst_NAME"))
    ['first', 'firstname', 'name', 'patient', 'patientfirst']
    """
    parts = re.findall(r"[^\W\d_]+|[0-9]+", _spaced(column))
    return frozenset(parts) | {a + b for a, b in pairwise(parts)}


def meaning(column: str) -> frozenset[str]:
    """The words of a column's name, those that say the same as others replaced by them.

    >>> meaning("DOB") == meaning("date_of_birth") == meaning("Patient Birth Date")
    True
    """
    parts = re.findall(r"[^\W\d_]+[0-9]*|[0-9]+", _spaced(column))
    said = frozenset(word for part in parts for word in SYNONYMS.get(part, part).split())
    return said - FILLERS or said


def snake_case(column: str) -> str:
    """A column's name as packs write theirs.

    >>> snake_case("Phone No."), snake_case("birthDate")
    ('phone_no', 'birth_date')
    """
    return "_".join(re.findall(r"\w+", _spaced(column)))


def _spaced(column: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column).lower()
