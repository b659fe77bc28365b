"""What the controller of a radio reports of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from navitas.android.batterystats.checkin_statistics import ControllerCounters, read_controller


@dataclass(frozen=True, slots=True)
class RadioTimes:
    """How long a radio received, sent, and was awake without doing either during a run.

    Source: the controller's activity in batterystats (AOSP: WifiActivityEnergyInfo, ModemActivityInfo).
    """

    radio: Literal["wifi", "modem"]
    received_ns: int
    sent_ns: int
    idle_ns: int


_RADIOS: Mapping[Literal["wifi", "modem"], str] = {"wifi": "gwfcd", "modem": "gmcd"}
_ZERO = ControllerCounters(0.0, 0.0, 0.0)
_MS_NS = 1_000_000
_MOST_MS = 1 << 40
"""A longer time is damage: 35 years."""


def radio_times(head: Mapping[str, Sequence[str]]) -> tuple[RadioTimes, ...]:
    """The times of each radio that reports them. `head` has the fields of `gwfcd_start`, `gwfcd_end` and so on.

    A controller without data has no line at the start. If nothing was read at the start (`start` is missing), the times are
    unknown: those of the end are since the last charge. Times that go back were reset during the run: they are left out, as
    impossible ones are.
    """
    if "start" not in head:
        return ()
    found = []
    for radio, kind in _RADIOS.items():
        if f"{kind}_end" not in head:
            continue
        start = read_controller(head[f"{kind}_start"]) if f"{kind}_start" in head else _ZERO
        end = read_controller(head[f"{kind}_end"])
        pairs = ((start.rx_ms, end.rx_ms), (start.tx_ms, end.tx_ms), (start.idle_ms, end.idle_ms))
        grown = [after - before for before, after in pairs if before is not None and after is not None]
        if len(grown) == len(pairs) and min(grown) >= 0 and max(grown) < _MOST_MS:
            found.append(RadioTimes(radio, *(round(ms * _MS_NS) for ms in grown)))
    return tuple(found)
