"""Perfetto's message classes, which the package `perfetto` generates from the public schema."""

from __future__ import annotations

from typing import Any


def message_class(name: str) -> Any:
    """Return the class of a message in `perfetto.protos`.

    Imports the schema on the first call, because that takes 40 ms: it has thousands of messages.
    """
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2  # noqa: PLC0415

    return getattr(perfetto_trace_pb2, name)


def as_bytes(text: str | bytes) -> bytes:
    """Return the bytes of a `string` field. Kernels don't promise UTF-8; protobuf returns invalid strings as bytes."""
    return text if isinstance(text, bytes) else text.encode()
