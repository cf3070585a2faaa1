"""Itemset collections: the vectors, every database by brute force, and channels that today's tools miss."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.outputs.checks import association_rules
from auditor.outputs.checks.frequent_itemsets import check
from auditor.outputs.patterns import channels as derived
from auditor.outputs.published.conditions import Condition
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, FrequentItemsets, Itemset, Stated
from tests.outputs.tiny import judged, policy_of

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "output_cases.json").read_text())
COLUMNS = CASES["table"]["columns"]
TABLE = [dict(zip(COLUMNS, map(str, row), strict=True)) for row in CASES["table"]["rows"]]
VECTORS = [case for case in CASES["cases"] if case["kind"] == "itemset_collection"]


def items(text):
    """``a b`` are items without a column, ``age=26`` has one."""
    parts = (part.split("=") for part in text.split())
    return frozenset(Condition(part[0] if len(part) > 1 else "", "=", (part[-1],)) for part in parts)


def itemsets(supports, **more):
    listed = tuple(Itemset(items=items(text), support=support) for text, support in supports.items())
    return FrequentItemsets(source="i.json", format="neutral", sha256="", itemsets=listed, **more)


def policy(least=3, **limits):
    rule = {"type": "frequent-itemsets", "min_support_count": least, "channels": True, **limits}
    return policy_of(rule, attributes={"*": "insensitive"})


def channels(checked):
    return {violation.item: violation.reached for violation in checked.violations if violation.limit == "channels"}


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["title"])
def test_vectors(case):
    output = itemsets({" ".join(each["items"]): each["count"] for each in case["published"]})
    for rows in (None, TABLE):
        checked = judged(check, output, policy(case["policy"]["min_group_size"]), rows)
        expected = {
            ", ".join([*each["present"], *(f"not {item}" for item in each["absent"])]): each["count"]
            for each in case["inference_channels"]
        }
        assert channels(checked) == expected
        assert len(checked.violations) == case["minimal_channels"]
        assert not checked.open_limits
    for violation, each in zip(checked.violations, case["inference_channels"], strict=True):
        assert [row + 1 for row in violation.rows] == each["records"]


SMOKERS = {(1, 0, 0): 5, (1, 1, 0): 80, (1, 1, 1): 95, (1, 0, 1): 70, (0, 1, 0): 240, (0, 1, 1): 90, (0, 0, 1): 60}
"""How many of 1,000 smoke or not, are in their thirties or not, are diabetic or not: 5 who smoke and are neither."""


def smokers():
    names = ("smoker", "thirties", "diabetic")
    cells = {**SMOKERS, (0, 0, 0): 1000 - sum(SMOKERS.values())}
    return [
        {name: str(bool(held)) for name, held in zip(names, cell, strict=True)}
        for cell, count in cells.items()
        for _ in range(count)
    ]


def supports_of(rows):
    names = list(rows[0])
    subsets = [each for size in range(1, len(names) + 1) for each in combinations(names, size)]
    return {" ".join(each): sum(all(row[name] == "True" for name in each) for row in rows) for each in subsets}


def test_itemsets_all_above_the_threshold_isolate_smokers_by_inclusion_and_exclusion():
    """Smoker, not in the thirties, not diabetic: 5 of 1,000, although the smallest support is 95 (k = 10)."""
    rows = smokers()
    supports = supports_of(rows)
    assert min(supports.values()) >= 95
    of = policy(10)
    for data in (None, rows):
        checked = judged(check, itemsets(supports, records=1000), of, data)
        assert channels(checked) == {"smoker, not diabetic, not thirties": 5}
    assert checked.violations[0].rows == tuple(range(5))


def test_fifty_rules_all_above_the_threshold_isolate_a_person():
    """Every rule has 50 people or more on each side and as exceptions; together they leave one."""
    names = ("a", "b", "c", "d")
    cells = dict.fromkeys(product((0, 1), repeat=4), 60) | {(1, 0, 0, 0): 1}
    rows = [dict(zip(names, map(str, cell), strict=True)) for cell, count in cells.items() for _ in range(count)]

    def count(held):
        return sum(all(row[name] == "1" for name in held) for row in rows)

    subsets = [each for size in range(1, 5) for each in combinations(names, size)]
    listed = []
    for x, y in product(subsets, repeat=2):
        if not set(x) & set(y):
            x_items, y_items = items(" ".join(x)), items(" ".join(y))
            confidence = Stated(Fraction(round(Fraction(count((*x, *y)), count(x)) * 10**9), 10**9), 9)
            listed.append(
                AssociationRule(antecedent=x_items, consequent=y_items, support=count((*x, *y)), confidence=confidence)
            )
    assert len(listed) == 50
    output = AssociationRules(source="r.csv", format="neutral", sha256="", rules=tuple(listed), records=len(rows))
    limits = {"min_support_count": 50, "min_antecedent_count": 50, "min_exceptions": 50, "max_confidence": 0.9}
    alone = policy_of({"type": "association-rules", **limits}, attributes={"*": "insensitive"})
    assert not judged(association_rules.check, output, alone).violations
    together = policy_of({"type": "association-rules", **limits, "channels": True}, attributes={"*": "insensitive"})
    checked = judged(association_rules.check, output, together)
    assert channels(checked) == {"a, not b, not c, not d": 1}


def test_an_absent_itemset_is_held_by_fewer_than_the_miners_threshold():
    """60 and 45 of 100 overlap in 5 at least; that the pair was not mined at 10 says that it is fewer than 10."""
    output = itemsets({"a": 60, "b": 45}, records=100)
    assert not judged(check, output, policy(10)).violations
    mined = itemsets({"a": 60, "b": 45}, records=100, min_support=10)
    checked = judged(check, mined, policy(10))
    assert set(channels(checked)) == {"a, b"}
    assert channels(checked)["a, b"] is None  # 5 to 9
    short = itemsets({"a": 60, "b": 45}, records=100, min_support=10, longest=1)
    assert not judged(check, short, policy(10)).violations


def test_possible_channels_are_told_apart_and_denied_where_it_is_asked():
    """Nobody holds the pair, or up to 4 do: certain it is not."""
    mined = itemsets({"a": 20, "b": 30}, records=100, min_support=5)
    checked = judged(check, mined, policy(10))
    assert not checked.violations
    assert any("possible channels" in note for note in checked.notes)
    denied = judged(check, mined, policy(10, possible_channels="deny"))
    assert set(channels(denied)) == {"a, b"}


def test_values_of_one_column_leave_few_others():
    """Everybody of 100 is F or M but two, who are neither."""
    checked = judged(check, itemsets({"sex=F": 50, "sex=M": 48}, records=100), policy(10))
    assert channels(checked) == {"not sex=F, not sex=M": 2}


def test_supports_that_contradict_each_other_fit_no_database():
    for supports in (
        {"a": 5, "a b": 6},
        {"a": 60, "b": 60, "a b": 10},
        {"a": 50, "b": 50, "c": 50, "a b": 5, "a c": 5, "b c": 5},
        {"sex=F": 60, "sex=M": 60},
        {"sex=F": 60, "sex=M": 40, "sex=F sex=M": 1},
        {"a b": 20, "c": 15, "a b c": 16},
    ):
        checked = judged(check, itemsets(supports, records=100), policy(1))
        assert {violation.reason for violation in checked.violations} == {"mismatch"}
        assert "no database fits" in checked.violations[0].sentence


def test_two_collections_tell_what_neither_tells_alone():
    one = itemsets({"a": 50, "b": 40}, records=100)
    two = itemsets({"a b": 38}, records=100)
    for output in (one, two):
        assert not judged(check, output, policy(5)).violations
        assert channels(judged(check, output, policy(5), together=[one, two])) == {"b, not a": 2}
    assert channels(judged(check, two, policy(5), before=[one])) == {"b, not a": 2}
    of_others = itemsets({"a": 50, "b": 40}, records=90)  # other records, so nothing follows together
    assert not judged(check, two, policy(5), before=[of_others]).violations


def test_a_channel_of_an_earlier_release_is_not_blamed_on_a_later_one():
    before = itemsets({"a": 50, "a b": 48}, records=100)
    later = itemsets({"c": 50}, records=100)
    assert not judged(check, later, policy(5), before=[before]).violations


def test_an_earlier_release_that_contradicts_is_left_aside_and_said():
    before = itemsets({"a": 10}, records=100)
    later = itemsets({"a": 50, "a b": 48}, records=100)
    checked = judged(check, later, policy(5), before=[before])
    assert channels(checked) == {"a, not b": 2}
    assert not any(violation.reason == "mismatch" for violation in checked.violations)
    assert any("other records" in note for note in checked.notes)


def test_few_units_behind_many_records():
    """Twenty records are outside the pair, all of one person."""
    rows = [{"a": "True", "b": "True", "who": f"p{i}"} for i in range(40)]
    rows += [{"a": "True", "b": "False", "who": "one"}] * 20 + [
        {"a": "False", "b": "False", "who": f"q{i}"} for i in range(40)
    ]
    output = itemsets({"a": 60, "b": 40, "a b": 40}, records=100)
    assert not judged(check, output, policy(10), rows).violations
    rule = {"type": "frequent-itemsets", "min_support_count": 10, "channels": True}
    checked = judged(check, output, policy_of(rule, unit="who"), rows)
    assert channels(checked) == {"a, not b": 1}
    blind = judged(check, output, policy_of(rule, unit="who"))
    assert set(blind.open_limits) == {"min_support_count", "channels"}


def test_long_itemsets_with_gaps_are_open_not_passed():
    output = itemsets({" ".join("abcdefghijkl"): 50}, records=1000)
    assert set(judged(check, output, policy(10)).open_limits) == {"channels"}


def test_shares_without_the_number_of_records_are_open_not_passed():
    share = Itemset(items=items("a"), support_share=Stated(Fraction(1, 2), 1))
    output = FrequentItemsets(source="i.csv", format="mlxtend", sha256="", itemsets=(share,))
    assert set(judged(check, output, policy(10)).open_limits) == {"min_support_count", "channels"}
    rule = AssociationRule(antecedent=items("a"), consequent=items("b"), confidence=Stated(Fraction(1, 2), 9))
    of = policy_of({"type": "association-rules", "min_support_count": 10, "channels": True})
    listed = AssociationRules(source="r.csv", format="mlxtend", sha256="", rules=(rule,))
    assert set(judged(association_rules.check, listed, of).open_limits) == {"min_support_count", "channels"}


def test_a_suppressed_support_is_a_gap_that_the_others_may_fill():
    output = itemsets({"a": 50, "b": 50, "a b": None}, records=100)
    assert not judged(check, output, policy(10, channels=True)).open_limits.get("channels")
    both = itemsets({"a": 95, "b": 95, "a b": None}, records=96)
    assert "not a" in channels(judged(check, both, policy(10)))


def test_low_support_and_forbidden_items():
    output = itemsets({"a": 2, "b": 0, "c": 3}, records=100)
    checked = judged(check, output, policy(3, channels=False, forbidden={"": ["c"]}))
    assert {(v.item, v.reason) for v in checked.violations} == {("a", "low-support"), ("c", "forbidden-item")}


# Every database of a few people, against what the search says of a few items.

MOST_PEOPLE = 6
MOST_LEAST = 4


@st.composite
def published(draw):
    """Some supports of some database, not always all of them, sometimes as a range or with a miner's threshold."""
    names = draw(st.sampled_from([["a", "b"], ["a", "b", "c"], ["a", "c=1", "c=2"]]))
    cells = [cell for cell in product((0, 1), repeat=len(names)) if not exclusive(names, cell)]
    people = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=MOST_PEOPLE))
    subsets = [each for size in range(1, len(names) + 1) for each in combinations(range(len(names)), size)]
    subsets = [each for each in subsets if not exclusive(names, [at in each for at in range(len(names))])]
    chosen = draw(st.lists(st.sampled_from(subsets), min_size=1, unique=True))
    supports = {each: sum(all(cell[at] for at in each) for cell in people) for each in chosen}
    threshold = draw(st.sampled_from([None, None, 2, 3]))
    if threshold is not None:  # a miner writes all that reach it
        everything = {each: sum(all(cell[at] for at in each) for cell in people) for each in subsets}
        supports = {each: support for each, support in everything.items() if support >= threshold}
    told = len(cells) > 6 or draw(st.booleans())
    wrong = draw(st.integers(0, 9)) == 0
    if wrong and supports:
        supports[draw(st.sampled_from(sorted(supports)))] += 1
    return names, supports, len(people) if told else None, threshold


