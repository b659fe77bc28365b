"""Perfetto traces, packet by packet: who ran where, frequencies, clocks, processes, rails, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from navitas.parse.trace.gather import CPU_LIMIT, LISTED, Gathered
from navitas.parse.trace.order import in_order
from navitas.parse.trace.perfetto_bundles import TIME_LIMIT_NS, Bundles
from navitas.parse.trace.perfetto_losses import PerfettoLosses
from navitas.parse.trace.perfetto_packets import read_packets
from navitas.parse.trace.perfetto_rails import PerfettoRails
from navitas.parse.trace.tables import UNKNOWN, RawTrace

_REALTIME, _MONOTONIC, _BOOTTIME = 1, 3, 6


def read_perfetto(source: Path | bytes) -> RawTrace:
    """Read a Perfetto trace of any size; of a cut one all that is whole.

    RecordingError when it cannot be read or is no such trace; never for what is in its packets.
    """
    reader = _Reader()
    for packet in read_packets(source, reader.into):
        reader.read(packet)
    return reader.close()


class _Reader:
    def __init__(self) -> None:
        self.into = Gathered()
        self.into.clock = "boottime"
        self._losses = PerfettoLosses(self.into)
        self._bundles = Bundles(self.into, self._losses)
        self._rails = PerfettoRails()

    def read(self, packet: Any) -> None:
        """Take what is of use in a packet; None stands for one that could not be read."""
        if packet is None:
            self._losses.damaged()
            return
        if packet.previous_packet_dropped:
            self._losses.dropped(packet.trusted_packet_sequence_id)
        if packet.HasField("ftrace_events"):
            self._bundles.decode(packet.ftrace_events, packet.trusted_packet_sequence_id)
        elif packet.HasField("clock_snapshot"):
            self._clocks(packet.clock_snapshot)
        elif packet.HasField("process_tree"):
            self._tree(_time(packet), packet.process_tree)
        elif packet.HasField("process_stats"):
            for process in packet.process_stats.processes:
                for thread in process.threads:
                    self.into.fact(_time(packet), thread.tid, LISTED, tgid=process.pid)
        elif packet.HasField("sys_stats") and packet.timestamp < TIME_LIMIT_NS:
            self._polled(packet.timestamp, packet.sys_stats)
        elif packet.HasField("power_rails"):
            self._rails.add(packet.power_rails)
        elif packet.HasField("ftrace_stats"):
            self._losses.ftrace(packet.ftrace_stats)
        elif packet.HasField("trace_stats"):
            self._losses.service(packet.trace_stats)

    def _clocks(self, snapshot: Any) -> None:
        read = {clock.clock_id: clock.timestamp for clock in snapshot.clocks if clock.timestamp < TIME_LIMIT_NS}
        if _BOOTTIME in read:
            self.into.snapshots.row(
                trace_ns=read[_BOOTTIME],
                monotonic_ns=read.get(_MONOTONIC, UNKNOWN),
                boottime_ns=read[_BOOTTIME],
                realtime_ns=read.get(_REALTIME, UNKNOWN),
            )

    def _tree(self, t_ns: int, tree: Any) -> None:
        for process in tree.processes:
            self.into.fact(t_ns, process.pid, LISTED, tgid=process.pid, name=b"".join(process.cmdline[:1]))
        for thread in tree.threads:
            self.into.fact(t_ns, thread.tid, LISTED, tgid=thread.tgid, name=thread.name)

    def _polled(self, t_ns: int, stats: Any) -> None:
        khz = np.array(stats.cpufreq_khz[:CPU_LIMIT], np.int64)
        online = np.flatnonzero(khz)
        self.into.frequencies.add(cpu=online, t_ns=t_ns, khz=khz[online])

    def close(self) -> RawTrace:
        """The whole trace."""
        self._losses.close()
        return in_order(self.into, self._rails.table())


def _time(packet: Any) -> int:
    t_ns: int = packet.timestamp
    return t_ns if 0 < t_ns < TIME_LIMIT_NS else UNKNOWN
