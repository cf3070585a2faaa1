"""Methods weighed by uses of the release: losses, Scores, what to take for each, and what cannot be measured."""

import json

import pytest
from markupsafe import escape

from auditor import diff
from auditor.audit import check
from auditor.errors import DataError, PolicyError
from auditor.report import redact, render
from auditor.result import Audience
from auditor.weighing import tradeoff
from auditor.weighing._sweep import Bench

CLASSIFY = {"classify": "paid", "classifier": "naive-bayes"}
GROUPS = {"cluster": 3}
NUMBERS = ["income", "tax", "wealth", "age"]
CODING = {"attributes": NUMBERS, "method": "microaggregation", "k": 3, "sweep": {"k": [30]}}


@pytest.fixture
def paid(table):
    """The table, with a class that its numbers tell, and who each record is of."""
    head, *rows = table.read_text().splitlines()
    told = [f"{row},{'well' if float(row.split(',')[0]) > 0 else 'badly'},p{n}" for n, row in enumerate(rows)]
    table.write_text("\n".join([f"{head},paid,name", *told]) + "\n")
    return table


@pytest.fixture
def used(policy):
    """A policy that lists uses; the arguments replace what it says."""

    def made(*uses, **changes):
        roles = {**dict.fromkeys(NUMBERS, "sensitive"), "area": "quasi-identifier", "paid": "insensitive"}
        own = {"protection": [CODING], "attributes": {**roles, "name": "identifier"}, **changes}
        return policy(**own, **({"tradeoff": {"uses": list(uses)}} if uses else {}))

    return made


def test_each_use_has_a_loss_a_score_and_a_best_method(paid, used):
    answer = tradeoff(paid, used(CLASSIFY, GROUPS), seeds=1)
    assert [use.name for use in answer.uses] == ["classify 'paid', classifier naive-bayes", "cluster 3"]
    assert answer.uses[0].attributes == ("income", "tax", "wealth", "age", "area")
    assert answer.uses[1].attributes == ("income", "tax", "wealth", "age")
    lines = {each.name: each for each in answer.methods}
    for place, use in enumerate(answer.uses):
        for each in (*answer.methods, answer.identity):
            assert each.uses[place].score == (each.uses[place].loss + each.dr) / 2
        assert lines["Micmul03"].uses[place].loss < lines["Micmul30"].uses[place].loss <= 100
        allowed = [each for each in answer.methods if each.compliant and each.uses[place].score <= 50]
        assert use.best == min(allowed, key=lambda each: each.uses[place].score).name
        assert any(each.uses[place].frontier for each in answer.methods)
    assert [use.loss for use in answer.identity.uses] == [0, 0]
    general = tradeoff(paid, used(), seeds=1)
    assert [(each.name, each.score) for each in general.methods] == [(each.name, each.score) for each in answer.methods]
    assert general.recommended == answer.recommended
    assert general.uses == general.methods[0].uses == ()


def test_a_method_with_which_a_use_cannot_be_measured_is_told(paid, used):
    gone = {"attributes": ["paid"], "method": "local-suppression", "k": 60}
    swap = {"attributes": NUMBERS, "method": "rank-swapping", "p": 10}
    answer = tradeoff(paid, used(CLASSIFY, protection=[swap, gone]), seeds=1)
    lines = {each.name: each.uses[0] for each in answer.methods}
    assert lines["Rank10"].loss is not None
    for name in ("local-suppression-60", "Rank10 + local-suppression-60"):
        assert (lines[name].loss, lines[name].score, lines[name].frontier) == (None, None, False)
        assert "'paid' of the masked table holds no value to learn from" in lines[name].reason
        assert name in answer.findings[-1].message
    assert answer.uses[0].best == "Rank10"
    shown = render(redact(answer, Audience.REVIEWER), "text").partition("By use")[2]
    (line,) = (line for line in shown.splitlines() if line.startswith("local-suppression-60 "))
    assert line.split()[-3:-1] == ["–", "–"]


