"""The policies of a project: those in ``policies/``, and those that the manifest ``auditor.yaml`` names."""

from __future__ import annotations

from pathlib import Path

from auditor.policy.file.files import display, read, repository_of, resolve, roots_for
from auditor.policy.file.nodes import Mapping, PolicySource, Scalar
from auditor.policy.file.problems import reported
from auditor.policy.file.yaml import parse

MANIFEST = "auditor.yaml"
FOLDER = "policies"
LISTS = ("waivers", "baseline", "weakenings")
"""How the names begin of files that list what is excused."""


def project_policies(start: Path) -> list[Path]:
    """The policy files of the project around a folder, each once, in the order of their names.

    Raises:
        PolicyError: when the manifest cannot be read.

    """
    top = repository_of(start.resolve())
    manifest = nearest_manifest(start)
    named = manifest_policies(manifest) if manifest else []
    home = manifest.parent if manifest else top
    found = [file for file in (home / FOLDER).rglob("*.yaml") if is_policy_name(file)]
    # By the names they have here: what a link leads to is for the loader to refuse.
    return sorted({file.resolve(): file for file in (*named, *found)}.values())


def nearest_manifest(start: Path) -> Path | None:
    """The nearest manifest from a folder upwards to the top of its repository."""
    start = start.resolve()
    top = repository_of(start)
    folders = [start, *(parent for parent in start.parents if parent.is_relative_to(top))]
    return next((file for folder in folders if (file := folder / MANIFEST).is_file()), None)


def is_policy_name(file: Path) -> bool:
    """Whether a file beside policies is one by its name: not a test of one, not a list of what is excused."""
    return not file.stem.endswith("_test") and not file.stem.startswith(LISTS) and file.name != MANIFEST


def manifest_policies(manifest: Path) -> list[Path]:
    """The files that a manifest's releases name as their policies.

    Raises:
        PolicyError: when the manifest, or a policy that it names, cannot be read.

    """
    found: list[Path] = []
    with reported() as problems:
        content = read(manifest, display(manifest), problems)
        folder = manifest.parent.resolve()
        document = PolicySource(display(manifest), folder, roots_for(folder))
        tree = parse(content, document, problems) if content is not None else None
        releases = tree.get("releases") if isinstance(tree, Mapping) else None
        for _, release in releases.entries if isinstance(releases, Mapping) else ():
            named = release.get("policy") if isinstance(release, Mapping) else None
            file = resolve(named.text, named.mark, problems) if isinstance(named, Scalar) else None
            found += [file] if file else []
    return found
