"""What a dump says of each app's wake locks, alarms, scans and traffic: sums over the time on battery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

UseSource = Literal["statistics", "history"]


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
