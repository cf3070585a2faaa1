"""Finding what a policy extends, and putting the chain together.

The documents are laid over each other in the order of inheritance, each once: what two bases share lies below both, so
that a base does not undo what its sibling says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any

from auditor.policy.file.files import display, reachable, read, resolve, roots_for
from auditor.policy.file.merge import OWN_KEYS, overlay
from auditor.policy.file.nodes import Mapping, Mark, Node, PolicySource, Scalar, Sequence, shown
from auditor.policy.file.plain import from_python
from auditor.policy.file.problems import Problems, did_you_mean, quoted
from auditor.policy.file.reader import FAILED, PolicyReader
from auditor.policy.file.yaml import parse
from auditor.policy.packs import PACK_KEYS, Pack, PackName, starter_file, starter_names
from auditor.policy.schema import Policy, UtilityFloor
from auditor.result import Citation

PACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
MAX_DOCUMENTS = 50
SHAPE = "a policy is a mapping with requirements, queries or outputs"


class Chain:
    """The documents of one policy, in the order in which they are laid over each other."""

    def __init__(self, problems: Problems, folder: Path | None = None) -> None:
        """An empty chain; `folder` is where a mapping stands that is loaded, the current one by default."""
        self.problems = problems
        self.folder = folder
        self.lists: list[Path] = []
        self.documents: list[Mapping] = []
        self.done: set[Path] = set()
        self.stack: list[Path] = []
        self.file: str | None = None
        self.path: Path | None = None
        self.names: tuple[str, ...] = ()
        self.citations: tuple[Citation, ...] = ()

    def effective(self, source: str | Path | AnyMapping[str, Any]) -> Mapping | None:
        """The merged tree of a policy; None, with problems noted, when there is nothing to read."""
        tree = self._from_mapping(source) if isinstance(source, AnyMapping) else self._from_path(source)
        if tree is None:
            return None
        merged = Mapping((), tree.mark)
        for document in self.documents:
            merged = overlay(merged, document, self.problems)
        self.names = tuple(_name(document) for document in reversed(self.documents[:-1]))
        self.citations = tuple(c for d in reversed(self.documents) if (c := self._citation(d)) is not None)
        return merged

    def _from_mapping(self, source: AnyMapping[str, Any]) -> Mapping | None:
        folder = self.folder or Path.cwd()
        document = PolicySource("policy mapping", folder, roots_for(folder), is_file=False)
        tree = from_python(source, document, self.problems)
        return self._entered(tree) if isinstance(tree, Mapping) else None

    def _from_path(self, source: str | Path) -> Mapping | None:
        try:
            pack = _pack_named(str(source))
            folder = Path(source).absolute().parent.resolve()
            file = folder / Path(source).name
            final = file.resolve()
            exists = final.exists()
        except (OSError, RuntimeError, ValueError):
            self.problems.add(
                quoted(str(source)), "this is not a file name", "a policy file or a starter pack's name", "file"
            )
            return None
        if pack is not None and (isinstance(source, PackName) or not exists):
            document = _pack_document(pack)
            self.file, self.path = document.shown, pack.resolve()
            return self._read(pack.resolve(), document, document.shown)
        self.file, self.path = display(file), final
        roots = roots_for(folder)
        if not reachable(final, roots):
            self.problems.add(
                self.file, "a link out of the policy's repository or folder", "a file inside it", "escape"
            )
        elif not exists:
            near = did_you_mean(str(source), [*_neighbours(folder), *starter_names()])
            self.problems.add(self.file, "the file does not exist", f"a policy file or starter pack{near}", "file")
        else:
            return self._read(final, PolicySource(self.file, folder, roots), self.file)
        return None

    def _read(self, path: Path, document: PolicySource, mark: Mark | str) -> Mapping | None:
        """One document and, before it, what it extends."""
        content = read(path, mark, self.problems)
        if content is None:
            return None
        before = len(self.problems.found)
        node = parse(content, document, self.problems)
        if node is None and len(self.problems.found) == before:
            self.problems.add(Mark(document, 1, 1), "the file is empty", SHAPE, "value")
        elif isinstance(node, (Scalar, Sequence)):
            self.problems.add(node.mark, f"{shown(node)} was read", SHAPE, "value")
        if not isinstance(node, Mapping):
            return None
        self.done.add(path)
        self.stack.append(path)
        tree = self._entered(node)
        self.stack.pop()
        return tree

    def _entered(self, node: Mapping) -> Mapping:
        """A document behind everything that it extends."""
        self._extend(node.get("extends"))
        tree = self._with_utility(self._with_file(self._with_file(node, "waivers"), "baseline"))
        self.documents.append(tree)
        return tree

    def _extend(self, extends: Node | None) -> None:
        items = extends.items if isinstance(extends, Sequence) else ()
        for item in items:
            if isinstance(item, Scalar) and not item.is_null:
                self._base(item)

    def _base(self, item: Scalar) -> None:
        pack = _pack_named(item.text)
        if pack is not None:
            self._inherit(item, pack.resolve(), _pack_document(pack))
            return
        path = named_policy(item.text, item.mark, self.problems)
        if path is not None:
            self._inherit(item, path, PolicySource(display(path), path.parent, item.mark.document.roots))

    def _inherit(self, item: Scalar, path: Path, document: PolicySource) -> None:
        if path in self.stack:
            chain = " -> ".join(display(each) for each in (*self.stack[self.stack.index(path) :], path))
            self.problems.add(item.mark, f"extends in a circle: {chain}", "remove one of the links", "cycle")
        elif len(self.done) >= MAX_DOCUMENTS:
            self.problems.add(item.mark, "too many policies in one chain", f"at most {MAX_DOCUMENTS}", "limit")
        elif path not in self.done:
            tree = self._read(path, document, item.mark)
            if tree is not None:
                PolicyReader(self.problems).model(tree.only(OWN_KEYS), Policy)
            if tree is not None and document.is_pack:
                self._check_pack(tree)

    def _check_pack(self, tree: Mapping) -> None:
        for key, _ in tree.entries:
            if key.text not in PACK_KEYS:
                right = f"a starter pack holds {', '.join(sorted(PACK_KEYS))}"
                self.problems.add(key.mark, f"{quoted(key.text)} in a starter pack", right, "pack")

    def _with_file(self, tree: Mapping, block: str) -> Mapping:
        """The document with the list of its waivers file (or baseline) in place of the file's name."""
        named = tree.get(block)
        if not isinstance(named, Scalar) or named.is_null:
            return tree
        path = resolve(named.text, named.mark, self.problems)
        content = read(path, named.mark, self.problems) if path is not None else None
        if path is None or content is None:
            return tree.without({block})
        self.lists.append(path)
        document = PolicySource(display(path), path.parent, named.mark.document.roots)
        node = parse(content, document, self.problems)
        if isinstance(node, Mapping) and node.get(block) is not None:
            node = node.get(block)
        return tree.put(block, node if node is not None else Sequence((), named.mark))

    def _with_utility(self, tree: Mapping) -> Mapping:
        """The document with the requirement for which its `UtilityFloor` is short."""
        block = tree.get(UtilityFloor.KEY)
        if not isinstance(block, Mapping):
            return tree
        tree = tree.without({UtilityFloor.KEY})
        most = block.get("blank_columns")
        if PolicyReader(self.problems).model(block, UtilityFloor, (UtilityFloor.KEY,)) is FAILED or most is None:
            return tree
        listed = tree.get("requirements") or Sequence((), block.mark)
        if not isinstance(listed, Sequence):
            return tree
        model = Scalar(UtilityFloor.MODEL, False, block.mark)
        entry = Mapping(
            ((Scalar("model", False, block.mark), model), (Scalar("max", False, most.mark), most)), block.mark
        )
        return tree.put("requirements", Sequence((*listed.items, entry), listed.mark))

    def _citation(self, tree: Mapping) -> Citation | None:
        node = tree.get("pack")
        pack = PolicyReader(self.problems).model(node, Pack, ("pack",)) if node is not None else FAILED
        if pack is FAILED:
            return None
        return Citation(pack=tree.text("name") or _name(tree), **pack.model_dump(exclude={"title"}))


def named_policy(name: str, mark: Mark, problems: Problems) -> Path | None:
    """The file of a policy that another one names: a starter pack's, or that of a path; None, with a problem noted."""
    pack = _pack_named(name)
    if pack is not None or not PACK_NAME.fullmatch(name):
        return pack or resolve(name, mark, problems)
    right = f"a starter pack{did_you_mean(name, starter_names())}, or a path such as ./{name}.yaml"
    problems.add(mark, f"no starter pack is called {quoted(name)}", right, "unknown-pack")
    return None


def _pack_named(name: str) -> Path | None:
    return starter_file(name) if PACK_NAME.fullmatch(name) else None


def _pack_document(file: Path) -> PolicySource:
    folder = file.resolve().parent
    shown_as = f"policies/{file.name}" if file.name != "policy.yaml" else f"policies/{file.parent.name}/policy.yaml"
    return PolicySource(shown_as, folder, (folder,), is_pack=True)


def _name(tree: Mapping) -> str:
    return tree.text("name") or tree.mark.document.shown


def _neighbours(folder: Path) -> list[str]:
    try:
        return [file.name for file in list(folder.glob("*.yaml"))[:200]]
    except OSError:
        return []
