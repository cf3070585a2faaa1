"""The words of a query audit: proofs that can be read, and nothing of the data below the internal audience."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.report import queries, redact, render, words
from auditor.report._constructs import MEANINGS
from auditor.report.html import _timeline
from auditor.report.rendered import FORMATS
from auditor.result import Audience
from auditor.result.queries import Disclosure, QueriesResult
from tests.conftest import ROOT
from tests.report import query_samples
from tests.report.page import Page


def shown(result: QueriesResult, audience: Audience = Audience.INTERNAL) -> QueriesResult:
    return words.view(redact(result, audience)).result


def sentence(audience: Audience = Audience.INTERNAL, **changes: Any) -> str:
    """The proof of one disclosure."""
    disclosure: Disclosure = replace(query_samples.exact_value(), **changes)
    audit = replace(query_samples.tracked(), disclosures=(disclosure,))
    (proof,) = queries.proofs(shown(audit, audience))
    return proof.sentence


def test_a_proof_names_queries_and_for_the_internal_audience_values() -> None:
    (salary,) = {query_samples.SALARIES[17]}
    everybody, but_one = sum(query_samples.SALARIES), sum(query_samples.SALARIES) - salary
    plain = "answer 1 − answer 4 = one person's salary"
    assert sentence(Audience.PUBLIC) == f"{plain} (from query 4 on, by user 1 and user 2)"
    assert sentence(Audience.REVIEWER) == f"{plain} (from query 4 on, by user 1 and user 2)"
    worked = f"{everybody:,} − {but_one:,} = {salary:,}"
    assert sentence() == f"{plain}: record s17, {worked} (from query 4 on, by ana and ben)"


@pytest.mark.parametrize(
    ("certificate", "combination"),
    [
        ({"1": "1", "2": "1", "5": "-1"}, "answer 1 + answer 2 − answer 5 ="),
        ({"1": "1/2", "3.1": "1/2", "2": "-1/2"}, "(answer 1 + answer 3.1 − answer 2) / 2 ="),
        ({"2": "-1", "1": "60", "4": "-59"}, "60 × answer 1 − answer 2 − 59 × answer 4 ="),
        ({"1": "1/3", "2": "-3/4"}, "(4 × answer 1 − 9 × answer 2) / 12 ="),
        ({str(i): "1" for i in range(1, 21)}, " + answer 12 … 8 more answers ="),
    ],
)
def test_combinations_read_as_arithmetic(certificate: dict[str, str], combination: str) -> None:
    assert combination in sentence(Audience.REVIEWER, certificate=certificate)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "group", "functional": "total", "records_count": 2}, "= the sum of the salary of 2 people"),
        ({"kind": "group", "functional": "other", "records_count": 2}, "= a weighted sum of the salary of 2 people"),
        ({"kind": "interval", "certificate": None, "follows_from": ("1", "2")}, "1 and 2 give a narrow interval"),
        ({"kind": "finite-domain", "records_count": 30}, "the only salary that is possible for 30 people"),
        ({"kind": "individual"}, "= one person's salary"),
        ({"certificate": None}, "the answers up to query 4 give one person's salary"),
        ({"known": {"s3": "-1"}, "insider": "ana"}, "answer 1 − answer 4 and what user 1 knows = one person's salary"),
    ],
)  # fmt: skip
def test_what_follows_is_said_for_every_kind(changes: dict[str, Any], said: str) -> None:
    assert said in sentence(Audience.REVIEWER, **changes)


def test_what_an_insider_knows_and_constants_are_internal() -> None:
    changes: dict[str, Any] = {"known": {"s3": "-1"}, "insider": "ana", "constant": "-7"}
    assert "answer 1 − answer 4 − the value of s3 + -7 = one person's salary: record s17" in sentence(**changes)


@given(st.dictionaries(st.sampled_from(sorted(query_samples.ASKED)), st.fractions(-9, 9), min_size=1))
def test_a_combination_is_worth_what_it_says(weights: dict[str, Any]) -> None:
    """The text, read again as arithmetic, is the certificate's number."""
    certificate = {index: str(weight) for index, weight in weights.items()}
    text = sentence(Audience.REVIEWER, certificate=certificate).partition(" = ")[0]
    answers = {index: 10**6 + 7 * i * i for i, index in enumerate(query_samples.ASKED)}
    python = text.replace("−", "-").replace("×", "*").replace(",", "")
    python = re.sub(r"answer (\d+(?:\.\d+)?)", lambda found: str(answers[found[1]]), python)
    expected = sum(weight * answers[index] for index, weight in weights.items())
    assert eval(python) == pytest.approx(float(expected))  # arithmetic of our own making


def test_numbers_of_the_data_keep_all_their_digits() -> None:
    assert queries.exactly(48_000.5) == "48,000.5"
    assert queries.exactly(2**60 + 1) == "1,152,921,504,606,846,977"
    assert queries.exactly("12345678.25") == "12,345,678.25"
    assert queries.exactly("x") == queries.exactly(None) == "–"


