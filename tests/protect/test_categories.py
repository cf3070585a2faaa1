"""No masked table lists a value that no row of it holds, whatever the method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import auditor
from auditor.errors import NotEvaluated
from auditor.masking import registry
from tests.categories import KINDS, NEVER, table, unheld, unheld_in, written
from tests.masking.test_laws import example
from tests.protect.tables import masking

KEY = "0123456789abcdef"
DAYS = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 9)]
"""What every column holds: texts that are dates, so that every method of categories takes them."""


def columns(names: tuple[str, ...]) -> dict[str, list[str | None]]:
    chance = np.random.default_rng(5)
    found = {name: chance.permutation(DAYS * 2).tolist() for name in names}
    return found | {"beside": [*["a", "b", None] * 16]}


METHODS = {
    **{name: example(name).model_dump(mode="json", exclude_none=True, exclude_defaults=True) for name in registry()},
    "global-recoding": {"method": "global-recoding", "attributes": ["day"], "groups": {"spring": DAYS[:12]}},
    "local-suppression": {"method": "local-suppression", "attributes": ["day", "other"], "k": 3},
    "microaggregation": {"method": "microaggregation", "attributes": ["day", "other"], "k": 5},
    "pram": {"method": "pram", "attributes": ["day"], "matrix": {day: {DAYS[0]: 0.5, DAYS[1]: 0.5} for day in DAYS}},
}
"""Methods of categories in the way that loses values; the others as their examples have them."""
ORDERED = {"role": "insensitive", "order": DAYS}
OF_NUMBERS = {"lossy-compression", "noise", "rounding", "synthetic", "top-bottom-coding"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_a_masked_table_lists_what_it_holds(kind: str, name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("KEY", KEY)
    entry = {**METHODS[name], "method": name} | ({"key": {"secret": "KEY"}} if name == "pseudonyms" else {})
    reads = {*registry()[name].model_validate({**entry, **({"key": KEY} if "key" in entry else {})}).reads}
    given = columns(tuple(sorted(reads)))
    policy = masking(entry, attributes=dict.fromkeys(given, ORDERED) | {"beside": "quasi-identifier"})
    target = tmp_path / "release.parquet"
    try:
        done = auditor.mask(table(kind, given), policy, output=target)
    except NotEvaluated as refused:
        assert "holds categories" in str(refused)  # noqa: PT017  (numbers alone: of which nothing is listed)
        assert name in OF_NUMBERS
        return
    assert done.passed
    assert not any(unheld_in(target).values())
    assert not any(unheld(done.data, tmp_path).values())


def test_numbers_that_are_categories_are_masked_and_list_what_they_hold() -> None:
    given = pd.DataFrame({"age": pd.Categorical([31, 32, 33, 41, 42, 99] * 4, [99, 98, 31, 32, 33, 41, 42])})
    entry = {"method": "top-bottom-coding", "attributes": ["age"], "top": 42}
    demanded = [{"model": "allowed-values", "attribute": "age", "max": 42}]
    found = auditor.mask(given, masking(entry, attributes={"age": "quasi-identifier"}, requirements=demanded)).data
    assert sorted(set(found["age"])) == [31, 32, 33, 41, 42]
    assert 99 not in getattr(found["age"].dtype, "categories", [])


@pytest.mark.parametrize("output", ["release.parquet", "release.jsonl", "release.csv"])
def test_no_byte_of_what_a_dictionary_lists_and_no_row_holds(output: str, tmp_path: Path) -> None:
    entry = {"method": "pram", "attributes": ["zip"], "matrix": {v: {"b": 1.0} for v in ("a", "b", "rare")}}
    policy = masking(entry, attributes={"zip": "quasi-identifier"})
    for place, data in enumerate(written(tmp_path / "in", {"zip": [*["a", "b"] * 9, "rare"]})):
        target = tmp_path / f"{place}-{output}"
        assert auditor.mask(data, policy, output=target).passed
        assert not any(text in target.read_bytes() for text in (NEVER.encode(), b"rare")), data.name


def test_categories_of_a_file_s_column_of_an_enumeration(tmp_path: Path) -> None:
    """Text in the file, whatever the table was: and no entry for what was there before, not even an empty one."""
    entry = {"method": "pram", "attributes": ["zip"], "matrix": {v: {"b": 1.0} for v in ("a", "b", "rare")}}
    given = table("pandas", {"zip": [*["a", "b"] * 9, "rare"]})
    demanded = [{"model": "k-anonymity", "k": 19}]
    policy = masking(entry, attributes={"zip": "quasi-identifier"}, requirements=demanded)
    done = auditor.mask(given, policy, output=tmp_path / "release.parquet")
    assert done.data["zip"].dtype == pd.CategoricalDtype(["b"])
    read = pq.read_table(tmp_path / "release.parquet", read_dictionary=["zip"])["zip"]
    assert [chunk.dictionary.to_pylist() for chunk in read.chunks] == [["b"]]
    assert NEVER not in (tmp_path / "release.parquet").read_bytes().decode("latin-1")
