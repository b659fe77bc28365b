"""The measured energy of an execution case: rails or a meter in the test's windows, less the power of a paired idle run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from navitas.android.power_statistics import parse_power_statistics
from navitas.base.errors import RecordingError
from navitas.insight.operations.case_plan import read_checked
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.rail_readings import RailReadings, parse_rails
from navitas.recording.parse.tables import RunTables

_NS_PER_S = 1e9
MAX_BYTES = 4 << 20
_Seconds = Annotated[float, Field(ge=0, le=1e11)]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run of a test: its wall time, its energy by rails, and the mean frequency of all policies in kHz (0: unknown)."""

    wall_s: float
    energy_j: float
    frequency_khz: float


@dataclass(frozen=True, slots=True)
class CaseEnergy:
    """The energy of a case in joules, above idle: the mean of its runs, and their standard deviation (0 for one run).

    `idle_j` was subtracted. `wall_s` is the mean wall time.
    """

    energy_j: float
    deviation_j: float
    idle_j: float
    wall_s: float
    frequency_khz: float
    runs: int


def measured_runs(parsed: ParsedRecording, rails: str, place: str) -> Iterator[MeasuredRun]:
    """Yield the runs of all tests. `rails` is a pattern of names; if none matches, all rails count.

    Raises `RecordingError` with `place` if a run with tests has no rails, or none at its start or end.
    """
    for run in parsed.runs:
        for window in run.app.windows:
            if run.devices.rails is None or len(run.devices.rails.t_ns) < 2:
                remedy = "Measure on a phone with power rails, or give --meter FILE."
                raise RecordingError(f"{place}: run {run.run_id} has no readings of power rails", remedy)
            if run.devices.rails.t_ns[0] > window.start_ns or run.devices.rails.t_ns[-1] < window.end_ns:
                what = f"run {run.run_id} has power rails for a part of its test only"
                raise RecordingError(f"{place}: {what}", "Run the case again.")
            energy_j = rails_energy_j(run.devices.rails, rails, window.start_ns, window.end_ns)
            yield MeasuredRun((window.end_ns - window.start_ns) / _NS_PER_S, energy_j, _frequency(run))


def rails_energy_j(rails: RailReadings, pattern: str, start_ns: int, end_ns: int) -> float:
    """The energy of the matching rails between two times. Between readings, power is constant."""
    chosen = [place for place, name in enumerate(rails.names) if fnmatchcase(name.upper(), pattern.upper())]
    total = rails.energy_j[:, chosen or slice(None)].sum(axis=1)
    low, high = np.interp([start_ns, end_ns], rails.t_ns, total).tolist()
    return float(high - low)


def case_energy(runs: list[MeasuredRun], idle_w: float) -> CaseEnergy:
    """The energy of a case above idle. `idle_w` is the power of the paired idle run."""
    above = np.array([run.energy_j - idle_w * run.wall_s for run in runs])
    wall_s = float(np.mean([run.wall_s for run in runs]))
    deviation_j = float(above.std(ddof=1)) if len(runs) > 1 else 0.0
    frequency = float(np.mean([run.frequency_khz for run in runs]))
    return CaseEnergy(float(above.mean()), deviation_j, idle_w * wall_s, wall_s, frequency, len(runs))


def _frequency(run: RunTables) -> float:
    """The mean frequency over the run, weighted by the policies' time at each frequency."""
    weighted = time = 0.0
    for table in run.cpu.time_in_state:
        if len(table.t_ns) > 1:
            used = (table.ns[-1] - table.ns[0]).astype(np.float64)
            weighted, time = weighted + float(used @ table.freq_khz), time + float(used.sum())
    return weighted / time if time > 0 else 0.0


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
