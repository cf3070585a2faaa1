"""Pseudonyms: identifiers become keyed hashes, alike wherever the same identifier stands."""

from __future__ import annotations

import hmac
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, field_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

SHORTEST = 16
"""Bytes of a key. RFC 2104 discourages keys shorter than the hash; below 128 bits a key can be found by trying."""


class Pseudonyms(Method):
    """Replace identifiers by HMAC-SHA-256(key, identifier), the first `length` hexadecimal digits of it.

    The same identifier has the same pseudonym, in every column, release and table that is made with the same key; with
    another key, another one. Without the key neither can be computed from the other. The identifier is hashed as UTF-8
    text, exactly as it stands; a number as the shortest text that is this number (17, 17.5).

    The key never stands in a policy: it is given as ``{secret: NAME}`` and comes from the environment, as text of at
    least 16 bytes. Nothing is random: the generator is not used.

    The new column has the pseudonyms that occur as its labels, sorted, so that neither identifiers nor their order are
    left. A missing value stays missing; one record and a constant column are no special cases; ties stay ties.

    Raises:
        DataError: two identifiers of the named columns got the same pseudonym, because `length` is short. n of them do
            with a probability of about n²/2^(4 length + 1).
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    method: Annotated[Literal["pseudonyms"], Stricter.REVIEW] = "pseudonyms"
    key: Annotated[str, Stricter.REVIEW] = Field(
        repr=False, description="What identifiers are hashed with, as {secret: NAME}; at least 16 bytes."
    )
    length: Annotated[int, Stricter.REVIEW] = Field(
        32, ge=8, le=64, description="Hexadecimal digits of a pseudonym, 8 to 64."
    )

    SOURCE: ClassVar[str] = (
        "H. Krawczyk, M. Bellare, R. Canetti, HMAC: Keyed-Hashing for Message Authentication, RFC 2104, 1997; "
        "test vectors: RFC 4231, 2005"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [study_key], method: pseudonyms, key: {secret: PSEUDONYM_KEY}}"

    @field_validator("key")
    @classmethod
    def _long_enough(cls, key: str) -> str:
        if len(key.encode()) < SHORTEST:
            raise ValueError(f"the key has to have at least {SHORTEST} bytes, such as 32 random hexadecimal digits")
        return key

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with pseudonyms, as columns of categories."""
        columns = [_as_text(data[name]) for name in self.attributes]
        identifiers = sorted(
            {column.labels[code] for column in columns for code in np.unique(column.codes) if code >= 0}
        )
        named = {text: pseudonym(self.key.encode(), text.encode(), self.length) for text in identifiers}
        if len(set(named.values())) < len(named):
            names = ", ".join(map(repr, self.attributes))
            raise DataError(
                f"column{'s' * (len(columns) > 1)} {names}: two identifiers have the same pseudonym of {self.length} "
                "digits; a larger length keeps them apart"
            )
        return data.replaced([_renamed(column, named) for column in columns])


def pseudonym(key: bytes, identifier: bytes, length: int) -> str:
    """The first `length` hexadecimal digits of HMAC-SHA-256(key, identifier)."""
    return hmac.digest(key, identifier, "sha256").hex()[:length]


def _as_text(column: Numeric | Categorical) -> Categorical:
    """The column with its numbers as text."""
    if isinstance(column, Categorical):
        return column
    values, codes = np.unique(column.values[~column.missing], return_inverse=True)
    every = np.full(len(column.values), MISSING, np.int32)
    every[~column.missing] = codes
    return Categorical(column.name, every, tuple(repr(value).removesuffix(".0") for value in values.tolist()))


def _renamed(column: Categorical, named: dict[str, str]) -> Categorical:
    occurring = np.unique(column.codes[column.codes != MISSING]).tolist()
    labels = sorted(named[column.labels[code]] for code in occurring)
    places = {label: place for place, label in enumerate(labels)}
    new = np.full(len(column.labels) + 1, MISSING, np.int32)
    for code in occurring:
        new[code] = places[named[column.labels[code]]]
    return Categorical(column.name, new[column.codes], tuple(labels))
