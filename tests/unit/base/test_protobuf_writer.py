"""Fields written by hand: protobuf reads the same values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from navitas.android.perfetto.messages import message_class
from navitas.base.protobuf_writer import content, double, number, packed, varint

SIGNED = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-300, 300)


@given(SIGNED, st.floats(allow_nan=False), st.text(st.characters(exclude_categories=["Cs"])))
def test_protobuf_reads_integers_doubles_and_text(integer: int, real: float, text: str) -> None:
    of_integer = message_class("DebugAnnotation").FromString(number(4, integer) + content(10, text))
    assert (of_integer.int_value, of_integer.name) == (integer, text)
    assert message_class("DebugAnnotation").FromString(double(5, real)).double_value == real


@given(st.lists(st.integers(0, (1 << 64) - 1)))
def test_protobuf_reads_arrays(values: list[int]) -> None:
    assert list(message_class("StackSample").FromString(packed(14, values)).follower_weights) == values


def test_integers_take_as_few_bytes_as_possible() -> None:
    assert [len(varint(value)) for value in (0, 0x7F, 0x80, 0x3FFF, 0x4000, -1)] == [1, 1, 2, 2, 3, 10]
