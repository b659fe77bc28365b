"""The columns that a batterystats dump becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
UNKNOWN = np.iinfo(np.int64).min
"""A battery value that the dump has not reported yet."""


@dataclass(frozen=True, slots=True)
class StateIntervals:
    """Intervals of states, in order of their end. Times are nanoseconds of the history's own clock, which begins at 0.

    `state` is a position in `keys.STATE_NAMES`. `value` is a position in `keys.VALUE_NAMES` of the state, or 1.
    `uid` is −1 if no user is named. `tag` is a position in `BatteryStatsReader.tags`; 0 is the empty text.
    """

    state: NDArray[np.int16]
    value: NDArray[np.int32]
    start_ns: Integers
    end_ns: Integers
    uid: NDArray[np.int32]
    tag: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.state)

    def rows(self, chosen: NDArray[np.bool_] | Integers) -> StateIntervals:
        """Return the chosen intervals: by a mask, or by their rows."""
        return StateIntervals(*(getattr(self, one.name)[chosen] for one in fields(self)))


@dataclass(frozen=True, slots=True)
class BatteryColumns:
    """The battery's values after each change: positions in `keys.BATTERY_WORDS`; `UNKNOWN` if unknown.

    Columns are in order of `keys.STATE_NAMES[:BATTERY_COUNT]`.
    """

    time_ns: Integers
    status: Integers
    plug: Integers

    def __len__(self) -> int:
        return len(self.time_ns)


_Columns = TypeVar("_Columns", StateIntervals, BatteryColumns)


def joined(parts: Sequence[_Columns]) -> _Columns:
    """Return the rows of at least one table of a kind, in order."""
    kind = type(parts[0])
    return kind(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(kind)))


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """At `time_ns` of the history's clock, the phone's wall clock showed `wall_ms`.

    Milliseconds since 1970, in UTC if `is_utc`. Text dumps print the phone's local time.
    """

    time_ns: int
    wall_ms: int
    is_utc: bool


@dataclass(frozen=True, slots=True)
class UsageCounter:
    """A counter since the statistics were reset. `uid` is −1 for the device. Units are in the name: `_ms`, `_bytes`."""

    uid: int
    name: str
    tag: str
    value: float
