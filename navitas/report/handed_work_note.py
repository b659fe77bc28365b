"""What reports say of handed work whose energy is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.analyze.handed_work import HandedWork


def unmeasured_note(found: Sequence[HandedWork]) -> str:
    """Return a sentence about work that ran on threads without probes. Empty without such work."""
    tasks = sum(one.unmeasured_tasks for one in found)
    if not tasks:
        return ""
    ran = "1 task ran on a thread" if tasks == 1 else f"{tasks:,} tasks ran on threads"
    return f"{ran} without probes, so {'its' if tasks == 1 else 'their'} time and energy are unknown."
