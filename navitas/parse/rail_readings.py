"""Table of an on-device rail monitor, read as text or from a kernel trace."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class RailReadings:
    """Readings of an on-device rail monitor: rail `names[k]` has used `energy_j[i, k]` in total at `t_ns[i]`."""

    names: tuple[str, ...]
    t_ns: I64
    energy_j: F64
