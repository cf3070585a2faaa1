"""Write the lock file of the packs that come from outside the repository."""

from __future__ import annotations

import click

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED


@click.command()
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 4 if a pack is weaker, with 3 if it is a different one."
)
def command(*, check: bool) -> int:
    """Write auditor.lock next to the nearest auditor.yaml in this folder or above.

    It names every starter pack, and every file of AUDITOR_POLICIES, that the policies of the releases use, with its
    version, its digest and what it says. The gate compares the packs with it.
    """
    from auditor.gate import packs
    from auditor.policy.lock import written
    from auditor.report import delivery
    from auditor.report.formats.text import inert
    from auditor.report.gate.words import difference_line
    from auditor.result import Strictness

    seen = packs()
    for difference in seen.changes:
        click.echo(inert(difference_line(difference)))
    if check:
        for sentence in seen.unheld:
            click.echo(inert(sentence))
        weaker = {each.verdict for each in seen.changes} & {Strictness.WEAKER, Strictness.INCOMPARABLE}
        return EXIT_WEAKENED if weaker else EXIT_NOT_EVALUATED if seen.unheld else EXIT_MET
    for name, each in seen.found.items():
        brought = f"  auditor {each.locked.version}" if each.locked.version else ""
        click.echo(inert(f"{name}  {each.locked.sha256[:12]}{brought}"))
    delivery.write(seen.file, written(seen.found).encode("utf-8", "surrogatepass"))
    return EXIT_MET
