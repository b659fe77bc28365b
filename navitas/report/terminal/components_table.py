"""The terminal tables of components: energy, evidence, whose energy it is, and the device's own power statistics."""

from __future__ import annotations

from collections.abc import Callable

from navitas.base.units import bar, joules, percent, share
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.top import ComponentShare, EnergyUser, mean_of
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.report.figure_notes import CONSUMERS_NOTE, rails_note, silent_note
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph


def components_table(profile: Profile, component: str | None = None) -> FittedTable:
    """Return a row for each component, or for one: its energy in a run, its evidence, and the energy of each kind of owner.

    If power rails measured a component, the row has what the model alone estimates. A note names components whose rail
    measured nothing.
    """
    top = profile.top().per_run(profile.totals.repeats)
    uses = top.shown(component)
    with_rails = any(use.rails_j is not None for use in uses)
    columns: dict[Column, Callable[[ComponentShare], Cell]] = {
        Column("Component", text=True): lambda use: printable(use.component, 200),
        Column("Energy"): lambda use: joules(use.energy_j),
        Column("Share", drop=1): lambda use: percent(share(use.energy_j, top.energy_j)),
        Column("", drop=9, text=True): lambda use: bar(share(use.energy_j, top.energy_j)),
        Column("Evidence", drop=2, text=True): lambda use: printable(use.level, 40),
        Column("Rails", drop=4): lambda use: joules(use.rails_j),
        Column("Model alone", drop=3): lambda use: joules(use.unscaled_j or None),
        Column("Threads", drop=5): lambda use: joules(use.threads_j),
        Column("Base", drop=6): lambda use: joules(use.base_j),
        Column("Other processes", drop=8): lambda use: joules(use.other_processes_j),
        Column("Unattributed", drop=7): lambda use: joules(use.unattributed_j),
    }
    if not with_rails:
        columns = {column: cell for column, cell in columns.items() if column.title not in ("Rails", "Model alone")}
    table = FittedTable.of(_title(profile, "Components"), columns, uses)
    if with_rails:
        table.notes.append(Paragraph(rails_note(uses), style="dim"))
    if component is None and top.silent:
        table.notes.append(Paragraph(silent_note(top), style="dim"))
    return table


def _title(profile: Profile, title: str) -> str:
    return f"{title} (per run)" if profile.totals.repeats > 1 else title


def users_table(profile: Profile, component: str | None = None) -> FittedTable:
    """Return a row for each app, and for other processes, base and unattributed energy, in a run; of one component, or of all.

    Columns are the components with energy, if there are several.
    """
    top, names = profile.top().per_run(profile.totals.repeats), profile.components

    def energy_j(user: EnergyUser) -> float:
        return user.energy_j if component is None else user.components[names.index(component)]

    def of_component(name: str) -> Callable[[EnergyUser], Cell]:
        return lambda user: joules(user.components[names.index(name)])

    total_j = sum(map(energy_j, top.users))
    columns: dict[Column, Callable[[EnergyUser], Cell]] = {
        Column("User", text=True): lambda user: printable(
            user.name or "the profiled app" if user.kind == "app" else user.kind.replace("_", " "), 10_000
        ),
        Column("Energy"): lambda user: joules(energy_j(user)),
        Column("Share", drop=1): lambda user: percent(share(energy_j(user), total_j)),
        Column("", drop=9, text=True): lambda user: bar(share(energy_j(user), total_j)),
    }
    used = [use.component for use in top.components if use.energy_j]
    for place, name in enumerate(used if component is None and len(used) > 1 else []):
        columns[Column(printable(name, 40), drop=2 + place)] = of_component(name)
    title = _title(profile, "Apps, other processes and base")
    return FittedTable.of(title, columns, sorted(top.users, key=lambda user: -energy_j(user)))


def consumers_table(profile: Profile) -> FittedTable:
    """Return each component that the device has energy consumers of, with the estimate for the same time, in a run.

    Those that used nothing, and are estimated to use nothing, are left out.
    """
    columns: dict[Column, Callable[[ConsumerEnergy], Cell]] = {
        Column("Component", text=True): lambda consumer: printable(consumer.component),
        Column("Device"): lambda consumer: joules(consumer.energy_j),
        Column("Estimate"): lambda consumer: joules(consumer.estimate_j),
        Column("Device (app)", drop=1): lambda consumer: joules(consumer.app_j),
        Column("Estimate (app)", drop=1): lambda consumer: joules(consumer.app_estimate_j),
    }
    used = [mean_of(consumer, profile.totals.repeats) for consumer in profile.consumers if consumer.is_used]
    table = FittedTable.of(_title(profile, "Energy consumers of the device"), columns, used)
    if used:
        table.notes.append(Paragraph(CONSUMERS_NOTE, style="dim"))
    return table
