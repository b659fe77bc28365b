"""The memory of freed blocks, which the system clears each time that it gives it out again."""

from __future__ import annotations

import contextlib
import ctypes

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""Parameters of glibc's mallopt."""


def keep_freed_memory(kept_bytes: int, largest_bytes: int) -> None:
    """Let this process use freed blocks of up to `largest_bytes` again, and keep up to `kept_bytes`. Only glibc can do so.

    Source: mallopt(3).
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # Other C libraries do not have it.
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, kept_bytes)
        mallopt(_MMAP_THRESHOLD, largest_bytes)
        mallopt(_TOP_PAD, min(kept_bytes, largest_bytes))
