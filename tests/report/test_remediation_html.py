"""The HTML report of a remediation: well-formed, and its pictures say what their tables say."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product
from math import prod

import pytest

from auditor.report import redact, render, words
from auditor.report.html import _lattice
from auditor.report.html._page import Excerpt, page
from auditor.result import Audience, Result
from auditor.result.remediation import AlternativeRelease, Lattice, LatticeHeight
from tests.report import samples
from tests.report.page import Page, page_one, rendered


def annex(text: str, name: str) -> Page:
    (found,) = re.findall(rf'<details id="annex-{name}">.*?</details>', text, re.DOTALL)
    return Page(found)


def test_hostile_texts_stay_texts() -> None:
    text = rendered("hostile-remediation", Audience.INTERNAL)
    known = {tag for name in ("remediated", "vast") for tag, _ in Page(rendered(name, Audience.INTERNAL)).tags}
    assert {tag for tag, _ in Page(text).tags} <= known
    assert "such as &lt;/style&gt;&lt;script&gt;" in text


def test_page_one_tells_the_release_from_the_table_before() -> None:
    page = page_one(rendered("remediated"))
    for needed in (
        "The release meets policy hospital-discharge",
        "Made coarser age (level 1 of 3), sex (1 of 1) and zip (1 of 3)",
        "Left out 340 of 4,020 records (8.5 %); loss 0.3812, the least that meets the policy",
        "Status Requirement Required Before After Policy",
        "✓ met k k-anonymity at least 11 1, not met 24 line 31",
        "what the table had before and the release has after",
    ):
        assert needed in page.text


@pytest.mark.parametrize(("times", "cut"), [(1, False), (3, True)])
def test_page_one_cuts_names_only_where_two_lines_do_not_hold_the_sentence(times: int, cut: bool) -> None:
    document = samples.REMEDIATIONS["remediated"]()
    assert document.before is not None
    unmet = replace(document.before.requirements[0], id="distinct-l-diversity-salary-class", status="fail")
    before = replace(document.before, requirements=times * (unmet,))
    page = page_one(render(redact(replace(document, before=before), Audience.REVIEWER), "html"))
    assert ("did not meet distinct-l-diversity-salary-class" not in page.text) == cut


def test_without_a_release_page_one_shows_the_table_and_the_obstacle() -> None:
    page = Page(rendered("infeasible"))
    assert "Nothing was written: t-closeness-diagnosis cannot be met" in page.text
    assert "Status Requirement Required Achieved Margin Policy" in page.text
    assert "391 records would have to be suppressed there" in page.text
    assert "What was done to the table" not in page.text


def test_the_annexes_hold_levels_losses_costs_and_the_search() -> None:
    text = rendered("remediated")
    assert "age ● ○○ 1 of 3 such as group age 1 group age 2, then *".replace(" ○", "○") in annex(text, "levels").text
    assert "loss 0.3812 How much detail the values lost" in annex(text, "losses").text
    costs = annex(text, "costs").text
    assert "age 0 – no release" in costs
    assert "sex 0 0.4512 +0.07" in costs
    search = annex(text, "search").text
    assert "Minimal generalizations: 6" in search
    assert "and 1 more, in the JSON document." in search
    assert "k monotone under generalization with suppression" in search
    assert "Records by the size of their class, before" in annex(text, "sizes").text


def test_every_node_of_a_small_lattice_is_drawn_with_its_neighbours() -> None:
    document = words.view(redact(samples.remediated(), Audience.REVIEWER)).result
    (net,) = _lattice.figures(document)
    assert isinstance(net, _lattice.Net)
    heights = (3, 1, 3)
    assert len(net.dots) == len(net.table) == prod(height + 1 for height in heights)
    steps = sum(
        level < height
        for levels in product(*(range(height + 1) for height in heights))
        for level, height in zip(levels, heights, strict=True)
    )
    assert len(net.edges) == steps
    assert [dot.label for dot in net.dots if dot.chosen] == ["1 1 1"]
    assert sum(dot.minimal for dot in net.dots) == 6
    assert all(y1 < y2 for _, y1, _, y2 in net.edges), "coarser stands higher"


@pytest.mark.parametrize("heights", [(3, 1, 3), (4, 3, 2), (2, 2, 2, 1), (2, 1, 1, 1, 1), (15,)])
def test_nodes_of_a_small_lattice_do_not_overlap(heights: tuple[int, ...]) -> None:
    chosen = {f"column {i}": 0 for i in range(len(heights))}
    lattice, _ = samples.lattice_of(heights, drawn=True)
    solution = samples.solution_of(levels=chosen, lattice=lattice)
    document = words.view(redact(replace(samples.remediated(), solution=solution), Audience.REVIEWER)).result
    (net,) = _lattice.figures(document)
    assert isinstance(net, _lattice.Net)
    for one, other in product(net.dots, net.dots):
        assert one is other or one.y != other.y or abs(one.x - other.x) > (one.width + other.width) / 2 + 6


def test_a_few_nodes_in_one_long_chain_are_shown_by_height() -> None:
    lattice, _ = samples.lattice_of((59,), drawn=True)
    solution = samples.solution_of(levels={"age": 5}, lattice=lattice)
    document = words.view(redact(replace(samples.remediated(), solution=solution), Audience.REVIEWER)).result
    assert [figure.drawing for figure in _lattice.figures(document)] == ["rows"]


def test_the_rows_of_a_lattice_add_up_and_are_drawn_to_scale() -> None:
    heights = (4, 3, 3)
    lattice, minimal = samples.lattice_of(heights, drawn=False)
    solution = samples.solution_of(lattice=lattice)
    document = words.view(redact(replace(samples.remediated(), solution=solution), Audience.REVIEWER)).result
    (figure,) = _lattice.figures(document)
    assert isinstance(figure, _lattice.HeightFigure)
    numbers = [[int(text) for text in row[1:]] for row in figure.table]
    nodes, solving, failing, least = map(sum, zip(*numbers, strict=True))
    assert nodes == prod(height + 1 for height in heights) == solving + failing
    assert least == len(minimal)
    widest = max(row[0] for row in numbers)
    room = _lattice.WIDTH - _lattice.LEFT - _lattice.RIGHT
    for row, (total, *_) in zip(figure.rows, numbers, strict=True):
        assert sum(part.width for part in row.parts) == pytest.approx(room * total / widest, abs=4)
    assert [row.label for row in figure.rows if row.chosen] == ["3"]


@pytest.mark.parametrize(
    ("nodes", "undecided", "stacked"), [(50_000, 0, False), (50_000, 1, True), (2_000_000, 0, True)]
)
def test_a_wide_table_stands_below_its_figure(nodes: int, undecided: int, stacked: bool) -> None:
    heights = (LatticeHeight(height=0, nodes=nodes, solving=9, minimal=1, undecided=undecided),)
    solution = samples.solution_of(levels={"age": 0}, lattice=Lattice(nodes=nodes, evaluated=nodes, by_height=heights))
    document = words.view(redact(replace(samples.remediated(), solution=solution), Audience.REVIEWER)).result
    assert [figure.stacked for figure in _lattice.figures(document)] == [stacked]


def test_a_vast_lattice_fits_its_drawing() -> None:
    (figure,) = _lattice.figures(words.view(redact(samples.vast(), Audience.REVIEWER)).result)
    assert isinstance(figure, _lattice.HeightFigure)
    assert figure.height <= 520
    assert "Undecided" in figure.columns
    assert figure.stacked
    assert {part.kind for row in figure.rows for part in row.parts} == {"right", "wrong", "open"}
    labelled = [row.y for row in figure.rows if row.label and not row.chosen]
    assert min(b - a for a, b in pairwise(labelled)) >= 12


def test_requirements_come_before_the_limits_where_both_do_not_fit() -> None:
    """Four ways and long lists of limits left no line for a requirement, and the page said that there was none."""
    document = samples.REMEDIATIONS["remediated"]()
    ways = tuple(AlternativeRelease(lines=f"remediation: {{suppression_limit: {i}%}}", loss=0.1) for i in range(4))
    told = tuple(f"Assumption {i}, which is so long that it takes two lines of half of the page." for i in range(6))

    def renamed(result: Result) -> Result:
        return replace(result, requirements=tuple(replace(r, id=f"r{i}") for i, r in enumerate(result.requirements)))

    before, after = (each and renamed(each) for each in (document.before, document.after))
    crowded = replace(renamed(document), before=before, after=after, alternatives=ways, assumptions=told)
    found = page(crowded)
    rows, assumptions = found["rows"], found["assumptions"]
    assert isinstance(rows, Excerpt)
    assert isinstance(assumptions, Excerpt)
    assert len(rows.items) >= 2
    assert len(rows.items) + rows.more == len(document.requirements)
    assert len(assumptions.items) + assumptions.more == len(told)
    text = page_one(render(redact(crowded, Audience.REVIEWER), "html")).text
    assert "no requirement that this command judges" not in text
