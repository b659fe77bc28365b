"""Read the measured energy of a Perfetto trace: power rails, and energy consumers with what each used for each uid."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from navitas.android.perfetto.messages import as_bytes
from navitas.recording.parse.rail_readings import J_PER_UWS, EnergyConsumers, RailReadings, complete_readings
from navitas.recording.parse.tables import TIME_LIMIT_NS
from navitas.recording.parse.trace.trace_tables import UNKNOWN

_NS_PER_MS = 1_000_000
_ENERGY_LIMIT = 1 << 62
_RAILS_LIMIT = 256
IMPOSSIBLE = "an impossible time or energy"
TOO_MANY = "more than any phone has"


class PerfettoRails:
    """Collects readings of rails. Each rail is named once, by its index within a session.

    `left_out` counts the readings that have a time and cannot be used, by reason.
    """

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
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
            t_ns = reading.timestamp_ms * _NS_PER_MS if reading.timestamp_ms else packet_ns
            if t_ns == UNKNOWN:
                untimed += 1
            elif not (0 < t_ns < TIME_LIMIT_NS and reading.energy < _ENERGY_LIMIT):
                self.left_out[IMPOSSIBLE] += 1
            elif key not in self._columns and len(self._columns) >= _RAILS_LIMIT:
                self.left_out[f"beyond the first {_RAILS_LIMIT} rails"] += 1
            else:
                self._readings.append((t_ns, self._columns.setdefault(key, len(self._columns)), reading.energy))
        return untimed

    def table(self) -> RailReadings | None:
        """Return joules by boottime, from the first time at which all rails are known.

        A rail keeps its energy until its next reading. Returns None if there are no readings, or more than any phone has.
        """
        found = complete_readings(self._readings, len(self._columns))
        if found is None:
            self.left_out[TOO_MANY] += len(self._readings)
            return None
        return RailReadings(tuple(self._names.get(key, f"rail {key[1]}") for key in self._columns), *found)


_UID_LIMIT = 1 << 32
_CONSUMERS_LIMIT = 256
_ROWS_LIMIT = 1 << 20


class PerfettoConsumers:
    """Collects readings of energy consumers. `left_out` counts those that have a time and cannot be used, by reason."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self._described: dict[int, tuple[str, str]] = {}
        self._columns: dict[int, int] = {}
        self._readings: list[tuple[int, int, int]] = []
        self._by_uid: list[tuple[int, int, int, int]] = []

    def add(self, breakdown: Any, packet_ns: int) -> int:
        """Add a packet's descriptors and readings. Returns the number of readings without a time."""
        for one in breakdown.energy_consumer_descriptor.energy_consumers:
            if len(self._described) < _CONSUMERS_LIMIT:
                name, kind = (as_bytes(text).decode("utf-8", "replace") for text in (one.name, one.type))
                self._described[one.energy_consumer_id] = (name or f"{kind} {one.ordinal}", kind)
        if not breakdown.HasField("energy_consumer_id") or not breakdown.HasField("energy_uws"):
            return 0
        if packet_ns == UNKNOWN:
            return 1
        consumer = breakdown.energy_consumer_id
        if not 0 < packet_ns < TIME_LIMIT_NS or not 0 <= breakdown.energy_uws < _ENERGY_LIMIT:
            self.left_out[IMPOSSIBLE] += 1
            return 0
        if consumer not in self._columns and len(self._columns) >= _CONSUMERS_LIMIT:
            self.left_out[f"beyond the first {_CONSUMERS_LIMIT} consumers"] += 1
            return 0
        column = self._columns.setdefault(consumer, len(self._columns))
        self._readings.append((packet_ns, column, breakdown.energy_uws))
        for one in breakdown.per_uid_breakdown:
            if not (0 <= one.energy_uws < _ENERGY_LIMIT and 0 <= one.uid < _UID_LIMIT):
                self.left_out["an impossible app or energy"] += 1
            elif len(self._by_uid) >= _ROWS_LIMIT:
                self.left_out[f"beyond {_ROWS_LIMIT:,} readings by app"] += 1
            else:
                self._by_uid.append((packet_ns, column, one.uid, one.energy_uws))
        return 0

    def table(self) -> EnergyConsumers | None:
        """Return joules by boottime, from the first time at which all consumers are known; None without readings."""
        found = complete_readings(self._readings, len(self._columns))
        if found is None:
            self.left_out[TOO_MANY] += len(self._readings)
            return None
        t_ns, energy_j = found
        named = [self._described.get(number, (f"consumer {number}", "")) for number in self._columns]
        rows = np.array(self._by_uid, np.int64).reshape(-1, 4)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return EnergyConsumers(
            tuple(name for name, _ in named),
            tuple(kind for _, kind in named),
            t_ns,
            energy_j,
            uid_consumer=rows[:, 1],
            uid=rows[:, 2],
            uid_t_ns=rows[:, 0],
            uid_energy_j=rows[:, 3].astype(np.float64) * J_PER_UWS,
        )
