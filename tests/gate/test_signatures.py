"""Laws of signatures: one other byte of what is signed, or of the signature, and it does not hold."""

from __future__ import annotations

import shutil
from base64 import b64decode
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.gate.signatures import _openpgp
from auditor.gate.signatures.commits import NAMESPACE as OF_GIT
from auditor.gate.signatures.commits import commit_of
from auditor.gate.signatures.keys import key_of, keys_in
from auditor.gate.signatures.signatures import NotSigned, is_signature, signed_by
from tests.gate.keys import SshKey

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

TODAY = date.today()  # noqa: DTZ011  (as the gate's day)
CONTENT = b"weakenings: [{change: 0, approved_by: dpo}]\n"
COMMIT = b"tree %s\nparent %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000" % (b"1" * 40, b"2" * 40)
MESSAGE = b"\n\nApprove\n\ngpgsig is no header here\n"


@cache
def key() -> SshKey:
    return SshKey.made(Path(mkdtemp()), "key")


@cache
def signature(content: bytes, namespace: str) -> str:
    file = key().file.parent / namespace
    file.write_bytes(content)
    return key().sign(file, namespace).read_text(encoding="ascii")


def body(armored: str) -> bytes:
    return b64decode("".join(armored.splitlines()[1:-1]))


def commit() -> bytes:
    lines = signature(COMMIT + MESSAGE, OF_GIT).rstrip("\n").replace("\n", "\n ")
    return COMMIT + b"\ngpgsig " + lines.encode() + MESSAGE


def holds(content: bytes, armored: str, namespace: str) -> bool:
    try:
        return signed_by(content, armored, [key_of(key().public)], namespace, TODAY) == key_of(key().public)
    except NotSigned:
        return False


@settings(max_examples=40)
@given(st.data())
def test_another_byte_of_what_is_signed(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(CONTENT) - 1))
    byte = data.draw(st.integers(0, 255))
    other = CONTENT[:place] + bytes([byte]) + CONTENT[place + 1 :]
    assert holds(other, signature(CONTENT, "of"), "of") is (other == CONTENT)


@settings(max_examples=40)
@given(st.data())
def test_another_character_of_a_signature(data: st.DataObject) -> None:
    made = signature(CONTENT, "of")
    place = data.draw(st.integers(0, len(made) - 1))
    other = made[:place] + data.draw(st.characters(codec="latin-1")) + made[place + 1 :]
    if holds(CONTENT, other, "of"):
        assert body(other) == body(made)


@settings(max_examples=40)
@given(st.data())
def test_another_byte_of_a_signed_commit(data: st.DataObject) -> None:
    """A signature that holds is of what was signed, wherever it stands in the commit."""
    stored = commit()
    place = data.draw(st.integers(0, len(stored) - 1))
    other = commit_of("", stored[:place] + bytes([data.draw(st.integers(0, 255))]) + stored[place + 1 :])
    try:
        other.signed_by((key_of(key().public),), TODAY)
    except NotSigned:
        return
    assert other.content == COMMIT + MESSAGE


def test_a_commit_with_two_signatures_has_none() -> None:
    stored = commit()
    assert commit_of("", stored).signed_by((key_of(key().public),), TODAY) == key_of(key().public)
    twice = stored.replace(b"\ngpgsig ", b"\ngpgsig-sha256 x\ngpgsig ", 1)
    with pytest.raises(NotSigned, match="one of several"):
        commit_of("", twice).signed_by((key_of(key().public),), TODAY)


@given(st.binary(max_size=40))
def test_packets_of_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Nothing of what is read lies outside of it, and nothing is left over unread."""
    try:
        found = list(_openpgp.packets(content))
    except ValueError:
        return
    read = b"".join(part for _, part in found)
    assert len(read) + 2 * len(found) <= len(content) <= len(read) + 6 * len(found)


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PGP SIGNATURE-----\n" * 40_000,
        "-----BEGIN PGP SIGNATURE-----\n\n" + "=AAAA\n" * 100_000,
        "-----BEGIN PGP SIGNATURE-----\n" + "A: B\n" * 100_000,
        "-----BEGIN SSH SIGNATURE-----\n" + "A" * 1_000_000,
    ],
)
def test_a_long_text_is_no_signature_and_takes_no_time(text: str) -> None:
    began = perf_counter()
    assert not is_signature(text)
    for each in keys_in(text)[:3]:
        with pytest.raises(ValueError, match=r"key|KEY"):
            key_of(each)
    assert perf_counter() - began < 5
