"""The report in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from rich.console import Console, Group, RenderableType
from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy, Totals
from navitas.errors import UsageError
from navitas.report.call_tree import call_tree
from navitas.report.terminal_tables import (
    baseline_note,
    baseline_table,
    compensated_note,
    methods_table,
    tests_table,
    threads_table,
)
from navitas.report.units import battery_share, charge, duration, joules
from navitas.untrusted_text import printable

_LISTED = 20
_MAX_WARNINGS = 100
_NARROW = 100
_LONGEST_NAME = 200
_PAPER1 = (
    "Paper 1: that paper's formula charges all cores at full load, whether they ran or not, to whatever was under way"
    " (docs/how-it-measures.md)."
)
_BELOW_ZERO = "Figures may lie a little below zero: probes' average cost is taken off, with an error (±), and nothing is clamped."


class TerminalReport:
    """Tests, threads and methods; with `tree` the call tree of the thread of that name or serial.

    With repeated runs, threads and methods are those of each test's run that is nearest to the median.
    """

    def __init__(self, top: int = 20, tree: str | None = None) -> None:
        self._top = top
        self._tree = tree

    def render(self, profile: Profile, console: Console) -> None:
        """Print the report. UsageError when no thread fits `tree`."""
        tests = profile.tests_by_class if profile.is_by_class else profile.tests
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        shown = [group.typical for group in groups]
        trees = self._threads(shown) if self._tree is not None else []
        paper1 = any(test.alternative_j is not None for test in shown)
        narrow = console.width < _NARROW
        compensated = profile.compensated_totals(tests)
        table = tests_table(profile, tests, groups, self._top, compensated=compensated is not None, narrow=narrow)
        parts: list[RenderableType] = [_header(profile), "", table]
        if compensated is not None:
            parts += [Text(compensated_note(compensated), style="dim")]
        if any(len(group.tests) > 1 for group in groups):
            parts += ["", Text("Threads and methods: of each test the run nearest to its median.", style="dim")]
        if any(test.unprobed_j is not None for test in tests):
            parts += ["", baseline_table(profile, groups, self._top)]
            parts += [Text(note, style="dim")] if (note := baseline_note(groups)) else []
        if any(test.threads for test in shown):
            parts += ["", threads_table(profile, shown, self._top)]
        if any(thread.methods for test in shown for thread in test.threads):
            parts += ["", methods_table(profile, shown, self._top, paper1=paper1, narrow=narrow)]
        for test, thread in trees:
            parts += ["", call_tree(profile, test, thread)]
        if paper1:
            parts += ["", Text(_PAPER1, style="dim")]
        if any(thread.is_below_zero for test in shown for thread in test.threads) or any(
            thread.nodes.is_below_zero for _, thread in trees
        ):
            parts += ["", Text(_BELOW_ZERO, style="dim")]
        parts += ["", _totals(profile, console.width), *_evidence(profile)]
        console.print(Group(*parts))

    def _threads(self, shown: Sequence[TestEnergy]) -> list[tuple[TestEnergy, ThreadEnergy]]:
        """Those whose call trees are asked for."""
        wanted = self._tree
        threads = [(test, thread) for test in shown for thread in test.threads if thread.nodes]
        found = [(test, thread) for test, thread in threads if wanted in {thread.name, str(thread.serial)}]
        if not found:
            raise unknown_thread(wanted or "", {thread.name for _, thread in threads})
        return found


def unknown_thread(wanted: str, names: Iterable[str]) -> UsageError:
    """The error for a thread that is not among those with calls."""
    known = sorted({name[:_LONGEST_NAME] for name in names})
    nearest = get_close_matches(wanted[:_LONGEST_NAME], known, n=5, cutoff=0.3)
    ranked = list(dict.fromkeys([*nearest, *known]))
    listed = ", ".join(printable(name, 60) for name in ranked[:_LISTED])
    more = f" and {len(ranked) - _LISTED:,} more" if len(ranked) > _LISTED else ""
    remedy = f"Threads with calls: {listed}{more}" if listed else "No thread has recorded calls."
    return UsageError(f"no thread with calls has the name or serial {printable(wanted)!r}", remedy)


def _header(profile: Profile) -> Text:
    device, power_profile = profile.about.device, profile.about.power_profile
    kind = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    text = Text(printable(profile.project), style="bold")
    text.append(f" on {printable(str(device.get('model', '')))}{kind}\n", style="not bold")
    volts = f"{profile.about.voltage_v:g} V ({printable(str(power_profile.get('voltage_source', '')))})"
    return text.append(f"power profile: {printable(str(power_profile.get('name', '')))}; {volts}", style="dim not bold")


def _totals(profile: Profile, width: int) -> Text:
    totals, volts = profile.totals, profile.about.voltage_v
    total = f"Total{f' of {totals.repeats} runs' if totals.repeats > 1 else ''} {joules(totals.energy_j)}"
    share = battery_share(totals.energy_j, volts, profile.about.battery_mah)
    amount = charge(totals.energy_j, volts)
    phrases = [
        total,
        *([f"({amount},", f"{share} of the battery)"] if share else [f"({amount})"]),
        f"= threads {joules(totals.threads_j)}",
        f"+ other processes {joules(totals.other_processes_j)}",
        f"+ idle {joules(totals.base_j)}",
        f"+ unattributed {joules(totals.unattributed_j)};",
        f"outside of tests {joules(totals.outside_tests_j)}",
    ]
    text = Text("\n".join([*_filled(phrases, width), *_filled(_rails(totals), width)]))
    text.stylize("bold", 0, len(total))
    return text


def _filled(phrases: Iterable[str], width: int) -> list[str]:
    """Lines of whole phrases, so that no figure parts from its unit."""
    lines: list[str] = []
    for phrase in phrases:
        if lines and len(lines[-1]) + 1 + len(phrase) <= width:
            lines[-1] += f" {phrase}"
        else:
            lines.append(phrase)
    return lines


def _rails(totals: Totals) -> list[str]:
    if totals.rails_j is None or totals.rails_estimate_j is None or totals.rails_error is None:
        return []
    estimate = f"estimated for the same time {joules(totals.rails_estimate_j)} ({100 * totals.rails_error:+.1f} %)"
    return [f"rails: {joules(totals.rails_j)} measured,", estimate]


def _evidence(profile: Profile) -> Iterator[Text]:
    tick_ns = profile.tick_ns
    ticks = (
        ""
        if tick_ns is None
        else f"; calls are exact, times statistical: ticks of {duration(round(tick_ns))}, ± is a standard error"
    )
    for evidence in profile.evidence:
        of = f" of {evidence.component}" if len(profile.evidence) > 1 else ""
        yield Text(f"evidence{of}: {evidence.level}{ticks}", style="dim")
        for reason in evidence.reasons[:_MAX_WARNINGS]:
            yield Text(f"  {printable(str(reason), 500)}", style="dim")
    for notice in profile.warnings[:_MAX_WARNINGS]:
        text = Text("warning: ", style="yellow").append(printable(notice.message, 500))
        yield text.append(f"\n         {printable(notice.remedy, 500)}", style="dim") if notice.remedy else text
    if len(profile.warnings) > _MAX_WARNINGS:
        yield Text(f"… {len(profile.warnings) - _MAX_WARNINGS:,} more warnings, in the JSON report (--json)", style="dim")
