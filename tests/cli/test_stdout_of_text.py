"""A standard output that takes texts and no bytes, as that of a notebook, gets what any other gets."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from auditor.cli import invoke
from auditor.report.delivery import show


def test_a_result_goes_to_a_stream_of_texts(tmp_path):
    (tmp_path / "d.csv").write_text("zip\n1\n1\n")
    (tmp_path / "p.yaml").write_text(
        "attributes: {zip: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 2}]\n"
    )
    with redirect_stdout(io.StringIO()) as told:
        code = invoke(["check", str(tmp_path / "d.csv"), "-p", str(tmp_path / "p.yaml"), "--format", "json"])
    assert code == 0
    assert told.getvalue().startswith("{")


def test_texts_arrive_as_they_are():
    with redirect_stdout(io.StringIO()) as told:
        show("Größe\n")
    assert told.getvalue() == "Größe\n"
