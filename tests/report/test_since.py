"""Every readable report says which counts were taken over, and why none were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.report import redact
from auditor.report.rendered import render
from auditor.result import Audience, SinceFacts
from tests.report import samples

FACTS: dict[str, Any] = {"result": "may.json", "sha256": samples.SHA, "evaluated_on": "2026-05-31"}
ADDED = SinceFacts(**FACTS, added=True, records_before=12345, records_added=3)
ANEW = SinceFacts(**FACTS, added=False, reason="may.json kept no counts")


@pytest.mark.parametrize("format_", ["text", "html", "markdown", "junit"])
@pytest.mark.parametrize(
    ("since", "audience", "said"),
    [
        (ADDED, Audience.REVIEWER, "12,345, from may.json, evaluated on 2026-05-31; new rows, counted now: 3."),
        (ADDED, Audience.PUBLIC, "may.json, evaluated on 2026-05-31; new rows, counted now: "),
        (ANEW, Audience.PUBLIC, "nothing taken over from may.json, evaluated on 2026-05-31: may.json kept no counts."),
    ],
)
def test_a_report_says_what_was_taken_over(format_, since, audience, said):
    shown = redact(replace(samples.passing(), since=since), audience)
    report = " ".join(render(shown, format_).split())
    assert said in report
    assert ("counted now: 3." in report) == (since is ADDED and audience is Audience.REVIEWER)


def test_a_report_says_nothing_where_there_was_no_earlier_result():
    for format_ in ("text", "html", "markdown", "junit"):
        report = render(redact(samples.passing(), Audience.REVIEWER), format_)
        assert "counted earlier" not in report
        assert "taken over" not in report
