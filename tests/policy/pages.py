"""The generated parts of docs/limits: written by ``python -m tests.policy.pages``, proved fresh by a test."""

from __future__ import annotations

from pathlib import Path

from auditor.policy.explain import DIRECTIONS, page_of
from tests.limits import EVERY, Declared
from tests.models.pages import replaced

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "limits"
BREAKS = {"<=": "above the bound", ">=": "below the bound", None: "if anything of this kind is found"}


def sections() -> dict[tuple[str, str], list[Declared]]:
    """The limits of each section, by its page and its heading: a parameter that several types have has one."""
    found: dict[tuple[str, str], list[Declared]] = {}
    for declared in EVERY:
        file, _, heading = page_of(declared.block, declared.field).partition("#")
        found.setdefault((Path(file).stem, heading), []).append(declared)
    return found


def facts(limits: list[Declared]) -> str:
    """What a limit declares of itself, as a Markdown table."""
    first = limits[0]
    limit, parameter = first.limit, first.parameter
    people = "; a minimum number of people: the public sees no smaller count" if limit.people else ""
    rows = {
        "What it says": parameter.description,
        "Set in": " and ".join(f"`{each.place}`" for each in limits),
        "In results": ", ".join(f"`{each.demand.id}`" for each in limits) + f", of model `{limit.name}`",
        "Number": f"{limit.kind.value.replace('-', ' ')}{people}",
        "Broken": f"{BREAKS[first.demand.comparison]}. {limit.finding}",
        "Direction": DIRECTIONS.get(first.direction, "each part has its own"),
        "Default": "none" if parameter.is_required() or not parameter.default else f"`{parameter.default}`",
        "Source": limit.source,
    }
    if broken_by := getattr(limit, "broken_by", ()):
        rows["Broken by"] = ", ".join(f"`{kind}`" for kind in broken_by)
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows.items())])


def index() -> str:
    """The list of limits, by their page."""
    lines: list[str] = []
    for (page, heading), limits in sections().items():
        lines += [] if f"### [{TITLES[page]}]({page}.md)" in lines else ["", f"### [{TITLES[page]}]({page}.md)", ""]
        lines.append(f"- [`{heading}`]({page}.md#{heading}): {limits[0].parameter.description}")
    return "\n".join(lines).strip()


TITLES = {page: (FOLDER / f"{page}.md").read_text("utf-8").splitlines()[0].lstrip("# ") for page, _ in sections()}
"""What each page calls itself."""


def generated(page: str) -> dict[str, str]:
    """What stands between the markers of a page, by the markers' names."""
    if page == "README":
        return {"limits": index()}
    return {heading: facts(limits) for (of, heading), limits in sections().items() if of == page}


def main() -> None:
    """Write the generated parts of every page anew."""
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(replaced(path.read_text("utf-8"), generated(path.stem)), "utf-8")


if __name__ == "__main__":
    main()
