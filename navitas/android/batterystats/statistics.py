"""Collects what the statistics of a dump say, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from navitas.android.batterystats.tables import UsageCounter

MOST_ROWS = 200_000
_OF_PACKAGES = "wakeup_alarm_count"
"""Several packages of a user may have an alarm of the same name. Android prints all other counters once in a dump."""

_Counters = dict[tuple[int, str, str], float]
"""Counters of one dump, by user, name and tag."""
ANY_USE = "any_use"
"""A counter of users that did something: of many uses, nothing else is read."""


@dataclass(slots=True)
class Statistics:
    """Counters and packages, at most `MOST_ROWS` of each. `dropped` counts the others.

    - `is_begun`: whether the dump has statistics since the last charge, even if no counter follows.
    - `repeated`: how many counters of `--checkin` a dump has more than once. The first ones count.
    - `replaced`: how many dumps a later one replaces, since it has the same statistics, and newer ones.
    """

    packages: list[tuple[int, str]] = field(default_factory=list)
    dropped: int = 0
    is_begun: bool = False
    repeated: int = 0
    replaced: int = 0
    _dumps: list[_Counters] = field(default_factory=lambda: [{}])
    _resets: dict[str, _Counters] = field(default_factory=dict)
    _has_reset: bool = False
    _size: int = 0

    @property
    def counters(self) -> list[UsageCounter]:
        """The counters of all dumps that count."""
        return list(self._rows())

    @property
    def has_users(self) -> bool:
        """Whether a counter is one of a user."""
        return any(uid >= 0 for dump in self._dumps for uid, _, _ in dump)

    def _rows(self) -> Iterator[UsageCounter]:
        for dump in self._dumps:
            for key, value in dump.items():
                yield UsageCounter(*key, value)

    def begin_dump(self) -> None:
        """Begin another dump. Its counters are added to those of the dumps before."""
        self._has_reset = False
        if self._dumps[-1]:
            self._dumps.append({})

    def reset_at(self, time: str) -> None:
        """Note when the statistics of the dump began. An earlier dump that began at the same time is replaced."""
        if self._has_reset or len(self._resets) >= MOST_ROWS:
            return
        earlier, this = self._resets.get(time, {}), self._dumps[-1]
        if earlier and earlier is not this:
            self._size -= len(earlier)
            earlier.clear()
            self.replaced += 1
        self._resets[time], self._has_reset = this, True

    def add_counter(self, uid: int, name: str, tag: str, value: float) -> bool:
        """Add a counter. Returns whether the dump did not have it yet."""
        key, dump = (uid, name, tag), self._dumps[-1]
        if key in dump:
            if name == _OF_PACKAGES:
                dump[key] += value
            return name == _OF_PACKAGES
        if self._size < MOST_ROWS:
            dump[key] = value
            self._size += 1
        else:
            self.dropped += 1
        return True

    def add_package(self, uid: int, name: str) -> None:
        """Add a package of an app."""
        if len(self.packages) < MOST_ROWS:
            self.packages.append((uid, name))
        else:
            self.dropped += 1
