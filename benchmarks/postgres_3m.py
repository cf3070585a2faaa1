"""A table of 3 million rows in PostgreSQL: copied, or counted in the server, against the server's bare GROUP BY.

All three group by the same seven columns and the sensitive one, in one run, in turns; the ratio of the least wall times
counts, because most of the work is the server's, whose CPU seconds are not this process's. Skipped where no server or
the extra `postgres` is not installed.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from _measure import MET, MISSED, ROOT, SKIPPED, alternated, judge, show, start, timed

sys.path.insert(0, str(ROOT))

import auditor
from auditor.engines.postgres import PostgreSQL
from tests.postgres import private_server

ROWS = 3_000_000
COPIED, PUSHED = 2.5, 4.0
"""Times the bare GROUP BY in the server."""
POLICY: dict[str, Any] = {
    "attributes": {
        **dict.fromkeys(("age", "sex", "race", "zip", "marital", "education", "country"), "quasi-identifier"),
        "disease": "sensitive",
    },
    "requirements": [
        {"model": "k-anonymity", "k": 2},
        {"model": "distinct-l-diversity", "sensitive": ["disease"], "l": 2},
        {"model": "t-closeness", "sensitive": ["disease"], "t": 0.2},
    ],
}
TABLE = f"""
CREATE TABLE people AS SELECT
  (18 + floor(random() * 8) * 10)::text AS age, (ARRAY['f', 'm'])[1 + floor(random() * 2)::int] AS sex,
  'r' || floor(random() * 5) AS race, 'z' || floor(random() * 100) AS zip, 'm' || floor(random() * 5) AS marital,
  'e' || floor(random() * 8) AS education, 'c' || floor(random() ^ 3 * 20) AS country,
  'd' || floor(random() * 15) AS disease
FROM generate_series(1, {ROWS})
"""


def main() -> int:
    start("3 million rows in PostgreSQL, 7 quasi-identifiers and a sensitive attribute, three models")
    missing = _missing()
    if missing:
        print(f"   skipped: {missing}")
        return SKIPPED
    with private_server({"shared_buffers": "1GB", "work_mem": "256MB"}) as server:
        server.sql("SELECT setseed(0.5)", TABLE, "VACUUM ANALYZE people")
        columns = ", ".join(str(name) for name in POLICY["attributes"])
        bare = f"SELECT count(*) FROM (SELECT {columns}, count(*) FROM people GROUP BY {columns}) AS classes"
        url = server.url("?table=people")
        print(f"   {server.ask(bare)[0][0]:,} combinations", flush=True)
        costs = alternated(
            {
                "bare": lambda: timed(lambda: server.ask(bare)),
                "copied": lambda: timed(lambda: auditor.check(url, POLICY)),
                "pushed": lambda: timed(lambda: auditor.check(url, POLICY, engine=PostgreSQL())),
            },
            3,
        )
    show("the server's bare GROUP BY", costs["bare"])
    show("an audit of a copy", costs["copied"])
    show("an audit that is pushed down", costs["pushed"])
    bare_wall = costs["bare"].least_wall
    met = [
        judge("copied against the bare GROUP BY, wall", costs["copied"].least_wall / bare_wall, COPIED, "x"),
        judge("pushed down against the bare GROUP BY, wall", costs["pushed"].least_wall / bare_wall, PUSHED, "x"),
    ]
    return MET if all(met) else MISSED


def _missing() -> str | None:
    """What is not installed that this needs."""
    if importlib.util.find_spec("adbc_driver_postgresql") is None:
        return "the extra postgres is not installed"
    if not [*Path("/usr/lib/postgresql").glob("*/bin/initdb")]:
        return "no PostgreSQL server is installed"
    return None


if __name__ == "__main__":
    sys.exit(main())
