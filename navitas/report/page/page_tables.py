"""The tables of the page: tests, methods, threads, components, handed work, and probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from navitas.base.units import battery_rate, byte_count, duration, share, watts
from navitas.energy.analyze.bounded_tree import NON_THREADS, thread_sums
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.method_bytes import bytes_by_method
from navitas.energy.analyze.names import test_label
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import BaselinePairs, Repeats
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.energy.analyze.spread import MethodRepeats
from navitas.energy.analyze.top import ComponentShare
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.report.figure_notes import (
    CONSUMERS_NOTE,
    baseline_note,
    doubts,
    method_figures_note,
    method_note,
    rails_note,
    silent_note,
    statuses,
    tests_note,
    unmeasured_note,
)
from navitas.report.page.columns import (
    PageCell,
    PageTable,
    count_cell,
    figure_cell,
    joules_cell,
    name_cell,
    page_table,
    share_cell,
)
from navitas.report.page.page_basis import PageBasis

_SELF = (
    "Self is the energy of a method with the calls that have no probes, such as those into libraries and the JDK, and without"
    " the methods with probes that it calls; inclusive is its energy with them. Share: self energy as a share of app energy. Per"
    " call: inclusive energy divided by calls. Mean power: self energy divided by self time."
)
_HANDED = (
    "The energy of work that ran on other threads, or later, by the method that started it. It is also in the methods that ran"
    " the work."
)


def tests_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of tests, largest app energy first. Tests that didn't run are last."""
    profile, groups = basis.profile, basis.groups
    repeated = any(len(group.tests) > 1 for group in groups)
    about = tests_note(profile, [test for group in groups for test in group.tests], groups)
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    columns: dict[str, Callable[[Repeats], PageCell]] = {
        "Test": lambda group: name_cell(test_label(group.typical)),
        "App energy": lambda group: joules_cell(group.app_j.median),
        "±": lambda group: joules_cell(profile.app_half_width_j(group)),
        "Share": lambda group: share_cell(share(group.app_j.median, basis.app_j)),
        "Mean power": lambda group: figure_cell(group.typical.mean_power_w, watts),
        "Base and other": lambda group: joules_cell(group.compensated_j.median - group.app_j.median),
        "Battery": lambda group: figure_cell(
            group.typical.mean_power_w, lambda power_w: battery_rate(power_w, volts, battery_mah)
        ),
        "Wall time": lambda group: figure_cell(group.typical.wall_ns, duration),
        "Runs": lambda group: count_cell(len(group.tests)),
        "Status": lambda group: _status(group.tests),
    }
    hidden = {"Runs"} if not repeated else set()
    hidden |= set() if battery_mah else {"Battery"}
    columns = {head: cell for head, cell in columns.items() if head not in hidden}
    blank = [PageCell("–")] * (len(columns) - 2)
    never_ran = [(name_cell(test_label(test)), *blank, _status([test])) for test in basis.idle]
    return page_table("tests", "Tests", about, columns, groups, most=most, more_rows=never_ran)


def _status(tests: Sequence[TestEnergy]) -> PageCell:
    return PageCell(", ".join(label for _, label in statuses(tests)))


