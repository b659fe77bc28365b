"""The power of a paired idle run, from its readings of rails or from a meter."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from navitas.operations.experiment_files import read_checked
from navitas.parse.clock_triples import ClockTriples
from navitas.parse.rail_readings import parse_rails
from navitas.power_statistics import parse_power_statistics

MAX_BYTES = 4 << 20
_Seconds = Annotated[float, Field(ge=0, le=1e11)]


class IdleRun(BaseModel):
    """Readings of rails before and after a time without tests, as `idle.json` has them."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    kind: Literal["rails", "statistics", "none"]
    before: str
    after: str
    uptime_s: tuple[_Seconds, _Seconds]
    unix_s: tuple[_Seconds, _Seconds]

    def power_w(self, pattern: str) -> float | None:
        """The mean power of the rails that match, of all if none does; None without readings of rails."""
        before, after = self._rails(self.before), self._rails(self.after)
        names = [name for name in before if name in after]
        chosen = [name for name in names if fnmatchcase(name.upper(), pattern.upper())] or names
        seconds = self._seconds()
        if not chosen or seconds <= 0:
            return None
        return max(sum(after[name] - before[name] for name in chosen) / seconds, 0.0)

    def _seconds(self) -> float:
        """The time between the readings, by the rail monitor's own clock if it names one."""
        times = [_own_time_s(text) for text in (self.before, self.after)] if self.kind == "rails" else []
        if len(times) == 2 and times[0] is not None and times[1] is not None:
            return times[1] - times[0]
        return self.uptime_s[1] - self.uptime_s[0]

    def _rails(self, text: str) -> dict[str, float]:
        if self.kind == "statistics":
            return parse_power_statistics(text).meters
        none = np.zeros(0, np.int64)
        found, _ = parse_rails([0], [text], ClockTriples(none, none, none))
        return {} if found is None else dict(zip(found.names, found.energy_j[0].tolist(), strict=True))


def _own_time_s(text: str) -> float | None:
    first = text.split("\n", 1)[0].strip()
    return int(first[2:]) / 1e3 if first.startswith("t=") and first[2:].isdecimal() and len(first) < 18 else None


def read_idle_run(path: Path) -> IdleRun:
    """Read `idle.json` of a case. Raises `UsageError` that names the file."""
    return read_checked(path, IdleRun.model_validate_json, MAX_BYTES)
