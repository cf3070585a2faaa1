"""Every benchmark runs, on a small table: how fast a machine is, is no matter of tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.workshop.pages import ROOT

pytestmark = pytest.mark.slow

BENCHMARKS = ROOT / "benchmarks"
NOT_HERE = {
    "postgres_3m",
    "pycanon_ratio",
    "anjana_ratio",
    "remediate_large",
    "query_sums",
    "query_log",
    "query_online",
    "query_bounds",
    "gate_50",
    "linked_tables",
    "hide_bms",
    "rules_1m",
    "channels",
    "suda2_100k",
    "mdav_100k",
    "rank_swapping_100k",
    "linkage_100k",
    "table_35_1",
    "scale",
    "spark_30m",
    "memory_limits",
}
"""Two install a peer, one reads several data sets, and the others make their own tables of up to 100 million rows."""
HEADER = "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class"
PERSONS = (
    "Male;39;White;Divorced;HS-grad;United-States;Private;Exec-managerial;<=50K",
    "Male;29;White;Never-married;Assoc-voc;United-States;Private;Prof-specialty;<=50K",
    "Female;29;Black;Never-married;Assoc-voc;Jamaica;Private;Sales;<=50K",
)
SCRIPTS = sorted(file.stem for file in BENCHMARKS.glob("[!_]*.py"))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small table in the place of each benchmark's large one."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "adult.csv").write_text("\n".join((HEADER, *PERSONS * 10)) + "\n", encoding="utf-8")
    for column, *values in zip(*(line.split(";") for line in (HEADER, *PERSONS)), strict=True):
        ladder = "".join(f"{value};*\n" for value in sorted(set(values)))
        (folder / f"adult_hierarchy_{column}.csv").write_text(ladder, encoding="utf-8")
    entry = (*["2026-11-21 09:00:00.000 UTC", "ana", "hr", "47", "", "65a1b2c3.2f", "1", "idle", "", "3/1", "0", "LOG"],
             *["00000", "statement: SELECT sum(salary) FROM staff", *[""] * 12])  # fmt: skip
    (folder / "log.csv").write_text(",".join(entry) + "\n", encoding="utf-8")
    numbers = "".join(f"{row},{row * row},{row % 7}\n" for row in range(20))
    (folder / "numbers.csv").write_text(f"a,b,c\n{numbers}", encoding="utf-8")
    columns = ("age", "sex", "race", "zip", "marital", "education", "country")
    values = ", ".join(f"(range % 7)::varchar as {column}" for column in columns)
    with duckdb.connect() as database:
        persons = f"select {values}, 'disease' || range % 30 as disease from range(100)"
        database.execute(f"copy ({persons}) to '{folder / 'persons.parquet'}' (format parquet)")
    return {
        **dict.fromkeys(
            ("adult_30k", "adult_3m", "rows_30m", "since_3m", "remediate_adult", "mondrian_3m", "local_recoding"),
            folder / "adult.csv",
        ),
        **dict.fromkeys(
            ("near_unique_30m", "rows_100m", "write_30m", "startup", "least_generalization"), folder / "persons.parquet"
        ),
        "query_logs": folder / "log.csv",
        "probabilistic_loss": folder / "numbers.csv",
        "read_pmml": ROOT / "tests" / "outputs" / "readers" / "samples" / "pmml_r_rules.xml",
    }


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in NOT_HERE])
def test_a_benchmark_prints_its_claim_the_machine_and_what_came_out(name: str, tables: dict[str, Path]) -> None:
    command = [sys.executable, f"benchmarks/{name}.py", "--repeats", "1", "--data", str(tables[name])]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    missed = run.stdout.count("   MISSED  ")
    assert not run.stderr
    assert run.returncode == (1 if missed else 0)
    assert missed + run.stdout.count("   met     ") > 0
    assert "CPU s" in run.stdout
    assert "duckdb" in run.stdout.splitlines()[1]


def test_the_benchmark_of_sums_finds_exactly_the_planted_trackers() -> None:
    """It makes its own query sets, so a part of it is run; it ends with 1 where it finds other records."""
    command = [sys.executable, "benchmarks/query_sums.py", "--part", "trackers", "--queries", "40"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "from the sets on" in run.stderr


@pytest.mark.parametrize("name", ["query_log", "query_online", "memory_limits"])
def test_the_benchmarks_that_make_few_records_where_asked_to_run(name: str) -> None:
    """With few records; an audit that finds other records than the planted ones ends the benchmark."""
    command = [sys.executable, f"benchmarks/{name}.py", "--small"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    missed = run.stdout.count("   MISSED  ")
    assert not run.stderr
    assert run.returncode == (1 if missed else 0)
    assert missed + run.stdout.count("   met     ") > 0


def test_the_benchmark_of_the_gate_runs() -> None:
    command = [sys.executable, "benchmarks/gate_50.py", "--releases", "2", "--rows", "200"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "data judged by both" in run.stdout


def test_the_benchmark_of_special_uniques_runs() -> None:
    command = [sys.executable, "benchmarks/suda2_100k.py", "--records", "300", "--repeats", "1"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("   met     ") == 3


def test_the_benchmark_of_linkage_runs() -> None:
    command = [sys.executable, "benchmarks/linkage_100k.py", "--records", "2000"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("   met     ") == 16


def test_the_benchmark_of_hiding_runs(shared_data: Path) -> None:
    """With two seconds for the exact method; it ends at once where something sensitive is still frequent."""
    command = [sys.executable, "benchmarks/hide_bms.py", "--data", str(shared_data / "fimi"), "--seconds", "2"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    missed = run.stdout.count("   MISSED  ")
    assert not run.stderr
    assert run.returncode == (1 if missed else 0)
    assert "still found 0" in run.stdout


def test_the_benchmark_of_bounds_settles_every_value() -> None:
    """A part of it is run; it ends with 1 where others than the planted records are found, or some are left open."""
    command = [sys.executable, "benchmarks/query_bounds.py", "--part", "reals", "--queries", "36"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_benchmark_without_its_table_skips_with_the_reason(tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/adult_30k.py", "--data", str(tmp_path / "absent.csv")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "skipped: Adult" in run.stdout


def test_the_page_names_every_benchmark() -> None:
    page = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.py`" in page for name in SCRIPTS)
