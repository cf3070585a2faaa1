"""The page of a change in a real browser: nothing loaded, cut off or inaccessible, and all of it printed."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.gate import Gate
from auditor.report import redact, render
from auditor.result import Audience
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: dev)")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed (extra: dev)")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LONG = "a-release-with-a-name-that-is-as-long-as-names-may-be-and-has-no-place-to-break-0123456789-0123456789"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        running = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield running
        running.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of a gate that is open, and of one with everything that can be wrong."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "repository").mkdir()
    repository = Repository((folder / "repository").resolve())
    written = {"open": _written(repository.gate(), folder / "open.html")}
    repository.git("checkout", "-q", "main")
    gone = "  gone: {policy: policies/clinic.yaml, data: out/clinic.csv}\n"
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", gone + "trusted:"))
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    names = (LONG[:100], "absent", "bad")
    releases = "".join(f"  {name}: {{policy: policies/bad.yaml, data: out/{name}.csv}}\n" for name in names)
    text = MANIFEST.replace("trusted:", releases + "trusted:").replace("teaching", '"<b>bold</b> & more"')
    repository.write("auditor.yaml", text.replace("max_waiver_days: 90", "max_waiver_days: 900"))
    columns = ", ".join(f"{'column' * 12}_{i}: insensitive" for i in range(12))
    repository.write("policies/bad.yaml", POLICY.replace("name: clinic", "name: bad"))
    repository.write("policies/clinic.yaml", POLICY.replace("l: 2", "l: 1").replace("age:", f"{columns}, age:"))
    for name in (LONG[:100], "bad"):
        repository.write(f"out/{name}.csv", DATA + "50,3,flu\n")
    written["closed"] = _written(repository.gate(), folder / "closed.html")
    return written


def _written(found: Gate, file: Path) -> Path:
    file.write_text(render(redact(found, Audience.REVIEWER), "html"), encoding="utf-8")
    return file


@pytest.fixture
def show(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    contexts = []

    def opened(name: str, width: int = 1100, **options: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.logged, page.asked = [], []
        page.on("console", lambda message: page.logged.append(message.text))
        page.on("pageerror", lambda error: page.logged.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(pages[name].as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")


@pytest.mark.parametrize("name", ["open", "closed"])
def test_it_logs_nothing_and_asks_for_nothing_but_itself(show: Any, name: str) -> None:
    page = show(name)
    unfold(page)
    assert page.logged == []
    assert [url for url in page.asked if not url.endswith(f"/{name}.html")] == []


@pytest.mark.parametrize("name", ["open", "closed"])
@pytest.mark.parametrize("width", [360, 390, 720, 1100])
def test_it_never_scrolls_sideways(show: Any, name: str, width: int) -> None:
    page = show(name, width)
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        unfold(page)


@pytest.mark.parametrize("name", ["open", "closed"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(show: Any, name: str, scheme: str) -> None:
    page = show(name, color_scheme=scheme)
    unfold(page)
    violations = axe.Axe().run(page).response["violations"]
    serious = [v for v in violations if v["impact"] in {"serious", "critical"}]
    assert [(v["id"], [node["html"] for node in v["nodes"]][:2]) for v in serious] == []


def test_what_is_weaker_is_seen_without_scrolling_on_a_phone(show: Any) -> None:
    box = show("closed", 390).get_by_role("heading", name="Weaker than the base revision").bounding_box()
    assert box["y"] + box["height"] <= 800


def test_a_link_leads_to_each_release(show: Any) -> None:
    page = show("open")
    page.get_by_role("link", name="clinic").click()
    assert page.url.endswith("#release-1")


@pytest.mark.parametrize("name", ["open", "closed"])
def test_printed_it_has_all_releases_opened_and_the_commit_on_every_page(show: Any, name: str) -> None:
    printed = pypdf.PdfReader(io.BytesIO(show(name).pdf(prefer_css_page_size=True))).pages
    texts = [page.extract_text() for page in printed]
    assert all("Head " in text and f"of {len(texts)}" in text for text in texts)
    whole = "".join(texts).replace("\n", "")
    assert "What an approval names" in whole or name == "open"
    assert whole.count("distinct-l-diversity") + whole.count("SHA-256") >= 2
