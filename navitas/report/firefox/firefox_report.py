"""Profiles for the Firefox Profiler (profiler.firefox.com), in its processed format, version 70.

The format: github.com/firefox-devtools/profiler, src/types/profile.ts and docs-developer/CHANGELOG-formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from navitas import __version__
from navitas.base.json_text import JsonLines, column, json_chunks
from navitas.base.moments import unix_s
from navitas.base.units import UJ_PER_J
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.energy_by_step import RunSteps, run_steps
from navitas.energy.analyze.names import test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned
from navitas.recording.parse.arrays import F64, I64
from navitas.report.firefox.shared_tables import CATEGORIES, OTHER, SharedTables
from navitas.report.firefox.thread_samples import EnergyUses, ThreadSamples, energy_uses, thread_samples
from navitas.report.format import Format

VERSION = 70
_GECKO_VERSION = 36
_PWH_PER_J = 1e12 / 3600
_NO_THREAD = "no thread"
_LONGEST_NAME = 1000
_TEST_SCHEMA = {
    "name": "Test",
    "tooltipLabel": "{marker.name}",
    "tableLabel": "{marker.name}: {marker.data.energy_uj} µJ",
    "chartLabel": "{marker.name}",
    "display": ["marker-chart", "marker-table", "timeline-overview"],
    "description": "A run of a test. Its energy is that of all threads and of what no thread used.",
    "fields": [
        {"key": "status", "label": "Status", "format": "string"},
        {"key": "energy_uj", "label": "Energy (µJ)", "format": "integer"},
        {"key": "half_width_uj", "label": "± (µJ, 95 % interval)", "format": "integer"},
    ],
}
_POWER_ROWS = (
    ("count", "power", "Power"),
    ("selection-total", "energy", "Energy used in the current selection"),
    ("selection-rate", "power", "Average power in the current selection"),
    ("committed-range-total", "energy", "Energy used in the visible range"),
)
_POWER_DISPLAY = {
    "graphType": "line-rate",
    "unit": "pWh",
    "color": "grey",
    "markerSchemaLocation": None,
    "sortWeight": 30,
    "tooltipRows": [
        {
            "type": "value",
            "source": source,
            "format": {"unit": "number", "scale": scale},
            "label": label,
            "requiresPreviewSelection": source.startswith("selection"),
        }
        for source, scale, label in _POWER_ROWS
    ],
}
"""How the profiler shows its own counters of power, without an estimate of CO₂."""
_INTERVAL = 1
"""The phase of a marker with a start and an end."""
_UNIT = "Weights of samples are whole microjoules: what the profiler calls a sample is 1 µJ."
_UNCERTAINTY = "Energies are estimates. The JSON report of navitas has their standard errors."


def write(profile: Profile, out: IO[str]) -> None:
    """Write one process for each run, with its threads. Each use of energy is a sample with whole microjoules as its weight.

    Runs follow one another on the time axis. Tests are markers, and the power of each component is a counter.
    """
    out.writelines(json_chunks(_Document(profile).fields()))
    out.write("\n")


FORMAT = Format("firefox", ".firefox.json", "a profile for profiler.firefox.com, in µJ", write, shows_calls=True, call_steps=True)


class _Document:
    """The parts of the file. Times are in ms since the start of the first run."""

    def __init__(self, profile: Profile) -> None:
        self._profile, self._stacks = profile, SharedTables(profile)
        self._threads: list[dict[str, Any]] = []
        self._counters: list[dict[str, Any]] = []
        self._end_ns = 0

    def fields(self) -> dict[str, Any]:
        """Return the file's content."""
        uses, largest = energy_uses(self._profile), list[int]()
        for row, entry in enumerate(self._profile.ledger.runs):
            if not entry.baseline and entry.end_ns > entry.start_ns:
                main = len(self._threads)
                self._add(run_steps(row, entry), uses)
                largest += [main + 1] * (len(self._threads) > main + 1)
        return {
            "meta": self._meta(largest[:1] or [0][: len(self._threads)]),
            "libs": [],
            "counters": iter(self._counters),
            "shared": self._stacks.tables(),
            "threads": iter(self._threads),
        }

    def _add(self, run: RunSteps, uses: EnergyUses) -> None:
        run_of = self._profile.ledger.tests.run
        own = [test for test in self._profile.tests if test.wall_ns > 0 and run_of[test.rows[0]] == run.row]
        process = _Process(self._profile, self._stacks, run, self._end_ns)
        self._counters += process.counters(len(self._threads))
        self._threads += process.threads(thread_samples(self._profile, uses, run), own)
        self._end_ns += run.end_ns - run.start_ns

    def _meta(self, selected: list[int]) -> dict[str, Any]:
        profile = self._profile
        about, model = profile.about, profile.about.device.get("model")
        steps_ns = [run.call_step_ns for run in profile.ledger.runs if run.call_step_ns]
        return {
            "interval": max(min(steps_ns, default=1_000_000) / 1e6, 1e-3),
            "startTime": unix_s(about.created_utc) * 1000,
            "profilingStartTime": 0,
            "profilingEndTime": self._end_ns / 1e6,
            "processType": 0,
            "product": printable(profile.project) or "navitas",
            "importedFrom": f"navitas {__version__}",
            **({"device": printable(model)} if isinstance(model, str) and model else {}),
            "stackwalk": 1,
            "version": _GECKO_VERSION,
            "preprocessedProfileVersion": VERSION,
            "symbolicated": True,
            "symbolicationNotSupported": True,
            "usesOnlyOneStackType": True,
            "sourceCodeIsNotOnSearchfox": True,
            "keepProfileThreadOrder": True,
            "initialSelectedThreads": selected,
            "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
            "categories": [{"name": name, "color": color, "subcategories": ["Other"]} for name, color in CATEGORIES],
            "extra": [{"label": "Energy", "entries": [_note("Unit", _UNIT), _note("Uncertainty", _UNCERTAINTY)]}],
            "markerSchema": [_TEST_SCHEMA],
        }


