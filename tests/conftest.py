"""What every room's tests share: where the large public tables are, and how hypothesis runs."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from auditor.certificates import _write as certificate_writer
from auditor.report.formats import json as json_report
from tests.schema import certifying, validating

ROOT = Path(__file__).resolve().parent.parent
# The command `auditor` is the one of the environment that the tests run in, whoever starts them and from where.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# Every document that a test has written as JSON, in this process, is held against the published schema; so is every
# certificate.
json_report.escaped = validating(json_report.escaped)
certificate_writer.certificate = certifying(certificate_writer.certificate)

SLOW_IS_FINE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# `make test` draws the same examples on every run, so that what decides a merge is no matter of luck; `make fuzz`, and
# whoever sets a profile, draws new ones. `make quick` draws the first few of those of `make test`.
settings.register_profile("project", max_examples=25, derandomize=True, **SLOW_IS_FINE)
settings.register_profile("quick", max_examples=5, derandomize=True, **SLOW_IS_FINE)
settings.register_profile("fuzz", max_examples=100, **SLOW_IS_FINE)
settings.register_profile("thorough", max_examples=1000, **SLOW_IS_FINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "project"))


SLOW = Path(__file__).with_name("slow.txt")
"""Tests that are more than a moment's work under `make quick`, besides those that are marked: `make slow` writes it."""
TIMES = os.environ.get("AUDITOR_TEST_TIMES")
"""The folder that `make slow` collects times in; then the list does not count."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what the list names, test by test or with all of its parameters."""
    listed = frozenset() if TIMES else frozenset(SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        if listed & {item.nodeid, item.nodeid.partition("[")[0]}:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note the processor time of each test, with that of processes that it started, where `make slow` asks for it."""
    before = _spent()
    yield
    if TIMES:
        with (Path(TIMES) / f"{os.getpid()}.txt").open("a", encoding="utf-8") as times:
            times.write(f"{_spent() - before:.3f} {item.nodeid}\n")


def _spent() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public tables (Adult and others) that lies beside the checkout; skips where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public tables are not beside this checkout (../shared/data)")
    return folder


@pytest.fixture(scope="session")
def shared_vectors() -> Path:
    """The folder of vectors that belong to the public tables; skips where it is absent."""
    folder = ROOT.parent / "shared" / "vectors"
    if not folder.is_dir():
        pytest.skip("the vectors of the public tables are not beside this checkout (../shared/vectors)")
    return folder


TOGETHER = {
    "spark": "spark",
    "demo.py": "demonstrations",
    "test_table_35_1.py": "table-35-1",
    "workshop/test_recipe.py": "recipes",
    "workshop/test_doors.py": "recipes",
}
"""By a part of a test's name what it shares: Spark's JVM, the demonstrations' folder, or a fixture of many seconds."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send what shares something costly, or a folder, to one worker.

    The marks of `tests.spark` ask for that, too; pytest-xdist 3.8 does not see them since pytest 9 keeps the names of
    tests elsewhere.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((shared for part, shared in TOGETHER.items() if part in nodeid), nodeid)

    return Together(config, log)
