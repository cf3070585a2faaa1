"""The generated tables are fresh: what a room holds stands on its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.pages import replaced
from tests.workshop.tables import tables

TABLES = tables()


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_fresh(page: Path) -> None:
    """If this fails, run ``python -m tests.workshop.tables``."""
    text = page.read_text("utf-8")
    assert replaced(text, TABLES[page]) == text
    assert all(part in text for part in TABLES[page].values())
