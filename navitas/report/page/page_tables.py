"""The tables of the page: tests, methods, threads, components, handed work, and probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from navitas.base.html_page.columns import (
    PageCell,
    PageTable,
    count_cell,
    figure_cell,
    joules_cell,
    name_cell,
    page_table,
    share_cell,
)
from navitas.base.units import battery_rate, byte_count, duration, share, watts
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.method_bytes import bytes_by_method
from navitas.energy.analyze.names import source_of, test_label
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import BaselinePairs, Repeats
from navitas.energy.analyze.spread import Interval
from navitas.energy.analyze.top import ComponentShare, mean_of
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.thread_figures import ThreadUse
from navitas.report.figure_notes import (
    CONSUMERS_NOTE,
    baseline_note,
    doubts,
    failure_of,
    interval_cell,
    method_figures_note,
    method_note,
    rails_note,
    silent_note,
    statuses,
    tests_note,
    unmeasured_note,
)
from navitas.report.page.module_tables import module_tables, operations_table
from navitas.report.page.page_basis import PageBasis

_SELF = (
    "Self is the energy of a method with the calls that have no probes, such as those into libraries and the JDK, and without"
    " the methods with probes that it calls; inclusive is its energy with them. Share: self energy as a share of app energy. Per"
    " call: inclusive energy divided by calls. Self power: self energy divided by self time. Inclusive time: the length of its"
    " calls, added up over threads."
)
_SELF_OF_SAMPLES = (
    "Self is the energy of the stack samples in which the method itself ran; inclusive is the energy of those with it on the"
    " stack. Share: self energy as a share of app energy. Self power: self energy divided by the CPU time of its samples."
    " Inclusive time: CPU time, added up over threads."
)
_HANDED = (
    "The energy of work that ran on other threads, or later, by the method that started it. It is also in the methods that ran"
    " the work."
)


def tests_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of tests, largest app energy first. Tests that didn't run are last."""
    profile, groups = basis.profile, basis.groups
    repeated = any(len(group.tests) > 1 for group in groups)
    about = tests_note(basis)
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    columns: dict[str, Callable[[Repeats], PageCell]] = {
        "Test": lambda group: name_cell(test_label(group.typical), failure_of(group.tests)),
        "App energy": lambda group: joules_cell(group.app_j.median),
        "±": lambda group: _interval_cell(group.app_j.median, profile.app_interval(group)),
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
    never_ran = [(name_cell(test_label(tests[0]), failure_of(tests)), *blank, _status(tests)) for tests in basis.idle]
    return page_table("tests", "Tests", about, columns, groups, most=most, more_rows=never_ran)


def _status(tests: Sequence[TestEnergy]) -> PageCell:
    return PageCell(", ".join(label for _, label in statuses(tests)))


def methods_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of methods, largest self energy first."""
    names, sources, shown = basis.names, basis.sources, [group.typical for group in basis.groups]
    about_self = _SELF_OF_SAMPLES if basis.profile.is_sampled else _SELF
    about = f"{about_self} {' '.join([method_figures_note(basis.profile), *doubts(shown)])}"
    columns: dict[str, Callable[[MethodFigures], PageCell]] = {
        "Method": lambda method: name_cell(
            names.label(method.total.id),
            source_of(method.total.method),
            method_note(method.total),
            code=None if sources is None else sources.line(method.total.method),
        ),
        "Self": lambda method: joules_cell(method.total.known(method.self_j)),
        "±": lambda method: _interval_cell(method.total.known(method.self_j), method.interval),
        "Share": lambda method: share_cell(method.total.known(share(method.self_j, basis.app_j))),
        "Self power": lambda method: figure_cell(method.self_power_w, watts),
        "Inclusive": lambda method: joules_cell(method.total.known(method.inclusive_j)),
        call_words(basis.profile.ledger).counted: lambda method: count_cell(round(method.calls)),
        "Per call": lambda method: joules_cell(method.per_call_j),
        "Inclusive time": lambda method: figure_cell(method.wall_ns, duration),
    }
    if any(test.alternative_j is not None for test in shown):
        columns["Paper 1"] = lambda method: joules_cell(method.total.known(method.alternative_j))
    if basis.profile.is_sampled:
        del columns["Per call"]
    return page_table("methods", "Methods", about, columns, basis.methods, most=most)


def _interval_cell(value_j: float | None, interval: Interval) -> PageCell:
    return PageCell(interval_cell(value_j, interval), None if value_j is None else interval.half_width)


def threads_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of threads by name and role, largest energy first."""
    words = call_words(basis.profile.ledger)
    columns: dict[str, Callable[[ThreadUse], PageCell]] = {
        "Thread": lambda use: name_cell(use.name, use.role),
        "Energy": lambda use: joules_cell(use.known(use.energy_j)),
        "±": lambda use: _interval_cell(use.known(use.energy_j), use.interval),
        "Share": lambda use: share_cell(use.known(share(use.energy_j, basis.app_j)) if use.is_app else None),
        words.outside: lambda use: joules_cell(use.known(use.outside_j)),
        "CPU time": lambda use: figure_cell(use.known(use.cpu_ns), duration),
        "Threads in tests": lambda use: count_cell(round(use.count)),
    }
    about = (
        "Threads with the same name and role share a row. Energy is without probes. Share: of app energy; threads of the JIT"
        f" compiler and of the profiler are outside of it. {words.outside}: {words.about_outside}"
        " Threads in tests: a thread counts once in each test in which it used energy."
    )
    return page_table("threads", "Threads", about, columns, basis.all_threads, most=most)


def component_tables(basis: PageBasis, most: int) -> Iterator[PageTable | None]:
    """Yield the tables of components, of the device's own consumers, and of methods by component, for more than the CPU."""
    if len(basis.profile.components) > 1:
        yield _components(basis, most)
        yield _consumers(basis, most)
    yield _methods_by_component(basis, most)


def _components(basis: PageBasis, most: int) -> PageTable | None:
    whole = basis.profile.top().per_run(basis.repeats)
    uses = whole.shown()
    columns: dict[str, Callable[[ComponentShare], PageCell]] = {
        "Component": lambda use: name_cell(use.component),
        "Evidence": lambda use: PageCell(use.level),
        "Energy": lambda use: joules_cell(use.energy_j),
        "Share": lambda use: share_cell(share(use.energy_j, whole.energy_j)),
        "App": lambda use: joules_cell(use.threads_j),
        "Base": lambda use: joules_cell(use.base_j),
        "Other processes": lambda use: joules_cell(use.other_processes_j),
        "Unattributed": lambda use: joules_cell(use.unattributed_j),
        "Rails": lambda use: joules_cell(use.rails_j),
        "Model alone": lambda use: joules_cell(use.unscaled_j or None),
    }
    about = "The energy of the whole recording, also outside of tests, by component, with its level of evidence, and by owner."
    if any(use.rails_j is not None for use in uses):
        about += f" {rails_note(uses)}"
    else:
        del columns["Rails"], columns["Model alone"]
    if whole.silent:
        about += f" {silent_note(whole)}"
    return page_table("components", "Components", about, columns, uses, most=most, texts=2)


def _consumers(basis: PageBasis, most: int) -> PageTable | None:
    columns: dict[str, Callable[[ConsumerEnergy], PageCell]] = {
        "Component": lambda consumer: name_cell(consumer.component),
        "Device": lambda consumer: joules_cell(consumer.energy_j),
        "Estimate": lambda consumer: joules_cell(consumer.estimate_j),
        "Device (app)": lambda consumer: joules_cell(consumer.app_j),
        "Estimate (app)": lambda consumer: joules_cell(consumer.app_estimate_j),
    }
    used = [mean_of(consumer, basis.repeats) for consumer in basis.profile.consumers if consumer.is_used]
    return page_table("consumers", "Energy consumers of the device", CONSUMERS_NOTE, columns, used, most=most)


def _methods_by_component(basis: PageBasis, most: int) -> PageTable | None:
    components, names = basis.profile.components, basis.names
    others = [number for number, component in enumerate(components) if component != CPU]

    def rest_j(method: MethodFigures) -> float:
        return sum(method.inclusive_components[number] for number in others)

    methods = sorted((method for method in basis.methods if rest_j(method) > 0), key=lambda method: -rest_j(method))
    moved = bytes_by_method(basis.profile.method_bytes())
    columns: dict[str, Callable[[MethodFigures], PageCell]] = {"Method": lambda method: name_cell(names.label(method.total.id))}
    if moved:
        columns["Bytes"] = lambda method: figure_cell(_per_run(moved.get(method.total.id), basis.repeats), byte_count)
    for number in [number for number in range(len(components)) if any(method.inclusive_components[number] for method in methods)]:
        columns[components[number]] = _of(number, lambda method: method.inclusive_components)
        columns[f"{components[number]} self"] = _of(number, lambda method: method.components)
    about = (
        "The energy of each method that used more than the CPU, by component: with the methods that it calls, and of its own"
        " (self). Methods of the platform, such as those that read and write, have their own rows."
    )
    if moved:
        about += " Bytes: moved over radios and storage by the method and those that it calls."
    return page_table("methods-by-component", "Methods by component", about, columns, methods, most=most)


def _of(number: int, energies: Callable[[MethodFigures], Sequence[float]]) -> Callable[[MethodFigures], PageCell]:
    return lambda method: joules_cell(energies(method)[number])


def _per_run(value: float | None, runs: int) -> float | None:
    return None if value is None else value / runs


def handed_work_table(basis: PageBasis, most: int) -> PageTable | None:
    """Return the table of methods that handed over work, largest energy first."""
    handed, names, runs = basis.profile.handed_work(), basis.names, basis.repeats
    total_j = sum(work.energy_j for work in handed)
    columns: dict[str, Callable[[HandedWork], PageCell]] = {
        "Started by": lambda work: PageCell("unknown") if work.id == UNKNOWN_STARTER else name_cell(names.label(work.id)),
        "Ran on": lambda work: PageCell(_threads(work)),
        "Energy": lambda work: joules_cell(work.energy_j / runs),
        "Share": lambda work: share_cell(share(work.energy_j, total_j)),
        "Tasks": lambda work: count_cell(round(work.tasks / runs)),
        "Time": lambda work: figure_cell(work.run_ns / runs, duration),
    }
    about = f"{_HANDED} {unmeasured_note(handed)}"
    title = "Work handed to other threads"
    return page_table("handed-work", title, about, columns, handed, most=most, listed="methods that started work", texts=2)


def _threads(work: HandedWork) -> str:
    more = f" and {work.other_threads:,} more" if work.other_threads else ""
    return ", ".join(thread or "(no name)" for thread in work.threads) + more


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
        [handed_work_table(basis, most)],
        module_tables(basis, most),
        [operations_table(basis, most)],
        [threads_table(basis, most)],
        component_tables(basis, most),
        [probes_table(basis, most)],
    )
    return [table for table in made if table is not None]
