"""A client of Spark Connect: a process of its own, because one with a classic session has no other.

``python -m tests.connect_client REMOTE FOLDER`` audits, remediates and errs there, and writes one line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import auditor
from auditor.engines.spark import Spark
from auditor.errors import AuditorError
from auditor.stages import Moment, watching

SMALL = {
    "version": 1,
    "name": "small",
    "attributes": {
        "a": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 50], "start": 0, "top": 100}}},
        "b": "quasi-identifier",
    },
    "requirements": [{"model": "k-anonymity", "k": 2}],
}


def main() -> None:
    remote, folder = sys.argv[1], Path(sys.argv[2])
    engine = Spark(conf={"spark.remote": remote})
    policy = json.loads((folder / "policy.json").read_text())
    file = str(folder / "people.parquet")
    seen: list[Moment] = []
    with engine:
        with watching(seen.append):
            path = auditor.check(file, policy, engine=engine, expose=True).to_dict()
        session = engine._session
        rows = session.range(1000).selectExpr("id % 100 AS a", "IF(id < 997, 'x', 'y') AS b")
        frame = auditor.check(rows, SMALL, expose=True).to_dict()
        auditor.remediate(rows, SMALL, output=folder / "release")
        told = {
            "time": _trouble(session.range(10**12).selectExpr("id AS a", "id % 7 AS b"), time_limit=2),
            "table": _trouble("table:nowhere.at_all", engine=engine),
        }
        after = session.range(3).count()
    most = max((moment.of or 0 for moment in seen if moment.unit == "tasks"), default=0)
    sys.stdout.write(json.dumps({"path": path, "frame": frame, "told": told, "after": after, "tasks": most}))


def _trouble(data: Any, **more: Any) -> list[str]:
    try:
        auditor.check(data, SMALL, **more)
    except AuditorError as error:
        return [type(error).__name__, str(error)]
    return []


if __name__ == "__main__":
    main()
