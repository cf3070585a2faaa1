"""Hadoop's file systems, by way of the driver's JVM: HDFS, object stores, and this machine's files (``file:///``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from auditor.engines._address import Address
from auditor.engines._limits import RunLimits
from auditor.engines.spark._errors import trouble
from auditor.engines.spark._progress import is_connect
from auditor.errors import AuditorError, DeliveryError, Unsupported


class Hadoop:
    """What is behind the addresses of one classic session."""

    def __init__(self, session: Any, limits: RunLimits) -> None:
        """Use the settings of a session, its credentials among them.

        Raises:
            Unsupported: the session is one of Spark Connect, which has no JVM here.
        """
        if is_connect(session):
            raise Unsupported(
                "an address cannot be written to by way of Spark Connect, which gives no access to file systems: a "
                "release could be written, and not be put in place; write to a folder that this machine sees as well"
            )
        # PySpark has no public way to Hadoop's file systems, nor to the settings that a session reads them by.
        self._gateway = session.sparkContext._gateway  # noqa: SLF001
        self._fs = session._jvm.org.apache.hadoop.fs  # noqa: SLF001
        self._conf = session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001
        self._limits = limits

    def exists(self, address: Address) -> bool:
        """Whether anything is there."""
        with self._telling(address):
            return bool(self._system(address).exists(self._fs.Path(address)))

    def qualified(self, address: Address) -> str:
        """The address with its host, where the settings have it."""
        with self._telling(address):
            return str(self._system(address).makeQualified(self._fs.Path(address)).toString())

    def make(self, address: Address) -> None:
        """Make a folder that nobody else may read, and those above it as is usual there."""
        with self._telling(address):
            system, path = self._system(address), self._fs.Path(address)
            system.mkdirs(path.getParent())
            system.mkdirs(path)
            system.setPermission(path, self._fs.permission.FsPermission("700"))

    def rename(self, old: Address, new: Address) -> None:
        """Rename a folder, by the call that refuses what is there: the older one would move into it."""
        with self._telling(new):
            context = self._fs.FileContext.getFileContext(self._fs.Path(old).toUri(), self._conf)
            nothing_else = self._gateway.new_array(self._fs.Options.Rename, 0)
            context.rename(self._fs.Path(old), self._fs.Path(new), nothing_else)

    def rename_files(self, folder: Address, old: str, new: str) -> None:
        """Give the files in a folder whose names have one ending another."""
        with self._telling(folder):
            system = self._system(folder)
            for found in system.listStatus(self._fs.Path(folder)):
                path = found.getPath()
                if path.getName().endswith(old):
                    name = path.getName().removesuffix(old) + new
                    if not system.rename(path, self._fs.Path(path.getParent(), name)):
                        raise DeliveryError(f"{folder.name}: a file in it cannot be renamed; nothing was written")

    def remove(self, address: Address) -> None:
        """Remove a folder with all that is in it."""
        with self._telling(address):
            self._system(address).delete(self._fs.Path(address), True)

    def _system(self, address: Address) -> Any:
        return self._fs.Path(address).getFileSystem(self._conf)

    @contextmanager
    def _telling(self, address: Address) -> Iterator[None]:
        """What Hadoop raises, in words of ours: its own have hosts and users in them."""
        self._limits.check()
        try:
            yield
        except AuditorError:
            raise
        except Exception as error:  # noqa: BLE001  (Py4J's, with whatever Java raised)
            if "FileAlreadyExistsException" in str(error):
                raise DeliveryError(f"{address.name}: was created in the meantime; it was left unchanged") from None
            told = trouble(address.name, error)
            raise (told if isinstance(told, Unsupported) else DeliveryError(str(told))) from None
