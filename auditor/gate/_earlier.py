"""Earlier releases that a change names: whether each is one that the base revision had, and whether its own is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditor.policy.tree import Tree
from auditor.result.gate import GateFile

Same = Callable[[GateFile, Tree, str], bool]
"""Whether a file that was judged is what a revision has under a name."""


@dataclass(frozen=True)
class ReleasedBefore:
    """What a revision released: its tree, the names of the files, and what tells whether files are those.

    `alike` also looks at what the folders of an earlier release say of its records.
    """

    tree: Tree
    names: Sequence[str]
    same: Same
    alike: Same


def forgotten(
    data: Sequence[GateFile], earlier: Sequence[GateFile], places: Sequence[Sequence[str]], released: ReleasedBefore
) -> bool:
    """Whether other data is released than the base revision's, which is in no place of the earlier releases.

    Args:
        data: what is released now.
        earlier: the files of earlier releases.
        places: the names of the head's files by the place of each.
        released: what the base revision released.
    """
    if not released.names or not any(paired(data, released.names, released.tree, released.same)):
        return False
    groups = grouped(earlier, places)
    return all(any(paired(group, released.names, released.tree, released.alike)) for group in groups)


def strangers(
    files: Sequence[GateFile], here: Sequence[Sequence[str]], known: Sequence[Sequence[str]], tree: Tree, same: Same
) -> list[GateFile]:
    """The files of places that do not have all that one place of the base revision had, and nothing else."""
    left = [list(each) for each in known if each]
    strange: list[GateFile] = []
    for group in grouped(files, here):
        own = next((each for each in left if not any(paired(group, each, tree, same))), None)
        if own is None:
            strange += group
        else:
            left.remove(own)
    return strange


def grouped(files: Sequence[GateFile], places: Sequence[Sequence[str]]) -> list[list[GateFile]]:
    """Files by the place that they are found at; those that the head has at none are one group."""
    named = [[file for file in files if file.name in names] for names in places]
    named.append([file for file in files if not any(file.name in names for names in places)])
    return [group for group in named if group]


def paired(now: Sequence[GateFile], known: Sequence[str], tree: Tree, same: Same) -> tuple[list[GateFile], list[str]]:
    """Of some files those that are none of a revision's, and of these those that are none of them.

    Each stands for one alone: a copy of a file, or a link to it, has everybody in it twice.
    """
    strange, left = [], list(known)
    for file in now:
        own = next((name for name in left if same(file, tree, name)), None)
        if own is None:
            strange.append(file)
        else:
            left.remove(own)
    return strange, left
