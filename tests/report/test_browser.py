"""The HTML report in a real browser: nothing loaded, nothing logged, nothing cut off, nothing inaccessible."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from auditor.report import redact, render
from auditor.result import Audience, Result
from tests.report import samples
from tests.report.every import EVERY

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: dev)")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed (extra: dev)")

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
every_sample = pytest.mark.parametrize("name", EVERY)


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
    """Open a sample's report in a fresh context; the page keeps what it logged and asked for."""
    contexts = []

    def opened(name: str, audience: Audience = Audience.REVIEWER, width: int = 1100, **options: Any) -> Any:
        path = tmp_path / "report.html"
        path.write_text(render(redact(EVERY[name](), audience), "html"), encoding="utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.logged, page.asked = [], []
        page.on("console", lambda message: page.logged.append(message.text))
        page.on("pageerror", lambda error: page.logged.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")


@every_sample
def test_it_never_scrolls_sideways_logs_nothing_and_asks_for_nothing_but_itself(show: Any, name: str) -> None:
    page = show(name, Audience.INTERNAL)
    for width in (360, 720, 1100):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    unfold(page)
    for width in (1100, 720, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.logged == []
    assert [url for url in page.asked if not url.endswith("/report.html")] == []


def test_the_style_sheet_passes_the_pages_own_policy(show: Any) -> None:
    background = show("failing").evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(253, 252, 249)"


def test_a_phone_shows_status_and_requirement_without_scrolling(show: Any) -> None:
    page = show("failing", width=360)
    for cell in page.locator(".requirements tbody tr").first.locator("td, th").all():
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    assert page.locator(".requirements tbody td[data-label=Required]").first.is_visible()
    caption = page.locator(".requirements caption").bounding_box()
    assert caption["x"] + caption["width"] <= 360


@every_sample
def test_the_answer_fits_one_printed_page(show: Any, name: str) -> None:
    printed = show(name).pdf(prefer_css_page_size=True, page_ranges="1-2")
    answer, behind = (page.extract_text() for page in pypdf.PdfReader(io.BytesIO(printed)).pages)
    assert "Disclosure audit" in answer
    assert "Date and signature" in answer
    assert ("Verify with" in answer) == (name != "infeasible"), "where nothing was written, nothing is to verify"
    assert "Annexes" not in answer
    assert "Annexes" in behind


@pytest.fixture
def paper(browser: Any) -> Iterator[Callable[[Result, Audience], bool]]:
    """Whether the answer of a report fits A4 within the margins, measured in print at 96 pixels per inch."""
    width, height = round((210 - 30) / 25.4 * 96), (297 - 27) / 25.4 * 96
    page = browser.new_page(viewport={"width": width, "height": 1000})
    page.emulate_media(media="print")

    def fits(result: Result, audience: Audience) -> bool:
        page.goto("about:blank")  # each report has a policy of its own, which would forbid the next one's style
        page.set_content(render(redact(result, audience), "html"))
        assert page.evaluate("getComputedStyle(document.querySelector('.skip')).display") == "none", "unstyled"
        return bool(page.evaluate("document.querySelector('main').getBoundingClientRect().bottom") <= height)

    yield fits
    page.close()


@pytest.mark.parametrize("audience", Audience)
def test_the_answer_fits_one_page_whoever_reads_it(paper: Any, audience: Audience) -> None:
    assert [name for name, sample in EVERY.items() if not paper(sample(), audience)] == []


@pytest.mark.parametrize("script", ["patient-number-", "患者番号"])
@pytest.mark.parametrize(
    ("crowd", "sizes"),
    [
        (samples.crowd, ((1, 7, 12, 40), (0, 1, 9), (0, 3, 12))),
        (samples.crowded_remediation, ((1, 12, 40), (0, 9), (0, 12))),
    ],
    ids=["check", "remediate"],
)
def test_the_answer_fits_one_page_however_full(paper: Any, crowd: Any, sizes: Any, script: str) -> None:
    assert [each for each in product(*sizes) if not paper(crowd(*each, script), Audience.PUBLIC)] == []


def test_every_printed_page_has_the_hash_and_its_number_and_the_annexes_are_open(show: Any) -> None:
    pages = pypdf.PdfReader(io.BytesIO(show("failing").pdf(prefer_css_page_size=True))).pages
    for number, page in enumerate(pages, 1):
        width, height = float(page.mediabox.width), float(page.mediabox.height)
        assert (round(width), round(height)) == (595, 842)
        text = page.extract_text()
        assert samples.SHA in text
        assert f"Page {number} of {len(pages)}" in text
    whole = "".join(page.extract_text() for page in pages)
    assert "Institute of Public Health" in whole
    assert "How to reproduce this report" in whole
    assert "publish it with care" in whole


@pytest.mark.parametrize("name", ["failing", "insiders-log", "long-log", "masked", "not-evaluated"])
def test_no_printed_page_is_nearly_empty(show: Any, name: str) -> None:
    printed = pypdf.PdfReader(io.BytesIO(show(name).pdf(prefer_css_page_size=True)))
    lines = [[line for line in page.extract_text().splitlines() if line.strip()] for page in printed.pages]
    assert min(map(len, lines)) > 8, "two of them are in every page's foot"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["failing", "passing", "waived", "not-evaluated", "hostile", "unicode", *samples.REMEDIATIONS, "masked-pictured"],
)
def test_axe_has_no_serious_finding(show: Any, name: str, scheme: str) -> None:
    page = show(name, Audience.INTERNAL, color_scheme=scheme)
    unfold(page)
    violations = axe.Axe().run(page).response["violations"]
    serious = [v for v in violations if v["impact"] in {"serious", "critical"}]
    assert [(v["id"], [node["html"] for node in v["nodes"]][:2]) for v in serious] == []


OUTSIDE = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
        const t = text.getBoundingClientRect();
        return t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1 || t.bottom > box.bottom + 1;
    }).map(text => text.textContent);
})"""
"""The labels of pictures that their edge cuts."""
BROKEN = """(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.parentElement.closest('svg, code, pre')) continue;
        for (const word of node.data.matchAll(/(?<!\\S)\\p{Script=Latin}+(?=[.,;:)]*(?!\\S))/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map(part => Math.round(part.top)));
            if (lines.size > 1 && word[0].length < 16) found.push(word[0]);
        }
    }
    return found;
})()"""
"""The words of usual length that are broken over two lines."""

WIDER = """[...document.querySelectorAll('.wide')].filter(frame => frame.scrollWidth > frame.clientWidth + 1)
    .map(frame => frame.innerText.slice(0, 60))"""
"""The tables whose frame cuts them off."""


@every_sample
def test_nothing_is_cut_off_and_no_word_is_broken(show: Any, name: str) -> None:
    page = show(name, Audience.INTERNAL)
    unfold(page)
    for width in (390, 600, 900, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        assert (width, *map(page.evaluate, (OUTSIDE, BROKEN, WIDER))) == (width, [], [], [])


@pytest.mark.parametrize("name", ["masked-pictured", "masked-many-pictured", "hostile-masking-pictures"])
def test_no_label_of_a_masking_is_cut_off_in_print(show: Any, name: str) -> None:
    page = show(name, Audience.INTERNAL, 794)
    page.emulate_media(media="print")
    unfold(page)
    assert page.locator("#annex-changes svg").count() > 1
    assert page.evaluate(OUTSIDE) == []


def test_axe_would_find_something(show: Any) -> None:
    page = show("failing")
    page.evaluate("document.querySelectorAll('.kind, .why').forEach(part => part.style.color = '#ddd')")
    page.evaluate("document.documentElement.removeAttribute('lang')")
    found = {v["id"] for v in axe.Axe().run(page).response["violations"]}
    assert {"color-contrast", "html-has-lang"} <= found


def test_the_keyboard_reaches_the_answer_and_the_annexes(show: Any) -> None:
    page = show("failing")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True


def test_it_works_without_scripts(show: Any) -> None:
    page = show("failing", java_script_enabled=False)
    assert page.locator("h1").inner_text() == "Does not meet policy hospital-discharge"
    page.locator("summary").first.click()
    assert page.get_by_text("Institute of Public Health").last.is_visible()
