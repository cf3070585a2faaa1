"""The revision that a change is compared with.

In continuous integration it is the merge base of the head with the target branch, which the platform names in its
variables; else that with the default branch; on the default branch itself the last commit. Branches are looked up by
their full names, so that a tag of the same name stands in nobody's way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.errors import NotEvaluated, UsageError
from auditor.policy.git import Git

TARGETS = {
    "GITHUB_BASE_REF": "GitHub",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "GitLab",
    "BITBUCKET_PR_DESTINATION_BRANCH": "Bitbucket",
    "SYSTEM_PULLREQUEST_TARGETBRANCH": "Azure Pipelines",
    "CHANGE_TARGET": "Jenkins",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "Buildkite",
    "DRONE_TARGET_BRANCH": "Drone",
    "CI_COMMIT_TARGET_BRANCH": "Woodpecker",
}
"""The variables in which a platform names the branch that a change is to be merged into."""
REQUEST = "pull_request"
COMMITS = ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "BITBUCKET_PR_DESTINATION_COMMIT")
"""Variables with a commit of the target branch, for where the branch was not fetched."""
BEFORE = ("CI_COMMIT_BEFORE_SHA",)
"""Variables with the commit that a push went on from."""
DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
            "refs/heads/main", "refs/heads/master")  # fmt: skip
FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
FETCH = "fetch it with its history first: git fetch --unshallow origin, fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab)"


@dataclass(frozen=True)
class Base:
    """A commit, and in words how it was found.

    `tip` is the tip of the target branch, where the head does not have all of it. `began` are the commits that branches
    began from which the head merges into the base, one as GitHub has it, several as merge queues and trains do.
    """

    commit: str
    found: str
    tip: str | None = None
    began: tuple[str, ...] = ()

    @property
    def binding(self) -> tuple[str, ...]:
        """The commits that an approval may be bound to, the one that is printed first."""
        return (*self.began, self.commit)


def base_of(git: Git, asked: str | None, environment: Mapping[str, str]) -> Base | None:
    """The base revision; None where ``none`` was asked for.

    Raises:
        UsageError: there is no such revision, or none can be found.
        NotEvaluated: the clone lacks the history that tells it.
    """
    if asked == "none":
        return None
    target = _target(environment)
    if asked is not None:
        found = Base(git.commit(asked), f"--base {asked}")
    elif target is not None:
        found = _of_target(git, *target, environment)
    else:
        found = _of_default(git, _before(environment))
    return replace(found, began=_began(git, found.commit))


def _began(git: Git, base: str) -> tuple[str, ...]:
    """Where the branches began that the head merges into the base revision, the last first; none where it does not."""
    history = git.text("rev-list", "--first-parent", "--parents", f"{base}..HEAD").splitlines()
    merges = [line.split()[1:] for line in history]
    if not merges or merges[-1][0] != base or any(len(parents) != 2 for parents in merges):
        return ()
    told = (git.run("merge-base", "--all", base, branch).stdout.decode().split() for _, branch in merges)
    return tuple(dict.fromkeys(each[0] for each in told if len(each) == 1 and each[0] != base))


def _target(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The branch that a change is to be merged into, and the platform that says so."""
    for variable, platform in TARGETS.items():
        name = environment.get(variable, "").removeprefix("refs/heads/")
        # Drone names the branch that was pushed, too: the change itself.
        pushed = variable.startswith("DRONE") and environment.get("DRONE_BUILD_EVENT", REQUEST) != REQUEST
        if name and name != "null" and not pushed:
            return name, platform
    group = _event(environment).get("merge_group")
    queue = group.get("base_ref") if isinstance(group, dict) else None
    return (queue.removeprefix("refs/heads/"), "GitHub") if isinstance(queue, str) else None


def _of_target(git: Git, branch: str, platform: str, environment: Mapping[str, str]) -> Base:
    tip = _branch(git, branch)
    said = f"the merge base with {branch}, which {platform} names"
    if tip is None:
        tip = next((commit for commit in _commits(environment) if _has(git, commit)), None)
    if tip is None:
        raise NotEvaluated(f"the target branch {branch!r} is not in this clone; {FETCH}")
    return Base(_merge_base(git, tip, branch), said, tip)


def _commits(environment: Mapping[str, str]) -> Iterator[str]:
    event = _event(environment)
    request = event.get("pull_request")
    base = request.get("base") if isinstance(request, dict) else None
    named = [base.get("sha") if isinstance(base, dict) else None, *map(environment.get, COMMITS)]
    yield from (name for name in named if isinstance(name, str) and FULL.fullmatch(name))


def _event(environment: Mapping[str, str]) -> dict[str, object]:
    """What GitHub tells of the event that began the run."""
    try:
        read = json.loads(Path(environment.get("GITHUB_EVENT_PATH", "")).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _before(environment: Mapping[str, str]) -> str | None:
    """The commit before a push; none where the branch is new (all zeros)."""
    named = [_event(environment).get("before"), *map(environment.get, BEFORE)]
    return next((n for n in named if isinstance(n, str) and FULL.fullmatch(n) and set(n) != {"0"}), None)


def _of_default(git: Git, before: str | None) -> Base:
    """The merge base with the default branch; on that branch the commit before a push.

    Elsewhere the commit before a push may hold what the change has weakened already.
    """
    for name in DEFAULTS:
        tip = _ref(git, name)
        if tip is not None:
            short = name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
            commit = _merge_base(git, tip, short)
            if before is not None and commit == git.commit("HEAD"):
                return Base(_held(git, before), "the commit before the push")
            return Base(commit, f"the merge base with {short}", tip)
    raise UsageError("no branch to compare with was found; name a revision with --base REV, or --base none for none")


def _branch(git: Git, name: str) -> str | None:
    """The tip of a branch: as it was fetched, else the local one."""
    return _ref(git, f"refs/remotes/origin/{name}") or _ref(git, f"refs/heads/{name}")


def _ref(git: Git, name: str) -> str | None:
    """The commit of a reference by its full name; what is not such a name is none."""
    found = git.run("show-ref", "--verify", "--hash", "--", name)
    return None if found.returncode else git.commit(found.stdout.decode().strip())


def _has(git: Git, commit: str) -> bool:
    return git.run("cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}").returncode == 0


def _held(git: Git, commit: str) -> str:
    if not _has(git, commit):
        raise NotEvaluated(f"the commit {commit[:12]} is not in this clone; {FETCH}")
    return commit


def _merge_base(git: Git, tip: str, branch: str) -> str:
    """Where the head left a branch.

    A shallow clone may lack the commits that tell, and then an older one would be found, or none: only a tip that is
    itself in the head's history is believed there.
    """
    found = git.run("merge-base", "--all", "--end-of-options", tip, "HEAD")
    commit = found.stdout.decode().split()
    shallow = git.text("rev-parse", "--is-shallow-repository").strip() == "true"
    if shallow and commit != [tip]:
        raise NotEvaluated(f"this clone is shallow and does not tell where the change left {branch}; {FETCH}")
    if found.returncode or not commit:
        raise NotEvaluated(f"the change and {branch} have no commit in common; name the base with --base REV")
    if len(commit) > 1:
        named = ", ".join(each[:12] for each in commit)
        raise NotEvaluated(f"the change left {branch} at several commits ({named}); merge {branch} into it first")
    return commit[0]
