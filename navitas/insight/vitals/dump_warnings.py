"""Warnings about a dump: each part that is missing, damaged or doubtful has a code and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from navitas.android.batterystats.dump_file import DumpPart
from navitas.android.batterystats.history import CLOCK_REASONS
from navitas.android.batterystats.line_counts import LineCounts
from navitas.base.units import counted

VitalsCode = Literal[
    "cut_off", "no_statistics", "no_users", "no_time", "clock", "not_understood", "left_out", "rounded", "repeated", "other_app"
]
DUMP_COMMAND = "adb shell dumpsys batterystats -c > stats.txt"
_AGAIN = "Write the dump again, and keep the phone connected until it ends."
_REASONS = 3


@dataclass(frozen=True, slots=True)
class VitalsWarning:
    """What limits the figures of a dump, and what to do."""

    code: VitalsCode
    message: str
    remedy: str


def cut_off(damage: str, open_part: DumpPart | None, used: DumpPart) -> Iterator[VitalsWarning]:
    """Warn about a file that ends too early."""
    if damage:
        yield VitalsWarning("cut_off", damage, _AGAIN)
    if open_part is not None and open_part is not DumpPart.PLAIN:
        which = "what follows is missing" if open_part is used else f"the figures are from the {used.value}"
        yield VitalsWarning("cut_off", f"the bug report ends within the {open_part.value}: {which}", _AGAIN)


def missing_statistics(*, is_begun: bool, has_users: bool, has_time: bool, is_text: bool) -> Iterator[VitalsWarning]:
    """Warn about statistics that are missing, in whole or in part, or rounded."""
    remedy = f"Write a dump with statistics: {DUMP_COMMAND}"
    if not is_begun:
        message = "the dump has no statistics since the last charge: figures are from its history, which has no traffic"
        yield VitalsWarning("no_statistics", message, remedy)
    elif not has_users:
        yield VitalsWarning("no_users", "the statistics name no user: they may be cut off", _AGAIN)
    elif is_text:
        message = "a text dump has no bytes of the background, and rounds all bytes to three digits"
        yield VitalsWarning("rounded", message, f"For exact figures: {DUMP_COMMAND}")
    if not has_time:
        message = "no time on battery: the phone was plugged in, or that line is missing; so there are no rates"
        yield VitalsWarning("no_time", message, "Unplug the phone, use the app for some hours, and write the dump then.")


def damaged_lines(lines: LineCounts, *, uses_history: bool, dropped: int) -> Iterator[VitalsWarning]:
    """Warn about lines that are damaged or too many."""
    clock = {reason: count for reason, count in lines.reasons.items() if reason in CLOCK_REASONS}
    others = {reason: count for reason, count in lines.reasons.items() if reason not in clock}
    if clock:
        effect = "these times are left out of the sums" if uses_history else "this does not affect the statistics"
        yield VitalsWarning("clock", f"the history's clock jumps ({_listed(clock)}): {effect}", "Do not set the phone's clock.")
    if others:
        examples = "; ".join(repr(lines.examples.get(reason, ""))[:80] for reason in list(others)[:1])
        count = sum(others.values())
        lines_are = counted(count, "line is", "lines are")
        message = f"{lines_are} not understood ({_listed(others)}), such as {examples}"
        yield VitalsWarning("not_understood", message, "If the file is a whole dump, report it with that line.")
    if dropped:
        yield VitalsWarning(
            "left_out", f"{dropped:,} entries are left out: the dump has too many", "Check that the dump is whole."
        )


def other_app(packages: Iterable[str]) -> VitalsWarning:
    """Warn that the dump has none of the recording's apps."""
    return VitalsWarning(
        "other_app",
        f"the recording is of {', '.join(sorted(packages))}, which this dump does not have: so it adds no methods and energies",
        "Record an app of this dump, or give the dump of the phone and time of the recording.",
    )


def repeated_statistics(repeated: int, replaced: int) -> Iterator[VitalsWarning]:
    """Warn about statistics that the file has more than once."""
    if repeated:
        message = f"the dump has {repeated:,} counters again: only the first of each counts"
        yield VitalsWarning("repeated", message, "Check that the file has each line of the dump once.")
    if replaced:
        message = f"dumps that are not used: {replaced:,}. A later one in the file has the statistics since the same reset"
        yield VitalsWarning("repeated", message, "Keep one dump in the file, the last one.")


def _listed(reasons: dict[str, int]) -> str:
    shown = sorted(reasons.items(), key=lambda one: -one[1])[:_REASONS]
    more = f", and {len(reasons) - _REASONS} other reasons" if len(reasons) > _REASONS else ""
    return ", ".join(f"{count:,} × {reason}" for reason, count in shown) + more
