"""The terminal table of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from navitas.base.units import UNKNOWN, bar, duration, joules, percent, share, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy, ThreadEnergy
from navitas.energy.analyze.roll_up import RoleTotal, ThreadTotal
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable, largest
from navitas.report.terminal.paragraph import Paragraph

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
    total_j = profile.energy_j(shown)

    def share_of(row: RoleTotal) -> float | None:
        return row.known(share(row.energy_j, total_j))

    columns: dict[Column, Callable[[RoleTotal], Cell]] = {
        Column("Thread", text=True): _name,
        Column("Energy"): lambda row: joules(row.known(row.energy_j)),
        Column("Share", drop=1): lambda row: percent(share_of(row)),
        Column("", drop=6, text=True): lambda row: bar(share_of(row)),
        Column("CPU time", drop=2): lambda row: duration(row.cpu_ns) if row.measured else UNKNOWN,
        Column("CPU power", drop=4): lambda row: "" if row.cpu_power_w is None else watts(row.cpu_power_w),
    }
    if traced:
        columns[Column("Outside calls", drop=5)] = lambda row: joules(row.known(row.untraced_j))
    if probed:
        columns[Column("Probes", drop=3)] = lambda row: joules(row.known(row.probes_j))
    app_threads = [total for total in profile.thread_totals(shown) if total.role == "app"]
    listed = largest(app_threads, top, lambda total: total.known(total.energy_j))
    roles = [total for total in profile.role_totals(shown) if total.role in _ROLES]
    table = FittedTable.of("Threads", columns, [*listed.rows, *roles])
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


def _name(total: RoleTotal) -> Text:
    """Return the name of threads, or of a role. If `#` replaces numbers in it, the number of threads is appended."""
    if not isinstance(total, ThreadTotal):
        return Text(_ROLES[total.role], style="dim")
    name = Text(printable(total.name, 10_000) or "(no name)")
    return name.append(f" ×{total.count:,}", style="dim") if total.count > 1 and "#" in total.name else name
