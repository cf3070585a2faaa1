"""A hiding run, shown: what each audience sees, in every format."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.outputs.hiding._outcome import HideResult
from auditor.report import formats, redact, render
from auditor.report.hiding import HidingPage
from auditor.report.stored import parse
from auditor.result import Audience, Visibility
from tests.documents import without_work
from tests.report.test_kinds import numbers_of

FORMATS = formats.of(HidingPage)

HOSTILE = "<script>alert(1)</script>|`x`\u202e"
MANY = [["SECRET", HOSTILE, "c"]] * 30 + [["c", "d"]] * 40 + [["SECRET"]] * 5


@cache
def result(compare: bool = True, few: bool = False) -> HideResult:
    rows = MANY[:30] + [["c"]] * 40 if few else MANY
    s = 28 if few else 12
    return auditor.hide(rows, [["SECRET", HOSTILE]], min_support=s, compare=compare, reproduce="SECRET command").result


def shown(format_: str, audience: Audience, **options: Any) -> str:
    return render(redact(result(**options), audience), format_)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("audience", [Audience.PUBLIC, Audience.REVIEWER])
def test_what_is_sensitive_stays_internal(format_: str, audience: Audience) -> None:
    text = shown(format_, audience)
    assert "SECRET" not in text.replace("SECRET command", "")
    assert "alert" not in text
    assert ("SECRET command" in text) == (audience is Audience.REVIEWER and format_ in {"json", "html"})


@pytest.mark.parametrize("format_", FORMATS)
def test_the_team_sees_what_was_hidden_and_no_text_of_it_is_obeyed(format_: str) -> None:
    text = shown(format_, Audience.INTERNAL)
    assert "SECRET" in text
    if format_ in {"html", "markdown"}:
        assert "<script>" not in text
    if format_ in {"text", "markdown", "html"}:
        assert "\u202e" not in text


def test_the_public_sees_no_threshold_and_no_small_count() -> None:
    public = redact(result(few=True), Audience.PUBLIC).to_dict()
    hiding = public["hiding"]
    assert result(few=True).hiding.removed_items == 3
    counts = ("removed_items", "transactions_changed", "dissimilarity", "accuracy", "distance")
    for name in ("min_support", "min_support_release", "margin", *counts):
        assert hiding[name] is None
        assert f"hiding/{name}" in public["redacted"]
    assert public["reproduce"] is None
    assert public["verdict"] == "pass"
    assert hiding["lost_itemsets"] == result(few=True).hiding.lost_itemsets
    exact = next(i for i, each in enumerate(public["methods"]) if each["method"] == "exact")
    assert public["methods"][exact]["removed_items"] is None
    assert redact(result(few=True), Audience.REVIEWER).to_dict()["hiding"]["min_support"] == 28


def test_large_counts_are_public() -> None:
    assert redact(result(), Audience.PUBLIC).to_dict()["hiding"]["removed_items"] == result().hiding.removed_items == 19


@pytest.mark.parametrize("audience", Audience)
def test_a_stored_run_reads_back(audience: Audience) -> None:
    document = redact(result(few=True), audience)
    assert parse(render(document, "json")).document_for(audience).to_dict() == document.to_dict()


@pytest.mark.parametrize("format_", FORMATS)
def test_the_same_run_gives_the_same_bytes(format_: str) -> None:
    again = auditor.hide(MANY, [["SECRET", HOSTILE]], min_support=12, compare=True, reproduce="SECRET command").result
    ours, theirs = render(redact(again, Audience.INTERNAL), format_), shown(format_, Audience.INTERNAL)
    if format_ == "json":  # which alone has the times of the work
        assert without_work(json.loads(ours)) == without_work(json.loads(theirs))
    else:
        assert ours == theirs


def test_a_run_without_a_comparison_has_no_table_of_methods() -> None:
    assert "side by side" not in shown("text", Audience.REVIEWER, compare=False)
    assert "side by side" in shown("markdown", Audience.REVIEWER)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("audience", Audience)
def test_the_page_is_accessible_and_fits_a_phone(audience: Audience, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: dev)")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    page = tmp_path / "hiding.html"
    page.write_text(shown("html", audience), encoding="utf-8")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_context(viewport={"width": 390, "height": 800}, bypass_csp=True).new_page()
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert axe.Axe().run(tab).response["violations"] == []
        browser.close()


def test_no_gap_of_small_numbers_is_public() -> None:
    """A gap of 1/3 says that three items were removed, or six."""
    found = result(compare=False, few=True)
    near = replace(found, hiding=replace(found.hiding, optimal=False, objective=3, bound=2, gap=1 / 3))
    for audience, shown in ((Audience.REVIEWER, 1 / 3), (Audience.PUBLIC, None)):
        assert redact(near, audience).to_dict()["hiding"]["gap"] == shown


def test_no_count_of_transactions_depends_on_how_few_have_what_is_sensitive() -> None:
    """Supports of 1, 2 and 3, by every method: a number that is of transactions or items is the same, or not shown."""
    pages = []
    for few in (1, 2, 3):
        rows = [["a", "b", "c"]] * few + [["c", "d"]] * (300 - few) + [["a", "e"]] * 300 + [["b", "e"]] * (400 - few)
        found = auditor.hide([*rows, *[["b", "f"]] * few], [["a", "b"]], min_support=1, compare=True).result
        shown = redact(found, Audience.PUBLIC).to_dict()
        stored = parse(render(redact(found, Audience.INTERNAL), "json")).document_for(Audience.PUBLIC).to_dict()
        of_patterns = {field.name for field in fields(found.hiding) if field.metadata["visibility"] is Visibility.FACT}
        assert numbers_of(stored) == numbers_of(shown)
        pages.append({at: n for at, n in numbers_of(shown).items() if at.split("/")[-1] not in of_patterns})
    for place in set().union(*pages):
        assert len({page[place] for page in pages if place in page}) == 1, place