def test_every_readable_format_tells_the_proof() -> None:
    result, proof = query_samples.tracked(), "answer 1 − answer 4 = one person's salary"
    for format_ in ("text", "markdown", "junit", "sarif", "html"):
        text = render(redact(result, Audience.REVIEWER), format_)
        if format_ == "html":
            text = Page(text).text
        if format_ == "junit":
            text = "".join(ET.fromstring(text).itertext())
        plain = text.replace("&#91;", "[").replace("\n", " ")
        assert proof in plain, format_


def test_the_report_says_of_a_construct_what_the_page_on_sql_says() -> None:
    rows = re.findall(
        r"^\| ((?:`[a-z-]+`(?:, )?)+) \| (.*) \|$", (ROOT / "docs" / "sql.md").read_text("utf-8"), re.MULTILINE
    )
    listed = {name: meaning.replace("`", "") for names, meaning in rows for name in re.findall(r"`([a-z-]+)`", names)}
    assert len(listed) > 30
    assert listed == MEANINGS, "copy what the page says into auditor/report/_constructs.py"


def test_deciding_before_answering_is_told_as_such() -> None:
    text = " ".join(render_text(query_samples.online()).split())
    assert "Every query can be answered under policy hospital-discharge" in text
    assert "5 queries: 4 answered and 1 denied" in text
    assert "disclosed nothing: what would disclose is denied" in text
    assert "Denied by • exact-value: 1 query" in text


def test_a_limit_without_a_number_says_what_it_demands() -> None:
    assert "queries-exact-value no value follows – –" in " ".join(render_text(query_samples.tracked()).split())


def render_text(result: QueriesResult) -> str:
    return render(redact(result, Audience.REVIEWER), "text")


def test_sarif_tells_each_limit_its_own_proof() -> None:
    document = json.loads(render(redact(query_samples.tracked(), Audience.REVIEWER), "sarif"))
    messages = [result["message"]["text"] for result in document["runs"][0]["results"]]
    assert [("answer 1 −" in message, "answer 2 −" in message) for message in messages] == [
        (True, False),
        (False, True),
    ]


def test_the_timeline_counts_every_query_once() -> None:
    for sample in (query_samples.tracked, query_samples.long_log, query_samples.online):
        result = sample()
        figure = _timeline.timeline(shown(result))
        assert figure is not None
        counted = [
            int(text) for row in figure.table for text in row[1 : len(figure.columns) - bool(result.disclosures)]
        ]
        assert sum(counted) == len(result.queries)
        assert len(figure.table) <= _timeline.MOST_COLUMNS
        for lane in figure.lanes:
            for mark in lane.marks:
                assert mark.x >= _timeline.LEFT
                assert mark.x + mark.width <= _timeline.WIDTH - _timeline.RIGHT
                assert lane.base - _timeline.BAR <= mark.y <= lane.base


def test_the_timeline_marks_the_first_disclosure_for_every_audience() -> None:
    for audience in Audience:
        figure = _timeline.timeline(shown(query_samples.tracked(), audience))
        assert figure is not None
        assert figure.first is not None
        assert figure.first.label == "first disclosure: query 4"
    figure = _timeline.timeline(shown(query_samples.tracked(), Audience.PUBLIC))
    assert figure is not None
    assert [row[-1] for row in figure.table] == ["–", "–", "–", "–", "yes", "yes", "–", "–"], "public: not how many"


SECRETS = st.text("QXZJKVW", min_size=9, max_size=9).map(lambda letters: f"SECRET{letters}")


@pytest.mark.slow
@given(SECRETS, SECRETS, SECRETS, st.integers(10**11, 10**12), st.integers(10**11, 10**12))
def test_nothing_of_the_data_reaches_the_reviewer_or_the_public(
    key: str, literal: str, category: str, value: int, answer: int
) -> None:
    asked = tuple(
        query_samples.query(index, sql=f"SELECT sum(salary) FROM staff WHERE name <> '{literal}'", answer=answer + i)
        for i, index in enumerate(query_samples.ASKED)
    )
    found = tuple(
        replace(
            query_samples.exact_value(), kind=kind, records=(key, "x"), low=value, high=value + 1, value=category,
            known={key: "-1"}, coefficients={key: "3"}, constant=str(value), insider="ana",
        )
        for kind in ("exact-value", "group", "interval", "finite-domain", "individual")
    )  # fmt: skip
    result = query_samples.audit_of(asked, found)
    needles = {key, literal, category, *(f"{n}" for n in (value, value + 1)), *(f"{n:,}" for n in (value, value + 1))}
    needles |= {f"{answer + i}" for i in range(len(asked))} | {f"{answer + i:,}" for i in range(len(asked))}
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            assert not [needle for needle in needles if needle in text], (audience, format_)
    internal = render(redact(result, Audience.INTERNAL), "html")
    assert key in internal
    assert f"{value:,}" in internal
