"""Table of the device's states: the screen is on, GNSS is on, the brightness is 3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import I32, I64, Bool

NO_UID = -1


@dataclass(frozen=True, slots=True)
class DeviceStates:
    """Intervals in which states had values. Intervals of one state may overlap, for example those of several apps.

    - `names`: names of states; `state[i]` is an index in it.
    - `value`: 1 for a state that is on; of `brightness`, the bin (0 – 4); of `gnss_quality`, 0 (poor) or 1.
    - `uid`: the app that the interval belongs to, `NO_UID` for the device's.
    - `app_uid`: the uid of the profiled app, `NO_UID` if it is unknown.

    Components read: `screen`, `screen_doze`, `brightness`, `top`, `wifi`, `mobile_radio`, `wifi_radio`, `wifi_scan`, `gnss`,
    `gnss_quality`, `camera`, `flashlight`, `audio`, `video`, `bluetooth_scan`, `wake_lock`.
    """

    names: tuple[str, ...]
    state: I32
    value: I64
    start_ns: I64
    end_ns: I64
    uid: I64
    app_uid: int = NO_UID

    def has(self, name: str) -> bool:
        """Whether any interval of this state is recorded."""
        return bool(self._rows(name).any())

    def intervals(self, name: str) -> tuple[I64, I64, I64, I64]:
        """Start, end, value and uid of each interval of a state that is not empty, sorted by start."""
        rows = np.flatnonzero(self._rows(name) & (self.end_ns > self.start_ns))
        rows = rows[np.argsort(self.start_ns[rows], kind="stable")]
        return self.start_ns[rows], self.end_ns[rows], self.value[rows], self.uid[rows]

    def values_at(self, name: str, edges_ns: I64, unknown: int) -> tuple[I64, Bool]:
        """The value of a state in each step between edges, and whether it is known; `unknown` where it is not.

        It is that of the last interval that began, if it has not ended. `edges_ns` includes the begins and ends of its intervals.
        """
        begin, end, value, _ = self.intervals(name)
        if not len(begin):
            return np.full(len(edges_ns) - 1, unknown), np.zeros(len(edges_ns) - 1, bool)
        last = np.searchsorted(begin, edges_ns[:-1], side="right") - 1
        is_known = np.asarray((last >= 0) & (end[last] > edges_ns[:-1]))
        return np.where(is_known, value[last], unknown), is_known

    def _rows(self, name: str) -> Bool:
        if name not in self.names:
            return np.zeros(len(self.state), bool)
        return np.asarray(self.state == self.names.index(name))
