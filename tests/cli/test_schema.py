"""``auditor schema``: the packaged JSON Schema, without importing a model."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from auditor.certificates.json_schema import certificate_schema
from auditor.cli import invoke
from auditor.policy import policy_schema


def test_it_prints_the_schema_of_the_policy_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == policy_schema()


def test_it_prints_the_schema_of_certificates(capsys: pytest.CaptureFixture[str]) -> None:
    """Every certificate that a test writes is held to it (`tests.schema`); it takes no edited one."""
    assert invoke(["schema", "certificate"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema == certificate_schema()
    validator = Draft202012Validator(schema)
    validator.check_schema(schema)
    assert not validator.is_valid({"_type": "https://in-toto.io/Statement/v1"})


def test_it_imports_neither_models_nor_numbers() -> None:
    program = (
        "import sys; from auditor.cli import invoke; code = invoke(['schema']);"
        "heavy = {'pydantic', 'numpy', 'yaml', 'duckdb', 'pandas', 'scipy'} & set(sys.modules);"
        "sys.exit(f'{code} {sorted(heavy)}' if code or heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
