"""Compare predictions for benchmark apps on a Nexus 5X with a power meter (`python tests/accuracy/monsoon.py`).

The meter's data is not in the repository: it is in the folder `monsoon` of `NAVITAS_FIELD_DATA` (docs/accuracy.md). Without it,
the script says so and ends. Nothing is tuned: the currents are those of the phone's power profile, the states are recorded ones
where they exist, and else those that the app's name states.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.batterystats_dumps import read_dump
from support.field_data import FIELD_DATA, NO_FIELD_DATA

from navitas.energy.attribute.analysis_settings import MODEL_ONLY
from navitas.energy.attribute.component import ComponentInputs
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.measured_runs import MeasuredRuns
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile
from navitas.recording.manifest import DeviceEntry, Manifest, Policy, PowerProfileEntry, Project
from navitas.recording.parse.device_states import NO_UID, DeviceStates
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import DeviceTables, MethodTable, RunTables

SECONDS = 180
VOLTS = 4.251
"""The voltage in the recorded history of a Nexus 5X (nexus5x_networking_high_run5_history.txt)."""
# Figures of LineageOS' device tree of the Nexus 5X (bullhead), power_profile.xml, Apache-2.0. It has no camera.
PROFILE = PowerProfile(
    "LG Nexus 5X (bullhead)",
    {
        "screen.on": 91.82,
        "screen.full": 313.05,
        "bluetooth.active": 84.4,
        "bluetooth.on": 0.43,
        "wifi.on": 0.56,
        "wifi.active": 172.99,
        "wifi.scan": 2.13,
        "dsp.audio": 100.88,
        "dsp.video": 187.86,
        "gps.on": 59.74,
        "radio.active": 185.19,
        "cpu.idle": 3.88,
        "cpu.awake": 17.4,
    },
    {
        "cpu.clusters.cores": (4, 2),
        "cpu.speeds.cluster0": (384_000, 1_440_000),
        "cpu.speeds.cluster1": (384_000, 1_824_000),
        "cpu.active.cluster0": (30.73, 132.42),
        "cpu.active.cluster1": (168.08, 727.57),
    },
)
POLICIES = [Policy(id=0, cpus=[0, 1, 2, 3]), Policy(id=4, cpus=[4, 5])]
RECORDED = ("cpu high", "networking high")
"""Apps with a recorded history of states on the Nexus 5X."""
FROM_NAME = {"camera": "camera", "gps": "gnss", "microphone": "audio"}
"""The state that an app without a history is in for the whole run, besides those of every app, by its name."""
BRIGHTEST = 4
State = tuple[str, float, float, int]


@dataclass(frozen=True, slots=True)
class AppEnergy:
    """An app's measured runs in joules, and its prediction by component. `source`: where its states are from."""

    app: str
    measured_j: Sequence[float]
    predicted_j: Mapping[str, float]
    source: str

    @property
    def median_j(self) -> float:
        """The median of the measured runs."""
        return float(np.median(self.measured_j))

    @property
    def total_j(self) -> float:
        """The prediction of all components."""
        return sum(self.predicted_j.values())


def compare(folder: Path) -> list[AppEnergy]:
    """Predict the energy of every app that was measured."""
    measured: dict[str, list[float]] = defaultdict(list)
    for app, joules in _energies(folder / "nexus5x_monsoon.csv"):
        measured[app].append(joules)
    histories = {app: _recorded(folder / "series" / f"nexus5x_{app.replace(' ', '_')}_run5_history.txt") for app in RECORDED}
    shared = [state for state in histories["cpu high"] if state[0] in ("screen", "brightness", "wifi")]
    found = []
    for app, energies in sorted(measured.items()):
        states = histories.get(app) or [*shared, *_from_name(app, shared)]
        found.append(AppEnergy(app, energies, predict(states), "recorded" if app in histories else "name"))
    return found


def _energies(path: Path) -> Iterator[tuple[str, float]]:
    with path.open(newline="") as stream:
        for row in csv.DictReader(stream):
            yield f"{row['app']} {row['intensity']}".strip(), float(row["energy_j"])


def _recorded(path: Path) -> list[State]:
    """The first 180 s of a recorded history: state, begin and end in s, value. Without a brightness, it is the lowest (dark)."""
    names = {
        "screen": "screen",
        "brightness": "brightness",
        "wifi_running": "wifi",
        "gps": "gnss",
        "audio": "audio",
        "camera": "camera",
    }
    by_end = sorted(read_dump(path.read_bytes()).of(*names), key=lambda one: one.end_ms)
    rows = [
        (names[one.name], one.start_ms / 1e3, min(one.end_ms / 1e3, SECONDS), one.value)
        for one in by_end
        if one.start_ms < SECONDS * 1e3 and one.end_ms > one.start_ms
    ]
    has_brightness = any(row[0] == "brightness" for row in rows)
    return rows if has_brightness else [*rows, ("brightness", 0.0, SECONDS, 0)]


