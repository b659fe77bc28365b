"""Read Perfetto traces packet by packet: switches, frequencies, clocks, processes, stack samples, rails and losses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from navitas.android.perfetto.messages import as_bytes
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.trace.build_trace import build_trace
from navitas.recording.parse.trace.perfetto_bundles import Bundles
from navitas.recording.parse.trace.perfetto_columns import Columns, decode
from navitas.recording.parse.trace.perfetto_energy import PerfettoConsumers, PerfettoRails
from navitas.recording.parse.trace.perfetto_losses import PerfettoLosses
from navitas.recording.parse.trace.perfetto_packets import (
    BOOTTIME,
    MONOTONIC,
    REALTIME,
    Cut,
    Damaged,
    Found,
    PacketClocks,
    SampledPackets,
    by_protobuf,
    damaged,
    read_packets,
)
from navitas.recording.parse.trace.perfetto_sample_wire import STATE_CLEARED
from navitas.recording.parse.trace.perfetto_samples import PerfettoSamples
from navitas.recording.parse.trace.perfetto_wire import ReadPacket
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, LISTED, TraceBuilder
from navitas.recording.parse.trace.trace_tables import UNKNOWN, RawTrace, Tasks

_AT_ONCE = 1 << 20
_MIN_SIZE = 256
_SAMPLE_SIZE = 64
_PROCESSES_LIMIT = 1 << 16
_NO_TIME = "no time, or one of an unknown clock"


def read_perfetto(source: Path | bytes) -> RawTrace:
    """Read a Perfetto trace of any size. Of a cut trace, reads all complete packets.

    Raises `RecordingError` if the file cannot be read or is not a Perfetto trace. The content of packets never raises.
    """
    reader = _PacketReader()
    for found in read_packets(source):
        reader.read(found)
    return reader.close()


class _PacketReader:
    def __init__(self) -> None:
        self.into = TraceBuilder()
        self.into.clock = "boottime"
        self._losses = PerfettoLosses(self.into)
        self._bundles = Bundles(self.into, self._losses)
        self._rails = PerfettoRails()
        self._consumers = PerfettoConsumers()
        self._samples = PerfettoSamples()
        self._process_uids: dict[int, int] = {}
        self._times = PacketClocks()
        self._waiting: list[Found] = []
        self._size = 0

    def read(self, found: Found) -> None:
        """Queue the next packets of the host. Queued packets are decoded together: decoding many bundles at once is faster."""
        if isinstance(found, ReadPacket) and found.machine:
            self.into.other_machines[found.machine] += 1
            return
        self._waiting.append(found)
        self._size += _MIN_SIZE
        if isinstance(found, ReadPacket):
            self._size += len(found.data)
        elif isinstance(found, SampledPackets):
            self._size += _SAMPLE_SIZE * len(found.numbers)
        if self._size >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        bundles = [found.bundle for found in waiting if isinstance(found, ReadPacket) and found.bundle is not None]
        columns = iter(decode(bundles))
        for found in waiting:
            if isinstance(found, SampledPackets):
                self._plain(found)
                continue
            self.into.packet = found.number
            if isinstance(found, Cut):
                self.into.cut = True
                self.into.warn(f"the trace is cut or damaged after {found.number - 1} packets")
            elif isinstance(found, Damaged):
                self._damaged(found)
            elif found.bundle is None:
                self._message(found)
            else:
                self._bundle(found, next(columns))

    def _plain(self, packets: SampledPackets) -> None:
        samples = packets.samples
        t_ns = self._times.boottimes(samples.timestamp, samples.clock, samples.sequence)
        for row in self._samples.plain(samples, t_ns).tolist():
            self.into.packet = packets.numbers[row]
            self._timed(False)

    def _damaged(self, found: Damaged) -> None:
        self.into.skip_packet(found.text, found.reason)
        self._losses.damaged()

    def _bundle(self, packet: ReadPacket, columns: Columns | None) -> None:
        if columns is None and packet.message is None:
            checked = by_protobuf(packet.data, packet.number)
            if isinstance(checked, Damaged):
                self._damaged(checked)
                return
            packet = checked
            columns = None if packet.bundle is None else decode([packet.bundle])[0]
        if packet.bundle is None or columns is None:
            self._damaged(damaged(packet.data, packet.number, "packet cannot be decoded"))
            return
        if packet.dropped:
            self._losses.dropped(packet.sequence)
        if packet.message is not None:
            self._times.defaults(packet.message)
        self._bundles.add(packet.bundle, columns, packet.sequence)

    def _message(self, found: ReadPacket) -> None:
        packet = found.message
        if found.dropped:
            self._losses.dropped(found.sequence)
        self._times.defaults(packet)
        self._state(found, packet)
        if packet.HasField("perf_sample") or packet.HasField("stack_sample"):
            self._sample(found.sequence, packet)
        elif packet.HasField("clock_snapshot"):
            self._clocks(packet.clock_snapshot)
        elif packet.HasField("process_tree"):
            self._tree(self._times.time(packet), packet.process_tree)
        elif packet.HasField("process_stats"):
            self._listed(self._times.time(packet), packet.process_stats)
        elif packet.HasField("sys_stats"):
            self._polled(self._times.time(packet), packet.sys_stats)
        elif packet.HasField("power_rails"):
            self._untimed(self._rails.add(packet.power_rails, self._times.time(packet)), "rails", "rails")
        elif packet.HasField("android_energy_estimation_breakdown"):
            breakdown = packet.android_energy_estimation_breakdown
            self._untimed(self._consumers.add(breakdown, self._times.time(packet)), "consumers", "energy consumers")
        elif packet.HasField("ftrace_stats"):
            self._losses.ftrace(packet.ftrace_stats)
        elif packet.HasField("trace_stats"):
            self._losses.service(packet.trace_stats)
        elif packet.HasField("module_symbols"):
            self._samples.symbols(packet.module_symbols)

    def _clocks(self, snapshot: Any) -> None:
        read = self._times.snapshot(snapshot.clocks)
        if BOOTTIME in read:
            self.into.snapshots.row(
                trace_ns=read[BOOTTIME],
                monotonic_ns=read.get(MONOTONIC, UNKNOWN),
                boottime_ns=read[BOOTTIME],
                realtime_ns=read.get(REALTIME, UNKNOWN),
            )

    def _tree(self, t_ns: int, tree: Any) -> None:
        for process in tree.processes:
            self.into.add_fact(t_ns, process.pid, LISTED, tgid=process.pid, name=b"".join(map(as_bytes, process.cmdline[:1])))
            if process.HasField("uid") and process.uid >= 0 and len(self._process_uids) < _PROCESSES_LIMIT:
                self._process_uids[process.pid] = process.uid
        for thread in tree.threads:
            self.into.add_fact(t_ns, thread.tid, LISTED, tgid=thread.tgid, name=as_bytes(thread.name))

    def _listed(self, t_ns: int, stats: Any) -> None:
        for process in stats.processes:
            for thread in process.threads:
                self.into.add_fact(t_ns, thread.tid, LISTED, tgid=process.pid)

    def _state(self, read: ReadPacket, packet: Any) -> None:
        """Keep what later packets of the sequence refer to."""
        if read.dropped or packet.sequence_flags & STATE_CLEARED or packet.incremental_state_cleared:
            self._samples.cleared(read.sequence)
        if packet.HasField("interned_data"):
            self._samples.interned(read.sequence, packet.interned_data)
        if packet.HasField("trace_packet_defaults"):
            self._samples.defaults(read.sequence, packet.trace_packet_defaults)

    def _sample(self, sequence: int, packet: Any) -> None:
        t_ns = self._times.time(packet)
        if packet.HasField("perf_sample"):
            has_time = self._samples.perf(sequence, t_ns, packet.perf_sample)
        else:
            has_time = self._samples.stack(sequence, t_ns, packet.stack_sample)
        self._timed(has_time)

    def _timed(self, has_time: bool) -> None:
        if not has_time:
            self.into.skip_packet(b"stack sample", f"stack samples have {_NO_TIME}")

    def _untimed(self, count: int, short: str, things: str) -> None:
        if count:
            self.into.skip_packet(f"{count} readings of {short}".encode(), f"readings of {things} have {_NO_TIME}")

    def _polled(self, t_ns: int, stats: Any) -> None:
        khz = np.array(stats.cpufreq_khz[:CPU_LIMIT], np.int64)
        online = np.flatnonzero(khz)
        if t_ns == UNKNOWN:
            if len(online):
                self.into.skip_packet(b"sys_stats", f"polled frequencies have {_NO_TIME}")
            return
        self.into.frequencies.add(cpu=online, t_ns=t_ns, khz=khz[online])

    def close(self) -> RawTrace:
        """Return the whole trace."""
        self._flush()
        self._losses.close()
        rails, consumers = self._rails.table(), self._consumers.table()
        for what, left_out in (("rails", self._rails.left_out), ("energy consumers", self._consumers.left_out)):
            for reason, count in (+left_out).items():
                self.into.warn(f"{count:,} readings of {what} were left out ({reason})")
        for event, count in self._samples.left_out.items():
            self.into.warn(f"{count:,} stack samples were left out: {event} takes them, not time")
        if self._samples.stopped:
            self.into.warn("the profiler ended before the trace: it needed more of the CPU or memory than it may")
        if self._samples.is_full:
            self.into.warn("functions of stack samples are missing: the trace has more names, frames or stacks than are read")
        raw, samples = build_trace(self.into, rails), self._samples.table()
        if samples is not None:
            samples = replace(samples, thread_names=_names_of(raw.trace.tasks, samples.tid))
        return replace(raw, trace=replace(raw.trace, consumers=consumers, process_uids=self._process_uids, samples=samples))


def _names_of(tasks: Tasks, tids: I64) -> dict[int, str]:
    """Return the last names of threads, by tid."""
    rows = np.flatnonzero((tasks.name >= 0) & np.isin(tasks.tid, np.unique(tids)))
    pairs = zip(tasks.tid[rows].tolist(), tasks.name[rows].tolist(), strict=True)
    return {tid: bytes(tasks.names[name]).decode("utf-8", "replace") for tid, name in pairs}
