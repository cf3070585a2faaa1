"""A release as the base revision's manifest reads it, beside how the head's does.

An entry of a manifest says where files are, how CSV files are written, and which table of a database, or which query,
the release is. None of it stands in a policy, so no comparison of policies tells what a change of it does.
"""

from __future__ import annotations

from dataclasses import replace

from auditor.gate._judge import GateCase

ROLES = ("data", "original", "previous")


def before(same: GateCase, was: GateCase | None) -> GateCase | None:
    """The release as the base revision's manifest has it; None where it is read as the head's says.

    Args:
        same: as the head's manifest has it, under the base revision's policy.
        was: as the base revision's has it; None where that names what it may not.
    """
    # What the data must hash to changes with every release, and is the head's to say.
    other = was is not None and replace(was, expected={}, folder=same.folder) != replace(same, expected={})
    return replace(was, expected={}) if was is not None and other else None


def reread(same: GateCase, was: GateCase) -> GateCase | None:
    """The files where the head has them, read as the base revision's manifest says; None where both say the same."""
    told = {
        role: old
        for role in ROLES
        if (new := getattr(same, role)) is not None
        and (old := getattr(was, role)) is not None
        and old.address.partition("?")[0] == new.address.partition("?")[0]
    }
    found = replace(same, csv=was.csv, expected={}, **told)
    return None if found == replace(same, expected={}) else found
