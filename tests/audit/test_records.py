"""Requirements on records: which record is which, what cannot be judged, and numbers against independent ones."""

import math
import random
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit import judged
from auditor.audit._other_match import completed
from auditor.audit._whole_rows import by_rows
from auditor.engines import RunLimits
from auditor.policy import load_policy

LINKAGE = {"model": "max-linkage-risk", "max": 0.5, "attributes": ["income"], "match": "record"}


def policy(*requirements, **attributes):
    attributes = {"record": "insensitive", "income": "sensitive", **attributes}
    return {"version": 1, "name": "p", "attributes": attributes, "requirements": list(requirements)}


def write(path: Path, *columns, names=("record", "income")):
    rows = [",".join(names), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(rows) + "\n")
    return path


def one(result):
    (found,) = result.requirements
    return found


def linked(before, after):
    """The share of records linked rightly, by exact arithmetic: nearest of standardised values, ties shared.

    One column: (a − ā)/σₐ against (b − b̄)/σ_b; with equal spreads and means the comparison is of the values.
    """
    credit = 0.0
    for i, value in enumerate(before):
        distances = [abs(value - other) for other in after]
        nearest = min(distances)
        if distances[i] == nearest:
            credit += 1 / distances.count(nearest)
    return credit / len(before)


@pytest.mark.slow
@given(st.lists(st.integers(0, 9), min_size=2, max_size=9).filter(lambda v: len(set(v)) > 1), st.randoms())
def test_the_linkage_of_a_permutation_is_the_exact_one_whatever_the_order_of_the_rows(tmp_path_factory, values, chance):
    folder = tmp_path_factory.mktemp("linked")
    after = chance.sample(values, len(values))
    rows = chance.sample(range(len(values)), len(values))
    original = write(folder / "o.csv", range(len(values)), values)
    release = write(folder / "r.csv", rows, [after[row] for row in rows])
    found = one(auditor.check(release, policy(LINKAGE), original=original))
    assert found.achieved == pytest.approx(linked(values, after))
    assert found.status == ("fail" if found.achieved > 0.5 + 1e-9 else "pass")


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ({**LINKAGE, "max": 0.1}, "An attacker who knows the original values finds more records"),
        (
            {**LINKAGE, "model": "max-interval-disclosure", "max": 0.1},
            "More original values lie near the released ones",
        ),
        ({"model": "min-utility", "min": 99.9, "attributes": ["income"]}, "keeps less of its information"),
    ],
)
def test_a_failure_is_said_in_its_own_words(requirement, said, tmp_path):
    original = write(tmp_path / "o.csv", range(8), [10, 20, 30, 40, 50, 60, 70, 80])
    release = write(tmp_path / "r.csv", range(8), [10, 20, 30, 40, 50, 60, 70, 300])
    result = auditor.check(release, policy(requirement), original=original)
    assert one(result).status == "fail"
    assert said in result.findings[0].message


def test_a_release_may_have_fewer_records(tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3, 4], [10, 20, 30, 40])
    release = write(tmp_path / "r.csv", [4, 1], [40, 10])
    found = one(auditor.check(release, policy(LINKAGE), original=original))
    assert (found.achieved, found.status) == (1, "fail")


def test_position_is_believed_only_where_the_policy_says_so(tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3], [10, 20, 30])
    release = write(tmp_path / "r.csv", [7, 8, 9], [10, 20, 30])
    assert one(auditor.check(release, policy({**LINKAGE, "match": "position"}), original=original)).achieved == 1
    unsaid = {name: value for name, value in LINKAGE.items() if name != "match"}
    found = one(auditor.check(release, policy(unsaid), original=original))
    assert (found.status, found.achieved) == ("not-evaluated", None)
    assert "which record of the original each released record is" in found.reason


def of_incomes(tmp_path, order, *, incomes=None):
    """A release of 60 incomes and ages without a key, its rows in another order."""
    before = [(20000 + 131 * i, 20 + i % 40) for i in range(60)]
    values = incomes or [income for income, _ in before]
    original = write(tmp_path / "o.csv", range(60), *zip(*before, strict=True), names=("record", "income", "age"))
    rows = [(values[i], before[i][1]) for i in order]
    release = write(tmp_path / "r.csv", *zip(*rows, strict=True), names=("income", "age"))
    demanded = {"model": "max-linkage-risk", "max": 0.05, "attributes": ["income"], "match": "position"}
    return auditor.check(release, policy(demanded, record="identifier", age="quasi-identifier"), original=original)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_unmasked_table_in_another_order_is_not_evaluated(tmp_path, chance):
    order = chance.sample(range(60), 60)
    assume(sum(i == place for place, i in enumerate(order)) < 4)  # else linkage fails, rightly
    result = of_incomes(tmp_path, order)
    assert (one(result).status, result.exit_code) == ("not-evaluated", 3)
    assert "rows of the original in other places" in one(result).reason


