"""Convert times of Perfetto packets from any clock to the trace's clock, boottime."""

from __future__ import annotations

from typing import Any, Final

from navitas.recording.parse.trace.trace_tables import UNKNOWN

TIME_LIMIT_NS: Final = 1 << 61
REALTIME: Final = 1
MONOTONIC: Final = 3
BOOTTIME: Final = 6
_MAX_SEQUENCES = 4096
# Clock ids from here on belong to one sequence and have its unit. No packet that is read here uses one for its time.
_FIRST_OF_SEQUENCE = 64


class PacketClocks:
    """Reads clock snapshots and packets in file order (Perfetto: TracePacket.timestamp_clock_id, TracePacketDefaults)."""

    def __init__(self) -> None:
        self._behind_ns: dict[int, int] = {BOOTTIME: 0}
        self._default_of: dict[int, int] = {}

    def snapshot(self, clocks: Any) -> dict[int, int]:
        """Return the readings of a snapshot by clock. Later packets are converted by it."""
        read = {clock.clock_id: clock.timestamp for clock in clocks if 0 < clock.timestamp < TIME_LIMIT_NS}
        if BOOTTIME in read:
            known = {number: t_ns for number, t_ns in read.items() if number < _FIRST_OF_SEQUENCE}
            self._behind_ns |= {number: read[BOOTTIME] - t_ns for number, t_ns in known.items()}
        return read

    def defaults(self, packet: Any) -> None:
        """Keep a packet's defaults, which apply to later packets of its sequence."""
        sequence = packet.trusted_packet_sequence_id
        has_room = sequence in self._default_of or len(self._default_of) < _MAX_SEQUENCES
        if packet.HasField("trace_packet_defaults") and has_room:
            self._default_of[sequence] = packet.trace_packet_defaults.timestamp_clock_id

    def time(self, packet: Any) -> int:
        """Return the packet's boottime, or `UNKNOWN` without a timestamp or if no earlier snapshot has its clock."""
        clock = packet.timestamp_clock_id or self._default_of.get(packet.trusted_packet_sequence_id) or BOOTTIME
        behind_ns = self._behind_ns.get(clock)
        if behind_ns is None or not 0 < packet.timestamp < TIME_LIMIT_NS:
            return UNKNOWN
        t_ns: int = packet.timestamp + behind_ns
        return t_ns if 0 < t_ns < TIME_LIMIT_NS else UNKNOWN
