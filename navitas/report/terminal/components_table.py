"""The terminal tables of components: energy, evidence, whose energy it is, and the device's own power statistics."""

from __future__ import annotations

from navitas.analyze.profile import Profile
from navitas.report.figure_notes import CONSUMERS_NOTE, rails_note, silent_note
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import bar, joules, percent, share
from navitas.untrusted_text import printable


def components_table(profile: Profile, component: str | None = None) -> FittedTable:
    """Return a row for each component, or for one: its energy, its evidence, and the energy of each kind of owner.

    If power rails measured a component, the row has what the model alone estimates. A note names components whose rail
    measured nothing.
    """
    found = profile.top()
    uses = found.shown(component)
    with_rails = any(use.rails_j is not None for use in uses)
    columns = [
        Column("Component", text=True),
        Column("Energy"),
        Column("Share", drop=1),
        Column("", drop=9, text=True),
        Column("Evidence", drop=2, text=True),
        *([Column("Rails", drop=4), Column("Model alone", drop=3)] if with_rails else []),
        Column("Threads", drop=5),
        Column("Base", drop=6),
        Column("Other processes", drop=8),
        Column("Unattributed", drop=7),
    ]
    table = FittedTable("Components", columns)
    for use in uses:
        use_share = share(use.energy_j, found.energy_j)
        rails = [joules(use.rails_j), joules(use.unscaled_j or None)] if with_rails else []
        table.add(
            printable(use.component, 200),
            joules(use.energy_j),
            percent(use_share),
            bar(use_share),
            printable(use.level, 40),
            *rails,
            joules(use.threads_j),
            joules(use.base_j),
            joules(use.other_processes_j),
            joules(use.unattributed_j),
        )
    if with_rails:
        table.notes.append(Paragraph(rails_note(uses), style="dim"))
    if component is None and found.silent:
        table.notes.append(Paragraph(silent_note(found), style="dim"))
    return table


def users_table(profile: Profile, component: str | None = None) -> FittedTable:
    """Return a row for each app, and for other processes, base and unattributed energy; of one component, or of all.

    Columns are the components with energy, if there are several.
    """
    found, names = profile.top(), profile.components
    columns = [Column("User", text=True), Column("Energy"), Column("Share", drop=1), Column("", drop=9, text=True)]
    used = [use.component for use in found.components if use.energy_j]
    others = used if component is None and len(used) > 1 else []
    columns += [Column(printable(name, 40), drop=2 + place) for place, name in enumerate(others)]
    table = FittedTable("Apps, other processes and base", columns)
    energies = [user.energy_j if component is None else user.components[names.index(component)] for user in found.users]
    total_j = sum(energies)
    for user, energy_j in sorted(zip(found.users, energies, strict=True), key=lambda each: -each[1]):
        user_share = share(energy_j, total_j)
        name = user.name or "the profiled app" if user.kind == "app" else user.kind.replace("_", " ")
        by_component = [user.components[names.index(each)] for each in others]
        table.add(printable(name, 10_000), joules(energy_j), percent(user_share), bar(user_share), *map(joules, by_component))
    return table


def consumers_table(profile: Profile) -> FittedTable:
    """Return each component that the device has energy consumers of, with the estimate for the same time.

    Those that used nothing, and are estimated to use nothing, are left out.
    """
    table = FittedTable(
        "Energy consumers of the device",
        [
            Column("Component", text=True),
            Column("Device"),
            Column("Estimate"),
            Column("Device (app)", drop=1),
            Column("Estimate (app)", drop=1),
        ],
    )
    for one in [one for one in profile.consumers if one.is_used]:
        app = joules(one.app_j)
        table.add(printable(one.component), joules(one.energy_j), joules(one.estimate_j), app, joules(one.app_estimate_j))
    if table.rows:
        table.notes.append(Paragraph(CONSUMERS_NOTE, style="dim"))
    return table