def exclusive(names, held):
    columns = [name.split("=")[0] for name, here in zip(names, held, strict=True) if here and "=" in name]
    return len(columns) > len(set(columns))


def databases(names, supports, total, threshold):
    """Every way to put people into cells that gives the supports."""
    cells = [cell for cell in product((0, 1), repeat=len(names)) if not exclusive(names, cell)]
    # Without N there may be any number: as many more as no pattern would be small with.
    most = MOST_PEOPLE + 1 + MOST_LEAST if total is None else total

    def fill(place, left):
        if place == len(cells) - 1:
            yield from ([(left,)] if total is not None else [(n,) for n in range(left + 1)])
            return
        for n in range(left + 1):
            for rest in fill(place + 1, left - n):
                yield (n, *rest)

    named = {at for each in supports for at in each}
    absent = [
        each
        for size in range(1, len(names) + 1)
        for each in combinations(sorted(named), size)
        if each not in supports and threshold is not None
    ]
    for counts in fill(0, most):
        found = Counter(dict(zip(cells, counts, strict=True)))

        def support(each, found=found):
            return sum(n for cell, n in found.items() if all(cell[at] for at in each))

        if all(support(each) == n for each, n in supports.items()) and all(
            support(each) < threshold for each in absent
        ):
            yield found


