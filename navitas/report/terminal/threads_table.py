"""The terminal table of threads."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from navitas.base.units import UNKNOWN, bar, duration, joules, percent, share, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.records import ThreadEnergy
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.thread_figures import ROLE_NAMES, ThreadUse
from navitas.report.figure_notes import interval_cell
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable, largest
from navitas.report.terminal.paragraph import Paragraph


def threads_table(figures: Figures, top: int) -> FittedTable:
    """Return the app's threads by name, largest energy first, then the runtime's threads by role, and those outside the app."""
    probed = any(use.probes_j for use in figures.all_threads)
    columns: dict[Column, Callable[[ThreadUse], Cell]] = {
        Column("Thread", text=True): _name,
        Column("Energy"): lambda use: joules(use.known(use.energy_j)),
        Column("±", drop=3): lambda use: interval_cell(use.known(use.energy_j), use.interval),
        Column("Share", drop=1): lambda use: percent(_share(figures, use)),
        Column("", drop=7, text=True): lambda use: bar(_share(figures, use)),
        Column("CPU time", drop=2): lambda use: duration(use.cpu_ns) if use.measured else UNKNOWN,
        Column("CPU power", drop=5): lambda use: "" if use.cpu_power_w is None else watts(use.cpu_power_w),
    }
    if figures.methods:
        columns[Column(call_words(figures.profile.ledger).outside, drop=6)] = lambda use: joules(use.known(use.outside_j))
    if probed:
        columns[Column("Probes", drop=4)] = lambda use: joules(use.known(use.probes_j))
    listed = largest([use for use in figures.threads if use.role == "app"], top, lambda use: use.known(use.energy_j))
    roles = sorted((use for use in figures.roles if use.role in ROLE_NAMES), key=lambda use: not use.is_app)
    table = FittedTable.of("Threads", columns, [*listed.rows, *roles])
    table.notes += listed.notes("thread", percent(share(listed.others_j, figures.app_j)))
    probes = ", without probes" if probed else ""
    outside = "" if all(use.is_app for use in roles) else " Threads without a share are outside of it."
    table.notes.append(Paragraph(f"Share is in percent of app energy{probes}.{outside}", style="dim"))
    return table


def _share(figures: Figures, use: ThreadUse) -> float | None:
    return use.known(share(use.energy_j, figures.app_j)) if use.is_app else None


def thread_name(thread: ThreadEnergy) -> Text:
    """Return a thread's name, the size of its group, and its role unless that is `app`."""
    name = Text(printable(thread.name, 60) or "(no name)")
    if thread.count > 1:
        name.append(f" ×{thread.count:,}", style="dim")
    if thread.role != "app":
        name.append(f" {thread.role}", style="dim")
    return name


def _name(use: ThreadUse) -> Text:
    """Return the name of threads, or of a role. If `#` replaces numbers in it, the number of threads is appended."""
    if use.role in ROLE_NAMES:
        return Text(use.name, style="dim")
    name, count = Text(printable(use.name, 10_000) or "(no name)"), round(use.count)
    return name.append(f" ×{count:,}", style="dim") if count > 1 and "#" in use.name else name
