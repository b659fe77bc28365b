"""Energy of components whose power depends on what happened before: ramps, searches and radio tails. All times in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Ramp:
    """A level that follows its target, at most `1 / full_s` per second."""

    full_s: float
    level: float = 0.0

    def step(self, dt_s: float, target: float) -> float:
        """Advance, and return the integral of the level."""
        need_s = abs(target - self.level) * self.full_s
        moving_s = min(need_s, dt_s)
        start = self.level
        if moving_s < need_s:
            self.level += (target - start) * moving_s / need_s
        else:
            self.level = target
        return (start + self.level) / 2 * moving_s + self.level * (dt_s - moving_s)


@dataclass(slots=True)
class Hold:
    """Something that stays on for `hold_s` after its last use."""

    hold_s: float
    left_s: float = 0.0

    def step(self, dt_s: float, used: bool) -> float:
        """Advance, and return the time for which it was on."""
        if used:
            self.left_s = self.hold_s
            return dt_s
        on_s = min(self.left_s, dt_s)
        self.left_s -= on_s
        return on_s


@dataclass(slots=True)
class Search:
    """The start of a use, `search_s` long, that takes more power. A new use after a pause searches again."""

    search_s: float
    left_s: float = -1.0

    def step(self, dt_s: float, used: bool) -> float:
        """Advance, and return the time of searching."""
        if not used:
            self.left_s = -1.0
            return 0.0
        if self.left_s < 0:
            self.left_s = self.search_s
        searching_s = min(self.left_s, dt_s)
        self.left_s -= searching_s
        return searching_s


@dataclass(frozen=True, slots=True)
class AirTime:
    """Times of a radio."""

    rx_s: float = 0.0
    tx_s: float = 0.0
    tail_s: float = 0.0
    sleep_s: float = 0.0

    def __add__(self, other: AirTime) -> AirTime:
        return AirTime(self.rx_s + other.rx_s, self.tx_s + other.tx_s, self.tail_s + other.tail_s, self.sleep_s + other.sleep_s)

    def __sub__(self, other: AirTime) -> AirTime:
        return AirTime(self.rx_s - other.rx_s, self.tx_s - other.tx_s, self.tail_s - other.tail_s, self.sleep_s - other.sleep_s)


@dataclass(slots=True)
class RadioLoad:
    """A radio that receives or sends one bit at a time, then stays awake for `tail_s`, then sleeps.

    Data that does not fit into a step is transferred in later ones.
    """

    bits_per_s: float
    tail: Hold
    rx_left_s: float = 0.0
    tx_left_s: float = 0.0

    def step(self, dt_s: float, is_on: bool, rx_bytes: int, tx_bytes: int, *, stays_awake: bool = False) -> AirTime:
        """Advance, with the bytes of this step. Returns how the time divides; nothing if it is off and has no data.

        A radio that `stays_awake` has a tail of any length.
        """
        self.rx_left_s += rx_bytes * 8 / self.bits_per_s
        self.tx_left_s += tx_bytes * 8 / self.bits_per_s
        tx_s = min(self.tx_left_s, dt_s)
        rx_s = min(self.rx_left_s, dt_s - tx_s)
        self.tx_left_s -= tx_s
        self.rx_left_s -= rx_s
        idle_s = dt_s - tx_s - rx_s
        if tx_s or rx_s:
            self.tail.step(0.0, True)
        if not is_on:
            self.tail.left_s = 0.0
            return AirTime(rx_s, tx_s)
        tail_s = self.tail.step(idle_s, False)
        tail_s = idle_s if stays_awake else tail_s
        return AirTime(rx_s, tx_s, tail_s, idle_s - tail_s)
