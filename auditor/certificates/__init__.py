"""Certificates of releases: what was judged, by which policy, with which outcome, bound together by digests.

A certificate is an in-toto Statement whose predicate is a SLSA verification summary. It holds no number and no value of
the data. Whoever has it and the data can ask, without a network, whether this is what was certified.
"""

from auditor.certificates._verify import Verified, VerifyRequest, verify
from auditor.certificates._write import Issued, issue, issue_all
from auditor.certificates.cosign import ENDING as BUNDLE_ENDING
from auditor.certificates.cosign import sign as cosigned
from auditor.certificates.digests import KEY_ENDING, BoundFile, Named, SecretKey, bound, digests_of, files_of, key_for
from auditor.certificates.statement import Certified, certificate

ENDINGS = ("", KEY_ENDING, BUNDLE_ENDING)
"""What stands behind the name of a certificate in those of its files: itself, its key, its bundle."""

__all__ = [
    "ENDINGS",
    "KEY_ENDING",
    "BoundFile",
    "Certified",
    "Issued",
    "Named",
    "SecretKey",
    "Verified",
    "VerifyRequest",
    "bound",
    "certificate",
    "cosigned",
    "digests_of",
    "files_of",
    "issue",
    "issue_all",
    "key_for",
    "verify",
]
