"""The table of an on-device rail monitor, whether it was read as text or is part of a kernel trace."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class RailReadings:
    """On-device rail monitor: `energy_j[i, k]` had rail `names[k]` spent until `t_ns[i]`."""

    names: tuple[str, ...]
    t_ns: I64
    energy_j: F64
