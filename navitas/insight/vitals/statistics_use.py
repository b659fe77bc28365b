"""Statistics of a dump → use of each uid. They advance on battery only, and partial wake locks only with the screen off.

Source of the time bases: AOSP's BatteryStatsImpl (mOnBatteryTimeBase, mOnBatteryScreenOffTimeBase), Android 8 to 16.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from navitas.android.batterystats.statistics import Statistics
from navitas.insight.vitals.device_use import Bounds, DeviceUse, HeldLock, UidUse, WakeupAlarm, idle_packages, packages_by_uid
from navitas.insight.vitals.thresholds import is_exempt

OVERLAP = "the times of wake locks that may overlap"
SHARED = "shares of the time in which several apps held wake locks"
TOTAL_ONLY = "bytes of foreground and background together"
SCANS_ONLY = "scans of foreground and background together"
_LOCK = "wake_lock_partial"
_BACKGROUND = "wake_lock_background_partial_ms"

_Sums = Mapping[tuple[str, str], float]
"""Sums of a uid's counters, by name and tag."""


def statistics_use(statistics: Statistics) -> DeviceUse:
    """Return the use since the last charge. Counters of several dumps in one file are added up, as are their times.

    Of dumps since the same reset, the last one has the statistics of all.
    """
    by_uid: defaultdict[int, defaultdict[tuple[str, str], float]] = defaultdict(lambda: defaultdict(float))
    counters = statistics.counters
    for counter in counters:
        by_uid[counter.uid][counter.name, counter.tag] += counter.value
    device: _Sums = by_uid.pop(-1, defaultdict(float))
    has_background = any(counter.name == "mobile_background_rx_bytes" for counter in counters)
    return DeviceUse(
        "statistics",
        device.get(("on_battery_ms", "")),
        device.get(("on_battery_screen_off_ms", "")),
        tuple(_use(uid, sums, has_background=has_background) for uid, sums in by_uid.items()),
        packages_by_uid(statistics.packages, by_uid),
        idle_packages(statistics.packages, by_uid),
    )


def _use(uid: int, sums: _Sums, *, has_background: bool) -> UidUse:
    locks = tuple(_locks(uid, sums))
    alarms = tuple(
        WakeupAlarm(uid, tag, round(value)) for (name, tag), value in sums.items() if name == "wakeup_alarm_count" and value > 0
    )
    return UidUse(
        uid,
        held_ms=_held(locks, sums),
        wakeups=Bounds.exactly(sum(alarm.count for alarm in alarms)),
        scans=_scans(sums),
        mobile_bytes=_bytes(sums, "mobile", has_background=has_background),
        wifi_bytes=_bytes(sums, "wifi", has_background=has_background),
        locks=locks,
        alarms=alarms,
    )


def _locks(uid: int, sums: _Sums) -> Iterable[HeldLock]:
    for (name, tag), blamed_ms in sums.items():
        if name != f"{_LOCK}_ms":
            continue
        held_ms = max(sums.get((f"{_LOCK}_actual_ms", tag), 0.0), blamed_ms)
        count = round(sums.get((f"{_LOCK}_count", tag), 0))
        if held_ms > 0 or count > 0:
            yield HeldLock(uid, tag, held_ms, count, sums.get((_BACKGROUND, tag)))


def _held(locks: tuple[HeldLock, ...], sums: _Sums) -> Bounds:
    """The time with any wake lock that counts. The dump has the time with any wake lock, and the time of each."""
    counted = [lock.held_ms for lock in locks if not is_exempt(lock.tag)]
    exempt_ms = sum(lock.held_ms for lock in locks) - sum(counted)
    longest_ms = max(counted, default=0.0)
    is_measured = all((f"{_LOCK}_actual_ms", lock.tag) in sums for lock in locks)
    any_ms = sums.get(("wake_lock_all_ms", ""))
    if any_ms:
        low_ms = min(max(any_ms - exempt_ms, longest_ms), any_ms)
        high_ms = min(any_ms, sum(counted)) if is_measured and exempt_ms else any_ms
        return Bounds(low_ms, max(low_ms, high_ms), OVERLAP if low_ms != high_ms else "")
    if not is_measured:
        return Bounds(longest_ms, None, SHARED)
    return Bounds(longest_ms, sum(counted), OVERLAP if longest_ms != sum(counted) else "")


def _scans(sums: _Sums) -> Bounds:
    background = sums.get(("wifi_scan_background_count", ""))
    if background is not None:
        return Bounds.exactly(background)
    all_scans = sums.get(("wifi_scan_count", ""), 0.0)
    return Bounds(0.0, all_scans, SCANS_ONLY if all_scans else "")


def _bytes(sums: _Sums, medium: str, *, has_background: bool) -> Bounds:
    background = [sums.get((f"{medium}_background_{way}_bytes", "")) for way in ("rx", "tx")]
    if has_background:
        return Bounds.exactly(sum(value or 0.0 for value in background))
    total = sum(sums.get((f"{medium}_{way}_bytes", ""), 0.0) for way in ("rx", "tx"))
    return Bounds(0.0, total, TOTAL_ONLY if total else "")