def test_a_part_of_the_rows_moved_is_linked_where_it_stands(tmp_path):
    """Half stay in place, and half swap with the next: 30 of 60 are linked, which is a failure and no doubt."""
    order = [*range(30), *(i ^ 1 for i in range(30, 60))]
    assert (one(of_incomes(tmp_path, order)).status, of_incomes(tmp_path, order).exit_code) == ("fail", 1)


def test_a_masked_column_in_the_order_of_the_original_is_judged(tmp_path):
    """Incomes are exchanged with a record 20 places away; ages stay: the rows are others, and the order is believed."""
    result = of_incomes(tmp_path, range(60), incomes=[20000 + 131 * ((i + 20) % 60) for i in range(60)])
    assert (one(result).status, one(result).achieved, result.exit_code, result.findings) == ("pass", 0, 0, ())


def test_a_swap_with_the_neighbour_is_no_pass_by_silence(tmp_path):
    """200 incomes, each exchanged with the next: none is linked, all lie within one rank of 200, less than 1 %."""
    incomes = [1000 + 7 * i for i in range(200)]
    original = write(tmp_path / "o.csv", range(200), incomes)
    release = write(tmp_path / "r.csv", range(200), [incomes[i ^ 1] for i in range(200)])
    result = auditor.check(release, policy({**LINKAGE, "max": 0.05}), original=original)
    assert (one(result).status, one(result).achieved) == ("pass", 0)
    (found,) = result.findings
    assert (found.level, found.requirement) == ("warning", "max-linkage-risk")
    assert "require max-interval-disclosure as well" in found.message


def of_keys(tmp_path, keys, *, cells=None, bound=0.05):
    """A release of 60 incomes and ages under the given keys; `cells` are its rows where they are not the original's."""
    before = [(20000 + 131 * i, 20 + i % 40) for i in range(60)]
    names = ("record", "income", "age")
    original = write(tmp_path / "o.csv", range(60), *zip(*before, strict=True), names=names)
    release = write(tmp_path / "r.csv", keys, *zip(*(cells or before), strict=True), names=names)
    return auditor.check(release, policy({**LINKAGE, "max": bound}, age="quasi-identifier"), original=original)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.integers(31, 60))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_keys_that_were_given_to_other_rows_are_not_believed(tmp_path, chance, many):
    """`many` records, more than half, get the key of the next of them; the others' incomes are exchanged."""
    some = chance.sample(range(60), many)
    other = [n for n in range(60) if n not in some]
    keys = dict(zip(some, [*some[1:], some[0]], strict=True))
    incomes = dict(zip(other, [*other[1:], *other[:1]], strict=True))
    cells = [(20000 + 131 * incomes.get(i, i), 20 + i % 40) for i in range(60)]
    result = of_keys(tmp_path, [keys.get(i, i) for i in range(60)], cells=cells)
    if one(result).status == "fail":  # keys or incomes that stayed by chance: too many are linked anyhow
        assert one(result).achieved > 0.05
        return
    assert (one(result).status, result.exit_code) == ("not-evaluated", 3)
    assert "rows of the original under other keys" in one(result).reason


def test_keys_are_believed_where_one_column_alone_was_exchanged(tmp_path):
    cells = [(20000 + 131 * ((i + 20) % 60), 20 + i % 40) for i in range(60)]
    assert (one(of_keys(tmp_path, range(60), cells=cells)).status) == "pass"


@pytest.mark.parametrize(
    ("ward", "status"), [("constant", "not-evaluated"), ("noise", "not-evaluated"), ("kept", "pass")]
)
def test_masking_a_column_beside_those_looked_at_makes_no_false_key_true(tmp_path, ward, status):
    """Income and age stand under the key of the next record. A third column is masked, or stays with its key."""
    chance = random.Random(5)
    rows = [(20000 + 131 * i, 20 + 7 * i % 40) for i in range(60)]
    wards = [chance.randrange(100) for _ in rows]
    masked = {
        "constant": [0] * 60,
        "noise": [each + chance.randrange(-60, 60) for each in wards],
        "kept": [wards[(i + 1) % 60] for i in range(60)],
    }[ward]
    names = ("record", "income", "age", "ward")
    original = write(tmp_path / "o.csv", range(60), *zip(*rows, strict=True), wards, names=names)
    keys = [(i + 1) % 60 for i in range(60)]
    release = write(tmp_path / "r.csv", keys, *zip(*rows, strict=True), masked, names=names)
    asked = {**LINKAGE, "max": 0.05, "attributes": ["income", "age"], "match": "record"}
    held = policy(asked, age="quasi-identifier", ward="insensitive")
    assert one(auditor.check(release, held, original=original)).status == status


