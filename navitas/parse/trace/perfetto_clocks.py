"""The time of a Perfetto packet on the trace's clock, boottime, whichever clock the packet names."""

from __future__ import annotations

from typing import Any, Final

from navitas.parse.trace.trace_tables import UNKNOWN

TIME_LIMIT_NS: Final = 1 << 61
REALTIME: Final = 1
MONOTONIC: Final = 3
BOOTTIME: Final = 6
_MOST_SEQUENCES = 4096
# Clocks from here on are a sequence's own, in units of its own: no packet that is read here has its time by one.
_FIRST_OF_SEQUENCE = 64


class PacketClocks:
    """Reads clock snapshots and packets in the file's order (Perfetto: TracePacket.timestamp_clock_id, TracePacketDefaults)."""

    def __init__(self) -> None:
        self._behind_ns: dict[int, int] = {BOOTTIME: 0}
        self._default_of: dict[int, int] = {}

    def snapshot(self, clocks: Any) -> dict[int, int]:
        """The readings of a snapshot by clock; packets that follow are converted by it."""
        read = {clock.clock_id: clock.timestamp for clock in clocks if 0 < clock.timestamp < TIME_LIMIT_NS}
        if BOOTTIME in read:
            known = {number: t_ns for number, t_ns in read.items() if number < _FIRST_OF_SEQUENCE}
            self._behind_ns |= {number: read[BOOTTIME] - t_ns for number, t_ns in known.items()}
        return read

    def defaults(self, packet: Any) -> None:
        """A packet's defaults hold for its sequence from then on."""
        sequence = packet.trusted_packet_sequence_id
        has_room = sequence in self._default_of or len(self._default_of) < _MOST_SEQUENCES
        if packet.HasField("trace_packet_defaults") and has_room:
            self._default_of[sequence] = packet.trace_packet_defaults.timestamp_clock_id

    def time(self, packet: Any) -> int:
        """The packet's boottime; `UNKNOWN` where it has no timestamp, or one of a clock that no snapshot before it has."""
        clock = packet.timestamp_clock_id or self._default_of.get(packet.trusted_packet_sequence_id) or BOOTTIME
        behind_ns = self._behind_ns.get(clock)
        if behind_ns is None or not 0 < packet.timestamp < TIME_LIMIT_NS:
            return UNKNOWN
        t_ns: int = packet.timestamp + behind_ns
        return t_ns if 0 < t_ns < TIME_LIMIT_NS else UNKNOWN
