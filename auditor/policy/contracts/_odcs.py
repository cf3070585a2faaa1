"""Files of the Open Data Contract Standard, version 3 (https://bitol-io.github.io/open-data-contract-standard).

What they say of a person is free text there: the classification "can be anything", and tags are "deliberately not a
controlled vocabulary". So the words are those of `_column`, and a custom property says a role exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from auditor.policy.contracts._column import KEY, ContractColumn, Word, column
from auditor.policy.contracts._table import ContractTable, inside, mappings, name_of, texts, unique
from auditor.policy.file.nodes import Mapping, Node
from auditor.policy.file.problems import Problems, quoted

VERSION = re.compile(r"v?3(\.[0-9A-Za-z.-]+)?")


def is_odcs(tree: Mapping) -> bool:
    """Whether a file says that it is one of the standard."""
    return tree.text("kind") == "DataContract"


def tables(tree: Mapping, problems: Problems) -> Iterator[ContractTable]:
    """The objects of the schema."""
    version = tree.text("apiVersion")
    if version is None or not VERSION.fullmatch(version):
        what = f"apiVersion: {'nothing' if version is None else quoted(version)} was read"
        problems.add((tree.get("apiVersion") or tree).mark, what, "version 3 of the standard, such as v3.1.0")
        return
    for entry in mappings(tree.get("schema"), "schema", problems):
        name = name_of(entry, "schema", problems)
        if name is not None:
            names = dict.fromkeys((name, entry.text("physicalName") or name))
            yield ContractTable(tuple(names), partial(_columns, entry, problems))


def _columns(entry: Mapping, problems: Problems) -> tuple[ContractColumn, ...]:
    found = []
    for each in mappings(entry.get("properties"), "properties", problems):
        name = name_of(each, "properties", problems)
        if name is not None:
            parts = [
                f"{said} of its part {quoted(part.name)}" for part in _parts(each, problems) for said in _calls(part)
            ]
            found.append(_column(each, each.text("physicalName") or name, problems, parts))
    return tuple(unique(found, problems))


def _calls(part: ContractColumn) -> tuple[str, ...]:
    """What calls a part of a column personal."""
    return part.personal or ((f"role {quoted(part.role)}",) if part.role and part.is_personal else ())


def _parts(entry: Mapping, problems: Problems) -> Iterator[ContractColumn]:
    """Everything below a property: properties of objects, items of arrays, keys and values of maps."""
    held = inside(entry, "map")
    below = [*mappings(entry.get("properties"), "properties", problems)]
    below += [
        each for each in (entry.get("items"), inside(held, "key"), inside(held, "value")) if isinstance(each, Mapping)
    ]
    for each in below:
        yield _column(each, each.text("name") or "items", problems)
        yield from _parts(each, problems)


def _column(entry: Mapping, name: str, problems: Problems, parts: Iterable[str] = ()) -> ContractColumn:
    customs = mappings(entry.get("customProperties"), "customProperties", problems)
    exact = [value for each in customs if each.text("property") == KEY and (value := each.get("value")) is not None]
    words = _words(entry.get("classification"), entry.get("tags"))
    return column(name, entry.mark, exact, words, problems, besides=parts)


def _words(classification: Node | None, tags: Node | None) -> Iterator[Word]:
    if classification is not None:
        yield "classification", classification
    for tag in texts(tags):
        yield "tag", tag
