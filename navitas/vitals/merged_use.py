"""Adds up the use of several times, such as the runs of a recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from navitas.vitals.device_use import Bounds, DeviceUse, HeldLock, UidUse, WakeupAlarm


def merged_use(parts: Sequence[DeviceUse]) -> DeviceUse:
    """Return the sums over at least one part, all from the same source."""
    by_uid: defaultdict[int, list[UidUse]] = defaultdict(list)
    for part in parts:
        for use in part.uids:
            by_uid[use.uid].append(use)
    return DeviceUse(
        parts[0].source,
        _sum(part.on_battery_ms for part in parts),
        _sum(part.screen_off_ms for part in parts),
        tuple(_merged(uses) for uses in by_uid.values()),
        {uid: names for part in parts for uid, names in part.packages.items()},
    )


def _merged(uses: Sequence[UidUse]) -> UidUse:
    columns = ("held_ms", "wakeups", "scans", "mobile_bytes", "wifi_bytes")
    sums = {name: _sum_of_bounds([getattr(use, name) for use in uses]) for name in columns}
    return UidUse(uses[0].uid, **sums, locks=_locks(uses), alarms=_alarms(uses))


def _locks(uses: Sequence[UidUse]) -> tuple[HeldLock, ...]:
    found: dict[str, HeldLock] = {}
    for lock in (lock for use in uses for lock in use.locks):
        old = found.get(lock.tag)
        found[lock.tag] = lock if old is None else replace(
            old,
            held_ms=old.held_ms + lock.held_ms,
            count=old.count + lock.count,
            background_ms=_sum([old.background_ms, lock.background_ms]),
            all_ms=_sum([old.all_ms, lock.all_ms]),
            is_first_only=old.is_first_only or lock.is_first_only,
        )  # fmt: skip
    return tuple(found.values())


def _alarms(uses: Sequence[UidUse]) -> tuple[WakeupAlarm, ...]:
    found: dict[str, WakeupAlarm] = {}
    for alarm in (alarm for use in uses for alarm in use.alarms):
        old = found.get(alarm.tag)
        found[alarm.tag] = alarm if old is None else replace(
            old,
            count=old.count + alarm.count,
            all_count=None if old.all_count is None or alarm.all_count is None else old.all_count + alarm.all_count,
        )  # fmt: skip
    return tuple(found.values())


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum; None if a value is unknown."""
    found = list(values)
    return None if any(value is None for value in found) else sum(value for value in found if value is not None)


def _sum_of_bounds(parts: Sequence[Bounds | None]) -> Bounds | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Bounds(sum(part.low for part in known), _sum(part.high for part in known), known[0].why)
