"""Documents, compared but for what differs from run to run: the times of a work's stages."""

from __future__ import annotations

from typing import Any


def without_work(document: Any) -> Any:
    """A document, and those in it, without the engine and the times of its stages."""
    if isinstance(document, list):
        return [without_work(item) for item in document]
    if isinstance(document, dict):
        return {key: without_work(item) for key, item in document.items() if key != "work"}
    return document
