"""`auditor init`: prints, writes whole or not at all, never over something by accident."""

import duckdb
import pytest

from auditor.cli import invoke
from auditor.policy import load_policy


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "people 2026.csv"
    path.write_text("patient_id,age,diagnosis\n" + "".join(f"{i},{i % 50},flu\n" for i in range(100)))
    return path


def test_the_policy_goes_to_standard_output_and_nothing_else(data, capfd, tmp_path):
    assert invoke(["init", str(data)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    (tmp_path / "p.yaml").write_text(out, encoding="utf-8")
    policy = load_policy(tmp_path / "p.yaml")
    assert policy.name == "people-2026"
    assert {name: attribute.role for name, attribute in policy.attributes.items()} == {
        "patient_id": "identifier",
        "age": "quasi-identifier",
        "diagnosis": "sensitive",
    }


def test_output_is_written_once(data, tmp_path, capfd):
    target = tmp_path / "p.yaml"
    assert invoke(["init", str(data), "-o", str(target)]) == 0
    assert capfd.readouterr().out == ""
    first = target.read_text("utf-8")
    target.write_text("mine")
    assert invoke(["init", str(data), "-o", str(target)]) == 2
    assert "--force" in capfd.readouterr().err
    assert target.read_text() == "mine"
    assert invoke(["init", str(data), "-o", str(target), "--force"]) == 0
    assert target.read_text("utf-8") == first


def test_the_written_policy_can_be_checked_against_the_data(data, tmp_path, capfd):
    target = tmp_path / "p.yaml"
    invoke(["init", str(data), "-o", str(target)])
    assert invoke(["check", str(data), "-p", str(target), "--source"]) == 1
    assert "k-anonymity" in capfd.readouterr().out


@pytest.mark.parametrize("target", ["none/p.yaml", ".", "people 2026.csv"])
def test_what_cannot_be_written_is_refused_before_anything_is_read(data, target, tmp_path, capfd):
    before = data.read_text()
    assert invoke(["init", str(data), "-o", str(tmp_path / target), "--force"]) == 2
    assert "-o" in capfd.readouterr().err
    assert data.read_text() == before


@pytest.mark.parametrize(("content", "code"), [(None, 3), ("", 3), ("a,b\n1,2,3\n", 3)])
def test_unreadable_data_is_not_evaluated_and_writes_nothing(content, code, tmp_path, capfd):
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_text(content)
    assert invoke(["init", str(path), "-o", str(tmp_path / "p.yaml")]) == code
    assert "Traceback" not in capfd.readouterr().err
    assert not (tmp_path / "p.yaml").exists()


def test_csv_options_reach_the_reader(tmp_path, capfd):
    (tmp_path / "t.csv").write_bytes("größe|sex\n1|f\n2|m\n".encode("latin-1"))
    assert invoke(["init", str(tmp_path / "t.csv"), "--delimiter", "|", "--encoding", "latin-1"]) == 0
    assert '"größe":' in capfd.readouterr().out


@pytest.mark.parametrize(
    ("address", "name"), [("duckdb:{file}?table=visits", "visits"), ("duckdb:{file}?query=SELECT 1 AS a", "clinic")]
)
def test_a_table_of_a_database_names_the_policy(address, name, tmp_path, capfd):
    file = tmp_path / "clinic.db"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE visits AS SELECT 1 AS age")
    assert invoke(["init", address.format(file=file)]) == 0
    assert f"\nname: {name}\n" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("option", "code", "message"),
    [
        (["--memory", "1KB"], 2, "--memory 1KB is too little to work with"),
        (["--memory", "lots"], 2, "--memory"),
        (["--time-limit", "soon"], 2, "--time-limit"),
        (["--time-limit", "0.0001s"], 3, "the time limit of 0.0001 s was reached; nothing was written"),
    ],
)
def test_limits_are_kept_and_nothing_is_written(option, code, message, data, tmp_path, capfd):
    assert invoke(["init", str(data), "-o", str(tmp_path / "p.yaml"), *option]) == code
    assert message in capfd.readouterr().err
    assert not (tmp_path / "p.yaml").exists()


def test_generous_limits_change_nothing(data, capfd):
    printed = []
    for options in ([], ["--memory", "1GB", "--time-limit", "5m"]):
        assert invoke(["init", str(data), *options]) == 0
        printed.append(capfd.readouterr().out)
    assert printed[0] == printed[1]