def oracle(names, supports, total, threshold, least):
    """The patterns of 1 … k − 1 people in every database, the minimal ones of them, and minimal possible ones.

    None if no database fits.
    """
    named = sorted({at for each in supports for at in each})
    patterns = [signs for signs in product((0, 1, -1), repeat=len(named)) if any(signs)]
    ends = {}
    for found in databases(names, supports, total, threshold):
        for signs in patterns:
            asked = [(named[at], sign > 0) for at, sign in enumerate(signs) if sign]
            count = sum(n for cell, n in found.items() if all(cell[at] == held for at, held in asked))
            low, high = ends.get(signs, (count, count))
            ends[signs] = min(low, count), max(high, count)
    if not ends and supports:
        return None
    said = {tuple(int(at in each) for at in named) for each in supports}
    small = {signs for signs, (low, high) in ends.items() if low > 0 and high < least}
    maybe = {signs for signs, (low, high) in ends.items() if low == 0 < high < least}

    def parts(signs):
        return [(*signs[:at], 0, *signs[at + 1 :]) for at, sign in enumerate(signs) if sign]

    minimal = {signs for signs in small - said if small.isdisjoint(parts(signs))}
    possible = {signs for signs in maybe - said if (small | maybe).isdisjoint(parts(signs))}
    known = [names[at] for at in named]
    if total is not None and 0 < total < least:  # everybody is too few, and every pattern is inside
        return [{text_of(known, signs) for signs in small} | {"everybody"}, {"everybody"}, set()]
    return [{text_of(known, signs) for signs in each} for each in (small - said, minimal, possible)]


