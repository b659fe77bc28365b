"""Counts once what several dumps of a log buffer have: it keeps the processes of earlier tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from navitas.errors import UsageError
from navitas.importing.measured_log import LogPart, MeasuredLog
from navitas.importing.probe_event import ProbeEvent


class _Test(NamedTuple):
    log: MeasuredLog
    part: LogPart


def count_once(logs: Sequence[MeasuredLog]) -> None:
    """Leave each event only in the first dump that has it, and later events of the same process there, too.

    The first dump is that with the earliest end, or the first given one if some log has no times. Each log counts what was left
    out. Events that one dump has several times stay.

    Raises `UsageError` for a log that has nothing else: it is given twice.
    """
    tests = [_Test(log, part) for log in logs for part in log.parts]
    dumps = [(test, events) for test in tests for events in test.part.take_dumps()]
    if all(event.realtime_ns is not None for _, events in dumps for event in events):
        dumps.sort(key=lambda dump: max(event.realtime_ns or 0 for event in dump[1]))
    counts: Counter[int] = Counter()
    homes: dict[int, _Test] = {}
    earlier: dict[int, tuple[_Test, int]] = {}
    for test, events in dumps:
        own: Counter[int] = Counter()
        continued: dict[int, _Test] = {}
        for event in events:
            if (identity := _identity(event)) is None:
                test.part.events.append(event)
                continue
            own[identity] += 1
            if own[identity] <= counts[identity]:
                test.log.repeated[test.part.name] += 1
                continued.setdefault(event.pid, homes[identity])
                earlier.setdefault(id(test.log), (homes[identity], event.pid))
            else:
                # Without process ids, the rest can be of any process.
                home = homes.setdefault(identity, continued.get(event.pid, test) if event.pid else test)
                home.part.events.append(event)
        counts |= own
    for log in logs:
        if not any(part.events for part in log.parts) and (found := earlier.get(id(log))):
            raise _same(found[0].log, log, found[1])


def _identity(event: ProbeEvent) -> int | None:
    """Return the same number for the same entry or exit in another dump: at the same counters, or times. None without both."""
    reading = (event.layout, event.ticks.tobytes()) if event.layout else event.realtime_ns
    return None if reading is None else hash((event.pid, event.tid, event.is_entry, event.method, reading))


def _same(first: MeasuredLog, other: MeasuredLog, pid: int) -> UsageError:
    if first.shown == other.shown:
        return UsageError(f"{first.shown} is given twice", "Give each log once.")
    return UsageError(
        f"{first.shown} and {other.shown} have the same measurements of process {pid}",
        "Give one of them. A copy, or a later dump of the same log buffer, is not another repeat.",
    )
