"""The same table gives the same document, whatever form it comes in."""

from __future__ import annotations

from typing import Any

import pytest

import auditor
from tests.engines import data

TABLE = data.people()


def document(given: Any) -> dict[str, Any]:
    """The result without the facts of the source."""
    found = auditor.check(given, data.POLICY).to_dict()
    facts = found.pop("data")
    return {**found, "rows": facts["rows"], "names": sorted(column["name"] for column in facts["column_roles"])}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return document(data.arrow(TABLE))


@pytest.mark.parametrize("form", data.FORMS)
def test_the_same_table_gives_the_same_document(form, tmp_path, expected):
    assert document(data.FORMS[form](tmp_path, TABLE)) == expected


def test_the_reference_table_is_what_it_should_be(expected):
    assert expected["rows"] == len(TABLE)
    assert expected["classes"]["count"] == len({(zip_, job, site) for zip_, job, _, _, site in TABLE})
