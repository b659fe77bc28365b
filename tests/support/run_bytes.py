"""The files of a scenario's run, byte for byte as the runtime and the shell loop would write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support import chunk_writer as cw
from support.scenario import Intervals, Scenario, ThreadSpec
from support.thread_events import anchors_of, epochs_of, events_of, ns

BOOT_OFFSET_NS = 5_000_000_000
REAL_OFFSET_NS = 1_700_000_000_000_000_000
TID0 = 5000
TICK_NS = 10_000_000
RAIL_START_UJ = 7_000_000


@dataclass(frozen=True)
class RunBytes:
    """A run. `t0` is CLOCK_MONOTONIC at 0 ms; `ids` numbers the methods of map `map_id`."""

    scenario: Scenario
    t0: int
    map_id: int
    ids: Mapping[str, int]
    pid: int

    def chunks(self) -> list[bytes]:
        """Return every chunk as the runtime would write it."""
        probed = (thread for thread in self.scenario.threads if thread.probed)
        chunks = [chunk for serial, thread in enumerate(probed, start=1) for chunk in self._thread_chunks(serial, thread)]
        chunks += [self._triples(), self._markers()]
        return chunks + [cw.chunk(cw.COUNTERS, cw.counters_payload([r]), 1, seq=i) for i, r in enumerate(self._readings())]

    def shell_text(self) -> str:
        """Return `shell.txt`: /proc/stat and the rails."""
        times = sample_times(self.scenario.shell_ms, self.scenario.duration_ms)
        return "".join(self._shell_block(ms) for ms in times)

    def tid(self, thread: ThreadSpec) -> int:
        """Return the given thread id, or one by the thread's index; 0 for a virtual thread."""
        if thread.mounts is not None:
            return 0
        return TID0 + self.scenario.threads.index(thread) if thread.tid is None else thread.tid

    def _thread_chunks(self, serial: int, thread: ThreadSpec) -> list[bytes]:
        events = events_of(thread, self.ids)
        if not events:
            return self._carrier_chunks(serial, thread)
        anchors = anchors_of(thread, events, self.scenario.anchor_ms)
        tid, name, step = self.tid(thread), thread.name, self.scenario.events_per_chunk
        chunks = []
        if thread.folded:
            epochs = [(start + self.t0, end + self.t0, rows) for start, end, rows in epochs_of(events, anchors)]
            data, options = cw.folded_payload(epochs), {"map_id": self.map_id, "lost": thread.lost}
            chunks.append(cw.chunk(cw.FOLDED, data, len(epochs), **options, serial=serial, tid=tid, name=name))
        else:
            for seq, first in enumerate(range(0, len(events), step)):
                part = events[first : first + step]
                base = part[0][0]
                options = {"map_id": self.map_id, "seq": seq, "lost": thread.lost if seq == 0 else 0, "base_ns": base + self.t0}
                data = cw.calls_payload(part, base)
                chunks.append(cw.chunk(cw.CALLS, data, len(part), **options, serial=serial, tid=tid, name=name))
        if thread.messages:
            rows = [
                (ns(m.ms) + self.t0, m.token, m.kind, m.flags, m.period_ms, 0xFFFFFFFF, m.module, m.target, m.action)
                for m in thread.messages
            ]
            data = cw.communications_payload(rows)
            chunks.append(cw.chunk(cw.COMMUNICATIONS, data, len(rows), serial=serial, tid=tid, name=name))
        if thread.mounts is not None:
            return chunks
        data = cw.anchors_payload((t + self.t0, cpu) for t, cpu in anchors)
        return [*chunks, cw.chunk(cw.ANCHORS, data, len(anchors), serial=serial, tid=tid, name=name)]

    def _carrier_chunks(self, serial: int, carrier: ThreadSpec) -> list[bytes]:
        """Return the mounts on a thread without calls, and the readings of its clock by the virtual threads that it carries."""
        mounts: list[tuple[float, int]] = []
        anchors: list[float] = []
        for number, thread in enumerate((thread for thread in self.scenario.threads if thread.probed), start=1):
            for mount in thread.mounts or ():
                if mount.carrier == carrier.name:
                    mounts += [(mount.start_ms, number), *([(mount.end_ms, 0)] if mount.is_seen else [])]
                    read = (t / 1e6 for t, _ in anchors_of(thread, events_of(thread, self.ids), self.scenario.anchor_ms))
                    anchors += [ms for ms in read if mount.start_ms <= ms <= mount.end_ms]
        if not mounts:
            return []
        tid, name = self.tid(carrier), carrier.name
        rows = [(ns(ms) + self.t0, carrier.cpu_ns(ms), number) for ms, number in sorted(mounts, key=lambda row: row[0])]
        readings = [(ns(ms) + self.t0, carrier.cpu_ns(ms)) for ms in sorted(anchors)]
        return [
            cw.chunk(cw.MOUNTS, cw.mounts_payload(rows), len(rows), serial=serial, tid=tid, name=name),
            cw.chunk(cw.ANCHORS, cw.anchors_payload(readings), len(readings), serial=serial, tid=tid, name=name),
        ]

    def _triples(self) -> bytes:
        times = ((self.t0 + ns(ms), self.scenario.clock_ns(ms)) for ms in sample_times(1000.0, self.scenario.duration_ms))
        triples = [(t, t + BOOT_OFFSET_NS, t + REAL_OFFSET_NS + set_by) for t, set_by in times]
        return cw.chunk(cw.TRIPLES, cw.triples_payload(triples), len(triples))

    def _markers(self) -> bytes:
        run, t0 = self.scenario, self.t0
        markers = [(t0, "run_start", "passed", run.repeat, "")]
        for test in run.tests:
            markers.append((t0 + ns(test.start_ms), "test_start", "passed", run.repeat, test.name))
            if test.end_ms is not None:
                markers.append((t0 + ns(test.end_ms), "test_finish", test.status, run.repeat, test.name))
        if run.exit == "complete":
            markers.append((t0 + ns(run.duration_ms), "run_end", "passed", run.repeat, ""))
        return cw.chunk(cw.MARKERS, cw.markers_payload(markers), len(markers))

    def _readings(self) -> list[tuple[int, int, int, bytes]]:
        readings = []
        run = self.scenario
        shown: dict[ThreadSpec, tuple[int, int]] = {}
        for ms in sample_times(run.sample_ms, run.duration_ms):
            lines = []
            for thread in (thread for thread in run.threads if thread.mounts is None):
                clocks = (thread.cpu_ns(ms), thread.waited_ns(ms))
                if thread.born_ms <= ms < thread.dies_ms and shown.get(thread) != clocks:
                    shown[thread] = clocks
                    lines.append(f"{self.tid(thread)} {clocks[0]} {clocks[1]} 1 {thread.name[:15]}\n")
            ticks = sum(thread.cpu_ns(ms) for thread in run.threads if thread.mounts is None) // TICK_NS
            stat = f"{self.pid} (my (app) x) S 1 {self.pid} 0 0 -1 0 0 0 0 0 {ticks} 0 7 7 20 0 1 0 100 0 0\n"
            texts = [(1, "".join(lines)), (2, stat)]
            for policy in run.policies:
                states = zip(policy.freq_khz, policy.ns_in_state(ms), strict=True)
                texts.append((10 + policy.id, "".join(f"{freq} {12345 + spent // TICK_NS}\n" for freq, spent in states)))
            t = self.t0 + ns(ms)
            readings += [(t - 25_000, t + 25_000, source, text.encode()) for source, text in texts]
        return readings

    def _shell_block(self, ms: float) -> str:
        run, t = self.scenario, self.t0 + ns(ms)
        micros = (t + REAL_OFFSET_NS + run.clock_ns(ms)) // 1000
        busy = [run.busy_ns(cpu, ms) // TICK_NS for cpu in run.cpus]
        idle = [t // TICK_NS - ticks for ticks in busy]
        out = f"@ {micros // 1_000_000}.{micros % 1_000_000:06d}\n# /proc/stat\n"
        out += f"cpu  {sum(busy)} 0 0 {sum(idle)} 0 0 0 0 0 0\n"
        out += "".join(f"cpu{cpu} {b} 0 0 {i} 0 0 0 0 0 0\n" for cpu, b, i in zip(run.cpus, busy, idle, strict=True))
        out += "intr 0\nctxt 0\n"
        if run.rails:
            boot_ms = (t + BOOT_OFFSET_NS) // 1_000_000
            out += f"# /sys/bus/iio/devices/iio:device0/energy_value\nt={boot_ms}\n"
            for number, (rail, watts) in enumerate(run.rails.items()):
                out += f"CH{number}(T={boot_ms})[{rail}], {RAIL_START_UJ + round(1e6 * joules(watts, ms))}\n"
        return out


def sample_times(period_ms: float, duration_ms: float) -> list[float]:
    """Return 0, period, … and the end."""
    return [*(i * period_ms for i in range(int(duration_ms / period_ms - 1e-9) + 1)), duration_ms]


def joules(watts: Intervals, ms: float) -> float:
    """Return ∫ P dt from the start to `ms`."""
    return sum(max(0.0, min(end, ms) - start) * value for start, end, value in watts) / 1e3
