"""Keys made for a test, and what they sign: real ones, by ssh-keygen and gpg."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from auditor.gate._attestation import NAMESPACE


def run(*words: str, cwd: Path, **environment: str) -> str:
    """Run a program that has to succeed."""
    return subprocess.run(
        words, cwd=cwd, check=True, capture_output=True, text=True, env={**os.environ, **environment}
    ).stdout


@dataclass(frozen=True)
class SshKey:
    """An SSH key of its own file."""

    file: Path

    @classmethod
    def made(cls, folder: Path, name: str) -> SshKey:
        """A new key."""
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", name, cwd=folder)
        return cls(folder / name)

    @property
    def public(self) -> str:
        """The public key, as a manifest lists it."""
        return (self.file.parent / f"{self.file.name}.pub").read_text(encoding="utf-8").strip()

    @property
    def fingerprint(self) -> str:
        """As ssh-keygen says it, not as the gate computes it."""
        return run("ssh-keygen", "-l", "-f", str(self.file), cwd=self.file.parent).split()[1]

    @property
    def of_git(self) -> tuple[str, ...]:
        """What makes git sign with it."""
        return ("-c", "gpg.format=ssh", "-c", f"user.signingKey={self.file}")

    def sign(self, file: Path, namespace: str = NAMESPACE) -> Path:
        """Sign a file, in one beside it."""
        made = file.parent / f"{file.name}.sig"
        made.unlink(missing_ok=True)
        run("ssh-keygen", "-Y", "sign", "-n", namespace, "-f", str(self.file), str(file), cwd=file.parent)
        return made


@dataclass(frozen=True)
class GpgKey:
    """An OpenPGP key in a home of its own."""

    home: Path
    fingerprint: str

    @classmethod
    def made(cls, home: Path, name: str, *more: str, days: str = "never") -> GpgKey:
        """A new key."""
        home.mkdir(mode=0o700, exist_ok=True)
        words = (
            "gpg",
            "--batch",
            "--quiet",
            "--passphrase",
            "",
            *more,
            "--quick-gen-key",
            name,
            "ed25519",
            "sign",
            days,
        )
        run(*words, cwd=home, GNUPGHOME=str(home))
        listed = run("gpg", "--list-keys", "--with-colons", name, cwd=home, GNUPGHOME=str(home)).splitlines()
        return cls(home, next(line.split(":")[9] for line in listed if line.startswith("fpr")))

    def close(self) -> None:
        """End the agent that gpg began for its home."""
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "gpg-agent"], check=False)

    def gpg(self, *words: str) -> str:
        """Run gpg in its home."""
        return run("gpg", "--batch", "--yes", "--quiet", *words, cwd=self.home, GNUPGHOME=str(self.home))

    @property
    def public(self) -> str:
        """The armored public key."""
        return self.gpg("--armor", "--export", self.fingerprint)

    def revoked(self) -> str:
        """The armored public key with its revocation; the key itself goes on signing."""
        certificate = next((self.home / "openpgp-revocs.d").glob(f"{self.fingerprint}*")).read_text(encoding="utf-8")
        other = GpgKey(self.home.parent / f"{self.home.name}-revoking", self.fingerprint)
        other.home.mkdir(mode=0o700)
        for name, text in (("key", self.public), ("revocation", certificate.replace(":-----BEGIN", "-----BEGIN"))):
            (other.home / name).write_text(text, encoding="utf-8")
            other.gpg("--import", name)
        public = other.public
        other.close()
        return public

    def sign(self, file: Path, *more: str) -> Path:
        """Sign a file, in one beside it."""
        self.gpg(*more, "--armor", "--local-user", self.fingerprint, "--detach-sign", str(file))
        return file.parent / f"{file.name}.asc"
