"""What lies beside the data, and no reader takes, is told: a folder is released whole."""

from __future__ import annotations

import zlib

import pytest

import auditor
from auditor.cli import invoke
from auditor.engines import Files, locate
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report.redact import redact
from auditor.report.rendered import render
from auditor.result import Audience

POLICY = {"name": "p", "attributes": {"a": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
RAW = b"a\nAnn\n"


def checksums(content: bytes, each: int = 512) -> bytes:
    """As Hadoop's ChecksumFileSystem has them: a magic, the bytes of a part, and the CRC-32 of each part."""
    parts = [content[start : start + each] for start in range(0, len(content), each)]
    return b"crc\0" + each.to_bytes(4, "big") + b"".join(zlib.crc32(part).to_bytes(4, "big") for part in parts)


@pytest.fixture
def release(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.csv").write_bytes(b"a\n1\n1\n")
    return tmp_path / "r"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "_raw.csv", ".raw.csv", "raw.xlsx", "x.csv.bak", "_deep/raw.csv", "deep/raw.bin", "_metadata", "_SUCCESS",
        ".a.csv.crc", "README",
    ],
)  # fmt: skip
def test_a_file_that_no_reader_takes_is_no_pass_unless_the_policy_names_it(name, release):
    (release / name).parent.mkdir(exist_ok=True)
    (release / name).write_bytes(RAW)
    found = auditor.check(str(release), POLICY)
    assert (found.verdict, found.exit_code) == ("not-evaluated", 3)
    assert [each.status for each in found.requirements if each.id == "unread"] == ["not-evaluated"]
    for named in (name, name.replace("raw", "*")):
        assert auditor.check(str(release), {**POLICY, "not_released": [named]}).verdict == "pass"
    assert auditor.check(str(release), {**POLICY, "not_released": ["other", f"x/{name}"]}).verdict == "not-evaluated"
    assert auditor.check(str(release), POLICY, source=True).verdict == "pass"


def test_a_failure_beside_it_stays_a_failure(release):
    (release / "a.csv").write_bytes(b"a\n1\n2\n")
    (release / "raw.xlsx").write_bytes(RAW)
    assert auditor.check(str(release), POLICY).verdict == "fail"


@pytest.mark.parametrize("target", ["folder", "file", "nothing"])
def test_links_are_told(target, release, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "raw.csv").write_bytes(RAW)
    (tmp_path / "file").write_bytes(RAW)
    (release / "link").symlink_to(tmp_path / target)
    assert auditor.check(str(release), POLICY).verdict == "not-evaluated"


def test_what_says_nothing_is_known_by_its_name_and_by_what_is_in_it(release):
    content = (release / "a.csv").read_bytes()
    (release / "_SUCCESS").touch()
    (release / ".gitkeep").touch()
    (release / ".a.csv.crc").write_bytes(checksums(content, 4))
    (release / "._SUCCESS.crc").write_bytes(checksums(b""))
    assert auditor.check(str(release), POLICY).verdict == "pass"
    for wrong in (checksums(content, 4) + b"Ann!", checksums(b"a\n1\n2\n", 4), checksums(content, 4)[:-1], b"crc\0"):
        (release / ".a.csv.crc").write_bytes(wrong)
        found = locate(str(release))
        assert isinstance(found, Files)
        assert found.unread == (".a.csv.crc",)


def test_to_name_more_files_is_weaker():
    one, two, none = ({**POLICY, "not_released": names} for names in (["a"], ["a", "b"], []))
    assert not compare(load_policy(one), load_policy(two)).at_least_as_strict
    assert compare(load_policy(two), load_policy(one)).at_least_as_strict
    assert not compare(load_policy(POLICY), load_policy(one)).at_least_as_strict
    assert compare(load_policy(one), load_policy(none)).at_least_as_strict
    assert compare(load_policy(one), load_policy(POLICY)).at_least_as_strict


def test_the_names_are_for_the_internal_audience_and_their_number_for_all(release):
    for name in ("Ann.xlsx", "_Bob.csv"):
        (release / name).write_bytes(RAW)
    result = auditor.check(str(release), POLICY)
    for form in ("text", "json", "markdown", "html", "sarif", "junit"):
        for audience in (Audience.REVIEWER, Audience.PUBLIC):
            shown = render(redact(result, audience), form)
            assert "Ann.xlsx" not in shown
            assert "_Bob" not in shown
    for form in ("text", "json", "markdown", "html"):
        shown = render(redact(result, Audience.INTERNAL), form)
        assert "Ann.xlsx" in shown
    assert "holds 2 files" in render(redact(result, Audience.PUBLIC), "text")


def test_a_certificate_of_a_folder_says_nothing_of_files_that_came_later(release, tmp_path, capfd):
    certificate, policy = tmp_path / "c.json", tmp_path / "p.yaml"
    policy.write_text(load_policy(POLICY).to_yaml())
    assert invoke(["check", str(release), "-p", str(policy), "--certificate", str(certificate)]) == 0
    verify = ["verify", str(certificate), str(release)]
    assert invoke(verify) == 0
    (release / "Ann.xlsx").write_bytes(RAW)
    for more in ([], ["-p", str(policy)], ["--not-released", "other"]):
        capfd.readouterr()
        assert invoke([*verify, *more]) == 3
        assert "'Ann.xlsx'" in capfd.readouterr().err
    assert invoke([*verify, "--not-released", "*.xlsx"]) == 0
    (release / "b.csv").write_bytes(b"a\n1\n1\n")
    assert invoke([*verify, "--not-released", "*.xlsx"]) == 1
