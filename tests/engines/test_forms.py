"""The same table gives the same document, whatever form it comes in."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import auditor
from tests.documents import without_work
from tests.engines import data

TABLE = data.people()


def document(given: Any) -> dict[str, Any]:
    """The result without the facts of the source."""
    found = without_work(auditor.check(given, data.POLICY).to_dict())
    facts = found.pop("data")
    return {**found, "rows": facts["rows"], "names": sorted(column["name"] for column in facts["column_roles"])}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return document(data.arrow(TABLE))


@pytest.mark.slow
@pytest.mark.parametrize("form", data.FORMS)
def test_the_same_table_gives_the_same_document(form, tmp_path, expected):
    assert document(data.FORMS[form](tmp_path, TABLE)) == expected


def test_the_reference_table_is_what_it_should_be(expected):
    assert expected["rows"] == len(TABLE)
    assert expected["classes"]["count"] == len({(zip_, job, site) for zip_, job, _, _, site in TABLE})


def test_booleans_are_no_numbers_whatever_holds_them(tmp_path):
    """A CSV file has them as the texts true and false; a typed one casts to 1 and 0, which says nothing."""
    policy = {
        "version": 1,
        "name": "booleans",
        "attributes": {"site": "quasi-identifier", "hiv": "sensitive"},
        "requirements": [{"model": "t-closeness", "t": 0.4, "sensitive": "hiv"}],
    }
    table = pa.table({"site": ["a", "a", "b", "b"], "hiv": [True, None, False, False]})
    file = tmp_path / "data.csv"
    file.write_text("site,hiv\na,true\na,\nb,false\nb,false\n", encoding="utf-8")
    found = [auditor.check(given, policy) for given in (table, file)]
    assert [result.requirements[0].achieved for result in found] == [0.5, 0.5]
    assert found[0].assumptions == found[1].assumptions