def text_of(names, signs):
    present = sorted(name for name, sign in zip(names, signs, strict=True) if sign > 0)
    absent = sorted(name for name, sign in zip(names, signs, strict=True) if sign < 0)
    return ", ".join([*present, *(f"not {name}" for name in absent)])


def as_published(case):
    names, supports, total, threshold = case
    listed = {" ".join(names[at] for at in each): support for each, support in supports.items()}
    return itemsets(listed, records=total, min_support=threshold)


# Alone, the absent pair of a and b may be of nobody; with c, one holds both, and one neither.
PAIR = (["a", "b", "c"], {(0,): 2, (1,): 2, (2,): 3, (0, 2): 2, (1, 2): 2}, 4, 2)


def test_what_other_itemsets_prove_of_an_absent_pair_is_not_only_possible():
    checked = judged(check, as_published(PAIR), policy(2))
    assert channels(checked) == {
        "a, b": 1,
        "not a, not b": 1,
        "not c": 1,
        "a, not b": 1,
        "b, not a": 1,
        "c, not a": 1,
        "c, not b": 1,
    }
    assert not checked.notes


AROUND = {"a": 60, "b": 60, "c": 100, "a c": 60, "b c": 60}
"""Of 100 with c, 60 have a and 60 have b, so that 20 or more have both, and fewer than the miner's threshold of 30."""


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 3, 7, 12])
def test_what_lies_around_an_absent_pair_is_looked_at_among_many_items(others):
    supports = AROUND | {f"x{at}": 50 for at in range(others)}
    checked = judged(check, itemsets(supports, records=300, min_support=30), policy(30))
    assert "a, b" in channels(checked)
    assert judged(check, itemsets(supports, records=300, min_support=30), policy(20)).violations == []


