"""Profile bundles on a phone, and look up results by the names in the tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import navitas
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.capture.collect.session import profile
from navitas.capture.device.adb import AdbDevice
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import MethodEnergy, TestEnergy, ThreadEnergy
from support.no_progress import NoProgress


@dataclass(frozen=True)
class Profiled:
    """One profiling and its result, by names."""

    outcome: ProfilingOutcome
    profile: Profile

    @property
    def warnings(self) -> set[str]:
        return {warning.code for warning in self.profile.warnings}

    def test(self, method: str) -> TestEnergy:
        (found,) = (test for test in self.profile.tests if test.method == method)
        return found

    def thread(self, test: str, name: str) -> ThreadEnergy:
        (found,) = (thread for thread in self.test(test).threads if thread.name == name)
        return found

    def method(self, test: str, name: str, thread: str = "main") -> MethodEnergy:
        return self.methods(test, thread)[name]

    def methods(self, test: str, thread: str = "main") -> dict[str, MethodEnergy]:
        """Return the methods of one thread in one test, by method name."""
        table = self.profile.method_table.methods
        return {table[row.method].name: row for row in self.thread(test, thread).methods}


def app_threads(test: TestEnergy) -> list[ThreadEnergy]:
    return [thread for thread in test.threads if thread.role == "app"]


@dataclass(frozen=True)
class Lab:
    """Bundles, the phone that they run on, and a folder for recordings."""

    phone: AdbDevice
    bundles: list[Bundle]
    folder: Path

    def profile(self, *tests: str, name: str, progress: Progress | None = None, **options: object) -> Profiled:
        """Profile tests into the recording `name` and analyse it."""
        chosen = ProfileOptions(tests=tests, **options)  # type: ignore[arg-type]
        outcome = profile(self.phone, self.bundles, chosen, self.folder / name, progress or NoProgress())
        return Profiled(outcome, navitas.load(outcome.recording))


def skip_where_starved(profiled: Profiled) -> None:
    """Skip a test that compares energies if the host gave its recording too little CPU time."""
    for notice in profiled.profile.warnings:
        if notice.code == "starved":
            pytest.skip(f"the host is busy: {notice.message}")
