"""The samples of a run: the runtime's chunks and the shell loop's output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Literal

import numpy as np
from support import chunk_writer as cw

from truth.counters import I64, USER_HZ_NS, Counters
from truth.events import message_chunks, thread_chunks
from truth.record import Record
from truth.work import Thread

Level = Literal["sched", "thread-freq", "thread-time", "device"]
LEVELS: tuple[Level, ...] = ("sched", "thread-freq", "thread-time", "device")
T0_NS = 1_000_000_000_000
BOOT_OFFSET_NS = 5_000_000_000
REAL_OFFSET_NS = 1_700_000_000_000_000_000
PID, OTHER_PID = 4000, 1200
_LATE_NS = 1_000_000
# The least period of the loop in the device's shell.
_SHELL_NS = 200_000_000

_Reading = tuple[int, int, int, bytes]


class Samples:
    """A run sampled every `interval_ns`, with the data for the level of evidence `level`."""

    def __init__(self, record: Record, interval_ns: int, level: Level, seed: int) -> None:
        self._record, self._level = record, level
        self._counters = Counters(record, seed)
        self._app = [thread for thread in record.threads if thread.app]
        random = Random(seed)
        self._times = _sample_times(interval_ns, record.end_ns, random)
        self._shell_times = _sample_times(max(interval_ns, _SHELL_NS), record.end_ns, random)

    def thread_chunks(self, map_id: int, ids: Mapping[str, int]) -> Iterator[bytes]:
        """The chunks of calls, anchors, messages and handed work."""
        probed = [thread for thread in self._app if thread.events]
        serials = {thread: serial for serial, thread in enumerate(probed, start=1)}
        for thread, serial in serials.items():
            yield from message_chunks(thread, serials, t0_ns=T0_NS)
            yield from thread_chunks(thread, ids, serial=serial, map_id=map_id, t0_ns=T0_NS, anchored=self._level != "device")

    def process_chunks(self, tests: Sequence[str], edges_ns: Sequence[int]) -> Iterator[bytes]:
        """The chunks of markers, clock triples and counters. Test i lasts from edge i to the next one."""
        marks = [(0, "run_start", "")]
        for test, (start_ns, finish_ns) in zip(tests, pairwise(edges_ns), strict=True):
            marks += [(start_ns, "test_start", test), (finish_ns, "test_finish", test)]
        marks.append((self._record.end_ns, "run_end", ""))
        rows = [(t_ns + T0_NS, kind, "passed", 0, name) for t_ns, kind, name in marks]
        yield cw.chunk(cw.MARKERS, cw.markers_payload(rows), len(rows))
        times = [t_ns + T0_NS for t_ns in (*range(0, self._record.end_ns, 10**9), self._record.end_ns)]
        triples = [(t_ns, t_ns + BOOT_OFFSET_NS, t_ns + REAL_OFFSET_NS) for t_ns in times]
        yield cw.chunk(cw.TRIPLES, cw.triples_payload(triples), len(triples))
        for seq, readings in enumerate(self._readings()):
            yield cw.chunk(cw.COUNTERS, cw.counters_payload(readings), len(readings), seq=seq)

    def shell_text(self) -> str:
        """The content of `shell.txt`: /proc/stat, and each thread's time_in_state."""
        times = self._shell_times
        cpus = range(len(self._record.phone.cluster_of))
        busy = np.stack([self._counters.busy_ticks(cpu, times) for cpu in cpus], axis=1)
        return "".join(self._block(t_ns, row) for t_ns, row in zip(times.tolist(), busy, strict=True))

    def _readings(self) -> Iterator[list[_Reading]]:
        """The readings of the sampler, one item for each time that it wakes."""
        counters, times = self._counters, self._times
        phone = self._record.phone
        process = counters.process_ticks(times).tolist()
        states = [counters.time_in_state(k, times) for k in range(len(phone.clusters))]
        texts = self._thread_lines() if self._level != "device" else [b""] * len(times)
        for i, t_ns in enumerate(times.tolist()):
            span = t_ns + T0_NS - 20_000, t_ns + T0_NS + 20_000
            stat = f"{PID} (e.truth) S 1 {PID} 0 0 -1 0 0 0 0 0 {process[i]} 0 7 7 20 0 1 0 100 0 0\n"
            readings = [(*span, 1, texts[i])] if self._level != "device" else []
            readings.append((*span, 2, stat.encode()))
            for cluster, table in zip(phone.clusters, states, strict=True):
                rows = zip(cluster.freq_khz, table[i].tolist(), strict=True)
                readings.append((*span, 10 + cluster.cpus[0], "".join(f"{khz} {ticks}\n" for khz, ticks in rows).encode()))
            yield readings

    def _thread_lines(self) -> list[bytes]:
        """Source 1: the app's threads that changed since the previous record."""
        times = self._times
        lines: list[list[str]] = [[] for _ in times]
        for thread in self._app:
            low, high = _lifetime(thread, times)
            run_ns = self._counters.thread_ns(thread, times[low:high])
            changed = np.flatnonzero(np.diff(run_ns, prepend=-1))
            for at in changed.tolist():
                lines[low + at].append(f"{thread.tid} {run_ns[at]} 0 1 {thread.name[:15]}\n")
        return ["".join(of_one).encode() for of_one in lines]

    def _block(self, t_ns: int, busy: I64) -> str:
        micros = (t_ns + T0_NS + REAL_OFFSET_NS) // 1000
        idle = [(t_ns + T0_NS) // USER_HZ_NS] * len(busy)
        out = [f"@ {micros // 10**6}.{micros % 10**6:06d}\n# /proc/stat\n"]
        out.append(f"cpu  {sum(busy.tolist())} 0 0 {sum(idle)} 0 0 0 0 0 0\n")
        out += [f"cpu{cpu} {b} 0 0 {i} 0 0 0 0 0 0\n" for cpu, (b, i) in enumerate(zip(busy.tolist(), idle, strict=True))]
        out.append("intr 0\nctxt 0\n")
        if self._level in ("sched", "thread-freq"):
            for thread in self._app:
                if thread.born_ns <= t_ns and (thread.died_ns < 0 or t_ns < thread.died_ns):
                    out.append(f"# /proc/{PID}/task/{thread.tid}/time_in_state\n{self._thread_states(thread, t_ns)}")
        return "".join(out)

    def _thread_states(self, thread: Thread, t_ns: int) -> str:
        spent = self._counters.thread_states(thread, t_ns)
        out = []
        for k, cluster in enumerate(self._record.phone.clusters):
            out.append(f"cpu{cluster.cpus[0]}\n")
            out += [f"{khz} {spent.get((k, index), 0)}\n" for index, khz in enumerate(cluster.freq_khz)]
        return "".join(out)


def _sample_times(interval_ns: int, end_ns: int, random: Random) -> I64:
    """Sample times from the start to the end of the run. They drift against the kernel's ticks, because samplers wake late."""
    times = [0]
    while times[-1] + interval_ns + _LATE_NS < end_ns:
        times.append(times[-1] + interval_ns + random.randrange(_LATE_NS))
    return np.array([*times, end_ns], np.int64)


def _lifetime(thread: Thread, times: I64) -> tuple[int, int]:
    low = int(np.searchsorted(times, thread.born_ns, side="right"))
    return low, len(times) if thread.died_ns < 0 else int(np.searchsorted(times, thread.died_ns))
