"""Statements of clients about the database itself: which types, tables and columns there are, and which version.

Every client asks such things when it connects. They speak of names, never of records, so an audit passes over them;
but only where each table, function and expression in them is on these lists. The planner's statistics (``pg_stats``)
hold values of the data and are on none of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


_TABLES = _words("""
    pg_am pg_attrdef pg_attribute pg_authid pg_auth_members pg_cast pg_class pg_collation pg_constraint pg_conversion
    pg_database pg_depend pg_description pg_enum pg_event_trigger pg_extension pg_foreign_table pg_index pg_inherits
    pg_language pg_namespace pg_opclass pg_operator pg_partitioned_table pg_policy pg_proc pg_publication
    pg_publication_namespace pg_publication_rel pg_range pg_rewrite pg_roles pg_sequence pg_settings pg_shdescription
    pg_statistic_ext pg_tables pg_tablespace pg_trigger pg_type pg_user pg_views
""")
_FUNCTIONS = _words("""
    version current_database current_schema current_schemas current_setting current_user session_user user set_config
    pg_backend_pid pg_get_userbyid pg_table_is_visible pg_type_is_visible pg_function_is_visible format_type
    pg_get_constraintdef pg_get_indexdef pg_get_expr pg_get_statisticsobjdef_columns pg_relation_is_publishable
    obj_description col_description shobj_description pg_encoding_to_char pg_is_in_recovery has_table_privilege
    has_schema_privilege array_to_string array_upper quote_ident to_regclass to_regtype
""")
HARMLESS_SETTINGS = _words("""
    application_name client_encoding client_min_messages extra_float_digits bytea_output search_path role row_security
    statement_timeout lock_timeout idle_in_transaction_session_timeout idle_session_timeout transaction_timeout
    work_mem maintenance_work_mem temp_buffers jit max_parallel_workers_per_gather synchronous_commit
    default_transaction_read_only default_transaction_isolation transaction_read_only transaction_isolation
""")
"""Settings of a session that change no statement's meaning; how strings, NULL and dates are read is not among them."""
_NODES = _words("""
    select column identifier literal star alias table tablealias from join where and or not eq neq gt gte lt lte is null
    in paren cast datatype order ordered group limit offset case if coalesce boolean concat dpipe like ilike any array
    tuple bracket count max min lower upper between exists subquery distinct union collate neg add sub mul anonymous
    currentuser sessionuser currentschema currentdatabase currentcatalog currentversion regexplike regexpilike parameter
    placeholder similarto pseudotype objectidentifier arraytostring groupconcat explodinggenerateseries
""")
_POSSIBLY = re.compile(r"\s*select\b(?:.*\bpg_|(?!.*\bfrom\b))", re.IGNORECASE | re.DOTALL)
"""A SELECT from a table of the catalogue, or from none; the others need not be parsed to be told."""


def asks_for_names(sql: str) -> bool:
    """Whether a statement asks for names of the database alone (PostgreSQL).

    >>> asks_for_names("SELECT oid, typname FROM pg_catalog.pg_type WHERE typtype <> 'r'")
    True
    >>> asks_for_names("SELECT most_common_vals FROM pg_stats"), asks_for_names("SELECT sum(salary) FROM staff")
    (False, False)
    """
    if not _POSSIBLY.match(sql) or len(sql) > 20_000:
        return False
    import sqlglot
    from sqlglot import errors, exp

    try:
        (parsed,) = sqlglot.parse(sql, read="postgres")
    except (errors.SqlglotError, ValueError, RecursionError):
        return False
    return isinstance(parsed, exp.Select | exp.Union) and all(_is_listed(node) for node in parsed.walk())


def _is_listed(node: object) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Table):
        known = isinstance(node.this, exp.ExplodingGenerateSeries) or node.name.lower() in _TABLES
        return bool(known and node.db.lower() in ("", "pg_catalog") and not node.catalog)
    if isinstance(node, exp.Dot):
        return bool(node.this.name.lower() == "pg_catalog")
    if isinstance(node, exp.Operator):
        return str(node.args.get("operator")).startswith("pg_catalog.")
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return name in _FUNCTIONS and (name != "set_config" or _sets_harmless(node))
    return isinstance(node, exp.Expression) and node.key in _NODES


def _sets_harmless(call: exp.Anonymous) -> bool:
    """Whether a call of set_config names, as a plain text, a setting that changes no meaning."""
    setting = call.expressions[0] if call.expressions else None
    return setting is not None and setting.key == "literal" and str(setting.this).lower() in HARMLESS_SETTINGS
