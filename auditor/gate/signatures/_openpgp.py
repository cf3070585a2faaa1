"""As much of OpenPGP (RFC 4880) as tells what a block holds: its packets, and the fingerprint of a key.

Nothing here verifies anything. It makes sure that what gpgv is given is one public key, or one detached signature and
nothing else: what stands beside a signature could be taken for what was signed.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from hashlib import sha1

KEY = "PUBLIC KEY BLOCK"
SIGNATURE = "SIGNATURE"
SIGNATURE_PACKET, KEY_PACKET, SECRET_PACKETS = 2, 6, (5, 7)
VERSION = 4
ARMOR = re.compile(
    r"\s*-----BEGIN PGP (?P<kind>[A-Z ]+)-----\r?\n(?:[A-Za-z]+: [^\n]*\n)*\r?\n"
    r"(?P<body>[A-Za-z0-9+/=\r\n]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END PGP (?P=kind)-----\s*"
)


def dearmored(text: str, kind: str) -> bytes:
    """The bytes in one armored block.

    Args:
        text: the block, and nothing beside it.
        kind: what its first line says that it is.

    Raises:
        ValueError: it is no such block.
    """
    found = ARMOR.fullmatch(text)
    if found is None or found["kind"] != kind:
        raise ValueError(f"not one PGP {kind}")
    return b64decode(re.sub(r"\s", "", found["body"]), validate=True)


def packets(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The packets, each as tag and contents.

    Raises:
        ValueError: one is broken, or does not say how long it is.
    """
    at = 0
    while at < len(content):
        tag, size, at = _new_header(content, at) if content[at] & 0x40 else _old_header(content, at)
        if at + size > len(content):
            raise ValueError("a broken packet")
        yield tag, content[at : at + size]
        at += size


def _old_header(content: bytes, at: int) -> tuple[int, int, int]:
    first = content[at]
    if not first & 0x80 or first & 3 == 3:
        raise ValueError("a packet without a length")
    end = at + 1 + (1 << (first & 3))
    return (first >> 2) & 15, int.from_bytes(content[at + 1 : end]), end


def _new_header(content: bytes, at: int) -> tuple[int, int, int]:
    tag, first = content[at] & 63, int.from_bytes(content[at + 1 : at + 2])
    if not content[at] & 0x80 or 224 <= first < 255:
        raise ValueError("a packet without a length")
    if first < 192:
        return tag, first, at + 2
    if first < 224:
        return tag, ((first - 192) << 8) + int.from_bytes(content[at + 2 : at + 3]) + 192, at + 3
    return tag, int.from_bytes(content[at + 2 : at + 6]), at + 6


def fingerprint(content: bytes) -> str:
    """The fingerprint of one public key with its names and subkeys: 40 capital hexadecimal digits.

    Raises:
        ValueError: it is no key, several, a private one, or one of another version than 4.
    """
    found = list(packets(content))
    tags = [tag for tag, _ in found]
    if any(tag in SECRET_PACKETS for tag in tags):
        raise ValueError("a private key")
    if tags[:1] != [KEY_PACKET] or tags.count(KEY_PACKET) != 1:
        raise ValueError("not one public key")
    key = found[0][1]
    if key[:1] != bytes([VERSION]):
        raise ValueError(f"a key of a version other than {VERSION}")
    return sha1(b"\x99" + len(key).to_bytes(2) + key, usedforsecurity=False).hexdigest().upper()


def signature(text: str) -> bytes:
    """The one detached signature in an armored block.

    Raises:
        ValueError: it is none, several, or something stands beside it.
    """
    content = dearmored(text, SIGNATURE)
    if [tag for tag, _ in packets(content)] != [SIGNATURE_PACKET]:
        raise ValueError("not one detached signature")
    return content
