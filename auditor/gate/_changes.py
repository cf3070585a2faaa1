"""What a change does to the rules: the policy of a release, its entry in the manifest, the trusted settings.

A weakening has a digest: of what the base revision demands and what the head does, so that an approval of one change
approves no other. The name of the release, what was said before and what is said now go into it; the files that a
policy names, and its waivers, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from auditor.files import text_digest
from auditor.gate._manifest import LoadedManifest
from auditor.gate._schema import Release, Trusted
from auditor.gate.signatures.signers import shown
from auditor.policy import Origin, Policy
from auditor.policy.reading import Block, Mark, Stricter, choices_of, directions, order
from auditor.result import Location, Strictness
from auditor.result.comparison import Difference

WEAKENS = frozenset({Strictness.WEAKER, Strictness.INCOMPARABLE})
Marks = Mapping[str, Mark]


def differences(path: str, old: Block, new: Block, marks: tuple[Marks, Marks]) -> tuple[Difference, ...]:
    """What differs between two blocks of one kind, and the blocks in these, and has a direction; weaker ones first."""
    return tuple(sorted(_differences(path, old, new, marks), key=lambda each: each.verdict not in WEAKENS))


def _differences(path: str, old: Block, new: Block, marks: tuple[Marks, Marks]) -> Iterator[Difference]:
    for name, direction in directions(type(new)).items():
        before, after = getattr(old, name), getattr(new, name)
        if isinstance(before, Block) and isinstance(after, Block):
            yield from _differences(f"{path}/{name}", before, after, marks)
        elif direction is not Stricter.NEUTRAL and before != after:
            yield Difference(
                path=f"{path}/{name}",
                old=_said(before),
                new=_said(after),
                old_origin=_origin(marks[0], f"{path}/{name}"),
                new_origin=_origin(marks[1], f"{path}/{name}"),
                direction=direction,
                verdict=_verdict(direction, before, after, choices_of(type(new), name)),
            )


def trusted(old: LoadedManifest, new: LoadedManifest) -> tuple[Difference, ...]:
    """What changed in the trusted settings; keys are shown by their fingerprints."""
    found = differences("trusted", old.trusted, new.trusted, (old.marks, new.marks))
    return tuple(
        replace(each, old=shown(old.trusted.signers), new=shown(new.trusted.signers))
        if each.path == "trusted/signers"
        else each
        for each in found
    )


def _verdict(direction: Stricter, old: Any, new: Any, choices: tuple[Any, ...]) -> Strictness:
    """A place that is judged no more is weaker, one that is judged besides stricter, another one neither."""
    if direction is Stricter.NESTED:
        if bool(old) == bool(new):
            return Strictness.EQUAL
        return Strictness.STRICTER if new else Strictness.WEAKER
    return order(direction, old, new, choices)


def _said(value: Any) -> Any:
    if isinstance(value, tuple):
        return [each.model_dump(mode="json") if isinstance(each, Block) else each for each in value]
    return value


def _origin(marks: Marks, path: str) -> Location | None:
    """The line of a value, or of the nearest block around it that was written."""
    while path and path not in marks:
        path = path.rpartition("/")[0]
    origin = marks[path].origin if path in marks else None
    return None if origin is None else location(origin)


def location(origin: Origin) -> Location:
    """A place in a file as results have it."""
    return Location(file=origin.file, line=origin.line)


KINDS = {
    "trusted": "trusted settings",
    "tests": "policy tests",
    "weakenings": "rules about where approvals are kept",
    "lock": "locked packs",
    "floors": "floors",
    "certificates": "certificates",
}
"""What the base revision holds a change to, by how the paths of its differences begin."""


def kinds(found: Iterable[Difference]) -> str:
    """What is weakened of all that the base revision holds a change to, in words."""
    names = dict.fromkeys(KINDS[each.path.partition("/")[0]] for each in found if each.verdict in WEAKENS)
    return " and the ".join(names)


def weakens(found: Iterable[Difference]) -> bool:
    """Whether a difference needs somebody's approval."""
    return any(each.verdict in WEAKENS for each in found)


Demands = tuple[Release, Policy | None]


def digest_of_release(
    commit: str,
    name: str,
    old: Demands | None,
    new: Demands | None,
    found: Iterable[Difference] = (),
    *,
    unmet: Iterable[str] = (),
    shown: Iterable[str] = (),
) -> str:
    """The digest of what happens to a release since a commit.

    `old` is None where it is new, `new` where it is removed; `found` is what is judged of it no more, and where it is
    below a floor; `unmet` is what of the floors is not met, by which files; `shown` is what the files show under the
    base revision's rules, so that who accepted a change of rules has not accepted any file that breaks the old ones.
    """
    sides = {side: None if each is None else _demands(*each) for side, each in (("base", old), ("head", new))}
    fewer = [[each.path, each.old, each.new] for each in found]
    besides = {"fewer": fewer, "unmet": sorted(unmet), "shown": sorted(shown)}
    return _digest({"since": commit, "release": name, **sides, **{key: each for key, each in besides.items() if each}})


def digest_of_trusted(commit: str, old: Trusted, new: Trusted, found: Iterable[Difference]) -> str:
    """The digest of a change of the trusted settings, and of what else the base revision holds a change to."""
    besides = [[each.path, each.old, each.new, each.note] for each in found if not each.path.startswith("trusted/")]
    besides.sort(key=lambda each: [*map(str, each)])
    settings = [old.model_dump(mode="json"), new.model_dump(mode="json")]
    return _digest(
        {
            "since": commit,
            "trusted": settings,
            **({"besides": besides} if besides else {}),
        }
    )


def _demands(release: Release, policy: Policy | None) -> dict[str, Any]:
    entry = {n: _said(getattr(release, n)) for n, d in directions(Release).items() if d is not Stricter.NEUTRAL}
    written = release.csv.model_dump(exclude_defaults=True)
    if written:
        entry["csv"] = written
    if not release.not_released:  # as the digests of older entries have it
        del entry["not_released"]
    if policy is None:
        return {"release": entry}
    excuses = [each.model_dump(mode="json") for each in (*policy.waivers, *policy.baseline)]
    return {"release": entry, "policy": policy.sha256, "files": files_of(policy), "waivers": excuses}


def demands(policy: Policy) -> tuple[object, ...]:
    """Everything that judging knows of a policy: all that it says, in its order, and the files that it names."""
    return policy.model_dump_json(), policy.secret_names, files_of(policy)


def files_of(policy: Policy) -> dict[str, str]:
    """The digests of the files that a policy names, by where it names them."""
    return {path: _of_file(policy, path) for path in policy.origin_paths if policy.file_at(path) is not None}


def _of_file(policy: Policy, path: str) -> str:
    file = policy.file_at(path)
    assert file is not None  # noqa: S101  (asked of such paths alone)
    return text_digest(file)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