@settings(max_examples=25)
@given(st.data())
def test_of_several_items_a_pass_is_shown_and_a_channel_proved(data):
    """Six items of a database whose last three are held by everybody: they add nothing to what three items tell."""
    names, supports, total, threshold = data.draw(published().filter(lambda case: case[2] and len(case[0]) == 3))
    least = data.draw(st.integers(2, MOST_LEAST))
    more = [f"e{at}" for at in range(3)]
    everybody = [each for size in range(4) for each in combinations(more, size)]
    told = {" ".join([*(names[at] for at in key), *each]): n for key, n in supports.items() for each in everybody}
    told |= {" ".join(each): total for each in everybody if each}
    checked = judged(check, itemsets(told, records=total, min_support=threshold), policy(least))
    expected = oracle(names, supports, total, threshold, least)
    assert any(violation.reason == "mismatch" for violation in checked.violations) == (expected is None)
    assert not checked.open_limits
    if expected is not None and total >= least:
        assert {item for item in channels(checked) if "e0" not in item and "e1" not in item and "e2" not in item} == (
            expected[1]
        )


def test_what_is_not_looked_at_among_many_items_is_told_and_open_where_possible_channels_are_denied():
    """Twelve items of 50 among 300, of which no two are held by 30: some two are held by somebody."""
    supports = {f"x{at}": 50 for at in range(12)}
    output = itemsets(supports, records=300, min_support=30, longest=2)
    allowed = judged(check, output, policy(30))
    assert not allowed.open_limits
    assert any(note.startswith("not looked at") for note in allowed.notes)
    assert list(judged(check, output, policy(30, possible_channels="deny")).open_limits) == ["channels"]


@pytest.mark.slow
def test_what_is_known_of_two_releases_together_is_blamed_on_the_later():
    before = itemsets({"a": 60, "b": 60, "a c": 60}, records=300, min_support=30, longest=2)
    later = itemsets({"c": 100, "b c": 60}, records=300, min_support=30, longest=2)
    for others in (0, 12):
        later = itemsets({"c": 100, "b c": 60} | {f"x{at}": 50 for at in range(others)}, records=300, min_support=30)
        assert "a, b" in channels(judged(check, later, policy(30), before=[before]))


