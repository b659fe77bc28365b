"""The terminal tables of methods, and of the work that methods handed to other threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from navitas.base.units import bar, byte_count, duration, joules, percent, share, unbroken, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.method_bytes import bytes_by_method
from navitas.energy.analyze.names import MethodNames, source_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.report.figure_notes import method_figures_note, method_note, unmeasured_note
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable, largest
from navitas.report.terminal.paragraph import Paragraph

_NEARLY_ALL, _LEAST_NAMED = 0.995, 0.005
"""Shares of a component in a method's self energy: above the first, it has no figure; below the second, no name."""
_HANDED_WORK = "This energy is also in the methods that ran the work. The table shows who started it."
_HANDED_WORK_PART = 4
"""The table of handed work has this part of the rows of other tables: 5 by default."""


def methods_table(profile: Profile, shown: Sequence[TestEnergy], top: int) -> FittedTable:
    """Return the methods with the largest self energy over all threads of the given tests."""
    app_j = sum(test.app_j for test in shown)
    names, moved = MethodNames(profile.method_table), bytes_by_method(profile.method_bytes())

    def share_of(total: MethodTotal) -> float | None:
        return total.known(share(total.exclusive_j, app_j))

    columns: dict[Column, Callable[[MethodTotal], Cell]] = {
        Column("Method", text=True): lambda total: Text(printable(names.short(total.id), 10_000)),
        Column("Self"): lambda total: joules(total.known(total.exclusive_j)),
        Column("±", drop=1): lambda total: joules(total.known(total.exclusive_error.half_width_j)),
        Column("Share", drop=4): lambda total: percent(share_of(total)),
        Column("Component", drop=3, text=True): lambda total: _component(profile.components, total),
        Column("Bytes", drop=5): lambda total: byte_count(moved[total.id]) if total.id in moved else "",
        Column("", drop=10, text=True): lambda total: bar(share_of(total)),
        Column("Inclusive", drop=5): lambda total: joules(total.known(total.inclusive_j)),
        Column("Calls", drop=6): lambda total: f"{total.calls:,}",
        Column("Per call", drop=7): lambda total: (
            "" if total.inclusive_j_per_call is None else joules(total.inclusive_j_per_call)
        ),
        Column("Mean power", drop=8): lambda total: "" if total.mean_power_w is None else watts(total.mean_power_w),
        Column("Time", drop=9): lambda total: duration(total.wall_ns),
        Column("Paper 1", drop=3): lambda total: joules(total.known(total.alternative_j)),
        Column("Source", drop=2, text=True): lambda total: Text(printable(source_of(total.method), 200), style="dim"),
    }
    hidden = set() if any(test.alternative_j is not None for test in shown) else {"Paper 1"}
    hidden |= set() if len(profile.components) > 1 else {"Component"}
    hidden |= set() if moved else {"Bytes"}
    listed = largest(profile.method_totals(shown), top, lambda total: total.known(total.exclusive_j))
    kept = {column: cell for column, cell in columns.items() if column.title not in hidden}
    table = FittedTable.of("Methods", kept, listed.rows)
    table.notes += listed.notes("method", percent(share(listed.others_j, app_j)))
    table.notes.append(Paragraph(method_figures_note(profile), style="dim"))
    if moved:
        note = "Bytes: moved over radios and storage by the method and those that it calls, in all runs."
        table.notes.append(Paragraph(note, style="dim"))
    for total in listed.rows:
        if note := method_note(total):
            table.notes.append(Paragraph(f"{printable(names.short(total.id), 80)}: {note}", style="dim", indent="  "))
    return table


def _component(components: Sequence[str], total: MethodTotal) -> str:
    """Return the components of the self energy other than the CPU, largest first: `wifi`, or `wifi 60 %` with others."""
    energies = dict(zip(components, total.components, strict=True))
    used = sorted((name for name in components if name != CPU and energies[name] > 0), key=lambda name: -energies[name])
    shares = {name: share(energies[name], total.exclusive_j) or 0.0 for name in used}
    return ", ".join(
        printable(name, 40) if shares[name] > _NEARLY_ALL else f"{printable(name, 40)} {unbroken(percent(shares[name]))}"
        for name in used
        if shares[name] >= _LEAST_NAMED
    )


def handed_work_table(profile: Profile, top: int) -> FittedTable:
    """Return the methods that handed over the work with the largest energy."""
    handed, names, total_j = profile.handed_work(), MethodNames(profile.method_table), profile.energy_j()
    columns: dict[Column, Callable[[HandedWork], Cell]] = {
        Column("Started by", text=True): lambda work: Text(
            printable("unknown" if work.id == UNKNOWN_STARTER else names.short(work.id), 10_000)
        ),
        Column("Energy"): lambda work: joules(work.energy_j),
        Column("Share", drop=1): lambda work: percent(share(work.energy_j, total_j)),
        Column("Tasks", drop=2): lambda work: f"{work.tasks:,}",
        Column("Time", drop=3): lambda work: duration(work.run_ns),
        Column("Ran on", drop=4, text=True): lambda work: Text(_threads(work), style="dim"),
    }
    listed = largest(handed, max(top // _HANDED_WORK_PART, 1), lambda work: work.energy_j)
    table = FittedTable.of("Work handed to other threads", columns, listed.rows)
    table.notes += listed.notes("method")
    if table.rows:
        table.notes.append(Paragraph(f"{_HANDED_WORK} {unmeasured_note(handed)}".rstrip(), style="dim"))
    return table


def _threads(work: HandedWork) -> str:
    """Return the threads' names: the first two, and the number of the others."""
    first, others = work.threads[:2], len(work.threads[2:]) + work.other_threads
    return ", ".join([*(printable(name, 40) for name in first), *([f"{others:,} more"] if others else [])])
