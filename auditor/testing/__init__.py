"""Tests of policies: tiny tables, what is expected of them, and whether the tests would notice a weaker policy.

`load_tests` reads a file, `run` judges its tables, `coverage` loosens each number of the policy by one step and says
which of them no test notices, `scaffold` writes tables on both sides of each number; `removed` and `unnoticed` hold a
later version to the tests of an earlier one.
"""

from auditor.testing._file import ENDING, PolicyTests, discover, load_tests
from auditor.testing._loosening import LostTest, removed, unnoticed
from auditor.testing._mutants import coverage
from auditor.testing._run import run, test
from auditor.testing._scaffold import scaffold

__all__ = [
    "ENDING",
    "LostTest",
    "PolicyTests",
    "coverage",
    "discover",
    "load_tests",
    "removed",
    "run",
    "scaffold",
    "test",
    "unnoticed",
]
