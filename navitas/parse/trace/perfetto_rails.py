"""Power rails of a Perfetto trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from navitas.parse.tables import Rails

_NS_PER_MS = 1_000_000
_J_PER_UWS = 1e-6
_TIME_LIMIT_MS = 1 << 42
_ENERGY_LIMIT = 1 << 62
_RAILS_LIMIT = 256
_CELLS_LIMIT = 1 << 22


class PerfettoRails:
    """Gathers readings of rails, which are named once (by their number within a session)."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, int], str] = {}
        self._columns: dict[tuple[int, int], int] = {}
        self._readings: list[tuple[int, int, int]] = []

    def add(self, rails: Any) -> None:
        """A packet's names and readings."""
        session = rails.session_uuid
        for rail in rails.rail_descriptor:
            if len(self._names) < _RAILS_LIMIT:
                name = bytes(rail.rail_name or rail.subsys_name).decode("utf-8", "replace")
                self._names[session, rail.index] = name or f"rail {rail.index}"
        for reading in rails.energy_data:
            key = (session, reading.index)
            known = key in self._columns or len(self._columns) < _RAILS_LIMIT
            if known and reading.timestamp_ms < _TIME_LIMIT_MS and reading.energy < _ENERGY_LIMIT:
                self._readings.append((reading.timestamp_ms, self._columns.setdefault(key, len(self._columns)), reading.energy))

    def table(self) -> Rails | None:
        """Joules by boottime, from when all rails are known on; a rail keeps its energy until it is read again.

        None where there are none, or more readings than of any phone.
        """
        if not self._readings:
            return None
        t_ms, column, energy = np.array(self._readings, np.int64).T
        times, row = np.unique(t_ms, return_inverse=True)
        if len(times) * len(self._columns) > _CELLS_LIMIT:
            return None
        told = np.full((len(times), len(self._columns)), -1, np.int64)
        np.maximum.at(told, (row, column), energy)
        told = np.maximum.accumulate(told, axis=0)
        whole = (told >= 0).all(axis=1)
        names = tuple(self._names.get(key, f"rail {key[1]}") for key in self._columns)
        return Rails(names, times[whole] * _NS_PER_MS, told[whole].astype(np.float64) * _J_PER_UWS)
