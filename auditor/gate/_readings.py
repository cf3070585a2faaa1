"""A release as the base revision's manifest reads it, beside how the head's does.

An entry of a manifest says where files are, how CSV files are written, and which table of a database, or which query,
the release is. None of it stands in a policy, so no comparison of policies tells what a change of it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.gate._judge import EarlierPlaces, GateCase
from auditor.gate._places import DataPlace


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
    before = was.previous or ()
    earlier = tuple(
        EarlierPlaces(
            _as_before(each.release, [old.release for old in before]) or each.release,
            _as_before(each.original, [old.original for old in before]),
        )
        for each in same.previous or ()
    )
    data, original = _as_before(same.data, [was.data]), _as_before(same.original, [was.original])
    previous = None if same.previous is None else earlier
    found = replace(same, csv=was.csv, expected={}, data=data, original=original, previous=previous)
    return None if found == replace(same, expected={}) else found


def _as_before(new: DataPlace | None, before: Sequence[DataPlace | None]) -> DataPlace | None:
    """A place as the base revision's manifest has it, where that names the same files; else as it is."""
    known = (each for each in before if each is not None and new is not None)
    return next((old for old in known if _file(old) == _file(new)), new)


def _file(place: DataPlace | None) -> str | None:
    return None if place is None else place.address.partition("?")[0]
