"""The terminal tables of methods, and of the work that methods handed to other threads."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from navitas.analyze.cpu_use import CPU
from navitas.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy
from navitas.analyze.roll_up import MethodTotal
from navitas.report.figure_notes import method_figures_note, method_note, unmeasured_note
from navitas.report.names import MethodNames
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.listing import largest
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import bar, byte_count, duration, joules, percent, share, unbroken, watts
from navitas.untrusted_text import printable

_NEARLY_ALL, _LEAST_NAMED = 0.995, 0.005
"""Shares of a component in a method's self energy: above the first, it has no figure; below the second, no name."""
_HANDED_WORK = "This energy is also in the methods that ran the work. The table shows who started it."
_HANDED_WORK_PART = 4
"""The table of handed work has this part of the rows of other tables: 5 by default."""


def methods_table(profile: Profile, shown: Sequence[TestEnergy], top: int) -> FittedTable:
    """Return the methods with the largest self energy over all threads of the given tests."""
    paper1 = any(test.alternative_j is not None for test in shown)
    several = len(profile.components) > 1
    moved: dict[int, float] = {}
    for one in profile.method_bytes():
        moved[one.id] = moved.get(one.id, 0.0) + one.inclusive_received_bytes + one.inclusive_sent_bytes
    columns = [
        Column("Method", text=True),
        Column("Self"),
        Column("±", drop=2),
        Column("Share", drop=1),
        *([Column("Component", drop=2, text=True)] if several else []),
        *([Column("Bytes", drop=3)] if moved else []),
        Column("", drop=9, text=True),
        Column("Inclusive", drop=3),
        Column("Calls", drop=4),
        Column("Per call", drop=5),
        Column("Mean power", drop=7),
        Column("Time", drop=8),
        *([Column("Paper 1", drop=2)] if paper1 else []),
        Column("Source", drop=6, text=True),
    ]
    table = FittedTable("Methods", columns)
    total_j, names = profile.energy_j(shown), MethodNames(profile.method_table)
    listed = largest(profile.method_totals(shown), top, lambda total: total.known(total.exclusive_j))
    notes: list[Paragraph] = []
    for total in listed.rows:
        self_j, per_call_j, power_w = total.known(total.exclusive_j), total.inclusive_j_per_call, total.mean_power_w
        self_share = total.known(share(total.exclusive_j, total_j))
        table.add(
            Text(printable(names.short(total.id), 10_000)),
            joules(self_j),
            joules(total.known(total.exclusive_error.half_width_j)),
            percent(self_share),
            *([_component(profile.components, total)] if several else []),
            *([byte_count(moved[total.id]) if total.id in moved else ""] if moved else []),
            bar(self_share),
            joules(total.known(total.inclusive_j)),
            f"{total.calls:,}",
            "" if per_call_j is None else joules(per_call_j),
            "" if power_w is None else watts(power_w),
            duration(total.wall_ns),
            *([joules(total.known(total.alternative_j))] if paper1 else []),
            Text(printable(_source(total), 200), style="dim"),
        )
        if note := method_note(total):
            notes.append(Paragraph(f"{printable(names.short(total.id), 80)}: {note}", style="dim", indent="  "))
    table.notes += listed.notes("method", percent(share(listed.others_j, total_j)))
    table.notes.append(Paragraph(method_figures_note(profile), style="dim"))
    if moved:
        note = "Bytes: moved over radios and storage by the method and those that it calls, in all runs."
        table.notes.append(Paragraph(note, style="dim"))
    table.notes += notes
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


def _source(total: MethodTotal) -> str:
    method = total.method
    return "" if not method.file else method.file if method.line is None else f"{method.file}:{method.line}"


def handed_work_table(profile: Profile, top: int) -> FittedTable:
    """Return the methods that handed over the work with the largest energy."""
    table = FittedTable(
        "Work handed to other threads",
        [
            Column("Started by", text=True),
            Column("Energy"),
            Column("Share", drop=1),
            Column("Tasks", drop=2),
            Column("Time", drop=3),
            Column("Ran on", drop=4, text=True),
        ],
    )
    found, names, total_j = profile.handed_work(), MethodNames(profile.method_table), profile.energy_j()
    listed = largest(found, max(top // _HANDED_WORK_PART, 1), lambda one: one.energy_j)
    for one in listed.rows:
        name = "unknown" if one.id == UNKNOWN_STARTER else names.short(one.id)
        table.add(
            Text(printable(name, 10_000)),
            joules(one.energy_j),
            percent(share(one.energy_j, total_j)),
            f"{one.tasks:,}",
            duration(one.run_ns),
            Text(_threads(one), style="dim"),
        )
    table.notes += listed.notes("method")
    if table.rows:
        table.notes.append(Paragraph(f"{_HANDED_WORK} {unmeasured_note(found)}".rstrip(), style="dim"))
    return table


def _threads(one: HandedWork) -> str:
    """Return the threads' names: the first two, and the number of the others."""
    first, others = one.threads[:2], len(one.threads[2:]) + one.other_threads
    return ", ".join([*(printable(name, 40) for name in first), *([f"{others:,} more"] if others else [])])
