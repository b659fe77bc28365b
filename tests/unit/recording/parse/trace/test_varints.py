"""Decode thousands of varints at once. Each number round-trips, and long numbers are marked."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.protobuf_writer import varint
from navitas.recording.parse.trace.perfetto_wire import LONGER, PAD, Buffer, packed

NUMBERS = st.integers(0, (1 << 64) - 1) | st.integers(0, 300) | st.integers(0, 64).map(lambda bits: (1 << bits) - 1)


@given(st.lists(NUMBERS, max_size=60), st.integers(0, 255))
def test_numbers_at_positions(numbers: list[int], behind: int) -> None:
    written = [varint(number) for number in numbers]
    places = np.cumsum([0, *map(len, written)])[:-1].astype(np.int64)
    value, size = Buffer(b"".join(written) + bytes([behind]) * PAD).varints(places)
    assert size.tolist() == [min(len(each), LONGER) for each in written]
    assert [v for v, s in zip(value.tolist(), size.tolist(), strict=True) if s < LONGER] == [n for n in numbers if n < 1 << 56]


def test_numbers_with_more_bytes_than_they_need() -> None:
    value, size = Buffer(b"\x85\x80\x80\x00" + bytes(PAD)).varints(np.array([0]))
    assert (value.tolist(), size.tolist()) == ([5], [4])


@given(st.lists(st.lists(NUMBERS, max_size=12), max_size=8))
def test_packed_arrays(arrays: list[list[int]]) -> None:
    value, ends, damaged = packed([b"".join(map(varint, array)) for array in arrays])
    assert value.tolist() == [number for array in arrays for number in array]
    assert ends.tolist() == np.cumsum([len(array) for array in arrays]).astype(int).tolist()
    assert not damaged.any()


def test_a_number_with_too_many_bytes_damages_only_its_array() -> None:
    longest = varint((1 << 64) - 1)
    arrays = [b"\x01", b"\x02" + b"\x80" * 10 + b"\x00", longest[:-1] + b"\x02", longest, b"", b"\x80" * 9 + b"\x01"]
    assert packed(arrays)[2].tolist() == [False, True, True, False, False, False]
