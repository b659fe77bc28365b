"""`dumpsys android.hardware.power.stats.IPowerStats/default`: the text of Pixel's PowerStats::dump, with energies in float32."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from navitas.virtual_phone.rail_monitor import Consumer

SERVICE = "android.hardware.power.stats.IPowerStats/default"


def dump_power_statistics(rails_uj: Mapping[str, float], consumers: Sequence[Consumer]) -> str:
    """Return the sections of state residencies (empty: the phone has no such entities), consumers and rails."""
    lines = ["", _title("state residencies", begins=True), _title("state residencies"), ""]
    lines.append(_title("energy consumers", begins=True))
    for one in consumers:
        lines.append(f"{one.name:<12} : {_mws(one.energy_uj):14.2f} mWs")
        lines += [f"  {uid:>10} - {_mws(energy_uj):14.2f} mWs" for uid, energy_uj in one.by_uid_uj.items()]
    lines += [_title("energy consumers"), "", _title("energy meter", begins=True)]
    lines.append(f"  {'Channel':>32}   {'Cumulative Energy':>18}")
    lines += [f"  {f'[{name}]:{subsystem(name)}':>32}   {_mws(energy_uj):14.2f} mWs" for name, energy_uj in rails_uj.items()]
    lines.append(_title("energy meter"))
    return "\n".join(lines) + "\n"


def _title(name: str, *, begins: bool = False) -> str:
    if begins:
        ends = "=" * (15 if name == "state residencies" else 14)
        return f"{'=' * 13} PowerStats HAL 2.0 {name} {ends}"
    return f"{'=' * 10} End of PowerStats HAL 2.0 {name} {'=' * 10}"


def _mws(energy_uj: float) -> float:
    (single,) = struct.unpack("f", struct.pack("f", int(energy_uj)))
    return float(single) / 1000.0


def subsystem(rail: str) -> str:
    """Return the subsystem that the phone names for a rail."""
    return rail.rpartition("_")[2].capitalize()
