"""Parse the text of the on-device rail monitor (Pixel's ODPM, `energy_value`): cumulative energy of each rail."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from navitas.parse.clock_triples import ClockTriples
from navitas.parse.rail_readings import J_PER_UWS, RailReadings, SkippedReadings, alike

_TIME = re.compile(r"t=(\d{1,15})\s*$", re.MULTILINE)
_RAIL = re.compile(r"CH\d{1,4}\(T=\d{1,19}\)\[([^\]\n]{1,64})\], ?(\d{1,18})\s*$", re.MULTILINE)
_MS_NS = 1_000_000
# Use the monitor's own time only if it is this close to the time of the block that contains it.
_NEAR_NS = 1_000_000_000


def parse_rails(t_ns: Sequence[int], texts: Sequence[str], clocks: ClockTriples) -> tuple[RailReadings | None, SkippedReadings]:
    """Return energy in joules (from µWs) by rail, and the numbers of skipped readings. The table is None if none is usable.

    Times are the monitor's own boottime if it can be converted, otherwise `t_ns`.
    """
    found = [_RAIL.findall(text) for text in texts]
    names = [tuple(name for name, _ in rows) for rows in found]
    good, skipped = alike([rails or None for rails in names], texts)
    if not good:
        return None, skipped
    times = np.array([t_ns[i] for i in good], np.int64)
    stamps = [_TIME.search(texts[i]) for i in good]
    boot_ns = np.array([int(stamp[1]) * _MS_NS if stamp else -1 for stamp in stamps], np.int64)
    own = clocks.from_boottime(boot_ns)
    if own is not None:
        times = np.where((boot_ns >= 0) & (np.abs(own - times) < _NEAR_NS), own, times)
    micro_joules = np.array([[int(value) for _, value in found[i]] for i in good], np.int64)
    return RailReadings(names[good[0]], np.maximum.accumulate(times), micro_joules.astype(np.float64) * J_PER_UWS), skipped
