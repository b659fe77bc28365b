"""Perfetto's messages: the classes that the package `perfetto` generates from the public schema."""

from __future__ import annotations

from typing import Any


def message_class(name: str) -> Any:
    """The class of a message of the schema's package `perfetto.protos`.

    The schema has thousands of messages. Importing it takes 40 ms, so the first call does.
    """
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2  # noqa: PLC0415

    return getattr(perfetto_trace_pb2, name)


def as_bytes(text: str | bytes) -> bytes:
    """A field of type `string`. Kernels don't promise UTF-8; protobuf returns such a field's bytes."""
    return text if isinstance(text, bytes) else text.encode()
