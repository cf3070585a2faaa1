"""The documentation site: every page in its navigation, every link held, nothing loaded from elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

import auditor
from tests.workshop.pages import ROOT, pages
from website import links
from website.pages import API, NavigationError, laid, navigation

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
INDEX = """\
# All

## I have a table

- [a table](a.md): one
- [The models](models/README.md)

## Reference

- [B](b.md)
"""
OWN = ["README.md", "docs/README.md", "docs/a.md", "docs/b.md", "docs/models/README.md", "docs/models/k.md"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: the test's output is the test's."""


# The pages


def test_the_navigation_is_the_list_by_task() -> None:
    assert navigation(INDEX, OWN) == [
        {"Home": ["README.md", {"All pages": "docs/README.md"}]},
        {
            "I have a table": [
                {"A table": "docs/a.md"},
                {"The models": ["docs/models/README.md", "docs/models/k.md"]},
            ]
        },
        {"Reference": [{"B": "docs/b.md"}, {"API reference": API}]},
    ]


@pytest.mark.parametrize(
    ("index", "own", "said"),
    [
        (INDEX, [*OWN, "docs/new.md"], "names no docs/new.md"),
        (INDEX, [*OWN, "docs/risk/suda2.md"], "names no docs/risk/suda2.md"),
        (INDEX + "- [A again](a.md)\n", OWN, "names twice: docs/a.md"),
    ],
)
def test_a_page_is_in_the_navigation_once(index: str, own: list[str], said: str) -> None:
    with pytest.raises(NavigationError, match=said):
        navigation(index, own)


def test_every_page_of_the_project_has_its_task() -> None:
    own = [page.relative_to(ROOT).as_posix() for page in pages()]
    listed = navigation((ROOT / "docs" / "README.md").read_text(encoding="utf-8"), own)
    tasks = ["I have a table", "I have a pipeline", "I publish tables", "I answer queries", "Reference"]
    assert [part for entry in listed for part in entry] == ["Home", *tasks]


def test_a_link_leads_to_a_page_that_shows_the_file() -> None:
    text = "[t](../tests/conftest.py) [r](../reports/fair.html) [g](gate.md#the-gate) [u](https://example.org/a.py)"
    made, linked = laid("docs/ci.md", f"{text}\n\n```yaml a/b.yaml\nk: 1\n```\n")
    assert made.startswith(text.replace("conftest.py", "conftest.py.md"))
    assert '```yaml title="a/b.yaml"\n' in made
    assert linked == {"tests/conftest.py", "reports/fair.html", "docs/gate.md"}


def test_every_example_report_is_on_the_page_of_reports() -> None:
    page = (ROOT / "docs" / "example-reports.md").read_text(encoding="utf-8")
    for report in (ROOT / "reports").glob("*.html"):
        assert f"(../reports/{report.name})" in page


# The links of a built site


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="b.html">b</a>', "index.html: b.html: there is no such file"),
        ('<a href="a.html#there">a</a>', "index.html: a.html#there: there is no such place on that page"),
        ('<a href="#there">a</a>', "index.html: #there: there is no such place on that page"),
        ('<a href="/a.html">a</a>', "index.html: /a.html: holds only where the site is at the top of its host"),
        ('<img src="a.png">', "index.html: a.png: there is no such file"),
        ('<img src="https://example.org/a.png">', "index.html: loads https://example.org/a.png"),
        ('<img srcset="//example.org/a.png 2x">', "index.html: loads //example.org/a.png"),
        ('<script src="//example.org/a.js"></script>', "index.html: loads //example.org/a.js"),
        ('<link rel="preconnect" href="https://example.org">', "index.html: loads https://example.org"),
        ("<style>@import 'https://example.org/a.css';</style>", "index.html: loads https://example.org/a.css"),
        ('<p style="background: url(https://example.org/a.png)">', "index.html: loads https://example.org/a.png"),
        (
            '<pre class="mermaid">a</pre>',
            "index.html: loads a script for its diagram",
        ),
    ],
)
def test_a_link_that_leads_nowhere_and_what_is_loaded_from_elsewhere_are_named(
    html: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "index.html").write_text(html, encoding="utf-8")
    assert links.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{said}\n"


def test_a_style_sheet_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@font-face {src: url('https://example.org/f.woff2')}", encoding="utf-8")
    assert list(links.problems(tmp_path)) == ["a.css: loads https://example.org/f.woff2"]


def test_good_links_are_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "index.html").write_text('<a href="../a.html#here">a</a>', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="below/">b</a><a href="https://example.org">e</a><img src="data:,">', encoding="utf-8"
    )
    assert links.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("2 pages")


def test_no_page_is_not_good(tmp_path: Path) -> None:
    assert links.main([str(tmp_path)]) == 1


# The site itself


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    if find_spec("mkdocs") is None:
        pytest.skip("the extra docs is not installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    laying = [sys.executable, str(ROOT / "website" / "pages.py"), str(folder / "pages")]
    subprocess.run(laying, check=True, cwd=ROOT)
    building = ["build", "--quiet", "--strict", "--config-file", str(folder / "pages" / "mkdocs.yml")]
    built = subprocess.run([sys.executable, "-m", "mkdocs", *building], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "pages" / "site"


@pytest.mark.slow
def test_the_site_holds_every_page_and_its_links(site: Path) -> None:
    assert list(links.problems(site)) == []
    shown = {file.relative_to(site).with_suffix("").as_posix() for file in site.rglob("*.html")}
    own = {page.relative_to(ROOT).with_suffix("").as_posix() for page in pages()}
    assert {place.replace("README", "index") for place in own} <= shown
    assert {f"reports/{report.stem}" for report in (ROOT / "reports").glob("*.html")} <= shown


@pytest.mark.slow
def test_the_reference_describes_what_is_exported(site: Path) -> None:
    page = links.Page((site / API).with_suffix(".html").read_text(encoding="utf-8"))
    for name in auditor.__all__:
        assert any(anchor.endswith(f".{name}") for anchor in page.anchors), name
    assert "auditor.audit.CheckResult.to_html" in page.anchors, "what a class inherits is described"


@pytest.mark.slow
def test_the_search_knows_every_page(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"docs/models/k-anonymity.html", "docs/api.html", "docs/gate.html"} <= found
    assert not [place for place in found if place.startswith("tests/")]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
@pytest.mark.browser
def test_a_reader_finds_a_page_and_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright, of the extra dev, is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for place in ("index.html", "docs/api.html", "docs/models/k-anonymity.html", "reports/fair.html"):
            page.goto(f"{address}/{place}")
        page.goto(f"{address}/index.html")
        page.fill("input.md-search__input", "t-closeness")
        page.wait_for_selector("a.md-search-result__link[href*='t-closeness']")
        browser.close()
    assert asked
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
