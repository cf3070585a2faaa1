"""The HTML report as a file: well-formed, self-contained, deterministic, harmless, and saying what it must."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from auditor.report import html as html_report
from auditor.report import redact, render
from auditor.report.results import Rendered
from auditor.result import Audience, Result
from tests.report import query_samples, samples
from tests.report.every import EVERY
from tests.report.page import Page, page_one, rendered

every_sample = pytest.mark.parametrize("name", EVERY)
every_audience = pytest.mark.parametrize("audience", Audience)


@pytest.mark.slow
@every_sample
@every_audience
def test_it_is_balanced_and_its_references_resolve(name: str, audience: Audience) -> None:
    page = Page(rendered(name, audience))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for reference in (attributes.get("aria-labelledby") or "").split():
            assert reference in ids
        target = attributes.get("href") or ""
        assert not target or target.removeprefix("#") in ids
        fill = re.fullmatch(r"url\(#(.*)\)", attributes.get("fill") or "")
        assert not fill or fill[1] in ids


@every_sample
@every_audience
def test_it_loads_and_runs_nothing(name: str, audience: Audience) -> None:
    page = Page(rendered(name, audience))
    forbidden = {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "form",
        "base",
        "audio",
        "video",
        "foreignobject",
    }
    assert not forbidden & {tag for tag, _ in page.tags}
    for _, attributes in page.tags:
        assert not [
            key for key in attributes if key.startswith("on") or key in {"src", "srcset", "style", "xlink:href"}
        ]
        assert not re.match(r"\w+:", attributes.get("href") or "")


@every_sample
def test_its_policy_allows_exactly_its_own_style(name: str) -> None:
    text = rendered(name)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = [m["content"] for m in Page(text).all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


@every_sample
def test_tables_have_captions_and_scopes(name: str) -> None:
    page = Page(rendered(name))
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(cell.get("scope") in {"row", "col"} for cell in page.all("th"))


@every_sample
def test_every_figure_has_a_title_a_description_and_a_table(name: str) -> None:
    page = Page(rendered(name))
    figures = [figure for figure in page.all("svg") if figure.get("aria-hidden") != "true"]  # which repeats a number
    assert (len(figures) == 0) == (name == "not-evaluated")
    for figure in figures:
        assert figure["role"] == "img"
        title, description = (figure["aria-labelledby"] or "").split()
        assert {"id": title} in page.all("title")
        assert {"id": description} in page.all("desc")
    assert len([d for d in page.all("div") if (d.get("class") or "").startswith("figure-block")]) == len(figures)


def test_it_has_language_landmarks_and_a_way_past_them() -> None:
    page = Page(rendered("failing"))
    assert page.all("html")[0]["lang"] == "en"
    assert {"header", "main", "footer"} <= {tag for tag, _ in page.tags}
    assert page.all("a")[0] == {"class": "skip", "href": "#answer"}
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_page_one_says_everything_that_the_decision_needs() -> None:
    page = page_one(rendered("failing"))
    for needed in (
        "Does not meet policy hospital-discharge",
        "of 2026-11-21 , policy SHA-256 2c26b46b68ff",
        "on file release.parquet , SHA-256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "2 of 5 requirements not met",
        "Someone who knows age, sex, zip and admitted of a person",
        "Rows: each row is taken as one person.",
        "Status Requirement Required Achieved Margin Policy",
        "✗ not met k k-anonymity at least 11 1 −10 line 31",
        "at most 0.2 0.2871 −0.0871 line 33",
        "below 4 ∞ −∞ line 37",
        "130 days left",
        "Not checked",
        "Assumed",
        "Approve Approve subject to change Reject",
        "Date and signature",
        "Verify with auditor check release.parquet -p policies/discharge.yaml",
    ):
        assert needed in page.text


@pytest.mark.parametrize("name", ["passing", *query_samples.AUDITS])
def test_what_no_check_sees_is_said(name: str) -> None:
    assert "What no check of " in page_one(rendered(name, Audience.INTERNAL)).text


def test_the_annexes_hold_what_supports_it() -> None:
    page = Page(rendered("failing"))
    for needed in (
        "University X and Institute of Public Health",
        "Research on readmissions",
        "diagnosis sensitive text",
        "cms-cell-11 house-rules.yaml",
        "model: t-closeness, sensitive: diagnosis",
        "Records by the size of their class",
        "5 to 10",
        "Share of records in classes smaller than k",
        "Records by the number of their class: t-closeness-diagnosis",
        "The effect of each further quasi-identifier",
        "Best possible",
        "CMS/ResDAC cell size suppression policy",
        "How to reproduce this report",
    ):
        assert needed in page.text
    assert len(page.all("details")) == 10


@every_sample
@every_audience
def test_it_never_promises_more_than_was_judged(name: str, audience: Audience) -> None:
    words = re.sub(r"[a-z-]*k-anonymity", "", Page(rendered(name, audience)).text.lower())
    for promise in ("anonymous", "anonymised", "anonymized", "safe", "compliant"):
        assert promise not in words


def test_status_is_never_said_by_colour_alone() -> None:
    page = Page(rendered("failing"))
    statuses = [a for a in page.all("span") if (a.get("class") or "").startswith("status ")]
    assert len(statuses) == 10
    for word in ("not met", "waived", "warning", "met"):
        assert word in page.text


def test_hidden_numbers_are_said_to_be_hidden_and_why() -> None:
    page = Page(rendered("failing", Audience.PUBLIC))
    assert "at least 11 hidden hidden line 31" in page.text
    assert "Hidden numbers are between 1 and 10, or would reveal such a number." in page.text
    assert "hidden" not in Page(rendered("failing", Audience.REVIEWER)).text


def test_hostile_texts_stay_texts() -> None:
    text = rendered("hostile", Audience.INTERNAL)
    ordinary = {tag for tag, _ in Page(rendered("failing", Audience.INTERNAL)).tags}
    assert {tag for tag, _ in Page(text).tags} <= ordinary
    assert "{{ 7 * 7 }}" in text
    assert text.count("<style>") == 1


def test_a_forged_hash_does_not_reach_the_style_sheet() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", rendered("hostile"), re.DOTALL)
    assert 'content: "File hash not shown"' in style


def test_right_to_left_names_are_isolated() -> None:
    text = rendered("unicode")
    assert text.count("مجهولية-k</bdi>") == 2
    assert "\u202e" not in text


def test_a_hidden_point_does_not_break_a_figure() -> None:
    sizes = [2, 2, 3]
    text = render(redact(samples.result_of((samples.k_anonymity(sizes),), sizes), Audience.PUBLIC), "html")
    assert "hidden" in Page(text).text
    assert "None" not in Page(text).text


def test_results_in_python_offer_it() -> None:
    class Shown(Rendered, Result):
        pass

    result = Shown(**vars(samples.failing()))
    assert result.to_html() == rendered("failing")
    assert result.to_html("public") == rendered("failing", Audience.PUBLIC)
    (frame,) = Page(result._repr_html_()).all("iframe")
    assert frame["srcdoc"] == rendered("failing")
    assert "sandbox" in frame


def test_the_templates_are_in_the_package() -> None:
    folder = Path(html_report.__file__).parent / "templates"
    assert {"report.html.j2", "page_one.html.j2", "annexes.html.j2", "figures.html.j2", "style.css"} <= {
        path.name for path in folder.iterdir()
    }


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_process() -> None:
    program = (
        "from tests.report import samples; from auditor.report import redact, render\n"
        "from auditor.report.rendered import FORMATS; from auditor.result import Audience\n"
        "import hashlib\n"
        "text = ''.join(render(redact(samples.failing(), Audience.PUBLIC), f) for f in FORMATS)\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    root = Path(__file__).resolve().parents[2]
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
