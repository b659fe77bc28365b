"""Which entries of a power profile a component uses, and which it lacks."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.defects import MAX_MA, PLACEHOLDER_MA
from navitas.power.power_profile import PowerProfile

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Coverage:
    """The entries of one component that a profile has (`used`), and those that it lacks (`missing`), which count as 0.

    Of the used entries, `unfilled` contain only 0 or AOSP's placeholder. `invalid` contain a value below 0 or above 1,000 A,
    which counts as 0.
    """

    component: str
    used: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unfilled: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def is_covered(self) -> bool:
        """Whether the profile has a current for this component; a voltage is not enough."""
        return any(key not in self.unfilled and not key.endswith(".voltage") for key in self.used)

    @property
    def note(self) -> str:
        """The missing and doubtful entries as text, such as `profile has no gps.on`. Empty if there are none."""
        parts = [f"profile has no {_list(self.missing)}"] if self.missing else []
        if self.invalid:
            parts.append(f"{_list(self.invalid)}: a value is not between 0 and {MAX_MA:,}, 0 is used")
        if unfilled := tuple(key for key in self.unfilled if key not in self.invalid):
            parts.append(f"{_list(unfilled)}: 0 or a placeholder of {PLACEHOLDER_MA} mA")
        return "; ".join(parts)


class ProfileKeys:
    """Reads the entries of one component from a profile, and records which ones exist."""

    def __init__(self, component: str, profile: PowerProfile) -> None:
        self._component, self._profile = component, profile
        self._used: dict[str, bool] = {}
        self._invalid: dict[str, None] = {}
        self._missing: dict[str, None] = {}

    def has(self, key: str) -> bool:
        return key in self._profile.items or key in self._profile.arrays

    def values(self, key: str, *older: str, optional: bool = False) -> tuple[float, ...]:
        """Return the values of the first of these entries that exists. If none exists, `key` is missing unless `optional`."""
        found = next((name for name in (key, *older) if self.has(name)), None)
        if found is None:
            if not optional:
                self._missing[key] = None
            return ()
        values = self._profile.values(found)
        if not all(0 <= value <= MAX_MA for value in values):
            self._invalid[found] = None
            values = tuple(value if 0 <= value <= MAX_MA else 0.0 for value in values)
        self._used[found] = any(value not in (0.0, PLACEHOLDER_MA) for value in values)
        return values

    def value(self, key: str, *older: str, optional: bool = False) -> float:
        """Return the first of `values`, or 0."""
        return next(iter(self.values(key, *older, optional=optional)), 0.0)

    def coverage(self) -> Coverage:
        """Return the coverage by all entries read so far."""
        unfilled = tuple(key for key, is_filled in self._used.items() if not is_filled)
        return Coverage(self._component, tuple(self._used), tuple(self._missing), unfilled, tuple(self._invalid))


def _list(keys: tuple[str, ...]) -> str:
    more = len(keys) - _MOST_NAMED
    return ", ".join(keys[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
