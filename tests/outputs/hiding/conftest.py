"""Where the benchmark transactions of the field are."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fimi(shared_data: Path) -> Path:
    """The folder of transaction data sets (FIMI repository, KDD Cup 2000); skips where it is absent."""
    folder = shared_data / "fimi"
    if not folder.is_dir():
        pytest.skip("the transaction data sets are not beside this checkout (../shared/data/fimi)")
    return folder
