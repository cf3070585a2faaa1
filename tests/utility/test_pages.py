"""The figures of docs/utility/README.md are what the methods and measures give."""

import re

import numpy as np
import pytest
import yaml

from auditor.masking import registry
from auditor.microdata import Microdata, Numeric
from auditor.utility import Original, clustering_loss, squared_loss
from tests.workshop.pages import ROOT

PAGE = (ROOT / "docs" / "utility" / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\{method.*?\})` \| ([\d |]*) \|$", PAGE, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def census(shared_data):
    with (shared_data / "census.csv").open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        columns = np.loadtxt(file, delimiter=",").T
    return Microdata(tuple(Numeric(name, values) for name, values in zip(names, columns, strict=True)))


def test_the_page_has_its_table():
    assert len(ROWS) == 7


@pytest.mark.parametrize(("entry", "figures"), ROWS, ids=[entry for entry, _ in ROWS])
def test_a_row_of_the_page(census, entry, figures):
    """Within 2: another generator of random numbers, or order of sums, is no other meaning."""
    fields = yaml.safe_load(entry)
    method = registry()[fields["method"]](attributes=census.names, **fields)
    masked = method.masked(census, np.random.default_rng(1))
    loss = Original(census).loss(masked)
    found = [loss.average, loss.mean, loss.variance, loss.covariance, loss.correlation, loss.quantiles]
    found += [squared_loss(census, masked).percent, clustering_loss(census, masked, 5, seed=1).percent]
    assert found == pytest.approx([int(figure) for figure in figures.split("|")], abs=2, rel=0.02)
