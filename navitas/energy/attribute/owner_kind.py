"""Kinds of owners of energy."""

from __future__ import annotations

from enum import IntEnum


class OwnerKind(IntEnum):
    """What energy belongs to."""

    THREAD = 0
    OTHER_PROCESSES = 1
    BASE = 2
    UNATTRIBUTED = 3


NON_THREAD_OWNERS = (OwnerKind.OTHER_PROCESSES, OwnerKind.BASE, OwnerKind.UNATTRIBUTED)
"""The owners of a run that follow its threads and groups of threads, in this order."""