def test_the_match_is_of_no_account_where_every_match_meets_the_bound(tmp_path):
    """Ages of 3 values in 60 rows of 9 kinds: whoever knows the age finds 3 of 60, under whatever keys."""
    rows = [(i % 3, i // 3 % 3) for i in range(60)]
    names = ("record", "income", "age")
    original = write(tmp_path / "o.csv", range(60), *zip(*rows, strict=True), names=names)
    release = write(tmp_path / "r.csv", [(i + 1) % 60 for i in range(60)], *zip(*rows, strict=True), names=names)
    found = {
        bound: one(
            auditor.check(release, policy({**LINKAGE, "max": bound}, age="quasi-identifier"), original=original)
        ).status
        for bound in (0.051, 0.049)
    }
    assert found == {0.051: "pass", 0.049: "not-evaluated"}


def test_a_row_is_paired_with_its_equal_once():
    was, now = np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([[2.0], [1.0], [1.0], [1.0]])
    found = by_rows(was, now)
    assert found.tolist() == [2, 0, 1, -1]
    assert completed(found, np.arange(4), 4).tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([10, 20, 30], None),
        ([30, 10, 20], None),  # in another order: no match tells
        ([20, 20, 20], "not those of the original"),
        ([1000, 1000, 1000], "not those of the original"),
        ([10, 30], None),
        ([10, 10], "not those of the original"),
    ],
)
def test_weights_are_those_of_the_original(weights, said, tmp_path):
    names = ("age", "weight")
    original = write(tmp_path / "o.csv", [1, 1, 1], [10, 20, 30], names=names)
    release = write(tmp_path / "r.csv", [1] * len(weights), weights, names=names)
    asked = policy({"model": "max-individual-risk", "max": 0.5, "weights": "weight"})
    asked["attributes"] = {"age": "quasi-identifier", "weight": "insensitive"}
    assert one(auditor.check(release, asked)).status == "pass"
    found = auditor.check(release, asked, original=original)
    assert (one(found).status, found.exit_code) == (("not-evaluated", 3) if said else ("pass", 0))
    assert said is None or said in one(found).reason


def test_an_original_without_weights_is_named(tmp_path):
    original = write(tmp_path / "o.csv", [1, 1, 1], names=("age",))
    release = write(tmp_path / "r.csv", [1, 1, 1], [9, 9, 9], names=("age", "weight"))
    asked = policy({"model": "max-individual-risk", "max": 0.5, "weights": "weight"})
    asked["attributes"] = {"age": "quasi-identifier", "weight": "insensitive"}
    assert "the original has no column 'weight'" in one(auditor.check(release, asked, original=original)).reason


def test_whoever_made_the_release_may_know_the_rows(tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3], [10, 20, 30])
    release = write(tmp_path / "r.csv", [7, 8, 9], [30, 10, 20])
    asked = load_policy(policy({name: value for name, value in LINKAGE.items() if name != "match"}))
    found = judged(release, asked, RunLimits.of(), original=original, followed=np.array([2, 0, 1]))
    assert one(found).achieved == 1


@pytest.mark.parametrize(
    ("requirement", "records", "said"),
    [
        (LINKAGE, [1, 2, 2], "does not name each record once"),
        (LINKAGE, [1, 2, ""], "does not name each record once"),
        (LINKAGE, [1, 2, 9], "has values that the original lacks"),
        ({**LINKAGE, "match": "absent"}, [1, 2, 3], "the release has no column 'absent'"),
        ({**LINKAGE, "match": "position"}, [1, 2], "have different numbers of records"),
        ({"model": "min-utility", "min": 1, "attributes": ["income"]}, [1, 2], "have different numbers of records"),
    ],
)
def test_records_that_cannot_be_told_apart(requirement, records, said, tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3], [10, 20, 30])
    release = write(tmp_path / "r.csv", records, [10, 20, 30][: len(records)])
    result = auditor.check(release, policy(requirement), original=original)
    assert (one(result).status, result.exit_code) == ("not-evaluated", 3)
    assert said in one(result).reason