class _Process:
    """The process of a run. `begin_ns` is where the run begins on the time axis."""

    def __init__(self, profile: Profile, stacks: SharedTables, run: RunSteps, begin_ns: int) -> None:
        self._profile, self._stacks, self._run, self._shift_ns = profile, stacks, run, begin_ns - run.start_ns
        self._entry = profile.ledger.runs[run.row]

    def threads(self, samples: ThreadSamples, tests: Sequence[TestEnergy]) -> Iterator[dict[str, Any]]:
        """Yield what no thread used, with all tests, then the threads, largest energy first."""
        owners = self._profile.ledger.owners
        is_thread = owners.kind[samples.owner] == OwnerKind.THREAD
        yield self._thread({"name": _NO_THREAD, "isMainThread": True, "tid": _NO_THREAD}, samples.chosen(~is_thread), tests)
        own = samples.chosen(is_thread)
        numbers, of_number = np.unique(own.owner, return_inverse=True)
        for number in np.argsort(-binned(of_number, own.uj, len(numbers)), kind="stable").tolist():
            used, owner = own.chosen(of_number == number), int(numbers[number])
            name = {"name": printable(owners.name[owner], _LONGEST_NAME) or "?", "isMainThread": False}
            tid = int(owners.tid[owner]) or f"group {owner}"
            rows = set(used.test.tolist())
            yield self._thread({**name, "tid": tid}, used, [test for test in tests if test.rows[0] in rows])

    def _thread(self, name: dict[str, Any], samples: ThreadSamples, tests: Sequence[TestEnergy]) -> dict[str, Any]:
        start_ms, end_ms = ((t_ns + self._shift_ns) / 1e6 for t_ns in (self._run.start_ns, self._run.end_ns))
        module = "" if self._entry.module in {"", ":"} else f"{self._entry.module} "
        stack = self._stacks.of(samples.path, self._profile.ledger.owners.kind[samples.owner])
        return {
            **name,
            "processType": "default",
            "processName": printable(f"{module}run {self._entry.repeat + 1} (1 sample = 1 µJ)"),
            "processStartupTime": start_ms,
            "processShutdownTime": end_ms,
            "registerTime": start_ms,
            "unregisterTime": end_ms,
            "pausedRanges": [],
            "showMarkersInTimeline": True,
            "pid": str(self._run.row),
            "samples": {
                "stack": column(map(str, stack.tolist())),
                "time": self._times(samples.t_ns),
                "weight": column(map(str, samples.uj.tolist())),
                "weightType": "samples",
                "length": len(samples),
            },
            "markers": self._markers(tests),
        }

    def _markers(self, tests: Sequence[TestEnergy]) -> dict[str, Any]:
        rows, times = [test.rows[0] for test in tests], self._profile.ledger.tests
        return {
            "data": [
                {
                    "type": _TEST_SCHEMA["name"],
                    "status": printable(test.status),
                    "energy_uj": round(test.energy_j * UJ_PER_J),
                    "half_width_uj": round(self._profile.test_error(test).half_width_j * UJ_PER_J),
                }
                for test in tests
            ],
            "name": [self._stacks.string(test_label(test)) for test in tests],
            "startTime": self._times(times.start_ns[rows]),
            "endTime": self._times(times.end_ns[rows]),
            "phase": [_INTERVAL] * len(tests),
            "category": [OTHER] * len(tests),
            "length": len(tests),
        }

    def counters(self, main: int) -> Iterator[dict[str, Any]]:
        """Yield the energy of each component in steps, in pWh. `main` is the number of the process's first thread."""
        step_ns = self._entry.call_step_ns or self._run.end_ns - self._run.start_ns
        steps = self._profile.timelines(run=self._run.id, step_ns=step_ns)
        for name, joules in zip(steps.components, steps.energy_j.T, strict=True):
            pwh = np.diff(np.rint(np.cumsum(joules) * _PWH_PER_J), prepend=0.0).astype(np.int64)
            yield {
                "name": f"{name} power",
                "category": "power",
                "description": f"Power of the component {name}, of all owners",
                "pid": str(self._run.row),
                "mainThreadIndex": main,
                "samples": {"time": self._times(steps.edges_ns), "count": [0, *pwh.tolist()], "length": len(pwh) + 1},
                "display": {**_POWER_DISPLAY, "label": f"{name} power"},
            }

    def _times(self, t_ns: I64 | F64) -> JsonLines:
        """Return times in ms on the time axis, to 1 ns."""
        return column(map("%.6f".__mod__, ((t_ns + self._shift_ns) / 1e6).tolist()))


def _note(label: str, text: str) -> dict[str, str]:
    return {"label": label, "format": "string", "value": text}
