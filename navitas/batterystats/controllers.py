"""The times of a radio's controller in a line of `--checkin`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.batterystats.numbers import parse_count

CONTROLLERS = {"gwfcd": "wifi", "gmcd": "modem", "gble": "bluetooth"}
"""The radio of each type of line."""


@dataclass(frozen=True, slots=True)
class ControllerCounters:
    """How long a controller was awake without a transfer, received, and sent, in ms since the statistics were reset.

    None: unreadable.
    """

    idle_ms: float | None
    rx_ms: float | None
    tx_ms: float | None


def read_controller(fields: Sequence[str]) -> ControllerCounters:
    """Read idle time, receive time, charges, then the transmit time at each power level (AOSP: dumpControllerActivityLine).

    Android 10 added a charge, that of the power rails. Charges have decimals, times do not.
    """
    has_rail = len(fields) > 3 and "." in fields[3]
    levels = [parse_count(text) for text in fields[4 if has_rail else 3 :]]
    known = [level for level in levels if level is not None]
    return ControllerCounters(
        parse_count(fields[0]) if fields else None,
        parse_count(fields[1]) if len(fields) > 1 else None,
        sum(known) if levels and len(known) == len(levels) else None,
    )
