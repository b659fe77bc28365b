"""The terminal tables of methods, and of the work that methods handed to other threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from navitas.base.units import bar, byte_count, duration, joules, percent, share, unbroken, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.method_bytes import bytes_by_method
from navitas.energy.analyze.names import MethodNames, source_of
from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.report.figure_notes import interval_cell, method_figures_note, method_note, unmeasured_note
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable, largest
from navitas.report.terminal.paragraph import Paragraph

_NEARLY_ALL, _LEAST_NAMED = 0.995, 0.005
"""Shares of a component in a method's self energy: above the first, it has no figure; below the second, no name."""
_HANDED_WORK = "This energy is also in the methods that ran the work. The table shows who started it."
_HANDED_WORK_PART = 4
"""The table of handed work has this part of the rows of other tables: 5 by default."""


def methods_table(figures: Figures, top: int) -> FittedTable:
    """Return the methods with the largest self energy over all threads and tests."""
    profile, names, moved = figures.profile, figures.names, bytes_by_method(figures.profile.method_bytes())

    def share_of(method: MethodFigures) -> float | None:
        return method.total.known(share(method.self_j, figures.app_j))

    columns: dict[Column, Callable[[MethodFigures], Cell]] = {
        Column("Method", text=True): lambda method: Text(printable(names.short(method.total.id), 10_000)),
        Column("Self"): lambda method: joules(method.total.known(method.self_j)),
        Column("±", drop=1): lambda method: interval_cell(method.total.known(method.self_j), method.interval),
        Column("Share", drop=4): lambda method: percent(share_of(method)),
        Column("Component", drop=3, text=True): lambda method: _component(profile.components, method),
        Column("Bytes", drop=5): lambda method: (
            byte_count(moved[method.total.id] / figures.repeats) if method.total.id in moved else ""
        ),
        Column("", drop=10, text=True): lambda method: bar(share_of(method)),
        Column("Inclusive", drop=5): lambda method: joules(method.total.known(method.inclusive_j)),
        Column(call_words(profile.ledger).counted, drop=6): lambda method: f"{round(method.calls):,}",
        Column("Per call", drop=7): lambda method: "" if method.per_call_j is None else joules(method.per_call_j),
        Column("Self power", drop=8): lambda method: "" if method.self_power_w is None else watts(method.self_power_w),
        Column("Inclusive time", drop=9): lambda method: duration(method.wall_ns),
        Column("Paper 1", drop=3): lambda method: joules(method.total.known(method.alternative_j)),
        Column("Source", drop=2, text=True): lambda method: Text(printable(source_of(method.total.method), 200), style="dim"),
    }
    hidden = set() if any(group.typical.alternative_j is not None for group in figures.groups) else {"Paper 1"}
    hidden |= set() if len(profile.components) > 1 else {"Component"}
    hidden |= set() if moved else {"Bytes"}
    hidden |= {"Per call"} if profile.is_sampled else set()
    listed = largest(figures.methods, top, lambda method: method.total.known(method.self_j))
    kept = {column: cell for column, cell in columns.items() if column.title not in hidden}
    table = FittedTable.of("Methods", kept, listed.rows)
    table.notes += listed.notes("method", percent(share(listed.others_j, figures.app_j)))
    table.notes.append(Paragraph(method_figures_note(profile), style="dim"))
    if moved:
        note = "Bytes: moved over radios and storage by the method and those that it calls."
        table.notes.append(Paragraph(note, style="dim"))
    for method in listed.rows:
        if note := method_note(method.total):
            table.notes.append(Paragraph(f"{printable(names.short(method.total.id), 80)}: {note}", style="dim", indent="  "))
    return table


def _component(components: Sequence[str], method: MethodFigures) -> str:
    """Return the components of the self energy other than the CPU, largest first: `wifi`, or `wifi 60 %` with others."""
    energies = dict(zip(components, method.components, strict=True))
    used = sorted((name for name in components if name != CPU and energies[name] > 0), key=lambda name: -energies[name])
    shares = {name: share(energies[name], method.self_j) or 0.0 for name in used}
    return ", ".join(
        printable(name, 40) if shares[name] > _NEARLY_ALL else f"{printable(name, 40)} {unbroken(percent(shares[name]))}"
        for name in used
        if shares[name] >= _LEAST_NAMED
    )


def handed_work_table(profile: Profile, top: int) -> FittedTable:
    """Return the methods that handed over the work with the largest energy, per run."""
    handed, names, runs = profile.handed_work(), MethodNames(profile.method_table), profile.totals.repeats
    total_j = sum(work.energy_j for work in handed)
    columns: dict[Column, Callable[[HandedWork], Cell]] = {
        Column("Started by", text=True): lambda work: Text(
            printable("unknown" if work.id == UNKNOWN_STARTER else names.short(work.id), 10_000)
        ),
        Column("Energy"): lambda work: joules(work.energy_j / runs),
        Column("Share", drop=1): lambda work: percent(share(work.energy_j, total_j)),
        Column("Tasks", drop=2): lambda work: f"{round(work.tasks / runs):,}",
        Column("Time", drop=3): lambda work: duration(work.run_ns / runs),
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
