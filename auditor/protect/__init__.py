"""Masking a table by a policy's methods, auditing what was written: ``auditor mask``.

::

    _apply       the methods, bound to the table's columns, applied one after the other
    _released    what a masked column looks like in a release
    _written     the release, written and audited from the file
    _figures     what the masking cost, and what it left to find
    _typed       the types of a table that came in, given back to the masked one
    _mask        the whole: audit, mask, write, audit what was written
"""

from auditor.protect._mask import mask
from auditor.protect._masked import Masked, MaskResult

__all__ = ["MaskResult", "Masked", "mask"]
