"""docs/masking/README.md: every method is in its list."""

from __future__ import annotations

from auditor.masking import registry
from tests.masking.pages import INDEX, generated
from tests.models.pages import replaced


def test_the_list_is_fresh() -> None:
    """If this fails, run ``python -m tests.masking.pages``."""
    text = INDEX.read_text("utf-8")
    assert replaced(text, generated()) == text
    assert all(f"`{name}`" in text for name in registry())
