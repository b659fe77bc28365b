"""Collects the samples of a file of a profiler: threads, times and stacks, and which events take samples of time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np

from navitas.recording.parse.arrays import I32, I64
from navitas.recording.parse.samples_stacks import StackForest
from navitas.recording.parse.stack_samples import Frame, RawSamples, SampleClock
from navitas.recording.parse.tables import TID_LIMIT, TIME_LIMIT_NS

_PERIODS_KEPT = 4096
_LONGEST_PERIOD_NS = 1 << 40
_EVENTS_LIMIT = 256
_MORE_EVENTS = "more events"
_CLOCKS = {"cpu-clock", "task-clock"}
_CYCLES = {"cycles", "cpu-cycles", "raw-cpu-cycles", "ref-cycles"}


def is_clock(event: str) -> bool:
    """Whether the period of an event is CPU time in ns."""
    return _base(event) in _CLOCKS


def is_of_time(event: str) -> bool:
    """Whether samples of an event show where time goes: those of clocks and cycles do, those of misses or switches do not."""
    return _base(event) in _CLOCKS | _CYCLES


def _base(event: str) -> str:
    """The name of an event alone: `cpu_core/cycles/u`, `cycles:ppp`, `cycles/period=1000/` → `cycles`."""
    unit, _, terms = event.partition("/")
    first = terms.split("/")[0].split(",")[0]
    return (unit if "=" in first or not first else first).split(":")[0]


class SampleColumns:
    """Columns of samples. `lost` counts those that the profiler lost, and those with an impossible time."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.process_of: dict[int, int] = {}
        self.lost = self.cut = self.broken = 0
        self.others: Counter[str] = Counter()
        self._t_ns, self._tid, self._stack = array("q"), array("q"), array("i")
        self._periods: list[int] = []

    def __len__(self) -> int:
        return len(self._t_ns)

    def add(self, t_ns: int, tid: int, stack: int) -> None:
        """Add a sample of a thread. Threads with an impossible id are left out, such as the kernel's idle ones (0)."""
        if not 0 < tid < TID_LIMIT:
            return
        if not 0 < t_ns < TIME_LIMIT_NS:
            self.lost += 1
            return
        self._t_ns.append(t_ns)
        self._tid.append(tid)
        self._stack.append(stack)

    def extend(self, t_ns: I64, tid: I64, stack: I32, pid: I64) -> None:
        """Add many samples with possible times and ids of threads, and the processes of these threads (0: not known)."""
        for column, values in ((self._t_ns, t_ns), (self._tid, tid), (self._stack, stack)):
            column.frombytes(values.tobytes())
        has_process = (pid > 0) & (pid < TID_LIMIT)
        self.process_of |= zip(tid[has_process].tolist(), pid[has_process].tolist(), strict=True)

    def leave_out(self, event: str) -> None:
        """Count a sample of another event than time. Of very many events, the last ones are counted together."""
        self.others[event if event in self.others or len(self.others) < _EVENTS_LIMIT else _MORE_EVENTS] += 1

    def period(self, count: int) -> None:
        """Add a number of ns that passed between two samples. The first ones decide."""
        if len(self._periods) < _PERIODS_KEPT and 0 < count < _LONGEST_PERIOD_NS:
            self._periods.append(count)

    def thread(self, tid: int, pid: int, name: str) -> None:
        """Add the process of a thread (0: not known) and its name."""
        if 0 < tid < TID_LIMIT:
            if name:
                self.names[tid] = name
            if 0 < pid < TID_LIMIT:
                self.process_of[tid] = pid

    def table(
        self, forest: StackForest[Frame], clock: SampleClock, row_of: Sequence[int] | None = None, *, engine: str
    ) -> RawSamples:
        """Return the samples. `row_of` are the forest's rows by the numbers of stacks that were added, if these are others."""
        stack = np.array(self._stack, np.int32)
        return RawSamples(
            np.array(self._t_ns, np.int64),
            np.array(self._tid, np.int64),
            stack if row_of is None else np.array([*row_of, -1], np.int32)[stack],
            forest.table(),
            tuple(forest.frames),
            clock,
            float(np.median(self._periods)) if self._periods else None,
            self.names,
            self.process_of,
            self.lost,
            self.cut + forest.cut,
            self.broken,
            self.others,
            engine,
        )
