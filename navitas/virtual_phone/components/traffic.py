"""Traffic of a network interface as the phone counts it, and how a socket's payload becomes packets on Wi-Fi."""

from __future__ import annotations

import operator
from dataclasses import astuple, dataclass

from navitas.virtual_phone.components.sock_diag import TcpSocket

# Ethernet 14, IPv4 20, TCP with timestamps 32.
HEADER_BYTES = 66
# An MTU of 1,500 bytes without the headers of IP and TCP. The host's loopback has larger packets.
SEGMENT_BYTES = 1448
# RFC 1122: at least every second segment is acknowledged.
_SEGMENTS_PER_ACK = 2


@dataclass(frozen=True, slots=True)
class AirTraffic:
    """Bytes (with headers) and packets in both directions."""

    rx_bytes: int = 0
    rx_packets: int = 0
    tx_bytes: int = 0
    tx_packets: int = 0

    def __add__(self, other: AirTraffic) -> AirTraffic:
        return AirTraffic(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: AirTraffic) -> AirTraffic:
        return AirTraffic(*map(operator.sub, astuple(self), astuple(other)))

    def __bool__(self) -> bool:
        return bool(self.rx_packets or self.tx_packets)


def on_the_air(tcp: TcpSocket) -> AirTraffic:
    """Return what a socket's traffic would be with packets of 1,500 bytes. It never decreases as the socket's counters grow."""
    tx_data = max(tcp.sent_data_segments, -(-tcp.sent_bytes // SEGMENT_BYTES))
    rx_data = max(tcp.received_data_segments, -(-tcp.received_bytes // SEGMENT_BYTES))
    tx_packets = tx_data + max(tcp.sent_segments - tcp.sent_data_segments, rx_data // _SEGMENTS_PER_ACK)
    rx_packets = rx_data + max(tcp.received_segments - tcp.received_data_segments, tx_data // _SEGMENTS_PER_ACK)
    return AirTraffic(
        tcp.received_bytes + HEADER_BYTES * rx_packets, rx_packets, tcp.sent_bytes + HEADER_BYTES * tx_packets, tx_packets
    )
