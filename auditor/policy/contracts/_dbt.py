"""dbt's properties files (``models/schema.yml``) and its ``manifest.json``: ``meta`` and ``tags`` of columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from auditor.policy.contracts._column import KEY, ContractColumn, Word, column
from auditor.policy.contracts._table import ContractTable, inside, mappings, name_of, texts, unique
from auditor.policy.file.nodes import Mapping, Node, PolicySource, Scalar, shown
from auditor.policy.file.plain import from_python
from auditor.policy.file.problems import Problems

GROUPS = ("models", "seeds", "snapshots")
SOURCES = "sources"
KINDS = frozenset({"model", "seed", "snapshot", "source"})
FLAGS = ("pii", "contains_pii")
"""Keys of ``meta`` that say with ``true`` that a column is about a person."""
TRUE = frozenset({"true", "yes", "on", "y", "t", "1"})
FALSE = frozenset({"false", "no", "off", "n", "f", "0"})
"""What people write under such a key; dbt takes `on` for true."""
SAID = ("name", "meta", "config", "tags")
"""What is read of a column."""


def is_properties(tree: Mapping) -> bool:
    """Whether a file lists resources of dbt."""
    return (
        any(tree.get(key) is not None for key in (*GROUPS, SOURCES)) and tree.text("dataContractSpecification") is None
    )


def tables(tree: Mapping, problems: Problems) -> Iterator[ContractTable]:
    """The models, seeds, snapshots and tables of sources of a properties file."""
    for key in GROUPS:
        for entry in mappings(tree.get(key), key, problems):
            if name := name_of(entry, key, problems):
                yield ContractTable((name,), partial(_columns, entry, problems))
    for source in mappings(tree.get(SOURCES), SOURCES, problems):
        for entry in mappings(source.get("tables"), "tables", problems):
            if name := name_of(entry, "tables", problems):
                whole = f"{source.text('name') or ''}.{name}"
                yield ContractTable((name, whole), partial(_columns, entry, problems))


def _columns(entry: Mapping, problems: Problems) -> tuple[ContractColumn, ...]:
    listed = mappings(entry.get("columns"), "columns", problems)
    named = [(each, name) for each in listed if (name := name_of(each, "columns", problems))]
    return tuple(unique([_column(each, name, problems) for each, name in named], problems))


def is_manifest(document: Any) -> bool:
    """Whether a JSON document is dbt's manifest."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    return isinstance(metadata, dict) and "dbt_schema_version" in metadata


def manifest_tables(document: Any, source: PolicySource, problems: Problems) -> Iterator[ContractTable]:
    """The models, seeds, snapshots and sources of a manifest."""
    for group in ("nodes", SOURCES):
        for key, node in _items(document.get(group)):
            if isinstance(node, dict) and node.get("resource_type") in KINDS and isinstance(node.get("name"), str):
                whole = f"{node['source_name']}.{node['name']}" if group == SOURCES and "source_name" in node else key
                names = tuple(dict.fromkeys((node["name"], whole, key)))
                said = partial(_of_manifest, group, key, node.get("columns"), source, problems)
                yield ContractTable(names, said)


def _of_manifest(
    group: str, key: str, columns: Any, source: PolicySource, problems: Problems
) -> tuple[ContractColumn, ...]:
    """Of one table alone, since a manifest holds far more than a tree may have nodes."""
    said = {
        name: {word: value for word, value in each.items() if word in SAID} if isinstance(each, dict) else {}
        for name, each in _items(columns)
    }
    tree: Node | None = from_python({group: {key: {"columns": said}}}, source, problems)
    for step in (group, key, "columns"):
        tree = inside(tree, step)
    entries = tree.entries if isinstance(tree, Mapping) else ()
    found = [
        _column(each, each.text("name") or name.text, problems) for name, each in entries if isinstance(each, Mapping)
    ]
    return tuple(unique(found, problems))


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _column(entry: Mapping, name: str, problems: Problems) -> ContractColumn:
    config = entry.get("config")
    metas = [*_metas(entry.get("meta"), problems), *_metas(inside(config, "meta"), problems)]
    exact = [said for meta in metas if (said := meta.get(KEY)) is not None]
    words: list[Word] = [("tag", tag) for tag in (*texts(entry.get("tags")), *texts(inside(config, "tags")))]
    words += [("classification", said) for meta in metas if (said := meta.get("classification")) is not None]
    flags = [(key.text, said) for meta in metas for key, said in meta.entries if key.text.casefold() in FLAGS]
    words += [(flag, said) for flag, said in flags if _truth(said) is None]
    return column(
        name, entry.mark, exact, words, problems, besides=[f"{flag}: true" for flag, said in flags if _truth(said)]
    )


def _metas(node: Node | None, problems: Problems) -> Iterator[Mapping]:
    if isinstance(node, Mapping):
        yield node
    elif node is not None and not (isinstance(node, Scalar) and node.is_null):
        problems.add(node.mark, f"meta: {shown(node)} was read", "wanted: a mapping")


def _truth(said: Node) -> bool | None:
    """Whether a text is true or false; None where it is neither."""
    word = said.text.strip().casefold() if isinstance(said, Scalar) else ""
    return True if word in TRUE else False if word in FALSE else None
