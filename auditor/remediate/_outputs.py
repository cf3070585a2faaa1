"""What a remediation writes, and where its release is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor import release as releases
from auditor.engines import Address, Engine, RunLimits, Storage, Stores, check_folder_name, check_name
from auditor.errors import Unsupported, UsageError

Place = str | Path | None


@dataclass(frozen=True)
class Staging:
    """Where a release is made that goes to an address, and the file system of both."""

    folder: Address
    storage: Storage


@dataclass(frozen=True)
class Outputs:
    """What to write: the release (None: a plan), and on request the mapping that was applied, and the lattice."""

    release: Path | Address | None = None
    mapping: Path | None = None
    lattice: Path | None = None
    keep_order: bool = False

    @classmethod
    def of(
        cls,
        release: Place,
        mapping: Place,
        lattice: Place,
        inputs: Sequence[Any],
        *,
        keep_order: bool = False,
        folder: bool = False,
    ) -> Outputs:
        """Understand what is to be written; `UsageError` for what cannot be meant. A release may be a `folder`."""
        address = Address.of(release)
        if address is not None and not folder:
            raise UsageError(f"-o {address.name}: is an address, and only a cluster writes to one (--engine spark)")
        places = {"-o": None if address else release, "--mapping": mapping, "--lattice": lattice}
        paths = {option: None if place is None else Path(place) for option, place in places.items()}
        releases.check_targets(paths, inputs, folders=["-o"] if folder else [])
        if paths["-o"] is not None:
            (check_folder_name if folder else check_name)(paths["-o"])
        if address is not None:
            address.check()
            check_folder_name(address.named)
        return cls(address or paths["-o"], paths["--mapping"], paths["--lattice"], keep_order)

    @contextmanager
    def beside(self, inputs: Sequence[Any], engine: Engine | None, limits: RunLimits) -> Iterator[Staging | None]:
        """A place beside the address that the release goes to; None where it goes to a folder of this machine.

        Raises:
            UsageError: the address cannot be meant.
            DeliveryError: nothing can be made there.
            Unsupported: the engine does not write there.
        """
        if not isinstance(self.release, Address):
            yield None
            return
        if not isinstance(engine, Stores):
            raise Unsupported(f"-o {self.release.name}: this engine writes to no addresses; name a folder")
        storage = engine.storage(self.release, limits)
        releases.check_address(self.release, inputs, storage)
        with releases.unfinished_at(self.release, storage) as folder:
            yield Staging(folder, storage)
