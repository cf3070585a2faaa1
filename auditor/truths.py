"""How people and programs write that something is so, or is not, in the languages that headers and tables are in."""

from __future__ import annotations

WORDS = {
    **dict.fromkeys(("true", "yes", "ja", "oui", "sí", "si", "wahr", "vrai"), True),
    **dict.fromkeys(("false", "no", "nein", "non", "nee", "nej", "falsch", "faux"), False),
}
"""Words, in small letters."""
LETTERS = {**dict.fromkeys("tyjsod", True), **dict.fromkeys("fn", False)}
"""Initials of such words. Beside others than their like they are names: north, female."""
_NUMBERS = {"1": True, "1.0": True, "0": False, "0.0": False}


def truth_of(text: str) -> bool | None:
    """What a label of a column of yes and no says; None for one that says neither.

    >>> truth_of("Yes"), truth_of("0"), truth_of("1.0"), truth_of("north")
    (True, False, True, None)
    """
    plain = text.strip().casefold()
    return next((words[plain] for words in (WORDS, LETTERS, _NUMBERS) if plain in words), None)
