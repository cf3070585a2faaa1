"""A sweep in every format: what it says, who may see which number, the page in a browser."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from auditor.report import formats, redact, render
from auditor.report.stored import parse
from auditor.report.tradeoff import TradeoffPage
from auditor.result import Audience
from auditor.weighing import tradeoff

FORMATS = formats.of(TradeoffPage)

HOSTILE = "<script>alert('ü')</script>\x1b[2J"
NAMES = ("income", "wealth", HOSTILE)


def policy(k: int) -> dict[str, object]:
    protection = [
        {"method": "rank-swapping", "attributes": list(NAMES), "p": 15, "sweep": {"p": [20, 40]}},
        {"method": "microaggregation", "attributes": list(NAMES), "k": 3},
    ]
    attributes = {**dict.fromkeys(NAMES, "sensitive"), "area": "quasi-identifier"}
    requirements = [{"model": "k-anonymity", "k": k}]
    return {
        "version": 1,
        "name": "weighing",
        "attributes": attributes,
        "requirements": requirements,
        "protection": protection,
    }


@cache
def result(rows: int = 80, k: int = 5):
    generator = np.random.default_rng(3)
    base = generator.normal(size=rows)
    numbers = {name: (1000 * base + 300 * generator.normal(size=rows)).round(2) for name in NAMES}
    table = pd.DataFrame({**numbers, "area": ["north", "south"] * (rows // 2)})
    return tradeoff(table, policy(k), seeds=2, reproduce="auditor tradeoff table.csv -p policy.yaml")


@cache
def shown(format_: str, audience: Audience) -> str:
    return render(redact(result(), audience), format_)


@pytest.mark.parametrize("format_", [f for f in FORMATS if f != "json"])
def test_what_to_take_stands_first(format_: str) -> None:
    text = shown(format_, Audience.REVIEWER)
    assert "Of 4 methods, Rank20 costs the least" in text
    assert "Where the Score is gamed" in text
    assert "Rank40: Rank swapping beyond" in " ".join(text.split())


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("format_", FORMATS)
def test_no_name_of_a_column_is_obeyed(format_: str, audience: Audience) -> None:
    text = shown(format_, audience)
    assert "\x1b" not in text
    assert "<script>" not in text or format_ in {"json", "text"}


def test_only_the_internal_audience_sees_the_values_at_the_edges_of_the_bins() -> None:
    for audience in Audience:
        changes = redact(result(), audience).to_dict()["recommended"]["distributions"]
        assert all((each["edges"] is not None) is (audience is Audience.INTERNAL) for each in changes)


def test_the_public_sees_no_histogram_with_a_small_bin() -> None:
    """80 records in 20 bins: each histogram has a bin of fewer than five."""
    public = redact(result(), Audience.PUBLIC).to_dict()
    assert all(each["before"] is None and each["after"] is None for each in public["recommended"]["distributions"])
    assert "recommended/distributions/0/before" in public["redacted"]
    assert public["methods"][0]["score"] is not None


def test_the_public_sees_no_figure_of_a_small_table() -> None:
    public = redact(result(rows=8, k=4), Audience.PUBLIC).to_dict()
    assert public["methods"][0]["score"] is not None
    public = redact(result(rows=8, k=9), Audience.PUBLIC).to_dict()
    assert all(each["score"] is None and each["apil"] is None for each in (*public["methods"], public["identity"]))
    assert public["data"]["rows"] is None
    assert public["methods"][0]["compliant"] is False


@pytest.mark.parametrize("alike", [2, 3, 9])
def test_the_public_does_not_see_how_few_records_are_alike(alike: int) -> None:
    """Whoever knows all of 100 records links all, but of those that are alike only one: 100 - alike + 1."""
    numbers = [float(n) for n in range(100 - alike)] + [500.0] * alike
    asked = policy(10) | {"protection": [{"method": "rank-swapping", "attributes": ["income"], "p": 20}]}
    found = tradeoff(pd.DataFrame({"income": numbers, "area": ["north", "south"] * 50}), asked, seeds=2)
    assert found.identity.rd == pytest.approx(100 - alike + 1)
    public = redact(found, Audience.PUBLIC).to_dict()
    assert [public["identity"][name] for name in ("rd", "dr", "score", "linkage")] == [None] * 4
    assert public["methods"][0]["score"] is not None
    for format_ in FORMATS:
        line = next(
            (line for line in render(redact(found, Audience.PUBLIC), format_).splitlines() if "as it is" in line), ""
        )
        assert f"{found.identity.rd:.1f}" not in line


@pytest.mark.parametrize("audience", Audience)
def test_a_stored_sweep_reads_back(audience: Audience) -> None:
    written = render(redact(result(), audience), "json")
    assert parse(written).document_for(audience).to_dict() == json.loads(written)


@pytest.mark.slow
@pytest.mark.parametrize("format_", FORMATS)
def test_a_small_table_is_shown_to_everybody(format_: str) -> None:
    """What is hidden is said to be, wherever a number would stand."""
    assert "hidden" in render(redact(result(rows=8, k=9), Audience.PUBLIC), format_).lower() or format_ == "json"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("audience", Audience)
def test_the_page_is_accessible_and_fits_a_phone(audience: Audience, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: dev)")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    page = tmp_path / "sweep.html"
    page.write_text(shown("html", audience), encoding="utf-8")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_context(viewport={"width": 390, "height": 800}, bypass_csp=True).new_page()
        messages: list[str] = []
        tab.on("console", lambda message: messages.append(message.text))
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert axe.Axe().run(tab).response["violations"] == []
        assert messages == []
        browser.close()
