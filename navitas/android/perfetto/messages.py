"""Perfetto's message classes, which the package `perfetto` generates from the public schema, and its TraceConfig."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError


def message_class(name: str) -> Any:
    """Return the class of a message in `perfetto.protos`.

    Imports the schema on the first call, because that takes 40 ms: it has thousands of messages.
    """
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2  # noqa: PLC0415

    return getattr(perfetto_trace_pb2, name)


def as_bytes(text: str | bytes) -> bytes:
    """Return the bytes of a `string` field. Kernels don't promise UTF-8; protobuf returns invalid strings as bytes."""
    return text if isinstance(text, bytes) else text.encode()


def read_config(data: bytes, *, is_text: bool) -> Any:
    """Parse a configuration. Raises `ValueError` with the cause."""
    from google.protobuf import text_format  # noqa: PLC0415  # Only here, since it takes as long to import as the schema.

    config = message_class("TraceConfig")()
    try:
        if is_text:
            text_format.Parse(data.decode("utf-8", "replace"), config)
        else:
            config.ParseFromString(data)
    except (text_format.ParseError, DecodeError) as error:
        raise ValueError(str(error)) from None
    return config


def binary_config(text: str) -> bytes:
    """Convert a configuration from text to bytes."""
    data: bytes = read_config(text.encode(), is_text=True).SerializeToString()
    return data
