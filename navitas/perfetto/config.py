"""Perfetto's TraceConfig, as text for `perfetto --txt` or as bytes for Android 9."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from navitas.perfetto.messages import message_class


def read_config(data: bytes, *, is_text: bool) -> Any:
    """Parse a configuration. Raises `ValueError` with the cause."""
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
