"""Read the power rails of a Perfetto trace."""

from __future__ import annotations

from typing import Any

from navitas.parse.rail_readings import RailReadings, complete_readings
from navitas.parse.trace.perfetto_clocks import TIME_LIMIT_NS
from navitas.parse.trace.trace_tables import UNKNOWN
from navitas.perfetto.messages import as_bytes

_NS_PER_MS = 1_000_000
_ENERGY_LIMIT = 1 << 62
_RAILS_LIMIT = 256


class PerfettoRails:
    """Collects readings of rails. Each rail is named once, by its index within a session."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, int], str] = {}
        self._columns: dict[tuple[int, int], int] = {}
        self._readings: list[tuple[int, int, int]] = []

    def add(self, rails: Any, packet_ns: int) -> int:
        """Add a packet's names and readings. Returns the number of readings without a time.

        A reading without a time of its own gets the packet's (boottime, or `UNKNOWN`).
        """
        untimed = 0
        session = rails.session_uuid
        for rail in rails.rail_descriptor:
            if len(self._names) < _RAILS_LIMIT:
                name = as_bytes(rail.rail_name or rail.subsys_name).decode("utf-8", "replace")
                self._names[session, rail.index] = name or f"rail {rail.index}"
        for reading in rails.energy_data:
            key = (session, reading.index)
            known = key in self._columns or len(self._columns) < _RAILS_LIMIT
            t_ns = reading.timestamp_ms * _NS_PER_MS if reading.timestamp_ms else packet_ns
            untimed += t_ns == UNKNOWN
            if known and 0 < t_ns < TIME_LIMIT_NS and reading.energy < _ENERGY_LIMIT:
                self._readings.append((t_ns, self._columns.setdefault(key, len(self._columns)), reading.energy))
        return untimed

    def table(self) -> RailReadings | None:
        """Return joules by boottime, from the first time at which all rails are known.

        A rail keeps its energy until its next reading. Returns None if there are no readings, or more than any phone has.
        """
        found = complete_readings(self._readings, len(self._columns))
        if found is None:
            return None
        return RailReadings(tuple(self._names.get(key, f"rail {key[1]}") for key in self._columns), *found)
