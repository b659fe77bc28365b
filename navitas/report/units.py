"""Figures for people: energies, charges, times and shares with their units."""

from __future__ import annotations

from math import floor, log10


def joules(value: float) -> str:
    """`12.3 J`, `4.56 mJ`, `7.89 µJ`; three significant digits."""
    return _scaled(value, "J")


def duration(value_ns: float) -> str:
    """`1.23 s`, `45.6 ms`, `789 µs`."""
    return _scaled(value_ns / 1e9, "s")


def charge(energy_j: float, voltage_v: float) -> str:
    """Charge in mAh at a voltage."""
    return f"{digits(energy_j / voltage_v / 3.6)} mAh"


def battery_share(energy_j: float, voltage_v: float, battery_mah: float | None) -> str:
    """Part of a full battery in percent; empty when its capacity is unknown."""
    if not battery_mah:
        return ""
    return f"{digits(100 * energy_j / voltage_v / 3.6 / battery_mah)} %"


def percent(share: float | None) -> str:
    """A share in percent with one digit; a dash for None."""
    return "–" if share is None else f"{100 * share:.1f} %"


def _scaled(value: float, unit: str) -> str:
    size = abs(value)
    for factor, prefix in ((1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if size >= 0.9995 * factor:
            return f"{digits(value / factor)} {prefix}{unit}"
    return f"{digits(value * 1e6)} µ{unit}" if size >= 0.5e-9 else f"0 {unit}"


def digits(value: float) -> str:
    """Three significant digits, never in powers of ten."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    decimals = min(max(2 - floor(log10(abs(rounded))), 0), 9)
    return f"{rounded:.{decimals}f}"