def methods_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of methods, largest self energy first."""
    names, sources, shown = basis.names, basis.sources, [group.typical for group in basis.groups]
    about = f"{_SELF} {' '.join([method_figures_note(basis.profile), *doubts(shown)])}"
    columns: dict[str, Callable[[MethodRepeats], PageCell]] = {
        "Method": lambda one: name_cell(
            names.label(one.total.id),
            source_of(one.total),
            method_note(one.total),
            code=None if sources is None else sources.line(one.total.method),
        ),
        "Self": lambda one: joules_cell(one.total.known(one.exclusive_j.median)),
        "±": lambda one: joules_cell(one.total.known(one.self_half_width_j)),
        "Share": lambda one: share_cell(one.total.known(share(one.exclusive_j.median, basis.app_j))),
        "Mean power": lambda one: figure_cell(one.total.mean_power_w, watts),
        "Inclusive": lambda one: joules_cell(one.total.known(one.inclusive_j.median)),
        "Calls": lambda one: count_cell(round(one.total.calls / len(one.calls))),
        "Per call": lambda one: joules_cell(one.total.inclusive_j_per_call),
        "Time": lambda one: figure_cell(one.total.wall_ns / len(one.calls), duration),
    }
    if any(test.alternative_j is not None for test in shown):
        columns["Paper 1"] = lambda one: joules_cell(one.total.known(one.total.alternative_j / len(one.calls)))
    return page_table("methods", "Methods", about, columns, basis.methods, most=most)


def source_of(total: MethodTotal) -> str:
    """Return where a method is, such as `Inbox.java:12`. Empty if that is unknown."""
    method = total.method
    line = "" if method.line is None else f":{method.line}"
    return f"{method.file}{line}" if method.file else f"line {method.line}" if line else ""


def threads_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of threads by name and role, largest energy first."""
    tree = basis.tree
    found = thread_sums(basis.profile.ledger, tree)
    others = {role for _, role in NON_THREADS.values()}
    rows = zip(
        tree.threads,
        found.energy_j.tolist(),
        found.outside_j.tolist(),
        found.cpu_ns.tolist(),
        found.count.tolist(),
        found.is_known.tolist(),
        strict=True,
    )
    ranked = sorted((row for row in rows if row[4] and row[0][1] not in others), key=lambda row: -row[1])
    columns: dict[str, Callable[[tuple[tuple[str, str], float, float, float, float, bool]], PageCell]] = {
        "Thread": lambda row: name_cell(row[0][0], row[0][1]),
        "Energy": lambda row: joules_cell(row[1] if row[5] else None),
        "Share": lambda row: share_cell(share(row[1], basis.total_j) if row[5] else None),
        "Outside calls": lambda row: joules_cell(row[2] if row[5] else None),
        "CPU time": lambda row: figure_cell(row[3] if row[5] else None, duration),
        "Threads": lambda row: count_cell(round(row[4])),
    }
    about = (
        "Threads with the same name and role share a row. Share: of the energy of all tests. Outside calls: energy outside of"
        " methods with probes."
    )
    return page_table("threads", "Threads", about, columns, ranked, most=most)


def component_tables(basis: PageBasis, most: int) -> Iterator[PageTable | None]:
    """Yield the tables of components, of the device's own consumers, and of methods by component, for more than the CPU."""
    if len(basis.profile.components) > 1:
        yield _components(basis, most)
        yield _consumers(basis, most)
    yield _methods_by_component(basis, most)


def _components(basis: PageBasis, most: int) -> PageTable | None:
    found = basis.profile.top()
    uses = found.shown()
    columns: dict[str, Callable[[ComponentShare], PageCell]] = {
        "Component": lambda use: name_cell(use.component),
        "Evidence": lambda use: PageCell(use.level),
        "Energy": lambda use: joules_cell(use.energy_j / basis.repeats),
        "Share": lambda use: share_cell(share(use.energy_j, found.energy_j)),
        "App": lambda use: joules_cell(use.threads_j / basis.repeats),
        "Base": lambda use: joules_cell(use.base_j / basis.repeats),
        "Other processes": lambda use: joules_cell(use.other_processes_j / basis.repeats),
        "Unattributed": lambda use: joules_cell(use.unattributed_j / basis.repeats),
        "Rails": lambda use: joules_cell(None if use.rails_j is None else use.rails_j / basis.repeats),
        "Model alone": lambda use: joules_cell(use.unscaled_j / basis.repeats if use.unscaled_j else None),
    }
    about = "The energy of the whole recording, also outside of tests, by component, with its level of evidence, and by owner."
    if any(use.rails_j is not None for use in uses):
        about += f" {rails_note(uses)}"
    else:
        del columns["Rails"], columns["Model alone"]
    if found.silent:
        about += f" {silent_note(found)}"
    return page_table("components", "Components", about, columns, uses, most=most, texts=2)


def _consumers(basis: PageBasis, most: int) -> PageTable | None:
    columns: dict[str, Callable[[ConsumerEnergy], PageCell]] = {
        "Component": lambda consumer: name_cell(consumer.component),
        "Device": lambda consumer: joules_cell(consumer.energy_j),
        "Estimate": lambda consumer: joules_cell(consumer.estimate_j),
        "Device (app)": lambda consumer: joules_cell(consumer.app_j),
        "Estimate (app)": lambda consumer: joules_cell(consumer.app_estimate_j),
    }
    used = [consumer for consumer in basis.profile.consumers if consumer.is_used]
    return page_table("consumers", "Energy consumers of the device", CONSUMERS_NOTE, columns, used, most=most)


