"""What a data contract says of the columns, laid over what they look like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.policy.contracts import DataContract, read_contract
from auditor.policy.file.files import reachable, roots_for
from auditor.policy.file.problems import did_you_mean, quoted, reported
from auditor.profile._measure import ColumnProfile
from auditor.profile._propose import Proposal, propose, proposed_as
from auditor.profile._write import scalar

MOST_ABSENT = 100
"""So many columns are listed that a contract names and the data does not have."""


@dataclass(frozen=True)
class DeclaredRoles:
    """A contract, and the line of a policy that holds it to the contract."""

    contract: DataContract
    held: str

    @classmethod
    def read(cls, file: Path, table: str | None, folder: Path | None) -> DeclaredRoles:
        """What a file says of a table.

        Args:
            file: the contract.
            table: its table; None for the only one.
            folder: where the policy will lie, if that is known.

        Raises:
            PolicyError: the contract is wrong, or has several tables and none is named.
        """
        with reported() as problems:
            contract = read_contract(file, table, problems, str(file), "--table NAME")
        if contract is None:
            raise problems.error()
        chosen = "" if table is None else f", table: {scalar(table)}"
        if folder is None or not reachable(file.resolve(), roots_for(folder.resolve())):
            return cls(contract, f"# contract: {{file: PATH_FROM_HERE{chosen}}}  # holds the policy to its contract")
        return cls(contract, f"contract: {{file: {scalar(os.path.relpath(file.resolve(), folder.resolve()))}{chosen}}}")

    def propose(self, column: ColumnProfile) -> Proposal:
        """What the contract says of a column decides; what it does not say is proposed as without it."""
        found, guess = self.contract.says_of(column.name), propose(column)
        if found is None:
            return replace(guess, said="not in the contract")
        if found.role is not None:
            return replace(proposed_as(column, found.role), said=f"{found.mark} says {found.role}")
        if found.personal:
            said = f"{found.mark} calls it personal ({', '.join(found.personal)})"
            if guess.role == "insensitive":
                guess = replace(proposed_as(column, "quasi-identifier"), why=guess.why, unsure=True)
            return replace(guess, said=said)
        unread = f" ({', '.join(found.unread)} tells none)" if found.unread else ""
        return replace(guess, said=f"{found.mark} says no role{unread}")

    def absent(self, columns: Sequence[str]) -> list[str]:
        """The lines that say which columns of the contract the data does not have."""
        folded = {name.casefold() for name in columns}
        names = [each.name for each in self.contract.columns if each.name.casefold() not in folded]
        lines = [f"#   {scalar(name)}{did_you_mean(name, columns)}" for name in names[:MOST_ABSENT]]
        more = [f"#   and {len(names) - MOST_ABSENT} more"] if len(names) > MOST_ABSENT else []
        head = f"# The contract names columns of {quoted(self.contract.table)} that the data does not have:"
        return [head, *lines, *more] if names else []
