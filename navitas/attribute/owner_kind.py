"""Who energy belongs to."""

from __future__ import annotations

from enum import IntEnum


class OwnerKind(IntEnum):
    """Who energy belongs to."""

    THREAD = 0
    OTHER_PROCESSES = 1
    BASE = 2
    UNATTRIBUTED = 3


BESIDE_THREADS = (OwnerKind.OTHER_PROCESSES, OwnerKind.BASE, OwnerKind.UNATTRIBUTED)
"""A run's owners after its threads and groups of threads, in this order."""
