"""The report of a remediation in a real browser: nothing cut off, nothing inaccessible, one page for the answer."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from auditor.report import redact, render
from auditor.result import Audience
from tests.report import samples

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: dev)")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed (extra: dev)")

pytestmark = pytest.mark.browser

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
every_sample = pytest.mark.parametrize("name", samples.REMEDIATIONS)
UNFOLD = "document.querySelectorAll('details').forEach(details => details.open = true)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        running = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield running
        running.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open a sample's report in a fresh context, its annexes unfolded."""
    contexts = []

    def opened(name: str, audience: Audience = Audience.REVIEWER, width: int = 1100, **options: Any) -> Any:
        path = tmp_path / "report.html"
        path.write_text(render(redact(samples.REMEDIATIONS[name](), audience), "html"), encoding="utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        page.evaluate(UNFOLD)
        return page

    yield opened
    for context in contexts:
        context.close()


@every_sample
@pytest.mark.parametrize("width", [360, 720, 1100])
def test_it_never_scrolls_sideways(show: Any, name: str, width: int) -> None:
    assert show(name, Audience.INTERNAL, width).evaluate("document.documentElement.scrollWidth") <= width


@every_sample
@pytest.mark.parametrize("audience", Audience)
def test_the_answer_fits_one_printed_page(show: Any, name: str, audience: Audience) -> None:
    pages = pypdf.PdfReader(io.BytesIO(show(name, audience).pdf(prefer_css_page_size=True))).pages
    first, second = (page.extract_text() for page in pages[:2])
    assert "Disclosure audit" in first
    assert "Date and signature" in first
    assert "Annexes" in second


@pytest.mark.parametrize("script", ["patient-number-", "患者番号"])
def test_the_answer_fits_one_printed_page_however_full(browser: Any, script: str) -> None:
    """Measured in the printed width and height of A4 within the margins, at 96 pixels per inch."""
    width, height = round((210 - 30) / 25.4 * 96), (297 - 27) / 25.4 * 96
    page = browser.new_page(viewport={"width": width, "height": 1000})
    page.emulate_media(media="print")
    for requirements, waivers, limits in product((1, 12, 40), (0, 9), (0, 12)):
        result = samples.crowded_remediation(requirements, waivers, limits, script)
        page.set_content(render(redact(result, Audience.PUBLIC), "html"))
        end = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
        assert end <= height, (requirements, waivers, limits)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@every_sample
def test_axe_has_no_serious_finding(show: Any, name: str, scheme: str) -> None:
    violations = axe.Axe().run(show(name, Audience.INTERNAL, color_scheme=scheme)).response["violations"]
    serious = [v for v in violations if v["impact"] in {"serious", "critical"}]
    assert [(v["id"], [node["html"] for node in v["nodes"]][:2]) for v in serious] == []


@pytest.mark.parametrize("name", ["remediated", "vast", "hostile"])
def test_no_text_of_a_picture_is_cut_off(show: Any, name: str) -> None:
    outside = """[...document.querySelectorAll('svg')].flatMap(svg => {
        const box = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(text => {
            const t = text.getBoundingClientRect();
            return t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1 || t.bottom > box.bottom + 1;
        }).map(text => text.textContent);
    })"""
    assert show(name, Audience.INTERNAL).evaluate(outside) == []
