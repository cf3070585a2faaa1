"""Print the statement that counts a table in a warehouse."""

from __future__ import annotations

import click

from auditor.audit import counting_sql


@click.command()
@click.argument("table")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option("--dialect", default="postgres", show_default=True, metavar="NAME", help="The dialect of the SQL.")
@click.option("--weight", default="n", show_default=True, metavar="COLUMN", help="The column with the counts.")
def command(*, table: str, policy: str, dialect: str, weight: str) -> int:
    """Print the GROUP BY that counts TABLE in a warehouse for a policy.

    Store its result as Parquet or CSV, and judge that: auditor check COUNTS -p POLICY --weight n.

    Dialects: postgres, duckdb and sqlite, which are tested; snowflake, bigquery, trino, databricks and spark, untested.
    """
    click.echo(counting_sql(policy, table, dialect, weight=weight))
    return 0
