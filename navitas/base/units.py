"""Formats energies, powers, charges, times and shares with units, and counts."""

from __future__ import annotations

from math import floor, log10

UNBROKEN = "\u00a0"
"""A space between words that stay on one line."""
UNKNOWN = "–"
"""What takes the place of an unknown figure."""
UJ_PER_J = 1e6
"""Microjoules, which are microwatt-seconds, in a joule."""
_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_UNEVEN = 1.25
"""An end of an interval that is farther from the value than the other end, by more than this factor, is worth saying."""


def joules(value: float | None) -> str:
    """Format an energy with three significant digits: `12.3 J`, `4.56 mJ`, `7.89 µJ`, `756 nJ`; `–` if it is unknown."""
    return UNKNOWN if value is None else _scaled(value, "J")


def plus_minus(value: float | None, low: float, high: float) -> str:
    """Format the interval of an energy: `± 0.12 J`, or the range `6.40–50.0 J` if one end is much farther than the other."""
    if value is None:
        return UNKNOWN
    if not is_uneven(value, low, high):
        return f"± {joules((high - low) / 2)}"
    factor, prefix = _prefix(max(abs(low), abs(high)))
    ends = f"{digits(low / factor)}{'–' if low >= 0 else ' to '}{digits(high / factor)}"
    return f"{ends} {prefix}J"


def joules_within(value: float, low: float, high: float) -> str:
    """Format an energy with its interval: `1.57 ± 0.06 J`, or `18.0 J [6.40–50.0 J]` as `plus_minus`."""
    if is_uneven(value, low, high):
        return f"{joules(value)} [{plus_minus(value, low, high)}]"
    factor, prefix = _prefix(max(abs(value), (high - low) / 2))
    shown, half = digits(value / factor), (high - low) / 2 / factor
    decimals = min((len(number.partition(".")[2]) for number in (shown, digits(half)) if number != "0"), default=0) if half else 0
    rounded = f"{half:.{decimals}f}"
    return f"{shown} ± {rounded if float(rounded) or not half else f'{half:.1g}'} {prefix}J"


def is_uneven(value: float, low: float, high: float) -> bool:
    """Return whether ± would hide that one end of an interval is farther from the value than the other."""
    below, above = value - low, high - value
    return max(below, above) > _UNEVEN * min(below, above)


def watts(value: float) -> str:
    """Format a power: `1.20 W`, `45.6 mW`."""
    return _scaled(value, "W")


def duration(value_ns: float) -> str:
    """Format a time: `1.23 s`, `45.6 ms`, `789 µs`."""
    return _scaled(value_ns / 1e9, "s")


def charge(energy_j: float, voltage_v: float) -> str:
    """Format the charge of an energy at a voltage, in mAh."""
    return f"{digits(energy_j / voltage_v / 3.6)} mAh"


def battery_share(energy_j: float, voltage_v: float, battery_mah: float | None) -> str:
    """Format the share of a full battery in percent. Empty if its capacity is unknown."""
    if not battery_mah:
        return ""
    return f"{digits(100 * energy_j / voltage_v / 3.6 / battery_mah)} %"


def battery_rate(power_w: float, voltage_v: float, battery_mah: float | None) -> str:
    """Format the drain rate at a power, in percent of a full battery per hour. Empty if its capacity is unknown."""
    of_battery = battery_share(3600 * power_w, voltage_v, battery_mah)
    return f"{of_battery}/h" if of_battery else ""


def unbroken(figure: str) -> str:
    """The figure as one word of a paragraph."""
    return figure.replace(" ", UNBROKEN)


def byte_count(value: float) -> str:
    """Format a number of bytes: `1.23 MB`, `45.6 kB`, `789 B`."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * factor:
            return f"{digits(value / factor)} {prefix}B"
    return f"{round(value)} B"


def share(value: float, total: float) -> float | None:
    """Return `value` as a share of `total`, or None if `total` is not positive."""
    return value / total if total > 0 else None


def percent(part: float | None) -> str:
    """Format a share in percent with one decimal. A dash for None."""
    return UNKNOWN if part is None else f"{100 * part:.1f} %"


def bar(part: float | None) -> str:
    """Draw a share as a bar of at most 8 block characters, in eighths of a block. Empty below a sixteenth of a block."""
    eighths = round(64 * min(max(part or 0.0, 0.0), 1.0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _scaled(value: float, unit: str) -> str:
    if abs(value) < 0.5e-12:
        return f"0 {unit}"
    factor, prefix = _prefix(abs(value))
    return f"{digits(value / factor)} {prefix}{unit}"


def _prefix(size: float) -> tuple[float, str]:
    """Return the factor of a unit's prefix for a size, and the prefix."""
    return next((prefix for prefix in _PREFIXES if size >= 0.9995 * prefix[0]), _PREFIXES[-1])


def digits(value: float) -> str:
    """Format with three significant digits, without an exponent."""
    if abs(value) < 0.5e-9:
        return "0"
    rounded = float(f"{value:.3g}")
    decimals = min(max(2 - floor(log10(abs(rounded))), 0), 9)
    return f"{rounded:.{decimals}f}"


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number and what it counts, such as `1 line` or `2,000 lines`. `several` is the plural if not that with an s."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
