"""Packets of the adb transport protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.capture.device import shell_v2
from navitas.virtual_phone import wire
from navitas.virtual_phone.wire import Command, Packet, WireError

packets = st.builds(
    Packet, st.sampled_from(Command), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.binary(max_size=5000)
)


@given(packets, st.booleans())
def test_a_packet_survives_the_wire(packet: Packet, with_checksum: bool) -> None:
    data = wire.encode(packet, with_checksum=with_checksum)
    header = wire.decode_header(data[: wire.HEADER_BYTES])
    assert wire.decode_payload(header, data[wire.HEADER_BYTES :], verify=with_checksum) == packet


def test_a_known_packet_has_the_known_bytes() -> None:
    # An OPEN of stream 1, as a host sends it.
    expected = bytes.fromhex("4f50454e 01000000 00000000 05000000 f7010000 b0afbab1") + b"sync:"
    assert wire.encode(Packet(Command.OPEN, 1, 0, b"sync:")) == expected


@given(packets)
def test_a_flipped_payload_byte_is_noticed(packet: Packet) -> None:
    if not packet.payload:
        return
    data = bytearray(wire.encode(packet))
    data[-1] ^= 0x10
    header = wire.decode_header(bytes(data[: wire.HEADER_BYTES]))
    with pytest.raises(WireError, match="checksum"):
        wire.decode_payload(header, bytes(data[wire.HEADER_BYTES :]), verify=True)


@given(st.binary(min_size=wire.HEADER_BYTES, max_size=wire.HEADER_BYTES))
def test_any_24_bytes_are_a_header_or_an_error(data: bytes) -> None:
    try:
        header = wire.decode_header(data)
    except WireError:
        return
    assert header.length <= wire.MAX_PAYLOAD


def test_a_payload_longer_than_agreed_is_refused_before_it_is_read() -> None:
    data = wire.encode(Packet(Command.WRTE, 1, 1, bytes(5000)))
    with pytest.raises(WireError, match="5000"):
        wire.decode_header(data[: wire.HEADER_BYTES], max_payload=4096)


@given(st.lists(st.tuples(st.sampled_from(shell_v2.Id), st.binary(max_size=300))), st.integers(1, 50))
def test_shell_packets_survive_any_cutting(packets: list[tuple[shell_v2.Id, bytes]], size: int) -> None:
    data = b"".join(shell_v2.encode(packet_id, content) for packet_id, content in packets)
    decoder = shell_v2.Decoder()
    found = [packet for start in range(0, len(data), size) for packet in decoder.feed(data[start : start + size])]
    assert found == packets