@pytest.mark.parametrize("model", ["max-linkage-risk", "max-interval-disclosure", "min-utility"])
def test_without_the_original_nothing_is_judged(model, tmp_path):
    release = write(tmp_path / "r.csv", [1, 2], [10, 20])
    bound = {"min": 1} if model == "min-utility" else {"max": 1}
    found = one(auditor.check(release, policy({"model": model, **bound})))
    assert found.status == "not-evaluated"
    assert "name that table with --original" in found.reason


def test_by_default_every_column_of_numbers_but_the_key_is_looked_at(tmp_path):
    names = ("record", "income", "age", "area")
    original = write(tmp_path / "o.csv", [1, 2, 3], [10, 10, 10], [1, 2, 3], "aab", names=names)
    release = write(tmp_path / "r.csv", [1, 2, 3], [10, 10, 10], [1, 2, 3], "aab", names=names)
    asked = policy({"model": "max-linkage-risk", "max": 0, "match": "record"}, age="sensitive", area="insensitive")
    assert one(auditor.check(release, asked, original=original)).achieved == 1  # by age alone; income ties


def test_a_waiver_holds_as_far_as_its_bound(tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3, 4], [10, 20, 30, 40])
    release = write(tmp_path / "r.csv", [1, 2, 3, 4], [10, 30, 20, 40])
    waiver = {"requirement": "max-linkage-risk", "reason": "r", "owner": "a@x", "approved_by": "b@x"}
    for bound, status in ((0.5, "waived"), (0.4, "fail")):
        asked = policy({**LINKAGE, "max": 0.1})
        asked["waivers"] = [{**waiver, "at_least": {"max": bound}, "expires": "2027-01-31"}]
        found = auditor.check(release, asked, original=original, as_of=date(2026, 12, 1))
        assert one(found).status == status


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 50)), min_size=1, max_size=12))
def test_individual_risk_is_that_of_the_formulas(tmp_path_factory, rows):
    release = write(tmp_path_factory.mktemp("risk") / "r.csv", *zip(*rows, strict=True), names=("age", "weight"))
    asked = policy({"model": "max-individual-risk", "max": 0.5, "weights": "weight"})
    asked["attributes"] = {"age": "quasi-identifier", "weight": "insensitive"}
    expected = 0.0
    for age in "abc":
        f = sum(key == age for key, _ in rows)
        population = sum(weight for key, weight in rows if key == age)
        if f:
            expected = max(expected, formula(f, f / population))
    assert one(auditor.check(release, asked)).achieved == pytest.approx(expected, rel=1e-6)


def formula(f, p):
    """As printed (Franconi and Polettini 2004)."""
    if p == 1:
        return 1 / f
    q = 1 - p
    if f == 1:
        return p / q * math.log(1 / p)
    return p / q - (p / q) ** 2 * math.log(1 / p) if f == 2 else p / (f - q)


def test_a_missing_value_is_guessed_to_be_the_mean(tmp_path):
    original = write(tmp_path / "o.csv", [1, 2, 3], [10, 20, 30])
    release = write(tmp_path / "r.csv", [1, 2, 3], [10, "", 30])
    assert one(auditor.check(release, policy(LINKAGE), original=original)).achieved == 1  # 20 is the mean


def of_rows(tmp_path, rows, *, match="record", **more):
    """A release of 200 records of three numbers and a region; `rows` maps the original's array to the release's."""
    chance = np.random.default_rng(5)
    numbers = np.column_stack([chance.lognormal(10, 1, 200), chance.normal(45, 15, 200), chance.normal(0, 1, 200)])
    region = [f"r{i % 4}" for i in range(200)]
    names = ("record", "income", "age", "score", "region")
    keys, released, regions = rows(np.arange(200), numbers, np.array(region))
    original = write(tmp_path / "o.csv", range(200), *numbers.T.tolist(), region, names=names)
    release = write(tmp_path / "r.csv", keys, *released.T.tolist(), regions, names=names)
    demanded = {"model": "max-linkage-risk", "max": 0.1, "attributes": ["income", "age"], "match": match, **more}
    roles = {"age": "quasi-identifier", "score": "sensitive", "region": "quasi-identifier"}
    return auditor.check(release, policy(demanded, **roles), original=original)


