"""Lossy compression: numbers are compressed as if they were a picture, and what comes out is released."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.distribution import installation
from auditor.errors import UsageError
from auditor.masking._base import Method
from auditor.microdata import Microdata, Numeric

STRIP = 2**15
"""Records per picture. A JPEG file has at most 65,500 rows; its blocks have 8, so strips do not cut them."""


class LossyCompression(Method):
    """Compress the columns as a grey picture with one row per record, decompress it, and scale back.

    With b bits, x goes to y = round((2^b − 1)(x − min)/(max − min)) with the bounds of its column, and what the picture
    says after decompression, ŷ, goes back to x' = min + ŷ (max − min)/(2^b − 1). So x' lies between the bounds of x.
    The error is a share of the range, alike for all columns; a pixel borrows from its neighbours, so results depend on
    the order of records and columns.

    Nothing is random: the generator is not used. A missing value stays missing; in the picture it has the mean of its
    column. A constant column, and so a single record, comes back as it is; ties need not stay ties.

    Raises:
        DataError: a column holds categories.
        UsageError: Pillow is not installed, or without JPEG 2000.
    """

    method: Annotated[Literal["lossy-compression"], Stricter.REVIEW] = "lossy-compression"
    quality: Annotated[int, Stricter.LOWER] = Field(
        ge=1, le=100, description="jpeg: its quality setting; jpeg-2000: the signal to noise ratio, in decibels."
    )
    format: Annotated[Literal["jpeg", "jpeg-2000"], Stricter.REVIEW] = Field(
        "jpeg", description="The picture's format."
    )
    bits: Annotated[Literal[8, 16], Stricter.REVIEW] = Field(8, description="Levels of grey: 2 to the power of it.")

    SOURCE: ClassVar[str] = (
        "J. Domingo-Ferrer, V. Torra, A Quantitative Comparison of Disclosure Control Methods for Microdata, in: "
        "Confidentiality, Disclosure and Data Access, 2001, pp. 111-133"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [income, tax], method: lossy-compression, quality: 80}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.bits == 16 and self.format == "jpeg":
            raise ValueError("bits: 16 needs format: jpeg-2000; JPEG has 8")
        return self

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with the numbers of the decompressed picture."""
        values = data.numbers(self.attributes)
        missing = np.isnan(values)
        bounds = [_bounds(column[~gone]) for column, gone in zip(values.T, missing.T, strict=True)]
        low, high, mean = (np.array(each) for each in zip(*bounds, strict=True))
        # Halves before differences: the distance of two numbers may lie outside float64 where half of it does not.
        half = high / 2 - low / 2
        scale = np.where(half > 0, half, 1.0)
        top = 2**self.bits - 1
        grey = np.rint((np.where(missing, mean, values) / 2 - low / 2) / scale * top)
        seen = self._seen(grey.astype(np.uint8 if self.bits == 8 else np.uint16)) / top
        after = np.where(missing, np.nan, np.clip(low * (1 - seen) + high * seen, low, high))
        return data.replaced(Numeric(name, after[:, j].copy()) for j, name in enumerate(self.attributes))

    def _seen(self, grey: NDArray[Any]) -> NDArray[np.float64]:
        """The picture after compression and decompression, strip by strip."""
        image = _pillow(self.format)
        options: dict[str, Any] = {"format": "JPEG", "quality": self.quality}
        if self.format == "jpeg-2000":
            options = {
                "format": "JPEG2000",
                "irreversible": True,
                "quality_mode": "dB",
                "quality_layers": [self.quality],
            }
        strips = [np.empty((0, grey.shape[1]))]
        for start in range(0, len(grey), STRIP):
            file = BytesIO()
            image.fromarray(grey[start : start + STRIP]).save(file, **options)
            with image.open(file) as picture:
                strips.append(np.asarray(picture, dtype=np.float64))
        return np.concatenate(strips)


def _bounds(present: NDArray[np.float64]) -> tuple[float, float, float]:
    """The least, the largest and the mean of a column's values; zeros where it has none."""
    if not len(present):
        return 0.0, 0.0, 0.0
    low, high = float(present.min()), float(present.max())
    return low, high, float(np.clip((present / len(present)).sum(), low, high))


def _pillow(format: str) -> Any:  # noqa: A002  (the policy's word)
    """The module that reads and writes pictures, imported where one is needed."""
    try:
        from PIL import Image, features
    except ImportError:
        raise UsageError(f'method: lossy-compression needs the extra "imaging": {installation("imaging")}') from None
    if format == "jpeg-2000" and not features.check("jpg_2000"):
        raise UsageError('format: jpeg-2000 needs a Pillow built with OpenJPEG, as the extra "imaging" installs it')
    return Image
