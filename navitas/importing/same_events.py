"""Refuses measurements that are given twice: they would count as repeats without any spread."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.errors import UsageError
from navitas.importing.processes import LoggedProcess


def check_different(processes: Sequence[LoggedProcess]) -> None:
    """Raise `UsageError` if two processes share an event: the same entry or exit at the same counters, in the same process."""
    seen: dict[int, LoggedProcess] = {}
    for process in processes:
        for event in process.events:
            if event.layout:
                of_event = hash((event.pid, event.tid, event.is_entry, event.method, event.ticks.tobytes()))
                before = seen.setdefault(of_event, process)
                if before is not process:
                    raise _same(before, process)


def _same(one: LoggedProcess, other: LoggedProcess) -> UsageError:
    if one.log.shown == other.log.shown and one.test == other.test:
        return UsageError(f"{one.log.shown} is given twice", "Give each log once.")
    return UsageError(
        f"{one.log.shown} and {other.log.shown} have the same measurements of process {one.pid}",
        "Give one of them. A copy, or a later dump of the same log buffer, is not another repeat.",
    )