def _from_name(app: str, shared: Sequence[State]) -> list[State]:
    name = app.partition(" ")[0]
    if name == "display":
        return [("brightness", 0.0, SECONDS, BRIGHTEST)] if shared else []
    return [(FROM_NAME[name], 0.0, SECONDS, 1)] if name in FROM_NAME else []


def predict(states: Sequence[State]) -> dict[str, float]:
    """The joules of each component in 180 s with these states. The last brightness counts."""
    brightness = [state for state in states if state[0] == "brightness"][-1:]
    rows = [*(state for state in states if state[0] != "brightness"), *brightness]
    names = tuple(dict.fromkeys(row[0] for row in rows))
    table = DeviceStates(
        names,
        np.array([names.index(row[0]) for row in rows], np.int32),
        np.array([row[3] for row in rows], np.int64),
        np.array([round(row[1] * 1e9) for row in rows], np.int64),
        np.array([round(row[2] * 1e9) for row in rows], np.int64),
        np.full(len(rows), NO_UID, np.int64),
    )
    run = RunTables(0, 0, SECONDS * 10**9, devices=DeviceTables(states=table))
    measured = MeasuredRuns(ParsedRecording(MethodTable((), {}), (run,), (), ()), _manifest(), _model(), MODEL_ONLY)
    inputs: ComponentInputs = measured.inputs(run)
    found = {}
    for component in COMPONENTS:
        curves = component.curves(run, inputs)
        if curves is not None and component.name != "wakelock":
            found[component.name] = curves.during(run.start_ns, run.end_ns)
    return found


def _model() -> PowerModel:
    return power_model(PROFILE, VOLTS, [(policy.id, policy.cpus) for policy in POLICIES])


def _manifest() -> Manifest:
    device = DeviceEntry(
        kind="phone", serial="", model="Nexus 5X", fingerprint="", sdk=23, cpus=list(range(6)), policies=list(POLICIES)
    )
    profile = PowerProfileEntry(file="", sha256="", source=PROFILE.name, voltage_v=VOLTS, voltage_source="option")
    return Manifest(
        navitas_version="0",
        created_utc="",
        state="complete",
        project=Project(name="monsoon", build_tool=""),
        device=device,
        maps=[],
        power_profile=profile,
        settings={},
        sources=[],
        runs=[],
        tests=[],
        files=[],
    )


def android_figures(folder: Path, apps: Sequence[AppEnergy]) -> dict[str, float]:
    """The same of Android's own estimate ("Computed drain" of batterystats) on a phone of this model."""
    estimates: dict[str, list[float]] = defaultdict(list)
    for app, joules in _energies(folder / "nexus5x_batterystats_model.csv"):
        estimates[app].append(joules)
    measured = np.array([app.median_j for app in apps])
    estimated = np.array([float(np.median(estimates[app.app])) for app in apps])
    return {
        "Android's estimate: rank correlation": float(stats.spearmanr(measured, estimated).statistic),
        "Android's estimate: ratio, median": float(np.median(estimated / measured)),
    }


def figures(apps: Sequence[AppEnergy]) -> dict[str, float]:
    """Rank correlations and ratios (predicted / measured), of whole runs and of what exceeds the baseline app."""
    baseline = next(app for app in apps if app.app == "baseline")
    measured, predicted = np.array([app.median_j for app in apps]), np.array([app.total_j for app in apps])
    above = (measured - baseline.median_j, predicted - baseline.total_j)
    used = np.array([app.total_j - baseline.total_j > 0.01 for app in apps])
    return {
        "rank correlation": float(stats.spearmanr(measured, predicted).statistic),
        "ratio, median": float(np.median(predicted / measured)),
        "ratio, smallest": float((predicted / measured).min()),
        "ratio, largest": float((predicted / measured).max()),
        "apps with a component above the baseline's": float(used.sum()),
        "their rank correlation, above the baseline": float(stats.spearmanr(above[0][used], above[1][used]).statistic),
    }


def main() -> int:
    folder = FIELD_DATA / "monsoon"
    if not folder.is_dir():
        print(f"skipped: {NO_FIELD_DATA} with the subfolder monsoon")
        return 0
    apps = compare(folder)
    baseline = next(app for app in apps if app.app == "baseline")
    table = Table("app", "states", "meter J", "above baseline", "predicted J", "above baseline", "ratio", "by component")
    for app in sorted(apps, key=lambda app: app.median_j):
        low, high = np.percentile(app.measured_j, [25, 75])
        table.add_row(
            app.app,
            app.source,
            f"{app.median_j:.1f} ({low:.1f} – {high:.1f})",
            f"{app.median_j - baseline.median_j:+.1f}",
            f"{app.total_j:.1f}",
            f"{app.total_j - baseline.total_j:+.1f}",
            f"{app.total_j / app.median_j:.2f}",
            ", ".join(f"{name} {joules:.1f}" for name, joules in app.predicted_j.items()),
        )
    console = Console()
    console.print(table)
    for name, value in (figures(apps) | android_figures(folder, apps)).items():
        console.print(f"{name}: {value:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
