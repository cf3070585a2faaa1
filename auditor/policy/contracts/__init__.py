"""Data contracts and dbt's files: what is said elsewhere of the columns of a table, as far as it tells a role.

`_column` has the words that tell one, `_odcs` and `_dbt` know where they stand in files of the Open Data Contract
Standard and of dbt, `_file` reads the file and finds the table in it, and `_held` compares a policy with it.
"""

from auditor.policy.contracts._column import ContractColumn
from auditor.policy.contracts._file import DataContract, read_contract
from auditor.policy.contracts._held import held_to_contract

__all__ = ["ContractColumn", "DataContract", "held_to_contract", "read_contract"]
