"""Lines of the terminal report above and below its tables: header, totals, evidence and warnings."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.records import Totals
from navitas.report.figure_notes import evidence_groups, listed, tick_note, uncertainty_note
from navitas.report.terminal.paragraph import Paragraph, with_unbroken_figures
from navitas.report.units import battery_share, charge, joules, unbroken
from navitas.untrusted_text import printable

_MAX_WARNINGS = 100
_WARNING = "warning: "
_INDENT = " " * len(_WARNING)


def header(profile: Profile) -> Iterator[RenderableType]:
    """Yield the project, the device and the power profile."""
    device, power_profile = profile.about.device, profile.about.power_profile
    kind = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    yield Paragraph(f"{printable(profile.project)} on {printable(str(device.get('model', '')))}{kind}", style="bold")
    volts = unbroken(f"{profile.about.voltage_v:g} V")
    source = printable(str(power_profile.get("voltage_source", "")))
    yield Paragraph(f"power profile: {printable(str(power_profile.get('name', '')))}; {volts} ({source})", style="dim")


def totals(profile: Profile) -> Iterator[RenderableType]:
    """Yield the total with its addends, and the energy that the device's rails measured."""
    sums, volts = profile.totals, profile.about.voltage_v
    runs = max((test.repeat for test in profile.tests), default=0) + 1
    addends = [
        ("threads", sums.threads_j),
        ("other processes", sums.other_processes_j),
        ("base", sums.base_j),
        ("unattributed", sums.unattributed_j),
    ]
    title = f"Total of {runs} runs" if runs > 1 else "Total"
    width = max(len(title), *(len(name) + 2 for name, _ in addends)) + 2
    yield Text(f"{title:<{width}}{joules(sums.energy_j):>8}", style="bold")
    for sign, (name, energy_j) in zip("=+++", addends, strict=True):
        yield Text(f"{sign} {name:<{width - 2}}{joules(energy_j):>8}")
    share = battery_share(sums.energy_j, volts, profile.about.battery_mah)
    battery = f", {unbroken(share)} of the battery" if share else ""
    outside = f"{unbroken(joules(sums.outside_tests_j))} outside of tests"
    yield Paragraph(f"The total is {unbroken(charge(sums.energy_j, volts))}{battery}; {outside}.", style="dim")
    yield from _rails(sums, " of the CPU" if len(profile.components) > 1 else "")


def _rails(sums: Totals, subject: str) -> Iterator[RenderableType]:
    """Yield what the rails measured that no component is scaled to: those of the CPU."""
    if sums.rails_j and sums.rails_estimate_j is not None:
        error = unbroken(f"{100 * (sums.rails_estimate_j / sums.rails_j - 1):+.1f} %")
        estimate, measured = unbroken(joules(sums.rails_estimate_j)), unbroken(joules(sums.rails_j))
        yield Paragraph(f"Rails{subject} measured {measured}; the estimate for the same time is {estimate} ({error}).")


def evidence(profile: Profile, component: str | None = None) -> Iterator[RenderableType]:
    """Yield the evidence for the components, or for one, with the expected error, and the reasons why it is not better.

    Components with the same evidence share a line. Reasons that are warnings, too, are left out.
    """
    warned = frozenset(notice.message for notice in profile.warnings)
    for group in evidence_groups(profile, component):
        subject = f" of {listed(group.components)}" if len(profile.evidence) > 1 else ""
        yield Paragraph(f"Evidence{subject}: {_basis(group.level, group.basis, group.expected_error)}")
        for reason in group.reason_lines(warned)[:_MAX_WARNINGS]:
            yield Paragraph(f"  {printable(reason, 500)}", style="dim", indent="  ")
    if note := tick_note(profile):
        yield Paragraph(note)
    yield Paragraph(uncertainty_note(profile), style="dim")


def _basis(level: str, basis: str, expected_error: float | None) -> str:
    words = f"{level} ({basis})" if basis else level
    if expected_error is None:
        return words
    error = unbroken(f"{100 * expected_error:.0f} %")
    return f"{words}. Half of all methods are off by less than {error} (docs/accuracy.md)."


def warnings(profile: Profile) -> Iterator[RenderableType]:
    """Yield each warning with its remedy."""
    for notice in profile.warnings[:_MAX_WARNINGS]:
        message, remedy = (with_unbroken_figures(printable(part, 500)) for part in (notice.message, notice.remedy))
        yield Paragraph(Text.assemble((_WARNING, "yellow"), message), indent=_INDENT)
        if remedy:
            yield Paragraph(f"{_INDENT}{remedy}", style="dim", indent=_INDENT)
    if len(profile.warnings) > _MAX_WARNINGS:
        yield Text(f"… {len(profile.warnings) - _MAX_WARNINGS:,} more warnings, in the JSON report (--json)", style="dim")
