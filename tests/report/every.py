"""Every sample of every command, by name."""

from __future__ import annotations

from collections.abc import Callable

from auditor.result import Result
from tests.report import query_samples, samples

EVERY: dict[str, Callable[[], Result]] = {**samples.SAMPLES, **samples.REMEDIATIONS, **query_samples.AUDITS}

assert len(EVERY) == len(samples.SAMPLES) + len(samples.REMEDIATIONS) + len(query_samples.AUDITS)
