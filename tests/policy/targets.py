"""Targeted pairs: a policy, one field of it changed, and what is released chosen so that the field decides.

Nothing lists the fields by hand. The demands come from their registries (the models, the rules on outputs, the limits
of queries), their fields from their declarations, values from what a field's annotation allows; numbers are those that
the releases themselves reach, and one step to either side.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property
from itertools import islice, permutations
from random import Random
from types import NoneType
from typing import Any, Literal, get_args

import yaml
from pydantic import BaseModel

from auditor.audit import judged
from auditor.engines import RunLimits
from auditor.errors import AuditorError
from auditor.models import PopulationModel, one_step, registry
from auditor.outputs import check_outputs
from auditor.policy import Policy, load_policy
from auditor.policy._section import Tagged
from auditor.policy.compare import compare
from auditor.policy.file.annotations import Alternative, alternatives, fields, form, imported, is_model
from auditor.policy.outputs import Output
from auditor.queries import Statement, audit_queries
from auditor.result import Result, Verdict
from tests.policy import released

Text = dict[str, Any]
Path = tuple[str | int, ...]
TODAY = date(2026, 6, 1)
MOST = 6
"""So many values of one kind are tried in a field."""
ABSENT = object()


@dataclass
class Target:
    """A demand: a policy that makes it, and what is released under it. `judge` gives the audit of one release."""

    name: str
    text: Text
    releases: Sequence[Any]
    judge: Callable[[Policy, Any], Result]
    known: dict[tuple[str, int], Verdict | None] = field(default_factory=dict)
    loaded: dict[str, Policy | None] = field(default_factory=dict)

    def policy(self, text: Text) -> Policy | None:
        """The policy; None where it does not load."""
        key = repr(text)
        if key not in self.loaded:
            self.loaded[key] = None
            with suppress(AuditorError):
                self.loaded[key] = load_policy(text)
        return self.loaded[key]

    def verdict(self, text: Text, index: int) -> Verdict | None:
        """What a release is under a policy; None where that cannot be asked."""
        key = repr(text), index
        if key not in self.known:
            self.known[key] = None
            policy = self.policy(text)
            with suppress(AuditorError):
                self.known[key] = None if policy is None else self.judge(policy, self.releases[index]).verdict
        return self.known[key]

    @cached_property
    def numbers(self) -> list[float]:
        """The numbers that the releases reach, and their neighbours: where a bound decides."""
        policy = self.policy(self.text)
        assert policy is not None, self.name
        reached: dict[float, None] = dict.fromkeys([1, 2, 0.5])
        for release in self.releases:
            with suppress(AuditorError):
                for result in self.judge(policy, release).requirements:
                    if isinstance(result.achieved, int | float) and 0 <= result.achieved < 1e6:
                        near = round(result.achieved, 3) if isinstance(result.achieved, float) else result.achieved
                        reached |= dict.fromkeys([near, one_step(near, 1), one_step(near, -1)])
        return list(reached)


@dataclass(frozen=True)
class Pair:
    """Two policies of a target that differ in one field."""

    target: Target
    path: Path
    old: Text
    new: Text

    def unsound(self) -> str | None:
        """Why the comparison is wrong: a release that meets the new policy and breaks the old one; None where none is.

        Whether the comparison has anything to say is `called`.
        """
        if not self.called():
            return None
        for index in range(len(self.target.releases)):
            if self.target.verdict(self.new, index) not in (Verdict.PASS, Verdict.WAIVED):
                continue
            if self.target.verdict(self.old, index) is Verdict.FAIL:
                before, after = (_at(text, self.path) for text in (self.old, self.new))
                return f"{self.target.name}: {'/'.join(map(str, self.path))}: {before} → {after}, release {index}"
        return None

    def called(self) -> bool:
        """Whether the new policy is called at least as strict as the old one."""
        old, new = self.target.policy(self.old), self.target.policy(self.new)
        return old is not None and new is not None and compare(old, new).at_least_as_strict


def pairs(target: Target, random: Random, most: int = 6, of: int | None = None) -> Iterator[Pair]:
    """Fields of a target's policy changed in every way, and back.

    Args:
        target: whose.
        random: chooses among the pairs of one field, and among the fields.
        most: so many pairs of one field, of those that load.
        of: so many fields; all where not given.
    """
    policy = target.policy(target.text)
    assert policy is not None, target.name
    found = list(_fields(policy, (), target))
    for path, values in found if of is None else random.sample(found, min(of, len(found))):
        both = list(permutations([put(target.text, path, value) for value in values], 2))
        random.shuffle(both)
        loading = (Pair(target, path, old, new) for old, new in both if target.policy(old) and target.policy(new))
        yield from islice(loading, most)


def _fields(block: BaseModel, path: Path, target: Target) -> Iterator[tuple[Path, list[Any]]]:
    """Every field below a block with the values to be tried in it; ABSENT leaves it out."""
    for name, allowed in fields(type(block)).items():
        value, here = getattr(block, name), (*path, name)
        if name not in ("model", "type", "method", "extends", "at_least", "version", "pack") or path[:1] == (
            "attributes",
        ):
            tried = [v for kind in _kinds(allowed) for v in _values(kind, target)]
            if _at(target.text, here) is not ABSENT:
                tried.append(_at(target.text, here))
            yield here, _unique([ABSENT, *tried])
        yield from _below(value, here, target)


def _below(value: Any, path: Path, target: Target) -> Iterator[tuple[Path, list[Any]]]:
    if isinstance(value, BaseModel):
        if isinstance(_at(target.text, path), dict):
            yield from _fields(value, path, target)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _below(item, (*path, index), target)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _below(item, (*path, key), target)


def _values(kind: Any, target: Target) -> list[Any]:
    """Values of one alternative of an annotation."""
    if kind is NoneType or kind is date:
        return [] if kind is NoneType else ["2026-01-01", "2026-07-01", "2027-01-01"]
    if form(kind) is Literal:
        return list(get_args(kind))
    if kind is bool:
        return [True, False]
    if kind in (int, float):
        return [n for n in target.numbers if kind is float or isinstance(n, int) or n.is_integer()]
    if kind is str:
        return list(released.NAMES)
    if form(kind) is tuple:
        return [[each] for each in _items(kind, target)] + [_items(kind, target)[:2]]
    if form(kind) is dict:
        return [{}, *({key: item} for key in released.NAMES[:3] for item in _items(kind, target)[:3])]
    return list(_blocks(kind, target)) if is_model(kind) else []


def _kinds(allowed: tuple[Alternative, ...]) -> Iterator[Any]:
    """The types that are allowed, those of other modules among them."""
    for kind, _ in imported(allowed):
        yield from kind.family.values() if isinstance(kind, Tagged) else (kind,)


def _items(kind: Any, target: Target) -> list[Any]:
    """The items that a list, or the values that a mapping, may hold."""
    arguments = [each for each in get_args(kind) if each is not Ellipsis]
    return [value for inner in _kinds(alternatives(arguments[-1])) for value in _values(inner, target)][:MOST]


def _blocks(kind: type[BaseModel], target: Target) -> Iterator[Text]:
    """The block with what it must say, and with each of its other fields besides."""
    must: Text = {}
    for name, info in kind.model_fields.items():
        if info.is_required():
            found = [value for inner in _kinds(fields(kind)[name]) for value in _values(inner, target)]
            if not found:
                return
            must[name] = found[0]
    yield must


def _at(text: Any, path: Path) -> Any:
    for key in path:
        if isinstance(text, dict) and key not in text:
            return ABSENT
        if not isinstance(text, dict | list):
            return ABSENT
        text = text[key]
    return text


def put(text: Text, path: Path, value: Any) -> Text:
    """The policy with another value at a place."""
    changed = deepcopy(text)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else inner[key]
    if value is ABSENT:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = value
    return changed


def _unique(values: list[Any]) -> list[Any]:
    return list({repr(value): value for value in values}.values())


@cache
def targets() -> dict[str, Target]:
    """One for every model, rule on outputs, and for query logs, by name."""
    return {target.name: target for target in (*_models(), *_outputs(), *_queries())}


@cache
def aimed(name: str) -> Target:
    """A target with a bound that some of the releases meet, and others do not."""
    target = targets()[name]
    bound = getattr(registry().get(name), "bound_field", None)
    for number in target.numbers if bound is not None else ():
        text = put(target.text, ("requirements", 0, bound), number)
        verdicts = [target.verdict(text, index) for index in range(len(target.releases))]
        if Verdict.PASS in verdicts and Verdict.FAIL in verdicts:
            return replace(target, text=text)
    return target


def _models() -> Iterator[Target]:
    for name, model in registry().items():
        entry = {"id": "one", **yaml.safe_load(model.EXAMPLE)}
        text = {
            "attributes": deepcopy(released.ATTRIBUTES),
            "requirements": [entry],
            "waivers": [
                {
                    "id": "w",
                    "requirement": "undeclared",
                    "expires": "2027-01-01",
                    "reason": "r",
                    "owner": "o",
                    "approved_by": "a",
                }
            ],
        }
        if issubclass(model, PopulationModel):
            file = pathlib.Path(__file__).parent / "data" / "population.csv"
            text["sample"] = {"population": {"data": str(file), "counts": "persons"}}
        yield Target(name, text, released.TABLES, _check)


def _check(policy: Policy, release: Any) -> Result:
    return judged(release, policy, RunLimits.of("1GB"), original=released.ORIGINAL, as_of=TODAY)


def _outputs() -> Iterator[Target]:
    for kind in get_args(get_args(Output)[0]):
        name = get_args(kind.model_fields["type"].annotation)[0]
        entry: Text = {"type": name, "id": "one", **released.RULES.get(name, {})}
        text = {"attributes": deepcopy(released.ATTRIBUTES), "outputs": [entry]}
        yield Target(name, text, released.OUTPUTS[name], _check_outputs)


def _check_outputs(policy: Policy, release: Any) -> Result:
    outputs, data = release
    return check_outputs(outputs, policy, data, as_of=TODAY)


def _queries() -> Iterator[Target]:
    for name, limits in released.LIMITS.items():
        queries = {"table": "data", "key": "record", "limits": limits}
        attributes = deepcopy(released.ATTRIBUTES)
        attributes["income"] = {"role": "sensitive", "type": "integer", "range": [0, 100]}
        yield Target(name, {"attributes": attributes, "queries": queries}, released.LOGS, _check_queries)


def _check_queries(policy: Policy, release: Any) -> Result:
    statements = [Statement(number, sql, user) for number, (user, sql) in enumerate(release, 1)]
    return audit_queries(statements, policy, released.QUERIED, as_of=TODAY)
