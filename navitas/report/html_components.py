"""The tables of an HTML report that split energy by component."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from navitas.base.html_page.page import Cell, name, text
from navitas.base.units import byte_count, share
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.method_bytes import bytes_by_method
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.energy.analyze.top import ComponentShare
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.report.figure_notes import CONSUMERS_NOTE, rails_note, silent_note
from navitas.report.html_tables import bar_cell, figure_cell, joules_cell, section
from navitas.report.names import MethodNames

_MAX_NAME_LENGTH = 1000


def components_section(profile: Profile) -> str:
    """Return the table of components, largest energy first, and that of the device's own consumers of energy.

    Empty if the recording has data of the CPU only.
    """
    if len(profile.components) < 2:
        return ""
    found = profile.top()
    uses = found.shown()
    columns: dict[str, Callable[[ComponentShare], Cell]] = {
        "Component": lambda use: Cell(name(use.component)),
        "Evidence": lambda use: Cell(text(use.level)),
        "Share": lambda use: bar_cell(share(use.energy_j, found.energy_j)),
        "Energy": lambda use: joules_cell(use.energy_j),
        "Rails": lambda use: joules_cell(use.rails_j),
        "Model alone": lambda use: joules_cell(use.unscaled_j or None),
        "Threads": lambda use: joules_cell(use.threads_j),
        "Base": lambda use: joules_cell(use.base_j),
        "Other processes": lambda use: joules_cell(use.other_processes_j),
        "Unattributed": lambda use: joules_cell(use.unattributed_j),
    }
    about = "The energy of all runs by component, with its level of evidence, and by owner. Threads are those of the app."
    if any(use.rails_j is not None for use in uses):
        about += f" {text(rails_note(uses), _MAX_NAME_LENGTH)}"
    else:
        del columns["Rails"], columns["Model alone"]
    if found.silent:
        about += f" {text(silent_note(found), _MAX_NAME_LENGTH)}"
    return section("components", "Components", about, columns, uses, texts=2, searched=False) + _consumers(profile)


def _consumers(profile: Profile) -> str:
    columns: dict[str, Callable[[ConsumerEnergy], Cell]] = {
        "Component": lambda consumer: Cell(name(consumer.component)),
        "Device": lambda consumer: joules_cell(consumer.energy_j),
        "Estimate": lambda consumer: joules_cell(consumer.estimate_j),
        "Device (app)": lambda consumer: joules_cell(consumer.app_j),
        "Estimate (app)": lambda consumer: joules_cell(consumer.app_estimate_j),
    }
    used, title = [consumer for consumer in profile.consumers if consumer.is_used], "Energy consumers of the device"
    return section("consumers", title, CONSUMERS_NOTE, columns, used, searched=False) if used else ""


def methods_by_component_section(profile: Profile, shown: Sequence[TestEnergy]) -> str:
    """Return the table of methods that used components other than the CPU, with what they used of each.

    Methods with the most energy of these components are first. Empty without such methods.
    """
    names, methods = profile.components, MethodNames(profile.method_table)
    others = [place for place, component in enumerate(names) if component != CPU]

    def rest_j(total: MethodTotal) -> float:
        return sum(total.inclusive_components[place] for place in others)

    totals = sorted((total for total in profile.method_totals(shown) if rest_j(total) > 0), key=lambda total: -rest_j(total))
    moved = bytes_by_method(profile.method_bytes())
    columns: dict[str, Callable[[MethodTotal], Cell]] = {
        "Method": lambda total: Cell(name(methods.label(total.id), _MAX_NAME_LENGTH)),
        "Bytes": lambda total: figure_cell(moved.get(total.id), byte_count),
    }
    if not moved:
        del columns["Bytes"]
    for place in [place for place in range(len(names)) if any(total.inclusive_components[place] for total in totals)]:
        columns[name(names[place])] = _column(lambda total: total.inclusive_components, place)
        columns[f"{name(names[place])} self"] = _column(lambda total: total.components, place)
    about = (
        "The energy of each method that used more than the CPU, by component: with the methods that it calls, and of its own"
        " (self). Methods of the platform, such as those that read and write, have their own rows."
    )
    if moved:
        about += " Bytes: moved over radios and storage by the method and those that it calls, in all runs."
    return section("methods-by-component", "Methods by component", about, columns, totals) if totals else ""


def _column(energies: Callable[[MethodTotal], Sequence[float]], place: int) -> Callable[[MethodTotal], Cell]:
    return lambda total: joules_cell(energies(total)[place])
