"""The terminal table of threads."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.analyze.roll_up import RoleTotal, ThreadTotal
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.listing import largest
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import UNKNOWN, bar, duration, joules, percent, share, watts
from navitas.untrusted_text import printable

_ROLES = {
    "jit": "JIT compiler",
    "gc": "garbage collector",
    "vm": "VM operations and collections",
    "profiler": "profiler itself",
    "system": "threads without probes",
}


def threads_table(profile: Profile, shown: Sequence[TestEnergy], top: int) -> FittedTable:
    """Return the app's threads by name, largest energy first, and below them the runtime's threads by role."""
    probed = any(thread.probes_j for test in shown for thread in test.threads)
    traced = any(thread.methods for test in shown for thread in test.threads)
    columns = [
        Column("Thread", text=True),
        Column("Energy"),
        Column("Share", drop=1),
        Column("", drop=6, text=True),
        Column("CPU time", drop=2),
        Column("CPU power", drop=4),
        *([Column("Outside calls", drop=5)] if traced else []),
        *([Column("Probes", drop=3)] if probed else []),
    ]
    table = FittedTable("Threads", columns)
    total_j = profile.energy_j(shown)

    def add(name: Text, row: RoleTotal) -> None:
        row_share, power_w = row.known(share(row.energy_j, total_j)), row.cpu_power_w
        table.add(
            name,
            joules(row.known(row.energy_j)),
            percent(row_share),
            bar(row_share),
            duration(row.cpu_ns) if row.measured else UNKNOWN,
            "" if power_w is None else watts(power_w),
            *([joules(row.known(row.untraced_j))] if traced else []),
            *([joules(row.known(row.probes_j))] if probed else []),
        )

    app_threads = [total for total in profile.thread_totals(shown) if total.role == "app"]
    listed = largest(app_threads, top, lambda total: total.known(total.energy_j))
    for total in listed.rows:
        add(_name(total), total)
    for role in profile.role_totals(shown):
        if role.role in _ROLES:
            add(Text(_ROLES[role.role], style="dim"), role)
    if probed:
        table.notes.append(Paragraph("Energy: as measured, with probes.", style="dim"))
    table.notes += listed.notes("thread")
    return table


def thread_name(thread: ThreadEnergy) -> Text:
    """Return a thread's name, the size of its group, and its role unless that is `app`."""
    name = Text(printable(thread.name, 60) or "(no name)")
    if thread.count > 1:
        name.append(f" ×{thread.count:,}", style="dim")
    if thread.role != "app":
        name.append(f" {thread.role}", style="dim")
    return name


def _name(total: ThreadTotal) -> Text:
    """Return the name of threads. If `#` replaces numbers in it, the number of threads is appended."""
    name = Text(printable(total.name, 10_000) or "(no name)")
    return name.append(f" ×{total.count:,}", style="dim") if total.count > 1 and "#" in total.name else name
