"""Reading the file of a contract, and finding the table in it that is meant."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.files import opened
from auditor.policy.contracts import _dbt, _odcs
from auditor.policy.contracts._column import ContractColumn, folded
from auditor.policy.contracts._table import ContractTable
from auditor.policy.file.files import display, roots_for
from auditor.policy.file.nodes import Mapping, Mark, PolicySource
from auditor.policy.file.plain import from_python
from auditor.policy.file.problems import Problems, one_of, quoted
from auditor.policy.file.yaml import parse

MOST_BYTES = 64 << 20
"""Of a manifest of dbt, which holds the text of every macro."""
WANTED = (
    "a file of the Open Data Contract Standard (kind: DataContract), a properties file of dbt (models, seeds, "
    "snapshots, sources), or dbt's manifest.json"
)


@dataclass(frozen=True)
class DataContract:
    """What a file says of one table: the file and the table as they are shown, and the columns in its order."""

    file: str
    table: str
    columns: tuple[ContractColumn, ...]

    def says_of(self, name: str) -> ContractColumn | None:
        """What it says of a column, also of ``EMAIL`` for ``email``; None where it does not name it."""
        same = [each for each in self.columns if folded(each.name) == folded(name)]
        return next((each for each in same if each.name == name), next(iter(same), None))


def read_contract(
    path: Path, table: str | None, problems: Problems, mark: Mark | str, choice: str
) -> DataContract | None:
    """What a file says of a table; None, with problems noted, where that cannot be told.

    Args:
        path: the file.
        table: the table's name; None for the only one.
        problems: takes what is wrong, with its place.
        mark: what names the file.
        choice: how a table is named there, for messages.
    """
    before = len(problems.found)
    content = _content(path, mark, problems)
    found = None if content is None else _tables(content, path, problems, mark)
    if found is None or len(problems.found) > before:
        return None
    chosen = _chosen(found, table, problems, mark, choice)
    if chosen is None:
        return None
    columns = tuple(chosen.columns())
    if not columns and len(problems.found) == before:
        problems.add(mark, f"{display(path)} names no column of {quoted(chosen.names[0])}", "its columns", "contract")
    return DataContract(display(path), chosen.names[0], columns) if len(problems.found) == before else None


def _content(path: Path, mark: Mark | str, problems: Problems) -> bytes | None:
    try:
        with opened(path) as stream:
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                content = stream.read(MOST_BYTES + 1)
                if len(content) <= MOST_BYTES:
                    return content
                problems.add(mark, f"{display(path)} is too large", f"at most {MOST_BYTES >> 20} MiB", "limit")
                return None
            problems.add(mark, f"{display(path)} is not a file", WANTED, "file")
    except FileNotFoundError:
        problems.add(mark, f"the file {quoted(display(path))} does not exist", WANTED, "file")
    except (OSError, ValueError):
        problems.add(mark, f"the file {quoted(display(path))} cannot be read", WANTED, "file")
    return None


def _tables(content: bytes, path: Path, problems: Problems, mark: Mark | str) -> list[ContractTable] | None:
    before = len(problems.found)
    source = PolicySource(display(path), path.parent, roots_for(path.parent))
    if path.suffix == ".json":
        source = PolicySource(source.shown, source.folder, source.roots, is_file=False)
        document = _json(content, source, problems)
        if document is not None and _dbt.is_manifest(document):
            return list(_dbt.manifest_tables(document, source, problems))
        tree = None if document is None else from_python(document, source, problems)
    else:
        tree = parse(content, source, problems)
    if isinstance(tree, Mapping) and len(problems.found) == before:
        for kind, tables in ((_odcs.is_odcs, _odcs.tables), (_dbt.is_properties, _dbt.tables)):
            if kind(tree):
                return list(tables(tree, problems))
    if len(problems.found) == before:
        problems.add(mark, f"{source.shown} is no data contract that can be read", WANTED, "contract")
    return None


def _json(content: bytes, source: PolicySource, problems: Problems) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as wrong:
        why = quoted(str(wrong)) if isinstance(wrong, ValueError) else "nested too deeply"
        problems.add(source.shown, f"not JSON: {why}", "check quotes and commas", "yaml")
        return None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; readers differ in which of two values under one key they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key appears twice in one object")
    return found


def _chosen(
    tables: Sequence[ContractTable], name: str | None, problems: Problems, mark: Mark | str, choice: str
) -> ContractTable | None:
    fitting = [table for table in tables if name is None or name in table.names]
    if len(fitting) == 1:
        return fitting[0]
    if not tables:
        problems.add(mark, "the contract holds no table", WANTED, "contract")
    elif not fitting:
        known = [table.names[0] for table in tables]
        problems.add(mark, f"the contract has no table {quoted(str(name))}", one_of(str(name), known), "contract")
    else:
        several = ", ".join(table.names[0 if name is None else -1] for table in fitting[:20])
        what = f"the contract has {len(fitting)} tables" + (f" called {quoted(name)}" if name else "")
        problems.add(mark, f"{what}: {several}", f"name one with {choice}", "contract")
    return None
