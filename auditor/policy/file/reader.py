"""Nodes to models, guided by what the schema wants at each place.

Models are built from the inside out, so that every message of pydantic belongs to one mapping and finds its line.
A value that failed is left out of its model and reported once; what stands beside it is still checked.
"""

from __future__ import annotations

from collections.abc import Mapping as Named
from decimal import Decimal
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from auditor.block import FileReference
from auditor.hierarchies.tree import Tree
from auditor.policy._section import Tagged
from auditor.policy.file._explain import explain
from auditor.policy.file._scalars import READERS, NotThat, choice, scalar
from auditor.policy.file.annotations import (
    Alternative,
    alternatives,
    fields,
    form,
    imported,
    in_words,
    is_container,
    is_model,
)
from auditor.policy.file.files import resolve
from auditor.policy.file.nodes import Mapping, Mark, Node, Scalar, Sequence, shown
from auditor.policy.file.problems import Problems, one_of, quoted
from auditor.policy.file.secrets import Secrets, secret_name

FAILED: Any = object()
"""Stands for a value that could not be read; the problem has been noted."""

KeyPath = tuple[str, ...]


class PolicyReader:
    """Reads the merged tree of a policy; notes problems, places, files referred to, and which values are secret."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.secrets = Secrets(problems)
        self.files: dict[str, Path] = {}
        self.marks: dict[str, Mark] = {}

    def model(self, node: Node, model: type[BaseModel], path: KeyPath = ()) -> Any:
        """A block from a mapping, or from the plain value that is its shorthand; FAILED with problems noted."""
        self.marks["/".join(path)] = node.mark
        shorthand = getattr(model, "SHORTHAND", None)
        if isinstance(node, Scalar) and shorthand and not node.is_null:
            node = Mapping(((Scalar(shorthand, False, node.mark), node),), node.mark)
        if not isinstance(node, Mapping):
            return self._wrong(node, path, "a mapping")
        known = fields(model)
        values = {
            key.text: self.value(value, known[key.text], (*path, key.text))
            for key, value in node.entries
            if self._is_known(key, known)
        }
        return self._built(model, values, node, path)

    def _is_known(self, key: Scalar, known: dict[str, Any]) -> bool:
        if key.text in known:
            return True
        self.problems.add(key.mark, f"unknown key {quoted(key.text)}", one_of(key.text, list(known)), "unknown-key")
        return False

    def _built(self, model: type[BaseModel], values: dict[str, Any], node: Mapping, path: KeyPath) -> Any:
        failed = {name for name, value in values.items() if value is FAILED}
        try:
            block = model.model_validate({name: value for name, value in values.items() if name not in failed})
        except ValidationError as wrong:
            for error in wrong.errors(include_url=False):
                place = error["loc"][0] if error["loc"] else None
                if place not in failed and not (place is None and failed):
                    explain(error, node, path, self.secrets, self.problems)
            return FAILED
        return FAILED if failed or len(values) < len(node.entries) else block

    def value(self, node: Node, allowed: tuple[Alternative, ...], path: KeyPath) -> Any:
        """A value of one of the allowed types; FAILED with a problem noted."""
        self.marks["/".join(path)] = node.mark
        allowed = imported(allowed)
        if isinstance(node, Scalar):
            return self._scalar(node, allowed, path)
        if isinstance(node, Sequence):
            return self._sequence(node, allowed, path)
        name = secret_name(node, path)
        if name is not None and any(_can_be_secret(kind, marks) for kind, marks in allowed):
            hidden = self.secrets.take(name, node.mark, path)
            return FAILED if hidden is None else self._scalar(hidden, allowed, path)
        return self._mapping(node, allowed, path)

    def _scalar(self, node: Scalar, allowed: tuple[Alternative, ...], path: KeyPath) -> Any:
        kinds = [kind for kind, _ in allowed]
        if node.is_null and NoneType in kinds:
            return None
        rights = []
        for kind, marks in allowed:
            try:
                if form(kind) is Literal:
                    return choice(node, kind, marks)
                if kind in READERS:
                    value = scalar(node, kind, marks)
                    return self._file(node, value, path) if any(isinstance(m, FileReference) for m in marks) else value
            except NotThat as wrong:
                rights.append(str(wrong))
        short = next((kind for kind in kinds if is_model(kind) and getattr(kind, "SHORTHAND", None)), None)
        if short is not None:
            return self.model(node, short, path)
        return self._wrong(node, path, *rights, *in_words(kind for kind in kinds if is_container(kind)))

    def _file(self, node: Scalar, name: str, path: KeyPath) -> Any:
        file = resolve(name, node.mark, self.problems)
        if file is None:
            return FAILED
        self.files["/".join(path)] = file
        return name

    def _sequence(self, node: Sequence, allowed: tuple[Alternative, ...], path: KeyPath) -> Any:
        tuples = [kind for kind, _ in allowed if form(kind) is tuple]
        if not tuples:
            return self._wrong(node, path, *in_words(kind for kind, _ in allowed))
        wanted = get_args(tuples[0])
        open_ended = wanted[-1] is Ellipsis
        if not open_ended and len(node.items) != len(wanted):
            return self._wrong(node, path, f"a list of {len(wanted)}")
        items = [
            self.value(item, alternatives(wanted[0 if open_ended else place]), (*path, str(place)))
            for place, item in enumerate(node.items)
        ]
        return FAILED if any(item is FAILED for item in items) else tuple(items)

    def _mapping(self, node: Mapping, allowed: tuple[Alternative, ...], path: KeyPath) -> Any:
        if any(kind is Tree for kind, _ in allowed):
            return self._tree(node, path)
        tagged = next((kind for kind, _ in allowed if isinstance(kind, Tagged)), None)
        models = [kind for kind, _ in allowed if is_model(kind)]
        if tagged is not None:
            model = self._by_tag(node, tagged.tag, tagged.family)
            return FAILED if model is None else self.model(node, model, path)
        if models:
            model = self._tagged(node, models, allowed) if len(models) > 1 else models[0]
            return FAILED if model is None else self.model(node, model, path)
        for kind, _ in allowed:
            if form(kind) is dict:
                return self._dictionary(node, alternatives(get_args(kind)[1]), path)
        return self._wrong(node, path, *in_words(kind for kind, _ in allowed))

    def _dictionary(self, node: Mapping, allowed: tuple[Alternative, ...], path: KeyPath) -> Any:
        values = {key.text: self.value(value, allowed, (*path, key.text)) for key, value in node.entries}
        return FAILED if any(value is FAILED for value in values.values()) else values

    def _tree(self, node: Mapping, path: KeyPath) -> Any:
        """Nested groups, down to lists of text."""
        leaves = alternatives(tuple[str, ...])
        branches = {
            key.text: self._tree(value, (*path, key.text))
            if isinstance(value, Mapping)
            else self.value(value, leaves, (*path, key.text))
            for key, value in node.entries
        }
        return FAILED if any(branch is FAILED for branch in branches.values()) else branches

    def _tagged(self, node: Mapping, models: list[Any], allowed: tuple[Alternative, ...]) -> Any:
        """The model that a mapping means: by its discriminator, or by the one key that tells it from the others."""
        tags = [mark.discriminator for _, marks in allowed for mark in marks if isinstance(mark, FieldInfo)]
        tag = next((tag for tag in tags if isinstance(tag, str)), None)
        if tag is not None:
            return self._by_tag(node, tag, {get_args(m.model_fields[tag].annotation)[0]: m for m in models})
        telling = {name: model for model in models for name in model.model_fields if name in _own_names(models, model)}
        for key, _ in node.entries:
            if key.text in telling:
                return telling[key.text]
        first = node.entries[0][0] if node.entries else Scalar("", True, node.mark)
        what = f"unknown key {quoted(first.text)}"
        self.problems.add(first.mark, what, one_of(first.text, list(telling)), "unknown-key")
        return None

    def _by_tag(self, node: Mapping, tag: str, models: Named[str, Any]) -> Any:
        named = node.get(tag)
        if isinstance(named, Scalar) and named.text in models:
            return models[named.text]
        names = ", ".join(models)
        if named is None:
            self.problems.add(node.mark, f"an entry without {tag}", f"{tag} is one of {names}", "missing")
        else:
            right = one_of(named.text if isinstance(named, Scalar) else "", list(models))
            self.problems.add(named.mark, f"unknown {tag} {shown(named)}", right, f"unknown-{tag}")
        return None

    def _wrong(self, node: Node, path: KeyPath, *rights: str) -> Any:
        read = "a secret that is something else" if self.secrets.covers(path) else shown(node)
        name = next((part for part in reversed(path) if not part.isdigit()), "the policy")
        self.problems.add(
            node.mark, f"{name}: {read} was read", f"wanted: {' or '.join(dict.fromkeys(rights))}", "value"
        )
        return FAILED


def _own_names(models: list[Any], model: Any) -> set[str]:
    others = {name for other in models if other is not model for name in other.model_fields}
    return set(model.model_fields) - others


def _can_be_secret(kind: Any, marks: tuple[Any, ...]) -> bool:
    """Whether a place holds a number or a text; words that choose something, and files, are no parameters."""
    return kind in {int, float, Decimal, str} and not any(isinstance(mark, FileReference) for mark in marks)
