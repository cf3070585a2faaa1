"""What the tests of query logs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditor.queries.online import _position


@pytest.fixture(autouse=True, scope="package")
def time_to_decide() -> Iterator[None]:
    """Decisions that end on a quick machine end on a slow one, too: none is denied because of its time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_position, "DECISION_SECONDS", 120.0)
        yield
