"""The generated list in docs/masking: written by ``python -m tests.masking.pages``, proved fresh by test_index.py."""

from __future__ import annotations

import inspect
from pathlib import Path

from auditor.masking import Method, registry
from tests.models.pages import replaced

INDEX = Path(__file__).resolve().parent.parent.parent / "docs" / "masking" / "README.md"


def entry(name: str, method: type[Method]) -> str:
    """A method with the first sentence of its class, and with its page where it has one."""
    first = " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())
    page = INDEX.with_name(f"{name}.md").exists()
    return f"- [`{name}`]({name}.md): {first}" if page else f"- `{name}`: {first}"


def generated() -> dict[str, str]:
    """What stands between the markers of the page, by the markers' names."""
    return {"methods": "\n".join(entry(name, method) for name, method in registry().items())}


def main() -> None:
    """Write the generated parts anew."""
    INDEX.write_text(replaced(INDEX.read_text("utf-8"), generated()), "utf-8")


if __name__ == "__main__":
    main()
