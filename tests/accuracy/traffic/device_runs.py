"""Devices that an Android app starts and stops: GNSS, camera and flashlight, each by two methods."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from support.android_projects import copy_project, sdk

from navitas.base.errors import BuildError
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.session import profile
from navitas.virtual_phone import firmware
from navitas.virtual_phone.start import virtual_phone
from traffic.plan import IDLE, PlannedPhase, write_plan
from traffic.recorded import rails_between
from traffic.runs import Variant
from traffic.scores import EnergyScore, Truth, score_energy
from traffic.truth import Physics, physics

_SOURCES = Path(__file__).resolve().parents[1] / "device_workload"
_CLASS = "org.example.storage.Devices"
_RAILS = {"gnss": "L9S_GNSS_CORE", "camera": "VSYS_PWR_CAMERA", "flashlight": "VSYS_PWR_CAMERA"}
# The methods of each device; a lane has one device, so that no two methods use it at once.
_METHODS = {"gnss": ("findPlace", "trackRoute"), "camera": ("takePicture", "scanCode"), "flashlight": ("findKeys", "signal")}
_MS = (500, 2500)
_PERMISSIONS = ("ACCESS_FINE_LOCATION", "CAMERA")


@dataclass(frozen=True, slots=True)
class Use:
    """A method's use of a device."""

    device: str
    method: str
    start_ns: int
    end_ns: int


def make_device_plan(seed: int, scale: float = 1.0) -> list[PlannedPhase]:
    """Return each device's uses in random order and of random length: each method twice, with rests."""
    random = Random(seed)
    phases = []
    for device, methods in _METHODS.items():
        order = list(methods) * 2
        random.shuffle(order)
        for method in order:
            phases += [PlannedPhase(device, name, round(random.uniform(*_MS) * scale)) for name in (IDLE, method)]
    return phases


def true_device_energy(world: Physics, uses: Sequence[Use]) -> dict[str, dict[str, float]]:
    """Return the energy in J of each device by method: GNSS searches first, and the camera's power rises."""
    power, nature = world.power, world.nature
    found: dict[str, dict[str, float]] = {}
    for use in uses:
        s = (use.end_ns - use.start_ns) * 1e-9
        if use.device == "gnss":
            mj = power.gnss_mw * (s + (nature.gnss_search_ratio - 1) * min(s, nature.gnss_search_s))
        elif use.device == "camera":
            rising_s = min(s, nature.camera_ramp_s)
            mj = power.camera_mw * (s - rising_s + rising_s**2 / nature.camera_ramp_s / 2)
        else:
            mj = power.flashlight_mw * s
        of_it = found.setdefault(use.device, {})
        of_it[use.method] = of_it.get(use.method, 0.0) + mj * 1e-3
    return found


class DeviceWorkload:
    """The Android app, built with hooks in a folder. Raises `BuildError` without an Android SDK."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        home = sdk()
        if home is None:
            raise BuildError("there is no Android SDK", "Run `make android-sdk`, or set ANDROID_HOME.")
        os.environ["ANDROID_HOME"] = str(home)
        progress.stage("building the Android app")
        self.folder = folder
        project = copy_project("a", folder)
        manifest = project / "src/main/AndroidManifest.xml"
        requests = "".join(f'<uses-permission android:name="android.permission.{name}"/>' for name in _PERMISSIONS)
        manifest.write_text(manifest.read_text().replace("<application", f"{requests}<application"))
        for name, place in (("Devices", "main"), ("DevicesTest", "androidTest")):
            text = (_SOURCES / f"{name}.java").read_text().replace("@FOLDER@", str(folder))
            (project / "src" / place / "java" / "org" / "example" / "storage" / f"{name}.java").write_text(text)
        provide = None if firmware.is_provided() else firmware.provide
        self.bundles = build_bundles(project, BuildOptions(gradle="gradle", hooks=True), provide=provide, on_line=progress.detail)

    def run_seed(self, seed: int, variant: Variant, out: Path, progress: Progress, *, scale: float) -> EnergyScore:
        """Profile the seed's plan of devices on the seed's phone."""
        progress.stage(f"devices, seed {seed}: {variant.name}")
        write_plan(self.folder, 0, make_device_plan(seed, scale))
        recording = out / f"devices-{seed}-{variant.name.replace(' ', '-')}"
        with virtual_phone(seed=seed) as device:
            outcome = profile(device, self.bundles, variant.options("DevicesTest#devices"), recording, progress)
        if outcome.failures:
            raise RuntimeError(f"{recording.name}: {outcome.failures}")
        first, *lines = (self.folder / "devices.txt").read_text().splitlines()
        start_ns, end_ns = (int(word) for word in first.split()[2:])
        uses = [Use(device_name, method, int(begin), int(end)) for device_name, method, begin, end in map(str.split, lines)]
        energies = true_device_energy(physics(seed), uses)
        # Camera and flashlight share a rail.
        others_j = {one: sum(energies[other].values()) for one, other in (("camera", "flashlight"), ("flashlight", "camera"))}
        truth = Truth(_CLASS, energies, others_j, _RAILS)
        return EnergyScore(seed, variant.name, *score_energy(recording, truth, rails_between(recording, start_ns, end_ns)))