# Everybody holds a: that nobody of them but one has a value of c says no more than that one has none.
REST = (["a", "c=1", "c=2"], {(0,): 5, (1,): 2, (2,): 2, (0, 1): 2, (0, 2): 2}, 5, 2)


@pytest.mark.slow
@settings(max_examples=100)
@given(published(), st.integers(2, MOST_LEAST))
@example(PAIR, 2)
@example(REST, 2)
def test_channels_are_those_of_every_database(case, least):
    checked = judged(check, as_published(case), policy(least))
    expected = oracle(*case, least)
    assert any(violation.reason == "mismatch" for violation in checked.violations) == (expected is None)
    if expected is not None:
        assert set(channels(checked)) == expected[1]
    assert not checked.open_limits


@pytest.mark.slow
@settings(max_examples=100)
@given(published(), st.integers(2, MOST_LEAST))
@example(PAIR, 2)
def test_denied_are_the_certain_and_the_possible_channels_of_every_database(case, least):
    checked = judged(check, as_published(case), policy(least, possible_channels="deny"))
    expected = oracle(*case, least)
    if expected is not None and case[1]:
        assert set(channels(checked)) == expected[1] | expected[2]


@pytest.mark.slow
@settings(max_examples=100)
@given(published(), st.integers(2, MOST_LEAST))
def test_lattices_with_their_borders_say_nothing_wrong_and_miss_nothing_inside(case, least):
    """With the integer programmes switched off, as where there are many items."""
    names, supports, total, _ = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derived, "FEW_ITEMS", 0)
        patch.setattr(derived, "SEVERAL_ITEMS", 0)
        checked = judged(check, as_published(case), policy(least))
    expected = oracle(*case, least)
    if expected is None:
        return  # whether it contradicts itself may take a programme
    assert not any(violation.reason == "mismatch" for violation in checked.violations)
    assert set(channels(checked)) <= expected[0]
    told = checked.open_limits or any(note.startswith("not looked at") for note in checked.notes)
    assert told or bool(channels(checked)) == bool(expected[1])
    parts = {part for each in supports for size in range(1, len(each)) for part in combinations(each, size)}
    if parts <= set(supports) and total is not None:
        published_together = [{names[at] for at in each} for each in supports]
        inside = {text for text in expected[1] if any(asked(text) <= each for each in published_together)}
        assert inside <= set(channels(checked))


def asked(text):
    return {part.removeprefix("not ") for part in text.split(", ")}


@given(published(), st.integers(2, MOST_LEAST))
def test_with_data_the_same_channels_are_found(case, least):
    """The data is one of the databases that fit: what is certain of all is true of it, and nothing else is said."""
    names, supports, total, threshold = case
    expected = oracle(*case, least)
    first = next(databases(names, supports, total, threshold), None)
    if first is None or not sum(first.values()):
        return
    columns = sorted({name.split("=")[0] for name in names})
    rows = [
        {column: value_of(names, cell, column) for column in columns} for cell, n in first.items() for _ in range(n)
    ]
    output = as_published((names, supports, len(rows), threshold))
    expected = oracle(names, supports, len(rows), threshold, least)
    checked = judged(check, output, policy(least), rows)
    assert set(channels(checked)) == expected[1]
    assert not any(violation.reason == "mismatch" for violation in checked.violations)
    for violation in checked.violations:
        if violation.limit == "channels" and violation.records_count is not None:
            assert len(violation.rows) == violation.records_count


def value_of(names, cell, column):
    for name, held in zip(names, cell, strict=True):
        if name == column:
            return str(bool(held))
        if name.startswith(f"{column}=") and held:
            return name.split("=")[1]
    return "other"
