"""Every sample of every command, by name."""

from __future__ import annotations

from collections.abc import Callable

from auditor.result import Result
from tests.report import masking_samples, query_samples, samples

_ROOMS = (samples.SAMPLES, samples.REMEDIATIONS, query_samples.AUDITS, masking_samples.MASKINGS)

EVERY: dict[str, Callable[[], Result]] = {name: sample for room in _ROOMS for name, sample in room.items()}

assert len(EVERY) == sum(map(len, _ROOMS))
