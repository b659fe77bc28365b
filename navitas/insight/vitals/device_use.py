"""What a dump says of each app's wake locks, alarms, scans and traffic: sums over the time on battery. And its uids' names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from navitas.android.ids import UIDS_PER_USER

UseSource = Literal["statistics", "history"]
_Tagged = TypeVar("_Tagged", "HeldLock", "WakeupAlarm")


@dataclass(frozen=True, slots=True)
class Bounds:
    """An amount that is between two values. `high` is None if nothing limits it. `why` explains a difference."""

    low: float
    high: float | None
    why: str = ""

    @classmethod
    def exactly(cls, value: float) -> Bounds:
        """A known amount."""
        return cls(value, value)

    @property
    def is_exact(self) -> bool:
        """Whether the amount is known."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A partial wake lock of an app, while on battery with the screen off. `background_ms` is None if the dump has none.

    In a history, `all_ms` is the time at which it was held, whatever the screen and the charger did; else None.
    `is_first_only`: the history names only the first of several wake locks that are held together.
    """

    uid: int
    tag: str
    held_ms: float
    count: int
    background_ms: float | None = None
    all_ms: float | None = None
    is_first_only: bool = False


@dataclass(frozen=True, slots=True)
class WakeupAlarm:
    """How many times an alarm of an app woke the phone, while on battery. `all_count`: in a history, also on a charger."""

    uid: int
    tag: str
    count: int
    all_count: int | None = None


@dataclass(frozen=True, slots=True)
class UidUse:
    """The use of one uid. None: the dump does not have it. `wifi_bytes` has no limit of Play."""

    uid: int
    held_ms: Bounds | None
    wakeups: Bounds | None
    scans: Bounds | None
    mobile_bytes: Bounds | None
    wifi_bytes: Bounds | None
    locks: tuple[HeldLock, ...] = ()
    alarms: tuple[WakeupAlarm, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """The use of all uids in `on_battery_ms`, of which the screen was off for `screen_off_ms`. None: not in the dump.

    `packages` are those of each uid, as far as the dump names them. `idle` are packages without use, by uid.
    """

    source: UseSource
    on_battery_ms: float | None
    screen_off_ms: float | None
    uids: tuple[UidUse, ...]
    packages: Mapping[int, tuple[str, ...]]
    idle: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


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
    locks = [lock for use in uses for lock in use.locks]
    first_only = {lock.tag for lock in locks if lock.is_first_only}
    locks = [replace(lock, is_first_only=lock.tag in first_only) for lock in locks]
    alarms = _by_tag((alarm for use in uses for alarm in use.alarms), "count", "all_count")
    return UidUse(uses[0].uid, **sums, locks=_by_tag(locks, "held_ms", "count", "background_ms", "all_ms"), alarms=alarms)


def _by_tag(records: Iterable[_Tagged], *summed: str) -> tuple[_Tagged, ...]:
    """Return one record for each tag, with the sums of these amounts."""
    found: dict[str, _Tagged] = {}
    for one in records:
        parts = [found[one.tag], one] if one.tag in found else [one]
        sums: dict[str, Any] = {name: _sum(getattr(part, name) for part in parts) for name in summed}
        found[one.tag] = replace(parts[0], **sums)
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


def packages_by_uid(named: Iterable[tuple[int, str]], uids: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
    """Return the packages of each uid, sorted. A dump names those of app ids: they hold for every user of the phone."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    for uid, package in named:
        found[uid].add(package)
    return {uid: tuple(sorted(names)) for uid in uids if (names := found.get(uid) or found.get(uid % UIDS_PER_USER))}


def idle_packages(named: Iterable[tuple[int, str]], uids: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
    """Return the packages of the app ids that none of `uids` has."""
    used = {uid % UIDS_PER_USER for uid in uids}
    named = [one for one in named if one[0] % UIDS_PER_USER not in used]
    return packages_by_uid(named, {uid for uid, _ in named})


def uid_text(uid: int) -> str:
    """Return a uid as Android prints it: `u0a123`, or `1000`."""
    user, app = divmod(uid, UIDS_PER_USER)
    return f"u{user}a{app - 10_000}" if uid >= 0 and 10_000 <= app < 90_000 else str(uid)


def app_name(uid: int, packages: Mapping[int, Sequence[str]]) -> str:
    """Return the packages of a uid as one name, or its uid if the dump names none."""
    names = packages.get(uid, ())
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else uid_text(uid)
