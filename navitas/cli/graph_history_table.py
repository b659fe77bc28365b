"""The table of `navitas graph` that compares alarms and jobs with the history of batterystats."""

from __future__ import annotations

from rich.text import Text

from navitas.cli.fleet_rows import more_rows
from navitas.graph.delivery_tags import CheckedTag, Difference, HistoryCheck
from navitas.report.names import short_class
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.untrusted_text import printable

_LONGEST = 10_000
_DIFFERENCES: dict[Difference, str] = {
    "": "",
    "no_alarms_in_history": "no alarms in history",
    "no_jobs_in_history": "no jobs in history",
    "listener": "for a listener",
    "work": "runs WorkManager's work",
    "only_in_history": "not recorded",
    "fewer_in_recording": "fewer recorded",
    "only_in_recording": "not in the history",
    "fewer_in_history": "fewer in history",
}
_FULL_HISTORY = "Android writes alarms to its history only after: adb shell dumpsys batterystats --enable full-history"


def history_table(check: HistoryCheck, top: int) -> FittedTable:
    """The alarms and jobs in the recording and in the history, those with a difference first."""
    columns = [
        Column("Alarm or job", text=True),
        Column("Received by", drop=2, text=True),
        Column("Recorded"),
        Column("History"),
        Column("Difference", drop=1, text=True, wrap=True),
    ]
    table = FittedTable("Alarms and jobs in the history of batterystats", columns)
    rows = sorted(check.tags, key=lambda one: (not one.difference, -max(one.recorded, one.in_history or 0), one.tag))
    for one in rows[:top]:
        noted = "–" if one.in_history is None else f"{one.in_history:,}"
        table.add(Text(printable(one.tag, _LONGEST)), _received_by(one), f"{one.recorded:,}", noted, _named(one))
    table.notes += more_rows(len(rows) - top)
    if any(one.difference == "no_alarms_in_history" for one in check.tags):
        table.notes.append(Paragraph(_FULL_HISTORY, style="dim"))
    if check.unjoined:
        text = f"{check.unjoined:,} events of the history are left out: the phone's clock was set during the recording."
        table.notes.append(Paragraph(text, style="dim"))
    return table


def _received_by(one: CheckedTag) -> Text:
    names = ", ".join(name if name.startswith("(") else short_class(name) for name in one.modules)
    return Text(printable(names or "–", _LONGEST))


def _named(one: CheckedTag) -> Text:
    return Text(_DIFFERENCES[one.difference], style="yellow" if one.difference else "")
