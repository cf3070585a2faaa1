"""Write the lock file of the packs that come from outside the repository."""

from __future__ import annotations

import click

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; end in 4 where a pack is weaker, in 3 where it is another.")
def command(*, check: bool) -> int:
    """Write auditor.lock beside the nearest auditor.yaml upwards.

    It names every starter pack, and every file of AUDITOR_POLICIES, that the policies of the releases use, with its
    version, its digest and what it says. The gate holds the packs to it.
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
