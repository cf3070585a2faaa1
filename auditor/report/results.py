"""What results offer in Python and notebooks: their report as a page, a file, a dataframe."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, cast

from auditor.errors import UsageError
from auditor.report import delivery
from auditor.report.gate import redact
from auditor.report.rendered import audience_for, render
from auditor.result import Answer, Audience, Result

if TYPE_CHECKING:
    import pandas as pd

ROW = (
    "id",
    "model",
    "sensitive",
    "severity",
    "status",
    "achieved",
    "comparison",
    "bound",
    "records_violating",
    "reason",
)
"""What a dataframe has of a requirement."""


class Rendered:
    """What results in Python offer besides their values; to be mixed into one."""

    def to_html(self, audience: Audience | str = Audience.REVIEWER) -> str:
        """The report as one HTML file that needs no network and no script."""
        return render(redact(cast("Answer", self), Audience(audience)), "html")

    def save(self, path: str | Path, audience: Audience | str | None = None) -> None:
        """Write the report to a file, whole or not at all; the ending of its name sets the format (``.html``, …).

        Without `audience` it is for reviewers, or for the public where strangers read the format.

        Raises:
            UsageError: the ending means no format, or there is no such folder.
            DeliveryError: it could not be written.
        """
        (target,) = delivery.plan(reports=(str(path),)).targets
        wanted = audience_for(target.format, None if audience is None else Audience(audience))
        text = render(redact(cast("Answer", self), wanted), target.format)
        delivery.write(target.path, text.encode("utf-8"))

    def to_frame(self) -> pd.DataFrame:
        """What was found of each requirement as a row of a dataframe of pandas, for those who may see everything.

        Raises:
            UsageError: it is a document without requirements, such as that of a gate.
        """
        import pandas as pd

        answer = cast("Answer", self)
        if not isinstance(answer, Result):
            raise UsageError(f"what {answer.command} found has no requirements to be rows; .to_dict() has all of it")
        rows = [{name: getattr(each, name) for name in ROW} for each in answer.requirements]
        return pd.DataFrame(rows, columns=[*ROW])

    def _repr_html_(self) -> str:
        """The report in a notebook, in a frame of its own so that neither page's styles touch the other."""
        report = escape(self.to_html(), quote=True)
        return f'<iframe title="auditor report" sandbox width="100%" height="900" srcdoc="{report}"></iframe>'
