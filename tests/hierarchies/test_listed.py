"""Files, trees and groups: levels as listed, what is checked about them, and the leaves that do not occur."""

import pytest

from auditor.errors import DataError, HierarchyError
from auditor.hierarchies import TOP, build, hierarchy

EUROPE = {"Any": {"Europe": ["DE", "FR", "IT"], "Asia": ["JP"]}}


def write(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "ladder.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return {"file": str(path), "separator": ";"}


def test_a_file_gives_the_levels_as_they_stand(tmp_path):
    spec = write(tmp_path, "Bachelors;Higher;*\nMasters;Higher;*\n11th;Secondary;*\n")
    ladder = build(spec, ["11th", "Masters"], "education")
    assert ladder.levels == (("11th", "Masters"), ("Secondary", "Higher"), ("*", "*"))


def test_leaves_are_counted_in_the_file_whether_they_occur_or_not(tmp_path):
    ladder = build(write(tmp_path, "a;x;*\nb;x;*\nc;y;*\n"), ["c", "a"], "v")
    assert [list(level) for level in ladder.leaves] == [[1, 1], [1, 2], [3]]
    assert ladder.leaf_count == 3


def test_a_file_may_end_in_several_values(tmp_path):
    ladder = build(write(tmp_path, "a;x\nb;y\n"), ["a", "b", None], "v")
    assert ladder.height == 1
    assert ladder.levels[1] == ("x", "y", None)


@pytest.mark.parametrize(
    "text",
    [b"\xef\xbb\xbfa;x\nb;x\n", b"a;x\r\nb;x\r\n", b"a;x\rb;x", b"\na;x\n\nb;x\n\n", b'"a";x\n"b";"x"\n'],
    ids=["byte order mark", "CRLF", "CR", "blank lines", "quotes"],
)
def test_files_are_read_as_spreadsheets_write_them(tmp_path, text):
    assert build(write(tmp_path, text), ["a", "b"], "v").levels[1] == ("x", "x")


def test_quoted_fields_keep_separators_and_newlines(tmp_path):
    assert build(write(tmp_path, '"a;1\n2";x\n'), ["a;1\n2"], "v").levels[1] == ("x",)


def test_line_separators_inside_a_value_do_not_split_it(tmp_path):
    assert build(write(tmp_path, "a\u2028b\x0bc;x\n"), ["a\u2028b\x0bc"], "v").levels[1] == ("x",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ladder.csv lists no value"),
        ("a,x\nb,x\n", "ladder.csv has no level above the values; is ';' its separator"),
        ("a;x\nb;x;y\n", "ladder.csv, line 2: 3 fields where the first row has 2"),
        ("a;x\na;x\n", "ladder.csv lists the label of row 1 twice"),
        (b"a;x\n\xff;x\n", "ladder.csv, line 2: not UTF-8"),
        ('"a;x\n', "ladder.csv, line 1: "),
        (
            "a;p;one\nb;p;two\n",
            "the label of row 1 on level 1 stands under the label of row 1 and under the label of row 2 on level 2",
        ),
        ("a" + ";x" * 300, "ladder.csv has 300 levels"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(HierarchyError) as error:
        hierarchy(write(tmp_path, text))
    assert message in str(error.value)
    assert str(tmp_path) not in str(error.value)


def test_a_file_that_is_absent_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(HierarchyError, match="cannot be read"):
            hierarchy({"file": str(path)})


def test_a_file_larger_than_any_hierarchy_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("auditor.hierarchies.file.MAX_BYTES", 10)
    with pytest.raises(HierarchyError, match="larger than"):
        hierarchy(write(tmp_path, "a;x\nb;x\nc;x\n"))


def test_the_separator_is_one_character(tmp_path):
    with pytest.raises(HierarchyError, match="not one character"):
        hierarchy(write(tmp_path, "a;x") | {"separator": ";;"})


def test_values_that_are_not_listed_are_counted_and_not_repeated(tmp_path):
    with pytest.raises(DataError) as error:
        build(write(tmp_path, "a;x\n"), ["a", "secret-1", "secret-2", None], "v")
    assert str(error.value).startswith("column 'v': holds values that are not in ladder.csv")
    assert "secret" not in str(error.value)


def test_a_tree_is_read_from_the_root():
    ladder = build({"tree": EUROPE}, ["JP", "FR"], "country")
    assert ladder.levels == (("JP", "FR"), ("Asia", "Europe"), ("Any", "Any"))
    assert [list(level) for level in ladder.leaves] == [[1, 1], [1, 3], [4]]


def test_short_branches_are_padded_by_repeating_the_leaf():
    ladder = build({"tree": {"*": {"Respiratory": {"Lung": ["flu"]}, "Other": ["gout"]}}}, ["gout", "flu"], "d")
    assert ladder.levels == (("gout", "flu"), ("gout", "Lung"), ("Other", "Respiratory"), ("*", "*"))


def test_a_list_may_mix_values_and_branches():
    ladder = build({"tree": {"*": ["a", {"B": ["b", "c"]}]}}, ["a", "b", "c"], "v")
    assert ladder.levels == (("a", "b", "c"), ("a", "B", "B"), ("*", "*", "*"))


def test_several_roots_are_a_top_level_of_several_values():
    ladder = build({"tree": {"A": ["1"], "B": ["2"]}}, ["1", "2", None], "v")
    assert ladder.levels == (("1", "2", None), ("A", "B", None))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({}, "the tree lists no value"),
        ({"A": {"B": []}}, "'B' has nothing under it"),
        ({"A": ["x"], "B": ["x"]}, "the tree lists 'x' twice"),
        ({"A": {"Other": ["x"]}, "B": {"Other": ["y"]}}, "'Other' on level 1 stands under 'A' and under 'B'"),
    ],
)
def test_a_wrong_tree_is_refused(tree, message):
    with pytest.raises(HierarchyError) as error:
        hierarchy({"tree": tree})
    assert message in str(error.value)


def test_a_tree_of_thousands_of_levels_is_refused_not_a_crash():
    tree = {"leaf": ["x"]}
    for _ in range(5000):
        tree = {"node": tree}
    with pytest.raises(HierarchyError, match="nested too deeply"):
        hierarchy({"tree": tree})


def test_groups_are_named_by_their_values():
    ladder = build({"groups": [["north", "east"], ["south", "west"]]}, ["west", "north", None], "region")
    assert ladder.levels[1:] == (("{south, west}", "{north, east}", None), ("*", "*", "*"))
    assert [list(level) for level in ladder.leaves] == [[1, 1, 1], [2, 2, 1], [5]]


def test_one_group_needs_no_star():
    assert build({"groups": [["a", "b"]]}, ["a", "b"], "v").levels[-1] == ("{a, b}", "{a, b}")


@pytest.mark.parametrize("groups", [[], [[]], [["a"], []], [["a"], ["a"]], [["a", "a"]]])
def test_wrong_groups_are_refused(groups):
    with pytest.raises(HierarchyError):
        hierarchy({"groups": groups})


def test_a_missing_value_is_a_branch_of_its_own_up_to_the_level_of_one_value():
    ladder = build({"tree": EUROPE}, [None, "DE", "JP"], "country")
    assert [level[0] for level in ladder.levels] == [None, None, "Any"]
    assert ladder.codes().tolist() == [[0, 1, 2], [0, 1, 2], [0, 0, 0]]
    assert ladder.leaves[-1].tolist() == [5]


@pytest.mark.parametrize(("label", "level"), [("DE", 0), ("Europe", 1), ("Any", TOP), ("*", TOP), ("Mars", None)])
def test_labels_are_found_where_they_are_listed(label, level):
    assert hierarchy({"tree": EUROPE}).level_of(label) == level


def test_a_label_as_a_value_stays_up_to_its_own_level():
    ladder = build({"tree": EUROPE}, ["Europe", "DE"], "country")
    assert ladder.levels == (("Europe", "DE"), ("Europe", "Europe"), ("Any", "Any"))
    assert [list(level) for level in ladder.leaves] == [[3, 1], [3], [4]]
