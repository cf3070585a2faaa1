"""Pseudonyms: the vectors of RFC 4231, a second HMAC written out from RFC 2104, and what a release must not tell."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from auditor.errors import DataError, PolicyError
from auditor.masking.pseudonyms import Pseudonyms, pseudonym
from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.policy import load_policy

ANY = np.random.default_rng(0)
KEY = "0123456789abcdef"

RFC_4231 = [
    ("0b" * 20, b"Hi There".hex(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (b"Jefe".hex(), b"what do ya want for nothing?".hex(),
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    ("0102030405060708090a0b0c0d0e0f10111213141516171819", "cd" * 50,
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    ("0c" * 20, b"Test With Truncation".hex(), "a3b6167473100ee06e0c796c2955552b"),
    ("aa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ("aa" * 131, b"This is a test using a larger than block-size key and a larger than block-size data. "
     b"The key needs to be hashed before being used by the HMAC algorithm.".hex(),
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
]  # fmt: skip


def written_out(key, text):
    """RFC 2104, section 2, for SHA-256 and its blocks of 64 bytes."""
    key = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    return sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()


def column(codes, labels, name="a"):
    return Categorical(name, np.array(codes, np.int32), labels)


def named(*columns, key=KEY, **kind):
    data = Microdata((*columns, Numeric("other", np.zeros(len(columns[0].missing)))))
    masked = Pseudonyms(attributes=[each.name for each in columns], key=key, **kind).masked(data, ANY)
    assert masked["other"] is data["other"]
    return [masked.categorical(each.name) for each in columns]


def said(column):
    return [None if code == MISSING else column.labels[code] for code in column.codes]


@pytest.mark.parametrize(("key", "text", "expected"), RFC_4231)
def test_the_vectors_of_rfc_4231(key, text, expected):
    assert pseudonym(bytes.fromhex(key), bytes.fromhex(text), len(expected)) == expected


def test_two_vectors_through_a_table():
    (plain,) = named(column([0], ("Hi There",)), key="\x0b" * 20, length=64)
    assert said(plain) == [RFC_4231[0][2]]
    (truncated,) = named(column([0], ("Test With Truncation",)), key="\x0c" * 20)
    assert said(truncated) == [RFC_4231[4][2]]


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=16), st.lists(st.text("abc é"), min_size=1, unique=True)
)
def test_a_second_computation(key, identifiers):
    (masked,) = named(column(range(len(identifiers)), tuple(identifiers)), key=key, length=64)
    assert said(masked) == [written_out(key.encode(), text.encode()) for text in identifiers]
    assert list(masked.labels) == sorted(masked.labels)


def test_equal_is_equal_everywhere_and_nothing_else_is_left():
    first, second = named(
        column([1, 0, 1, MISSING], ("ann", "bob", "never here")), column([2, 2, 0, 0], ("bob", "x", "ann"), "b")
    )
    ann, bob = (written_out(KEY.encode(), name)[:32] for name in (b"ann", b"bob"))
    assert said(first) == [bob, ann, bob, None]
    assert said(second) == [ann, ann, bob, bob]
    assert set(first.labels) == set(second.labels) == {ann, bob}
    assert not first.ordered


def test_numbers_are_their_shortest_text():
    data = Numeric("a", np.array([17, 17.5, np.nan, -3, 17]))
    (masked,) = named(data)
    expected = [written_out(KEY.encode(), text)[:32] for text in (b"17", b"17.5", b"-3")]
    assert said(masked) == [expected[0], expected[1], None, expected[2], expected[0]]


@pytest.mark.parametrize("codes", [[], [MISSING], [0], [0, 0]])
def test_none_one_and_constant(codes):
    (masked,) = named(column(codes, ("x",)))
    assert len(masked.labels) == len({code for code in codes if code != MISSING})
    np.testing.assert_array_equal(masked.missing, [code == MISSING for code in codes])


@pytest.mark.slow
def test_a_collision_is_noticed():
    """Of 2^17 identifiers, two share 8 digits with probability 1 − exp(−2^34/2^33) = 86 %; with this key, two do."""
    many = tuple(map(str, range(2**17)))
    digits = [written_out(KEY.encode(), text.encode())[:8] for text in many]
    assert len(set(digits)) < len(digits)
    with pytest.raises(DataError, match="columns 'a', 'b': two identifiers have the same pseudonym of 8 digits"):
        named(column(range(2**16), many[: 2**16]), column(range(2**16), many[2**16 :], "b"), length=8)
    assert len(set(said(named(column(range(2**17), many), length=16)[0]))) == 2**17


def test_a_short_key_is_refused_and_no_key_is_shown():
    with pytest.raises(ValidationError, match="at least 16 bytes") as raised:
        Pseudonyms(attributes=("a",), key="squamous-Dunwic")
    assert "squamous" not in str(raised.value)
    assert Pseudonyms(attributes=("a",), key="é" * 8)
    method = Pseudonyms(attributes=("a",), key=KEY)
    assert "0123" not in repr(method)
    assert method.parameters() == {"length": 32}


def test_a_policy_takes_the_key_from_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "policy.yaml"
    path.write_text(
        "version: 1\nname: p\nattributes: {study_key: pseudonym}\nrequirements: [{model: k-anonymity, k: 2}]\n"
        f"protection:\n  - {Pseudonyms.EXAMPLE}\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PSEUDONYM_KEY", "eldritch-and-long-enough")
    (method,) = load_policy(path).protection
    assert method.key == "eldritch-and-long-enough"
    assert "eldritch" not in load_policy(path).canonical_json()
    monkeypatch.setenv("PSEUDONYM_KEY", "eldritch")
    with pytest.raises(PolicyError) as raised:
        load_policy(path)
    assert "eldritch" not in str(raised.value)


def test_a_key_that_stands_in_the_policy_is_refused_without_being_shown():
    entry = {"attributes": ["a"], "method": "pseudonyms", "key": "eldritch-and-long-enough"}
    policy = {"attributes": {"a": "pseudonym"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
    with pytest.raises(
        PolicyError, match=r"key is written in the policy, where everybody can read it; key: \{secret: NAME\}"
    ) as raised:
        load_policy({**policy, "protection": [entry]})
    assert "eldritch" not in str(raised.value)


def test_keys_are_not_swept():
    with pytest.raises(ValidationError, match="sweep: 'key' needs values of a parameter"):
        Pseudonyms(attributes=("a",), key=KEY, sweep={"key": (KEY, KEY[::-1])})
