"""Every format on every sample: well-formed, honest, and harmless whatever the texts say."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

import auditor
from auditor.report import redact, render
from auditor.report.rendered import FORMATS, audience_for
from auditor.result import Audience, Verdict
from tests.report import samples
from tests.report.every import EVERY

SARIF_SCHEMA = json.loads((Path(__file__).parent / "sarif" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
every_sample = pytest.mark.parametrize("name", EVERY)
every_audience = pytest.mark.parametrize("audience", Audience)


@cache
def redacted(name: str, audience: Audience, _time: int = 1) -> Any:
    """A sample as an audience may see it; `_time` 2 is the same made again."""
    return redact(EVERY[name](), audience)


def rendered(name: str, format_: str, audience: Audience = Audience.REVIEWER, time: int = 1) -> str:
    return render(redacted(name, audience, time), format_)


@pytest.mark.slow
@every_sample
@every_audience
@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_renders_every_sample_as_utf_8_and_the_same_twice(
    name: str, audience: Audience, format_: str
) -> None:
    text = rendered(name, format_, audience)
    assert text.encode("utf-8") == rendered(name, format_, audience, 2).encode("utf-8")
    assert text.endswith("\n")
    assert "\x1b" not in text
    assert "\x07" not in text


def test_readers_who_are_strangers_get_the_public_document_unless_asked_otherwise() -> None:
    assert {f for f in FORMATS if audience_for(f, None) is Audience.PUBLIC} == {"github", "markdown"}
    assert audience_for("github", Audience.INTERNAL) is Audience.INTERNAL
    assert audience_for("html", None) is Audience.REVIEWER


class TestJson:
    @every_sample
    @every_audience
    def test_it_is_the_document(self, name: str, audience: Audience) -> None:
        assert json.loads(rendered(name, "json", audience)) == redacted(name, audience, 2).to_dict()

    def test_numbers_stay_numbers_and_keep_every_digit(self) -> None:
        document = json.loads(rendered("huge", "json"))
        assert document["classes"]["smallest"] == 2**31 + 7
        assert document["data"]["rows"] == 2**31 + 7 + 2**53 + 1 + 10**18
        assert json.loads(rendered("failing", "json"))["requirements"][4]["achieved"] == "inf"


class TestText:
    @every_sample
    @pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
    def test_no_line_is_wider_than_the_terminal(self, name: str, width: int) -> None:
        from rich.cells import cell_len

        from auditor.report import text

        shown = text.document(redacted(name, Audience.REVIEWER), width=width)
        assert max(cell_len(line) for line in shown.splitlines()) <= width + 2

    def test_it_says_why_and_what_was_not_looked_at(self) -> None:
        text = rendered("failing", "text")
        assert text.startswith("✗ Does not meet policy hospital-discharge")
        for part in ("at least 11", "−10", "not met", "Not checked", "queries", "Assumed", "130 days left", "Waived"):
            assert part in text

    def test_colour_is_only_for_terminals(self) -> None:
        from auditor.report import text

        assert "\x1b[" in text.document(redact(samples.failing(), Audience.REVIEWER), colour=True)

    @pytest.mark.slow
    def test_no_folded_line_is_a_command_to_a_build_server(self) -> None:
        for width in range(40, 120):
            from auditor.report import text

            shown = text.document(redact(samples.hostile(), Audience.PUBLIC), width=width)
            assert not [line for line in shown.splitlines() if line.lstrip().startswith("::") or "##[" in line]

    def test_a_column_of_passes_does_not_look_like_a_failure(self) -> None:
        text = rendered("passing", "text")
        assert text.startswith("✓ Meets policy")
        assert "✗" not in text


class TestJunit:
    @every_sample
    @every_audience
    def test_it_parses_and_counts(self, name: str, audience: Audience) -> None:
        root = ET.fromstring(rendered(name, "junit", audience))
        cases = root.findall("./testsuite/testcase")
        assert int(root.attrib["tests"]) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(root.attrib[attribute]) == len([c for c in cases if c.find(tag) is not None])

    def test_statuses_map_to_outcomes(self) -> None:
        cases = {c.attrib["name"]: c for c in ET.fromstring(rendered("failing", "junit")).iter("testcase")}
        assert cases["k"].find("failure") is not None
        assert cases["k"].attrib["line"] == "31"
        assert cases["recursive-l-diversity-cost"].find("skipped") is not None
        assert cases["average-risk"].find("failure") is None
        error = ET.fromstring(rendered("not-evaluated", "junit")).find(".//error")
        assert error is not None

    def test_nothing_judged_is_an_error(self) -> None:
        text = render(redact(samples.result_of(()), Audience.REVIEWER), "junit")
        assert ET.fromstring(text).attrib["errors"] == "1"


class TestSarif:
    @every_sample
    @every_audience
    def test_it_is_valid_under_the_published_schema(self, name: str, audience: Audience) -> None:
        document = json.loads(rendered(name, "sarif", audience))
        assert document["$schema"] == SARIF_SCHEMA["id"]
        jsonschema.validate(document, SARIF_SCHEMA)
        run = document["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(set(rules)) == len(rules)
        assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
        prints = [r["partialFingerprints"]["auditorRequirement/v1"] for r in run["results"]]
        assert len(set(prints)) == len(prints)

    @pytest.mark.parametrize("wrong", [{"level": "fatal"}, {"requirement": "k"}, {"message": {}}, {"ruleIndex": "0"}])
    def test_the_schema_of_this_test_does_reject(self, wrong: dict[str, Any]) -> None:
        document = json.loads(rendered("failing", "sarif"))
        document["runs"][0]["results"][0].update(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, SARIF_SCHEMA)

    def test_a_fingerprint_survives_a_moved_line_and_a_changed_number(self) -> None:
        def prints(result: Any) -> list[str]:
            run = json.loads(render(redact(result, Audience.REVIEWER), "sarif"))["runs"][0]
            return [r["partialFingerprints"]["auditorRequirement/v1"] for r in run["results"]]

        moved = samples.k_anonymity([2, 40], location=samples.Location(file="elsewhere.yaml", line=99))
        assert prints(samples.result_of((moved,))) == prints(samples.failing())[:1]

    def test_what_passes_is_no_alert_and_what_fails_points_at_the_policy(self) -> None:
        run = json.loads(rendered("failing", "sarif"))["runs"][0]
        assert {r["ruleId"] for r in run["results"]} == {
            "auditor/k-anonymity",
            "auditor/t-closeness",
            "auditor/p-sensitive-k-anonymity",
            "auditor/recursive-l-diversity",
        }
        place = run["results"][0]["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": "policies/discharge.yaml"}, "region": {"startLine": 31}}
        assert json.loads(rendered("passing", "sarif"))["runs"][0]["results"] == []


class TestGithub:
    COMMAND = re.compile(r"::(error|warning|notice) (?:[a-z]+=[^,:\r\n]*)(?:,[a-z]+=[^,:\r\n]*)*::[^\r\n]*")

    @every_sample
    @every_audience
    def test_every_line_is_one_command_of_ours(self, name: str, audience: Audience) -> None:
        for line in rendered(name, "github", audience).splitlines():
            assert self.COMMAND.fullmatch(line)
            assert "##[" not in line

    def test_the_worst_ten_then_how_many_more(self) -> None:
        lines = rendered("many", "github").splitlines()
        assert len([line for line in lines if line.startswith("::error")]) == 10
        assert "::notice title=auditor::and 40 more errors" in lines
        assert len([line for line in lines if line.startswith("::warning")]) == 10

    def test_percent_signs_and_line_breaks_are_escaped_as_the_runner_unescapes_them(self) -> None:
        requirement = samples.k_anonymity([3], id="50%0A", because=None)
        line = render(redact(samples.result_of((requirement,), [3]), Audience.PUBLIC), "github").splitlines()[0]
        assert "title=50%250A not met" in line

    def test_an_empty_result_is_an_error_and_not_silence(self) -> None:
        assert render(redact(samples.result_of(()), Audience.PUBLIC), "github").startswith("::error")


class TestGitlab:
    @every_sample
    def test_it_is_a_list_of_issues_with_unique_fingerprints(self, name: str) -> None:
        issues = json.loads(rendered(name, "gitlab"))
        for issue in issues:
            assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
            assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
            assert issue["location"]["lines"]["begin"] >= 1
        assert len({issue["fingerprint"] for issue in issues}) == len(issues)
        assert (issues == []) == (EVERY[name]().verdict is Verdict.PASS)


class TestMarkdown:
    @every_sample
    def test_a_parser_sees_our_structure_and_only_text_inside(self, name: str) -> None:
        """The page of a hostile document has the tags that an ordinary one has, and no link, image or raw markup."""
        source = rendered(name, "markdown", Audience.PUBLIC)
        source = source.replace("<!-- -->", "").replace("<sub>", "").replace("</sub>", "")
        html = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(source)
        tags = set(re.findall(r"<([a-z0-9]+)", html))
        assert tags <= {"h3", "p", "table", "thead", "tbody", "tr", "th", "td", "strong", "ul", "li"}
        assert len(re.findall("<h3", html)) == 1

    @every_sample
    def test_each_row_of_the_table_has_seven_cells(self, name: str) -> None:
        for line in rendered(name, "markdown").splitlines():
            if line.startswith("|"):
                assert line.count("|") == 8

    def test_people_are_not_mentioned(self) -> None:
        text = rendered("hostile", "markdown")
        assert not re.search(r"@\w", text)
        assert "@<!-- -->everyone" in text

    def test_ordinary_names_stay_readable(self) -> None:
        text = rendered("failing", "markdown")
        assert (
            "| ✗ | t-closeness-diagnosis | at most 0.2 | 0.2871 | −0.0871 | not met | policies/discharge.yaml:33 |"
            in text
        )
        assert "hospital-discharge" in text

    def test_a_long_table_is_cut_and_says_so(self) -> None:
        assert "and 30 more" in rendered("many", "markdown")


@pytest.mark.parametrize("format_", FORMATS)
def test_a_doubt_about_what_is_met_is_told_in_every_format(format_: str) -> None:
    """Values exchanged with their neighbours': linked to nobody, and no pass by silence."""
    names = {"record": range(200), "income": [1000 + 7 * i for i in range(200)]}
    swapped = {**names, "income": [1000 + 7 * (i ^ 1) for i in range(200)]}
    asked = {"model": "max-linkage-risk", "max": 0.05, "attributes": ["income"], "match": "record"}
    policy = {"attributes": {"record": "insensitive", "income": "sensitive"}, "requirements": [asked]}
    result = auditor.check(pa.table(swapped), policy, original=pa.table(names))
    assert result.verdict == "pass"
    assert "max-interval-disclosure" in render(redact(result, Audience.PUBLIC), format_)
