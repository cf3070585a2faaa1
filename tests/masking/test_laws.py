"""What every masking method keeps to: each is tried as its own EXAMPLE has it, on columns of the kind that it takes."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.masking import Method, registry
from auditor.microdata import MISSING, Categorical, Microdata, Numeric, Variable

RECORDS = 60
OTHERS = (Numeric("beside", np.arange(RECORDS) / 7), Categorical("too", np.zeros(RECORDS, np.int32), ("x",)))
DAYS = tuple(f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 9, 17))


def example(name: str) -> Method:
    method = registry()[name]
    entry = {**yaml.safe_load(method.EXAMPLE), "key": "0123456789abcdef"}
    return method.model_validate({field: value for field, value in entry.items() if field in method.model_fields})


def numbers(name: str, gaps: bool) -> Variable:
    values = np.random.default_rng(len(name)).gamma(2, 30, RECORDS)
    if gaps:
        values[::11] = np.nan
    return _locked(Numeric(name, values))


def categories(name: str, gaps: bool) -> Variable:
    codes = np.random.default_rng(len(name)).integers(0, len(DAYS), RECORDS).astype(np.int32)
    if gaps:
        codes[::11] = MISSING
    return _locked(Categorical(name, codes, DAYS, ordered=True))


def _locked(column: Variable) -> Variable:
    """The column with an array that cannot be written to: a method that tries to is found out."""
    (column.values if isinstance(column, Numeric) else column.codes).flags.writeable = False
    return column


REFUSALS = re.compile("holds categories|holds numbers|has missing values")


def tables(method: Method) -> list[Microdata]:
    """The tables that the method takes: of numbers, of ordered categories, each with gaps and without."""
    taken = []
    for kind, gaps in product((numbers, categories), (False, True)):
        table = Microdata((*(kind(name, gaps) for name in method.reads), *OTHERS))
        try:
            method.masked(table, np.random.default_rng(0))
        except DataError as refused:
            assert REFUSALS.search(str(refused))  # noqa: PT017  (a refusal is one of two possible answers)
        else:
            taken.append(table)
    assert taken
    return taken


def contents(table: Microdata) -> list[object]:
    return [
        (each.name, np.nan_to_num(each.values, nan=-1e99).tolist())
        if isinstance(each, Numeric)
        else (each.name, each.codes.tolist(), each.labels, each.ordered)
        for each in table.variables
    ]


@pytest.mark.parametrize("name", list(registry()))
def test_a_method_is_a_pure_function_of_table_and_generator(name: str) -> None:
    method = example(name)
    for table in tables(method):
        before = contents(table)
        first, second = (method.masked(table, np.random.default_rng(5)) for _ in range(2))
        assert contents(first) == contents(second)
        assert contents(table) == before


@pytest.mark.parametrize("name", list(registry()))
def test_a_method_leaves_the_form_of_the_table_and_all_other_columns(name: str) -> None:
    method = example(name)
    for table in tables(method):
        masked = method.masked(table, np.random.default_rng(5))
        assert masked.names == table.names
        assert masked.records == table.records
        for column in table.variables:
            if column.name not in method.attributes:
                assert masked[column.name] is column
        assert contents(masked) != contents(table)


@pytest.mark.parametrize("name", list(registry()))
def test_no_value_is_invented_where_one_is_missing(name: str) -> None:
    method = example(name)
    for table in tables(method):
        masked = method.masked(table, np.random.default_rng(5))
        for attribute in method.attributes:
            assert np.all(masked[attribute].missing[table[attribute].missing])


@pytest.mark.parametrize("name", list(registry()))
def test_masked_columns_are_well_formed(name: str) -> None:
    method = example(name)
    for table in tables(method):
        masked = method.masked(table, np.random.default_rng(5))
        for attribute in method.attributes:
            column = masked[attribute]
            if isinstance(column, Numeric):
                assert column.values.dtype == np.float64
                assert column.values.shape == (RECORDS,)
                assert not np.isinf(column.values).any()
            else:
                assert column.codes.dtype == np.int32
                assert column.codes.shape == (RECORDS,)
                assert column.codes.min() >= MISSING
                assert column.codes.max() < len(column.labels)
                assert len(set(column.labels)) == len(column.labels)


@pytest.mark.parametrize("name", list(registry()))
def test_no_value_gets_lost_where_nothing_is_suppressed(name: str) -> None:
    method = example(name)
    for table in tables(method):
        masked = method.masked(table, np.random.default_rng(5))
        kept = ~method.suppressible(table)
        for attribute in method.attributes:
            lost = masked[attribute].missing & ~table[attribute].missing
            assert not (lost & kept).any()


HOSTILE = st.sampled_from(
    [0.0, -0.0, 5e-324, 1e-300, 1.0, -1.0, 0.1, 1.7e9, 1.7e9 + 2.0**-20, 1e15, 1.7e18, -1e200, 1e308, np.nan]
)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(registry()))
@settings(max_examples=25)
@given(data=st.data())
def test_numbers_of_any_size_become_numbers_or_are_refused(name: str, data: st.DataObject) -> None:
    """Infinities are told by who applies the method; a number that is none any more is told by nobody."""
    method = example(name)
    records = data.draw(st.integers(1, 8))
    column = st.lists(HOSTILE, min_size=records, max_size=records) | HOSTILE.map(lambda value: [value] * records)
    table = Microdata(tuple(Numeric(each, np.array(data.draw(column))) for each in method.reads))
    try:
        with np.errstate(all="ignore"):
            masked = method.masked(table, np.random.default_rng(0))
    except DataError:
        return
    kept = ~method.suppressible(table)
    for attribute in method.attributes:
        assert not (masked[attribute].missing & ~table[attribute].missing)[kept].any()