@pytest.mark.slow
@pytest.mark.parametrize("match", ["record", "position"])
@pytest.mark.parametrize("noise", [0.0, 1e-4, 0.01])
@pytest.mark.parametrize("scale", [1.0, 1.7])
def test_slight_noise_on_rows_that_were_given_to_others_hides_nothing(tmp_path, match, noise, scale):
    """Every record has the key of the next one, or its place; the numbers are the original's but for a little."""

    def rows(keys, numbers, regions):
        wobble = np.random.default_rng(1).normal(size=numbers.shape) * noise * numbers.std(axis=0)
        noisy = scale * (numbers + wobble) + (scale - 1)
        if match == "record":
            return np.roll(keys, 1), noisy, regions
        return keys, np.roll(noisy, 7, axis=0), np.roll(regions, 7)

    result = of_rows(tmp_path, rows, match=match)
    assert (one(result).status, result.exit_code) == ("not-evaluated", 3)
    assert "rows of the original" in one(result).reason


def swapped(values, ranks, chance):
    """Each value exchanged with one that is so many ranks away, or fewer."""
    order = np.argsort(values)
    out = values.copy()
    free = list(range(len(values)))
    while len(free) > 1:
        first = free.pop(0)
        other = free.pop(int(chance.integers(0, min(ranks, len(free)))))
        out[order[first]], out[order[other]] = values[order[other]], values[order[first]]
    return out


