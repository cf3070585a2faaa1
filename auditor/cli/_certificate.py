"""The certificate of a checked dataset, as ``auditor check --certificate`` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from auditor.certificates import KEY_ENDING, BoundFile, Certified, Issued, SecretKey, bound, files_of, issue, key_for
from auditor.certificates.digests import digest_of
from auditor.engines import Files, combined, locate
from auditor.errors import DataError, Unsupported, UsageError
from auditor.policy import Policy
from auditor.release import check_targets
from auditor.result import Result, Verdict


@dataclass(frozen=True)
class Wanted:
    """Where a certificate is to go, with which key, and which ledger is to know it."""

    target: Path
    key: SecretKey | None
    ledger: Path | None

    @classmethod
    def of(
        cls, certificate: str | None, key: str | None, ledger: str | None, inputs: Sequence[str], *, source: bool
    ) -> Wanted | None:
        """What the options ask for; None where they ask for no certificate.

        Args:
            certificate: the file that it goes to.
            key: the environment variable with its key.
            ledger: the ledger that is to know it.
            inputs: the data, and what else is read.
            source: whether the data is a table before its release.

        Raises:
            DataError: there is no such data.
            Unsupported: the data is in a database or an object store.
            UsageError: what cannot be meant.
        """
        if certificate is None:
            if key or ledger:
                raise UsageError("--certificate-key and --ledger go with --certificate FILE")
            return None
        if source:
            raise UsageError("a table before its release gets no certificate; check what is released, without --source")
        _files(inputs[0])
        target, book = Path(certificate), Path(ledger) if ledger else None
        check_targets({"--certificate": target, "--ledger": book}, inputs)
        return cls(target, SecretKey.from_environment(key) if key else None, book)

    @property
    def outputs(self) -> list[Path]:
        """The files that will be written."""
        return [self.target, *([self.ledger] if self.ledger else [])]

    def write(
        self, result: Result, policy: Policy, data: str, original: str | None, beside: Sequence[str] = ()
    ) -> None:
        """Write the certificate of a result that passed, bound to the very bytes that were judged.

        `beside` are the earlier releases and the originals that people were followed by.

        Raises:
            DataError: the data changed while it was judged.
            Unsupported: the data is a table of a database.
        """
        if result.verdict not in (Verdict.PASS, Verdict.WAIVED) or result.data is None:
            return
        found = _files(data)
        if combined({path: digest_of(path, None) for path in found.paths}) != result.data.sha256:
            raise DataError(f"{result.data.source}: changed while it was judged, so it cannot be certified")
        files = [*files_of(data), *_reference(policy, original)]
        files += [file for each in beside if isinstance(locate(each), Files) for file in files_of(each, "input")]
        files += [BoundFile(path, path.name, "policy") for path in policy.referenced_files]
        key = self.key or key_for(files, [policy.population_file] if policy.population_file else [])
        said = Certified(
            source=result.data.source,
            files=tuple(sorted(bound(files, key))),
            policy=policy.name,
            policy_file=policy.file,
            policy_sha256=policy.sha256,
            verdict=result.verdict,
            evaluated_on=result.evaluated_on,
            requirements=result.requirements,
            tool=result.tool,
            not_checked=result.not_checked,
        )
        issue(Issued(said, key, new=self.key is None), self.target, self.ledger)
        if key is not None and self.key is None:
            tell_of_key(self.target.name)


def _files(data: str) -> Files:
    """The files that a certificate names; what has none is refused."""
    found = locate(data)
    if not isinstance(found, Files):
        raise Unsupported(f"{found.name}: a table of a database cannot be certified; write it to a file first")
    return found


def tell_of_key(certificate: str) -> None:
    """Say on standard error that a certificate has a key of its own, and who is to have it."""
    click.echo(
        f"auditor: {certificate} is keyed, because its data could be guessed; give {certificate}{KEY_ENDING} to "
        "whoever gets the data, and to nobody else",
        err=True,
    )


def _reference(policy: Policy, original: str | None) -> tuple[BoundFile, ...]:
    """The table that the reference distribution was taken from, where it is not the data itself."""
    if policy.reference == "released":
        return ()
    table = original if policy.reference == "original" else policy.reference_file
    return () if table is None else files_of(str(table), "reference")
