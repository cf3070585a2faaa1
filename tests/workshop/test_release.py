"""The release build: what it lists and what it says of where it came from, held against the lock file and the files."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditor.distribution import NAME
from tests.workshop.pages import ROOT

pytestmark = pytest.mark.slow

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
STATEMENT = {
    "type": "object",
    "required": ["_type", "subject", "predicateType", "predicate"],
    "properties": {
        "_type": {"const": "https://in-toto.io/Statement/v1"},
        "predicateType": {"const": "https://slsa.dev/provenance/v1"},
        "subject": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["name", "digest"],
                "properties": {
                    "digest": {"required": ["sha256"], "properties": {"sha256": {"pattern": "^[0-9a-f]{64}$"}}}
                },
            },
        },
        "predicate": {
            "required": ["buildDefinition", "runDetails"],
            "properties": {
                "buildDefinition": {
                    "required": ["buildType", "externalParameters"],
                    "properties": {
                        "buildType": {"type": "string", "format": "uri"},
                        "externalParameters": {"type": "object", "minProperties": 1},
                        "resolvedDependencies": {
                            "type": "array",
                            "items": {"required": ["digest"], "anyOf": [{"required": ["uri"]}, {"required": ["name"]}]},
                        },
                    },
                },
                "runDetails": {"required": ["builder"], "properties": {"builder": {"required": ["id"]}}},
            },
        },
    },
}
"""What in-toto's Statement v1 and SLSA's provenance v1 ask of a statement, as their pages have it."""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "disclosure_auditor-0.1.0-py3-none-any.whl").write_bytes(b"a wheel")
    (folder / "sbom.cdx.json").write_bytes(b"{}")
    (folder / "provenance.intoto.json").write_bytes(b"an earlier one")
    return folder


def statement(folder: Path, **environment: str) -> dict[str, Any]:
    made: dict[str, Any] = runpy.run_path(str(ROOT / "release" / "provenance.py"))["statement"](folder, environment)
    jsonschema.validate(made, STATEMENT)
    return made


def test_the_statement_names_what_was_built_and_from_what(built: Path) -> None:
    made = statement(built)
    assert made["subject"] == [
        {"name": name, "digest": {"sha256": hashlib.sha256(content).hexdigest()}}
        for name, content in (("disclosure_auditor-0.1.0-py3-none-any.whl", b"a wheel"), ("sbom.cdx.json", b"{}"))
    ]
    used = made["predicate"]["buildDefinition"]["resolvedDependencies"]
    words = ["git", "-c", f"safe.directory={ROOT}", "rev-parse", "HEAD"]
    head = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert used[0]["digest"] == {"gitCommit": head.strip()}
    assert used[1]["digest"] == {"sha256": hashlib.sha256(LOCK.encode()).hexdigest()}
    assert sorted(each["digest"]["sha256"] for each in used[2:]) == sorted(re.findall(r"sha256:(\w+)", LOCK))
    assert {each["uri"] for each in used[2:]} == {
        f"pkg:pypi/{name}@{number}" for name, number in re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE)
    }


def test_a_local_build_vouches_for_nothing(built: Path) -> None:
    assert statement(built)["predicate"]["runDetails"]["builder"] == {"id": "urn:auditor:local-build"}
    told = {
        "GITHUB_SERVER_URL": "https://git.example.org",
        "GITHUB_REPOSITORY": "house/auditor",
        "GITHUB_WORKFLOW_REF": "house/auditor/.github/workflows/release.yml@refs/tags/v0.1.0",
    }
    made = statement(built, **told)["predicate"]
    assert made["runDetails"]["builder"]["id"] == f"https://git.example.org/{told['GITHUB_WORKFLOW_REF']}"
    source = made["buildDefinition"]["externalParameters"]["source"]["uri"]
    assert source == "git+https://git.example.org/house/auditor"


def test_the_bill_of_materials_lists_what_is_locked(tmp_path: Path) -> None:
    """Written by the command of `make release`, valid by CycloneDX's own schema."""
    pytest.importorskip("cyclonedx", reason="cyclonedx-bom, of the extra dev, is not installed")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    (words,) = re.findall(r"^\t\$\(BIN\)/(cyclonedx-py .*)$", makefile, re.MULTILINE)
    program, *rest = words.replace("dist/", f"{tmp_path}/").split()
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *rest], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "sbom.cdx.json").read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    made = json.loads(text)
    assert made["metadata"]["component"]["name"] == NAME
    listed = {(each["name"], each["version"]) for each in made["components"]}
    assert listed == set(re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE))
    digests = set(re.findall(r"[0-9a-f]{64}", json.dumps([each["externalReferences"] for each in made["components"]])))
    assert digests == set(re.findall(r"sha256:(\w+)", LOCK))


def test_the_digests_are_those_of_every_file(built: Path) -> None:
    (built / "SHA256SUMS").write_text("an earlier list", encoding="utf-8")
    subprocess.run([sys.executable, str(ROOT / "release" / "checksums.py"), str(built)], check=True)
    words = ["sha256sum", "--check", "SHA256SUMS"]
    checked = subprocess.run(words, cwd=built, capture_output=True, text=True, check=True)
    named = {line.partition(":")[0] for line in checked.stdout.splitlines()}
    assert named == {file.name for file in built.iterdir()} - {"SHA256SUMS"}
    (built / "sbom.cdx.json").write_bytes(b"[]")
    assert subprocess.run(words, cwd=built, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize(
    ("version", "changelog", "url", "said"),
    [
        ("1.0", "## [1.0] - 2026-12-01\n\n## [0.1.0] - unreleased\n", "https://git.example.com/a", []),
        ("1.0", "## [1.0] - unreleased\n", "https://git.example.com/a", ["'unreleased' of 1.0: write the day"]),
        ("1.1", "## [1.0] - 2026-12-01\n", "https://git.example.com/a", ["version '1.1', and the newest entry"]),
        ("1.0", "# Changelog\n", "https://git.example.com/a", ["no entry"]),
        ("1.0", "## [1.0] - 2026-12-01\n", "https://git.example.org/a", ["Source = 'https://git.example.org/a'"]),
    ],
)
def test_what_is_not_ready_to_be_released_is_named(version: str, changelog: str, url: str, said: list[str]) -> None:
    problems = runpy.run_path(str(ROOT / "release" / "ready.py"))["problems"]
    found = list(problems({"version": version, "urls": {"Source": url}}, changelog))
    assert len(found) == len(said)
    assert all(part in problem for part, problem in zip(said, found, strict=True))


def test_the_changelog_has_an_entry_for_the_version() -> None:
    ready = runpy.run_path(str(ROOT / "release" / "ready.py"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = ready["ENTRY"].search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert newest["version"] == project["version"]