def _methods_by_component(basis: PageBasis, most: int) -> PageTable | None:
    components, names = basis.profile.components, basis.names
    others = [place for place, component in enumerate(components) if component != CPU]

    def rest_j(one: MethodRepeats) -> float:
        return sum(one.total.inclusive_components[place] for place in others)

    methods = sorted((one for one in basis.methods if rest_j(one) > 0), key=lambda one: -rest_j(one))
    moved = bytes_by_method(basis.profile.method_bytes())
    columns: dict[str, Callable[[MethodRepeats], PageCell]] = {"Method": lambda one: name_cell(names.label(one.total.id))}
    if moved:
        columns["Bytes"] = lambda one: figure_cell(_per_run(moved.get(one.total.id), one), byte_count)
    for place in [place for place in range(len(components)) if any(one.total.inclusive_components[place] for one in methods)]:
        columns[components[place]] = _of(place, lambda total: total.inclusive_components)
        columns[f"{components[place]} self"] = _of(place, lambda total: total.components)
    about = (
        "The energy of each method that used more than the CPU, by component: with the methods that it calls, and of its own"
        " (self). Methods of the platform, such as those that read and write, have their own rows."
    )
    if moved:
        about += " Bytes: moved over radios and storage by the method and those that it calls."
    return page_table("methods-by-component", "Methods by component", about, columns, methods, most=most)


def _of(place: int, energies: Callable[[MethodTotal], Sequence[float]]) -> Callable[[MethodRepeats], PageCell]:
    return lambda one: joules_cell(_per_run(energies(one.total)[place], one))


def _per_run(value: float | None, one: MethodRepeats) -> float | None:
    return None if value is None else value / len(one.calls)


def handed_work_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of methods that handed over work, largest energy first."""
    handed, names, runs = basis.profile.handed_work(), basis.names, basis.repeats
    total_j = sum(one.energy_j for one in handed)
    columns: dict[str, Callable[[HandedWork], PageCell]] = {
        "Started by": lambda one: PageCell("unknown") if one.id == UNKNOWN_STARTER else name_cell(names.label(one.id)),
        "Ran on": lambda one: PageCell(_threads(one)),
        "Energy": lambda one: joules_cell(one.energy_j / runs),
        "Share": lambda one: share_cell(share(one.energy_j, total_j)),
        "Tasks": lambda one: count_cell(round(one.tasks / runs)),
        "Time": lambda one: figure_cell(one.run_ns / runs, duration),
    }
    about = f"{_HANDED} {unmeasured_note(handed)}"
    title = "Work handed to other threads"
    return page_table("handed-work", title, about, columns, handed, most=most, listed="methods that started work", texts=2)


def _threads(one: HandedWork) -> str:
    more = f" and {one.other_threads:,} more" if one.other_threads else ""
    return ", ".join(thread or "(no name)" for thread in one.threads) + more


def probes_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table that compares runs with probes and runs without, as `--baseline` makes them."""
    columns: dict[str, Callable[[tuple[TestEnergy, BaselinePairs]], PageCell]] = {
        "Test": lambda row: name_cell(test_label(row[0])),
        "With probes": lambda row: joules_cell(row[1].probed_j),
        "By sampled cost": lambda row: joules_cell(row[1].compensated_j),
        "Without probes": lambda row: joules_cell(row[1].unprobed_j),
        "Sampled cost is off by": lambda row: figure_cell(row[1].error, lambda error: f"{100 * error:+.1f} %"),
    }
    compared = [(group.typical, pairs) for group in basis.groups if (pairs := group.baseline) is not None]
    about = f"The energy of each test's threads, as medians of its runs. {baseline_note(basis.groups)}"
    return page_table("probes", "Probes", about, columns, compared, most=most, listed="tests")


def other_tables(basis: PageBasis, most: int) -> list[PageTable]:
    """Return the tables that follow the call trees."""
    made = chain(
        [handed_work_table(basis, most), threads_table(basis, most)],
        component_tables(basis, most),
        [probes_table(basis, most)],
    )
    return [table for table in made if table is not None]
