"""Small transaction tables and what is sensitive in them."""

from __future__ import annotations

from hypothesis import strategies as st

LETTERS = "abcde"


def tables(most: int = 7, letters: str = LETTERS) -> st.SearchStrategy[list[frozenset[str]]]:
    return st.lists(st.frozensets(st.sampled_from(letters), max_size=len(letters)), min_size=1, max_size=most)


def itemsets(letters: str = LETTERS, most: int = 3) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(letters), min_size=1, max_size=most)


@st.composite
def rules(draw: st.DrawFn, letters: str = LETTERS) -> tuple[frozenset[str], frozenset[str]]:
    left = draw(st.frozensets(st.sampled_from(letters), min_size=1, max_size=2))
    right = draw(st.frozensets(st.sampled_from(sorted(set(letters) - left)), min_size=1, max_size=2))
    return left, right
