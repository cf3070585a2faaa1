"""Where what does not fit the memory may go: a folder, in the clear or encrypted, or nowhere."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from auditor.errors import DeliveryError, UsageError
from auditor.folders import PrivateFolder

PREFIX = "auditor-spill-"
"""What the names of the folders that are made begin with."""
Form = Literal["never", "encrypted"]
"""How a policy limits it: no data on a disk at all, or none that can be read."""


@dataclass(frozen=True, slots=True)
class Spill:
    """Where temporary data may be written.

    Args:
        folder: the folder in which each source makes one of its own; None for the machine's temporary folder.
        form: how it is limited; None where it is not.
    """

    folder: Path | None = None
    form: Form | None = None

    @classmethod
    def of(cls, folder: str | os.PathLike[str] | Spill | None = None, form: Form | None = None) -> Spill:
        """What a user and a policy say; the user's word can have been read already.

        Raises:
            UsageError: the folder is not there, or is none.
        """
        if folder is None or isinstance(folder, Spill):
            return (folder or cls()).under(form)
        path = Path(folder)
        if not path.is_dir():
            wrong = "is not a folder" if path.exists() else "there is no such folder"
            raise UsageError(f"--spill {folder}: {wrong}; name one with room for temporary data")
        return cls(path.resolve(), form)

    def under(self, form: Form | None) -> Spill:
        """The same under a policy that limits it so; what limits it already stays."""
        return self if form is None or self.form == "never" else replace(self, form=form)

    def new_folder(self) -> PrivateFolder:
        """A new private folder.

        Raises:
            DeliveryError: none can be made there.
        """
        if self.folder is not None:
            try:
                return PrivateFolder(self.folder, PREFIX)
            except OSError as error:
                raise DeliveryError(f"--spill {self.folder}: no folder can be made in it ({error.strerror})") from None
        try:
            return PrivateFolder(Path(tempfile.gettempdir()), PREFIX)
        except OSError as error:
            raise DeliveryError(
                f"no temporary folder can be made ({error.strerror}); name one that can be written with --spill"
            ) from None


ANYWHERE = Spill()
"""Temporary data in the machine's folder for it, in the clear."""
