"""`auditor check postgresql://… --push-down` from the command line; no credential in anything that it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.engines import locate, without_credentials
from auditor.errors import AuditorError
from tests.engines import data
from tests.postgres import PASSWORD, USER, Server, private_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private_server() as running:
        rows = ", ".join(
            "(" + ", ".join("NULL" if v is None else "'" + v.replace("'", "''") + "'" for v in row) + ")"
            for row in data.people()
        )
        running.sql(f"CREATE TABLE people ({', '.join(f'{name} text' for name in data.NAMES)})")
        running.sql(f"INSERT INTO people VALUES {rows}")
        yield running


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.json").write_text(json.dumps(data.POLICY))
    return "p.json"


@pytest.mark.parametrize("pushed", [[], ["--push-down"]])
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_no_report_knows_the_credentials(pushed, audience, server, policy, tmp_path, capfd):
    reports = {name: tmp_path / name for name in ("r.json", "r.html", "r.md", "r.sarif", "r.xml")}
    for shape in ("text", "json", "junit", "sarif", "github", "gitlab", "markdown"):
        words = ["check", server.url("?sslmode=disable&table=people"), "-p", policy, "--format", shape, *pushed]
        asked = [word for path in reports.values() for word in ("--report", _named(path))] if shape == "text" else []
        code = invoke([*words, *asked, "--audience", audience])
        out, err = capfd.readouterr()
        assert (code, err) == (1, "")
        assert PASSWORD not in out
        assert f"//{USER}" not in out
        assert f"{USER}@" not in out
    for path in reports.values():
        text = path.read_text()
        assert PASSWORD not in text
        assert f"//{USER}" not in text
        path.unlink()
    code = invoke(["check", server.url("?table=people"), "-p", policy, "--format", "json", *pushed])
    again = json.loads(capfd.readouterr().out)["reproduce"]
    told = f"auditor check 'postgresql://127.0.0.1:{server.port}/postgres?table=people' -p p.json"
    assert again == " ".join([told, *pushed])


def _named(path: Path) -> str:
    return f"junit={path}" if path.suffix == ".xml" else str(path)


@pytest.mark.parametrize("pushed", [[], ["--push-down"]])
def test_credentials_from_elsewhere(pushed, server, policy, tmp_path):
    """What libpq reads needs no credential on the command line, where `ps` would show it."""
    (tmp_path / "pass").write_text(f"127.0.0.1:{server.port}:*:{USER}:{PASSWORD}\n")
    (tmp_path / "pass").chmod(0o600)
    (tmp_path / "services").write_text(
        f"[clinic]\nhost=127.0.0.1\nport={server.port}\ndbname=postgres\nuser={USER}\npassword={PASSWORD}\n"
    )
    address = f"postgresql://{USER}@127.0.0.1:{server.port}/postgres?table=people"
    bare = f"postgresql://127.0.0.1:{server.port}/postgres?table=people"
    ways = [
        (address, {"PGPASSWORD": PASSWORD}),
        (address, {"PGPASSFILE": str(tmp_path / "pass")}),
        (bare, {"PGUSER": USER, "PGPASSWORD": PASSWORD}),
        ("postgresql://?table=people", {"PGSERVICEFILE": str(tmp_path / "services"), "PGSERVICE": "clinic"}),
        ("postgresql://?service=clinic&table=people", {"PGSERVICEFILE": str(tmp_path / "services")}),
    ]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    for url, told in ways:
        command = [sys.executable, "-c", "from auditor.cli import main; main()", "check", url, "-p", policy, *pushed]
        found = subprocess.run(
            command, env={**kept, **told}, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert (found.returncode, found.stderr) == (1, ""), url
        assert PASSWORD not in found.stdout


def test_pushing_down_needs_a_server(policy, capfd):
    assert invoke(["check", "t.csv", "-p", policy, "--push-down"]) == 2
    assert "--push-down is for tables of a PostgreSQL server, which t.csv is not" in capfd.readouterr().err


def test_weights_are_counted_in_this_process(server, policy, capfd):
    words = ["check", server.url("?table=people"), "-p", policy, "--weight", "cost"]
    assert invoke([*words, "--push-down"]) == 2
    assert "--weight is for data that is counted in this process" in capfd.readouterr().err
    url = server.url("?query=SELECT zip, job, cost, sick, site, count(*) AS n FROM people GROUP BY 1, 2, 3, 4, 5")
    assert invoke(["check", url, "-p", policy, "--weight", "n", "--format", "json"]) == 1
    assert json.loads(capfd.readouterr().out)["data"]["rows"] == len(data.people())


def test_what_needs_records_is_refused_with_the_reason(server, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    requirement = {"model": "linkage", "max": 1.0}
    policy = {**data.POLICY, "requirements": [requirement]}
    (tmp_path / "p.json").write_text(json.dumps(policy))
    code = invoke(["remediate", server.url("?table=people"), "-p", "p.json", "-o", "r.csv"])
    assert code in (1, 2, 3)
    assert PASSWORD not in capfd.readouterr().err
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:p@ss@host/db?table=t",
        "postgresql://ann:p?ss@host/db?table=t",
        "postgresql://ann:p/ss@host/db?table=t",
        "postgres://ann:p%40ss@host:5432/db?query=SELECT '@'",
        "postgresql://host/db?user=ann&password=pass&table=t",
        "POSTGRESQL://ann:pass@host/db?table=t",
        "mysql://ann:pass@host/db?table=t",
        "s3://ann:pass@host/key",
    ],
)
def test_names_hold_no_credentials_however_they_are_written(url):
    assert not any(
        word in without_credentials(url) for word in ("ann", "pass", "p@ss", "p?ss", "p/ss", "p%40ss", "ss@")
    )
    try:
        named = locate(url).name
    except AuditorError as error:
        named = str(error)
    assert not any(word in named for word in ("ann", "pass", "p@ss", "p?ss", "p/ss", "p%40ss"))
