"""Masking methods that a policy applies before a release: the methods of `auditor.masking`, told apart by `method`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from auditor.masking import Method, registry

if TYPE_CHECKING:
    Protection = Method
else:
    Protection = Annotated[Union[tuple(registry().values())], Field(discriminator="method")]  # noqa: UP007  (a union of what is found)
