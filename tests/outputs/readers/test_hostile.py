"""Files that attack their reader: entities, nesting, code, binary formats, and places that are no files."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import time
from pathlib import Path

import pytest

from auditor.errors import DataError, Unsupported
from auditor.outputs.readers import read
from auditor.outputs.readers._file import MOST_BYTES
from tests.outputs.readers.conftest import Write

QUICKLY = 5
"""Seconds of CPU in which a refusal has to come; each is far below one."""

BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY lol{i} "{f"&lol{i - 1};" * 10}">' for i in range(1, 10)).replace("&lol0;", "&lol;")
    + ']><PMML version="4.2"><Header copyright="&lol9;"/></PMML>'
)
XML = {
    "a billion laughs": BILLION_LAUGHS,
    "an entity of a file": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><PMML version="4.2">&x;</PMML>',
    "an entity of a server": '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1:1/x">]><PMML>&x;</PMML>',
    "a parameter entity": '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><PMML/>',
    "a document type elsewhere": '<!DOCTYPE PMML SYSTEM "file:///dev/zero"><PMML version="4.2"/>',
    "an entity without a type": "<PMML>&lol;</PMML>",
    "quadratic attributes": f'<!DOCTYPE a [<!ENTITY x "{"y" * 100_000}">]><PMML a="{"&x;" * 10_000}"/>',
    "deep nesting": "<PMML>" + "<a>" * 5_000_000,
    "deep nesting of nodes": "<PMML><TreeModel>" + '<Node recordCount="9"><True/>' * 100_000,
    "an encoding that does not exist": '<?xml version="1.0" encoding="no-such-thing"?><PMML/>',
    "an encoding that reads two ways": '<?xml version="1.0" encoding="UTF-7"?><PMML/>',
    "half a document": '<PMML version="4.2"><TreeModel',
    "two roots": "<PMML/><PMML/>",
    "a name of 10 MB": f'<PMML><AssociationModel><Item id="1" value="{"x" * 10_000_000}"/></AssociationModel></PMML>',
}


@pytest.mark.slow
@pytest.mark.parametrize("text", XML.values(), ids=XML)
def test_hostile_xml_ends_in_a_clear_error(write: Write, text: str) -> None:
    path = write(text)
    begun = time.process_time()
    with pytest.raises(DataError) as refused:
        read(path)
    assert time.process_time() - begun < QUICKLY
    assert len(str(refused.value)) < 400
    assert "root:" not in str(refused.value)


@pytest.mark.slow
def test_a_chain_of_nodes_with_many_leaves_does_not_fill_the_memory(write: Write) -> None:
    """900 levels and 20,000 leaves at the end are 18 million conditions, from a file of 2 MB."""
    node = '<Node><SimplePredicate field="a" operator="equal" value="{}"/>'
    text = "<PMML><TreeModel>" + node.format(0) * 900 + "".join(f"{node.format(i)}</Node>" for i in range(20_000))
    with pytest.raises(DataError, match="too long together"):
        read(write(text + "</Node>" * 900 + "</TreeModel></PMML>"))


def test_many_children_that_overlap_are_not_compared_pair_by_pair(write: Write) -> None:
    node = '<Node><SimplePredicate field="a{}" operator="lessThan" value="{}"/></Node>'
    children = "".join(node.format(i, i) for i in range(10_000))
    path = write(f"<PMML><TreeModel><Node><True/>{children}</Node></TreeModel></PMML>")
    begun = time.process_time()
    (found,) = read(path)
    assert time.process_time() - begun < QUICKLY
    assert found.unread


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 1 << 30])
def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, size: int) -> None:
    path = tmp_path / "large.xml"
    with path.open("wb") as file:
        file.write(b"<PMML>")
        file.truncate(size)
    with pytest.raises(DataError, match="more than 128 MiB"):
        read(path)


class Bomb:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("ran",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["rules.pkl", "rules.csv", "model.joblib", "rules"])
def test_no_pickle_is_ever_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: int, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(pickle.dumps(Bomb(), protocol))
    with pytest.raises((Unsupported, DataError)) as refused:
        read(Path(name))
    assert not Path("ran").exists()
    if protocol >= 2 or not name.endswith(("csv", "rules")):
        assert "pickle" in str(refused.value)


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x1f\x8b\x08", b"\x89HDF\r\n", b"PAR1", b"\x93NUMPY", b"RDX3\n"])
def test_binary_formats_are_named(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "output.csv"
    path.write_bytes(start + bytes(range(256)))
    with pytest.raises(Unsupported):
        read(path)


@pytest.mark.parametrize(
    "content", [b"", b"   \n\n", b"rules,support\nb\xe4r,1\n", b"a,b\n1,\x00\n", "a,b\n1,2\n".encode("utf-16")]
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "output.csv"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read(path)


def test_places_that_are_no_files(tmp_path: Path) -> None:
    pipe, loop, dangling = tmp_path / "pipe", tmp_path / "loop", tmp_path / "dangling"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "nowhere")
    for place in (
        tmp_path,
        pipe,
        loop,
        dangling,
        tmp_path / "absent",
        Path("/dev/zero"),
        Path("a\0b"),
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(DataError):
            read(place)


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a folder; name the files in it"):
        read(tmp_path)


def test_a_link_to_a_file_is_followed(write: Write, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(write('{"type": "clusters", "clusters": []}'))
    assert len(read(link)) == 1


def test_csv_bombs_end_in_a_clear_error(write: Write) -> None:
    wide = "support,itemsets," + "," * 1_000_000 + "\n"
    long = 'support,itemsets\n0.4,"' + "x" * 10_000_000 + '"\n'
    unclosed = 'support,itemsets\n0.4,"frozenset({\n' * 1_000
    for text in (wide, long, unclosed):
        with pytest.raises(DataError):
            read(write(text))


MANY = {
    "values of JSON": "[" + "[]," * 3_000_000 + "[]]",
    "fields of CSV": "support,itemsets" + "," * 6_000_000,
    "lines of CSV": "a,b\n" + "1,2\n" * 1_000_001,
    "patterns": "1 #SUP: 1\n" * 1_000_001,
    "leaves": "|--- a <= 1.00\n" + "|   |--- class: 1\n" * 1_000_001,
}


@pytest.mark.parametrize("text", MANY.values(), ids=MANY)
def test_files_of_many_small_things_do_not_fill_the_memory(write: Write, text: str) -> None:
    path = write(text)
    begun = time.process_time()
    with pytest.raises(DataError, match="lines or values"):
        read(path)
    assert time.process_time() - begun < QUICKLY


def test_random_bytes_are_never_an_output(tmp_path: Path) -> None:
    """Whatever stands in a file, it is read or refused: no other error leaves the readers."""
    dice = random.Random(5)
    starts = [b"", b"{", b"[", b"<PMML", b"1 #SUP: ", b"support,itemsets\n", b'"rules","support"\n', b"|--- a <= 1\n"]
    path = tmp_path / "output"
    for _ in range(400):
        letters = bytes(dice.choice(b"0123456789{}[]\"':,.=<>/ \n#SUPrulesfrozet()_-|") for _ in range(60))
        path.write_bytes(dice.choice(starts) + (dice.randbytes(30) if dice.random() < 0.3 else letters))
        with contextlib.suppress(DataError, Unsupported):
            read(path)
