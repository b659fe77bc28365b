"""Perfetto traces, packet by packet: who ran where, frequencies, clocks, processes, rails, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from navitas.parse.trace.gather import CPU_LIMIT, LISTED, Gathered
from navitas.parse.trace.order import in_order
from navitas.parse.trace.perfetto_bundles import Bundles
from navitas.parse.trace.perfetto_clocks import BOOTTIME, MONOTONIC, REALTIME, PacketClocks
from navitas.parse.trace.perfetto_losses import PerfettoLosses
from navitas.parse.trace.perfetto_packets import read_packets
from navitas.parse.trace.perfetto_rails import PerfettoRails
from navitas.parse.trace.tables import UNKNOWN, RawTrace
from navitas.perfetto.messages import as_bytes

_NO_TIME = "no time, or one of an unknown clock"


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
        self._times = PacketClocks()

    def read(self, packet: Any) -> None:
        """Take what is of use in a packet; None stands for one that could not be read."""
        if packet is None:
            self._losses.damaged()
            return
        if packet.previous_packet_dropped:
            self._losses.dropped(packet.trusted_packet_sequence_id)
        self._times.defaults(packet)
        if packet.HasField("ftrace_events"):
            self._bundles.decode(packet.ftrace_events, packet.trusted_packet_sequence_id)
        elif packet.HasField("clock_snapshot"):
            self._clocks(packet.clock_snapshot)
        elif packet.HasField("process_tree"):
            self._tree(self._times.time(packet), packet.process_tree)
        elif packet.HasField("process_stats"):
            self._listed(self._times.time(packet), packet.process_stats)
        elif packet.HasField("sys_stats"):
            self._polled(self._times.time(packet), packet.sys_stats)
        elif packet.HasField("power_rails"):
            self._energy(self._times.time(packet), packet.power_rails)
        elif packet.HasField("ftrace_stats"):
            self._losses.ftrace(packet.ftrace_stats)
        elif packet.HasField("trace_stats"):
            self._losses.service(packet.trace_stats)

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
            self.into.fact(t_ns, process.pid, LISTED, tgid=process.pid, name=b"".join(map(as_bytes, process.cmdline[:1])))
        for thread in tree.threads:
            self.into.fact(t_ns, thread.tid, LISTED, tgid=thread.tgid, name=as_bytes(thread.name))

    def _listed(self, t_ns: int, stats: Any) -> None:
        for process in stats.processes:
            for thread in process.threads:
                self.into.fact(t_ns, thread.tid, LISTED, tgid=process.pid)

    def _energy(self, t_ns: int, rails: Any) -> None:
        if untimed := self._rails.add(rails, t_ns):
            self.into.skip_packet(f"{untimed} readings of rails".encode(), f"readings of rails have {_NO_TIME}")

    def _polled(self, t_ns: int, stats: Any) -> None:
        khz = np.array(stats.cpufreq_khz[:CPU_LIMIT], np.int64)
        online = np.flatnonzero(khz)
        if t_ns == UNKNOWN:
            if len(online):
                self.into.skip_packet(b"sys_stats", f"polled frequencies have {_NO_TIME}")
            return
        self.into.frequencies.add(cpu=online, t_ns=t_ns, khz=khz[online])

    def close(self) -> RawTrace:
        """The whole trace."""
        self._losses.close()
        return in_order(self.into, self._rails.table())