@pytest.mark.parametrize(
    ("uses", "said"),
    [
        ([{"cluster": 1}], "greater than or equal to 2"),
        ([{"clasify": "paid"}], "did you mean 'classify'"),
        ([{"classify": "payed"}], "unknown attribute 'payed'.*did you mean 'paid'"),
        ([{"classify": "name"}], "'name' has the role identifier"),
        ([{**GROUPS, "attributes": ["name"]}], "'name' has the role identifier"),
        ([GROUPS, GROUPS], "cluster 3 is listed twice"),
        ([{**GROUPS, "seed": 2**40}], "less than or equal to"),
        ([{"folds": 3}], "classify is missing"),
    ],
)
def test_what_a_policy_cannot_say(uses, said, paid, used):
    with pytest.raises(PolicyError, match=said):
        tradeoff(paid, used(*uses))


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ({"cluster": 61}, "cluster 61: the table has 60 records"),
        ({"classify": "area"}, "classify 'area': from the original itself, logistic tells 'area' no better"),
        ({"classify": "age"}, "classify 'age': column 'age' holds numbers"),
        ({**CLASSIFY, "attributes": ["z*"]}, r"the data has no column 'z\*'"),
        ({**CLASSIFY, "attributes": ["name"]}, "'name' has the role identifier; a use reads columns"),
        ({**GROUPS, "attributes": ["area"]}, "cluster 3, attributes 'area': column 'area' holds categories"),
    ],
)
def test_what_has_no_meaning_for_the_table_ends_the_run_before_it_begins(use, said, paid, used, monkeypatch):
    monkeypatch.setattr(Bench, "measure", lambda *_: pytest.fail("a masking was measured"))
    roles = dict.fromkeys([*NUMBERS, "area", "paid"], "insensitive")
    with pytest.raises(DataError, match=said):
        tradeoff(paid, used(use, attributes=roles, undeclared="identifier"))


def test_a_state_is_not_of_other_uses(paid, used, tmp_path):
    state = tmp_path / "state"
    runs = [tradeoff(paid, used(*uses), seeds=1, state=state) for uses in ((), (GROUPS,), ({"cluster": 2},), (GROUPS,))]
    assert [len(each.methods[0].uses) for each in runs] == [0, 1, 1, 1]
    assert runs[1].methods == runs[3].methods != runs[2].methods
    assert len(state.read_text().splitlines()) == 1 + 3 * 2


def test_no_verdict_depends_on_uses(paid, used):
    kept = paid.read_text().splitlines()
    paid.write_text("\n".join(line.rpartition(",")[0] for line in kept) + "\n")
    plain, more = used(), used(CLASSIFY, GROUPS)
    compared = diff(plain, more)
    assert (compared.verdict, compared.differences) == ("equal", ())
    assert check(paid, plain).requirements == check(paid, more).requirements


def test_the_public_sees_no_risk_through_a_score_by_a_use(paid, used):
    """Coding the largest income changes one record: what it loses, and the risk, which a Score tells, are hidden."""
    incomes = sorted(float(row.split(",")[0]) for row in paid.read_text().split()[1:])
    coding = {"attributes": ["income"], "method": "top-bottom-coding", "top": incomes[-2]}
    public = redact(tradeoff(paid, used(GROUPS, protection=[coding]), seeds=1), Audience.PUBLIC).to_dict()
    (line,) = public["methods"]
    assert line["dr"] is line["uses"][0]["loss"] is line["uses"][0]["score"] is None
    assert {"methods/0/uses/0/loss", "methods/0/uses/0/score"} <= set(public["redacted"])
    assert public["identity"]["uses"][0] == {"loss": 0.0, "score": 50.0, "frontier": False, "reason": None}


def test_the_command(paid, used, tmp_path, run_cli):
    (tmp_path / "p.yaml").write_text(json.dumps(used(CLASSIFY, GROUPS)))
    words = ("tradeoff", str(paid), "-p", str(tmp_path / "p.yaml"), "--seeds", "1")
    outcome = run_cli(*words, "--report", str(tmp_path / "r.html"), "--report", str(tmp_path / "r.json"))
    assert outcome.code == 0, outcome.err
    document = json.loads((tmp_path / "r.json").read_text())
    html = (tmp_path / "r.html").read_text()
    for use in document["uses"]:
        assert f"By use: {use['name']}" in outcome.out
        assert f"{use['name']}: {use['best']} has the least Score" in " ".join(outcome.out.split())
        assert use["says"] in " ".join(outcome.out.split())
        assert f"Risk-utility map of {escape(use['name'])}</h3>" in html
    assert run_cli("report", str(tmp_path / "r.json")).out == outcome.out
