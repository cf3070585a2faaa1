"""Who may sign approvals, as a manifest says it: keys by person, in place or in files of the repository.

Files are read when the manifest is, so that what is compared, and what an approval of a change of signers is bound to,
are the keys themselves. What they are is checked then, too: a key that nobody can use is no surprise later.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.gate.signatures.keys import PublicKey, is_key, key_of, keys_in, signers_in
from auditor.policy.reading import (
    Mapping,
    Mark,
    Node,
    Problems,
    Scalar,
    Sequence,
    quoted,
    reachable,
    read,
    repository_of,
    resolve,
)
from auditor.policy.waivers import folded

RIGHT = "an SSH public key (ssh-ed25519 AAAA…), an armored OpenPGP public key, or a file of the repository with such"
MOST_BYTES = 1 << 20
PATTERNS = frozenset('*?!"')

Signers = dict[str, tuple[PublicKey, ...]]
"""Keys by person, as `folded`."""


def with_keys(tree: Mapping, problems: Problems) -> Mapping:
    """A manifest with the keys of ``trusted.signers`` in place of the files that hold them."""
    trusted = tree.get("trusted")
    given = trusted.get("signers") if isinstance(trusted, Mapping) else None
    if not isinstance(trusted, Mapping) or given is None or (isinstance(given, Scalar) and given.is_null):
        return tree
    return tree.put("trusted", trusted.put("signers", _by_person(given, problems)))


def names_of(tree: Mapping) -> Iterator[str]:
    """What may be names of files with keys, in a manifest."""
    trusted = tree.get("trusted")
    given = trusted.get("signers") if isinstance(trusted, Mapping) else None
    values = [value for _, value in given.entries] if isinstance(given, Mapping) else [given]
    for value in values:
        items = value.items if isinstance(value, Sequence) else (value,)
        yield from (each.text for each in items if isinstance(each, Scalar) and not is_key(each.text))


def signers_of(listed: dict[str, tuple[str, ...]], also: dict[str, tuple[str, ...]]) -> Signers:
    """The keys by person that two manifests list."""
    old, new = ({(folded(name), text) for name, texts in each.items() for text in texts} for each in (listed, also))
    found: dict[str, list[PublicKey]] = {}
    for name, text in sorted(old & new):
        found.setdefault(name, []).append(key_of(text))
    return {name: tuple(keys) for name, keys in found.items()}


def shown(listed: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The fingerprints by person, for a reader."""
    return {name: [str(key_of(text)) for text in texts] for name, texts in listed.items()}


def _by_person(given: Node, problems: Problems) -> Node:
    """The signers as a mapping of persons to lists of keys; what is neither is for the reader to refuse."""
    if isinstance(given, Scalar):
        entries = list(_of_file(given, problems))
    elif isinstance(given, Mapping):
        entries = [(name, Sequence(tuple(_keys(value, problems)), value.mark)) for name, value in given.entries]
    else:
        return given
    _check(entries, problems)
    merged: dict[str, tuple[Scalar, Sequence]] = {}
    for name, keys in entries:
        before = merged[name.text][1].items if name.text in merged else ()
        merged[name.text] = (name, Sequence((*before, *keys.items), keys.mark))
    return Mapping(tuple(merged.values()), given.mark)


def _keys(value: Node, problems: Problems) -> Iterator[Node]:
    """The keys of one person."""
    for each in value.items if isinstance(value, Sequence) else (value,):
        if not isinstance(each, Scalar):
            problems.add(each.mark, "no key", RIGHT)
        elif is_key(each.text):
            yield from _key(each.text, each.mark, problems)
        else:
            for text in keys_in(_content(each.text, each.mark, problems)):
                yield from _key(text, each.mark, problems)


def _of_file(named: Scalar, problems: Problems) -> Iterator[tuple[Scalar, Sequence]]:
    """The signers in a file of allowed signers, a line each."""
    for names, text in signers_in(_content(named.text, named.mark, problems)):
        for name in names:
            if not name or PATTERNS & set(name):
                # What a stranger calls a file of signers may be a table: nothing of it is told.
                problems.add(named.mark, "a name among allowed signers", "the address of one person")
            else:
                yield Scalar(name, False, named.mark), Sequence(tuple(_key(text, named.mark, problems)), named.mark)


def _key(text: str, mark: Mark, problems: Problems) -> Iterator[Scalar]:
    try:
        yield Scalar(key_of(text).text, False, mark)
    except ValueError as wrong:
        problems.add(mark, f"{wrong}", RIGHT)


def _content(name: str, mark: Mark, problems: Problems) -> str:
    """The text of a file with keys: a regular file of the repository that no link leads to."""
    path = resolve(name, mark, problems)
    if path is None:
        return ""
    folder, text = mark.document.folder.resolve(), ""
    if not reachable(path, (repository_of(folder),)):
        problems.add(mark, f"the file {quoted(name)} lies outside", RIGHT, "escape")
    elif path != Path(os.path.normpath(folder / name)):
        problems.add(mark, f"a link leads to {quoted(name)}", "the file itself", "escape")
    elif len(content := read(path, mark, problems) or b"") > MOST_BYTES:
        problems.add(mark, f"{quoted(name)} is too large", f"at most {MOST_BYTES} bytes", "limit")
    else:
        text = content.decode("utf-8", "replace")
        if not keys_in(text):
            problems.add(mark, f"{quoted(name)} holds no key", RIGHT)
    return text


def _check(entries: Iterable[tuple[Scalar, Sequence]], problems: Problems) -> None:
    """A key is one person's."""
    owners: dict[bytes, str] = {}
    for name, keys in entries:
        for key in keys.items:
            assert isinstance(key, Scalar)  # noqa: S101  (as `_key` makes them)
            owner = owners.setdefault(key_of(key.text).content, folded(name.text))
            if owner != folded(name.text):
                what = f"a key of {quoted(name.text)} that {quoted(owner)} has, too"
                problems.add(key.mark, what, "a key of one person")