HONEST = {
    "noise of half a deviation": lambda x, c: x + c.normal(size=x.shape) * 0.5 * x.std(axis=0),
    "noise of a deviation": lambda x, c: x + c.normal(size=x.shape) * x.std(axis=0),
    "ranks exchanged in every column": lambda x, c: np.column_stack([swapped(column, 40, c) for column in x.T]),
    "one column exchanged": lambda x, c: np.column_stack([swapped(x[:, 0], 80, c), x[:, 1:]]),
    "groups of five": lambda x, _: np.column_stack([np.sort(v)[np.argsort(np.argsort(v)) // 40 * 40] for v in x.T]),
    "synthetic": lambda x, c: c.normal(size=x.shape) * x.std(axis=0) + x.mean(axis=0),
    "rounded": lambda x, _: np.round(x / (2 * x.std(axis=0))) * 2 * x.std(axis=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("match", ["record", "position"])
@pytest.mark.parametrize("how", HONEST)
def test_whoever_masks_the_records_themselves_is_believed(tmp_path, how, match):
    def rows(keys, numbers, regions):
        return keys, HONEST[how](numbers, np.random.default_rng(3)), regions

    assert one(of_rows(tmp_path, rows, match=match)).status in ("pass", "fail")


@pytest.mark.slow
@pytest.mark.parametrize("beside", ["", "max-linkage-risk"])
@pytest.mark.parametrize(
    ("weights", "ages", "said"),
    [
        ([5, 90, 10, 60, 20, 40], None, None),
        ([90, 5, 60, 10, 40, 20], None, "on other records"),
        ([5, 90, 60, 10, 20, 40], None, "on other records"),
        ([5, 90, 10, 60, 20, 40], [30, 20, 50, 40, 20, 30], None),
        ([5, 90, 10, 60, 20, 40], [7, 7, 7, 7, 7, 7], None),
    ],
)
def test_weights_stand_beside_their_records(weights, ages, said, beside, tmp_path):
    """Ages are exchanged, or made coarse, which is masking; weights are not."""
    names, own = ("record", "age", "score", "weight"), [20, 30, 40, 50, 20, 30]
    original = write(tmp_path / "o.csv", range(6), own, [1, 2, 3, 4, 5, 6], [5, 90, 10, 60, 20, 40], names=names)
    release = write(tmp_path / "r.csv", range(6), ages or own, [1, 2, 3, 4, 5, 6], weights, names=names)
    asked = policy({"model": "max-individual-risk", "max": 0.5, "weights": "weight"})
    asked["requirements"] += [{"model": beside, "max": 1, "match": "record", "attributes": ["age"]}] if beside else []
    asked["attributes"] = {
        "record": "insensitive",
        "age": "quasi-identifier",
        "score": "insensitive",
        "weight": "insensitive",
    }
    found = auditor.check(release, asked, original=original).requirements[0]
    assert found.status == ("not-evaluated" if said else "pass")
    assert said is None or said in found.reason


SCALES = {
    "negative": lambda x: -x,
    "logarithm": lambda x: np.log(x - x.min() + 1),
    "inverse": lambda x: 1 / (x - x.min() + 1),
    "cube": lambda x: (x - x.mean()) ** 3,
    "rank": lambda x: np.argsort(np.argsort(x)).astype(float),
}


@pytest.mark.parametrize("match", ["record", "position"])
@pytest.mark.parametrize("scale", SCALES)
def test_another_scale_of_a_column_links_who_its_values_link(tmp_path, scale, match):
    """Nobody is moved: whoever knows the incomes sorts both files, and has found everybody."""

    def rows(keys, numbers, regions):
        return keys, np.column_stack([SCALES[scale](numbers[:, 0]), numbers[:, 1:]]), regions

    for model in ("max-linkage-risk", "max-interval-disclosure"):
        found = one(of_rows(tmp_path, rows, match=match, attributes=["income"], model=model, max=0.9))
        assert (found.status, found.achieved) == ("fail", 1)


def test_another_scale_of_masked_values_is_judged_as_they_are(tmp_path):
    """Logarithms of exchanged incomes link nobody, as the exchanged incomes do not."""

    def rows(keys, numbers, regions, scale=np.log):
        incomes = swapped(numbers[:, 0], 40, np.random.default_rng(2))
        return keys, np.column_stack([scale(incomes), numbers[:, 1:]]), regions

    def plain(*each):
        return rows(*each, scale=np.array)

    found = [one(of_rows(tmp_path, how, attributes=["income"])) for how in (rows, plain)]
    assert [each.status for each in found] == ["pass", "pass"]


@pytest.mark.parametrize("match", ["record", "position"])
@pytest.mark.parametrize(
    "masked",
    [
        {"income": SCALES["negative"]},
        {"income": SCALES["logarithm"], "score": SCALES["negative"]},
        {"income": SCALES["negative"], "age": SCALES["negative"], "score": SCALES["negative"]},
        {"score": lambda x: x + 3 * np.random.default_rng(4).normal(size=len(x))},
        {"score": lambda x: x + 3 * np.random.default_rng(4).normal(size=len(x)), "income": SCALES["logarithm"]},
    ],
)
def test_rows_of_others_are_known_by_their_ranks(tmp_path, masked, match):
    """Rows that were given to others, columns in another scale, regions renamed, one column hidden by noise."""

    def rows(keys, numbers, regions):
        columns = [
            masked.get(name, np.array)(each) for name, each in zip(("income", "age", "score"), numbers.T, strict=True)
        ]
        there = np.random.default_rng(8).permutation(len(keys))
        named = np.char.add("x", regions)[there]
        # A key that counts the rows says nothing of anybody; under match: position it is a column like others.
        return keys, np.column_stack(columns)[there], named

    for more in ({}, {"attributes": ["income"]}):
        found = one(of_rows(tmp_path, rows, match=match, **more))
        assert found.status == "not-evaluated", more
        assert "rows of the original" in found.reason


def test_columns_that_were_exchanged_together_are_no_rows_of_others(tmp_path):
    """Income and age of each record are those of another one, and score and region stay: whoever finds them errs."""

    def rows(keys, numbers, regions):
        there = np.random.default_rng(8).permutation(len(keys))
        return keys, np.column_stack([numbers[there, :2], numbers[:, 2]]), regions

    assert one(of_rows(tmp_path, rows)).status == "pass"


def test_neighbours_in_rows_of_others_are_no_pass_by_silence(tmp_path):
    def rows(keys, numbers, regions):
        chance = np.random.default_rng(1)
        near = np.column_stack([swapped(each, 1, chance) for each in numbers.T])
        there = chance.permutation(len(keys))
        return keys, near[there], regions[there]

    result = of_rows(tmp_path, rows, match="position", attributes=["income"])
    assert one(result).status == "pass"
    assert any("require max-interval-disclosure as well" in found.message for found in result.findings)


def test_numbers_that_are_written_as_texts_are_not_left_out(tmp_path):
    """By default every column of numbers is looked at; one that became texts was left out, and the rest passed."""
    names = ("record", "income", "age")
    rows = [(1000 + 7 * i, 20 + i % 3) for i in range(60)]
    original = write(tmp_path / "o.csv", range(60), *zip(*rows, strict=True), names=names)
    asked = policy({"model": "max-linkage-risk", "max": 0.1, "match": "record"}, age="quasi-identifier")
    for text, status in ((lambda income: f"EUR {income}", "not-evaluated"), (lambda n: f"[{n // 200}]", "pass")):
        cells = [(text(income), age) for income, age in rows]
        release = write(tmp_path / "r.csv", range(60), *zip(*cells, strict=True), names=names)
        assert one(auditor.check(release, asked, original=original)).status == status
