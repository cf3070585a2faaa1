"""Lossy compression against the formats themselves, and what it keeps."""

import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

from auditor.errors import DataError, UsageError
from auditor.masking.lossy_compression import STRIP, LossyCompression
from auditor.microdata import Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)
EVERY = [("jpeg", 8), ("jpeg-2000", 8), ("jpeg-2000", 16)]


def table(values):
    columns = [
        Numeric(name, column) for name, column in zip("abcdefghijklm", np.asarray(values, float).T, strict=False)
    ]
    return Microdata((*columns, Categorical("other", np.zeros(len(values), np.int32), ("u",))))


def compressed(values, quality=80, **kind):
    data = table(values)
    method = LossyCompression(attributes=data.names[:-1], quality=quality, **kind)
    masked = method.masked(data, ANY)
    assert masked["other"] is data["other"]
    return masked.numbers(data.names[:-1])


def rough(values, after):
    """Root mean square error in shares of the range."""
    return np.sqrt(np.mean(((after - values) / np.ptp(values, axis=0)) ** 2))


@pytest.fixture
def census(shared_data):
    return np.loadtxt(shared_data / "census.csv", delimiter=",", skiprows=1)


def test_grey_values_are_those_of_the_picture():
    """Numbers that are grey values already: what Pillow makes of that picture is what comes out, scaled back."""
    grey = np.random.default_rng(1).integers(0, 256, (40, 8))
    grey[0], grey[1] = 0, 255
    file = BytesIO()
    Image.fromarray(grey.astype(np.uint8)).save(file, "JPEG", quality=60)
    expected = np.asarray(Image.open(file)).astype(float)
    np.testing.assert_allclose(compressed(grey, 60), expected, atol=1e-9)
    np.testing.assert_allclose(compressed(10 + 3.0 * grey, 60), 10 + 3 * expected, atol=1e-9)


@pytest.mark.parametrize(("picture", "bits"), EVERY)
def test_more_quality_is_less_error_and_bounds_are_kept(picture, bits, census):
    errors = []
    for quality in (20, 50, 90):
        after = compressed(census, quality, format=picture, bits=bits)
        assert np.all(after >= census.min(axis=0))
        assert np.all(after <= census.max(axis=0))
        errors.append(rough(census, after))
    assert errors[0] > errors[1] > errors[2] > 0


@pytest.mark.parametrize("quality", [20, 30, 40])
def test_the_decibels_of_jpeg_2000_are_those_of_the_error(quality, census):
    after = compressed(census, quality, format="jpeg-2000", bits=16)
    assert -20 * np.log10(rough(census, after)) == pytest.approx(quality, abs=2)


def test_sixteen_bits_are_finer_than_eight(census):
    fine = rough(census, compressed(census, 100, format="jpeg-2000", bits=16))
    assert fine < 1 / 2**9 / np.sqrt(3) < rough(census, compressed(census, 100, format="jpeg-2000", bits=8))


@pytest.mark.parametrize(("picture", "bits"), EVERY)
def test_missing_and_constant_columns(picture, bits):
    values = np.random.default_rng(2).normal(size=(50, 3))
    values[3, 0] = values[7, 0] = np.nan
    values[:, 1] = 0.1
    values[:, 2] = np.nan
    after = compressed(values, 40, format=picture, bits=bits)
    np.testing.assert_array_equal(np.isnan(after), np.isnan(values))
    np.testing.assert_array_equal(after[:, 1:], values[:, 1:])
    assert not np.allclose(after[:, 0], values[:, 0], equal_nan=True)


@pytest.mark.parametrize(("picture", "bits"), EVERY)
def test_one_record_and_none(picture, bits):
    np.testing.assert_array_equal(compressed([[5.0, 7.0]], format=picture, bits=bits), [[5, 7]])
    assert compressed(np.empty((0, 2)), format=picture, bits=bits).shape == (0, 2)


def test_numbers_at_the_ends_of_float64():
    values = np.array([[1.7e308], [-1.7e308], [0], [1e300]])
    after = compressed(values, 90)
    assert np.all(np.abs(after) <= 1.7e308)
    assert after[0] > 1e308
    assert after[1] < -1e308


def test_more_records_than_a_jpeg_has_rows():
    values = np.linspace(0, 1, 2 * STRIP + 9)[:, None]
    after = compressed(values, 90)
    assert after.shape == values.shape
    assert np.abs(after - values).max() < 0.02


def test_nothing_is_random():
    values = np.random.default_rng(2).normal(size=(50, 3))
    np.testing.assert_array_equal(compressed(values), compressed(values))


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match=r'the extra "imaging": pip install "disclosure-auditor\[imaging\]"'):
        compressed([[1.0], [2]])
    monkeypatch.undo()
    monkeypatch.setattr("PIL.features.check", lambda name: False)
    with pytest.raises(UsageError, match="OpenJPEG"):
        compressed([[1.0], [2]], format="jpeg-2000")


def test_what_has_no_meaning_is_an_error():
    with pytest.raises(DataError, match="column 'other' holds categories"):
        LossyCompression(attributes=("other",), quality=50).masked(table([[1.0]]), ANY)
    with pytest.raises(ValidationError, match="bits: 16 needs format: jpeg-2000"):
        LossyCompression(attributes=("a",), quality=50, bits=16)
