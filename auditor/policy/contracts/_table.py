"""A table of a contract before its columns are read, and the parts of trees that both kinds of files have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from auditor.policy.contracts._column import ContractColumn
from auditor.policy.file.nodes import Mapping, Node, Scalar, shown
from auditor.policy.file.nodes import Sequence as List
from auditor.policy.file.problems import Problems, quoted


@dataclass(frozen=True)
class ContractTable:
    """`names` are those by which it may be asked for, the shown one first; `columns` reads what is said of each."""

    names: tuple[str, ...]
    columns: Callable[[], Sequence[ContractColumn]]


def mappings(node: Node | None, key: str, problems: Problems) -> Iterator[Mapping]:
    """The mappings of a list; what is none is noted. Nothing said is an empty list."""
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return
    if not isinstance(node, List):
        problems.add(node.mark, f"{key}: {shown(node)} was read", "wanted: a list")
        return
    for item in node.items:
        if isinstance(item, Mapping):
            yield item
        else:
            problems.add(item.mark, f"{key}: {shown(item)} was read", "wanted: a mapping")


def texts(node: Node | None) -> tuple[Node, ...]:
    """The entries of a list, or the one value that stands in its place."""
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return ()
    return node.items if isinstance(node, List) else (node,)


def inside(node: Node | None, key: str) -> Node | None:
    """What stands under a key, where there is a mapping."""
    return node.get(key) if isinstance(node, Mapping) else None


def name_of(entry: Mapping, key: str, problems: Problems) -> str | None:
    """The name of an entry; None, with a problem noted, where it has none."""
    name = entry.text("name")
    if name is None:
        problems.add(entry.mark, f"an entry of {key} without name", "name: …", "missing")
    return name


def unique(columns: Sequence[ContractColumn], problems: Problems) -> Sequence[ContractColumn]:
    """The columns, each once; one that stands twice is noted."""
    found: dict[str, ContractColumn] = {}
    for each in columns:
        if each.name in found:
            first = found[each.name].mark
            problems.add(each.mark, f"the column {quoted(each.name)} appears twice", f"see {first}", "duplicate")
        found.setdefault(each.name, each)
    return tuple(found.values())
