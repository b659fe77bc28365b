"""The time of `navitas profile` compared with `gradle test`, on the sample and examples/waits (limits: 1.3 ×; 3 s for the phone).

The measured time includes the start of the command and of the phone, which runs during the build. Python's modules are compiled
before, as those of an installed command are. After the table come the stages that `--verbose` shows: medians of all rounds.
Commands run in pairs, because the host's speed varies. A fixed loop measures how much it varies: if it varies much, the other
figures are unreliable. Standard error has the times of each command as soon as it has ended.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common import ROOT, Figures, arguments, compared_with, median_s, stages_s
from support.gradle_projects import gradles

from navitas.capture.build.sample import DEMO_TESTS, copy_sample
from navitas.virtual_phone.start import virtual_phone

_NAVITAS = Path(sys.executable).with_name("navitas")
_PACE_STEPS = 3_000_000


@dataclass(slots=True)
class _Pairs:
    """Seconds of both commands and of the stages of ours in each round, and of a fixed loop before each command."""

    test_s: list[float] = field(default_factory=list)
    profile_s: list[float] = field(default_factory=list)
    pace_s: list[float] = field(default_factory=list)
    stages_s: dict[str, list[float]] = field(default_factory=dict)

    def stages(self) -> str:
        return ", ".join(f"{stage} {statistics.median(taken):.2f}" for stage, taken in self.stages_s.items())

    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.profile_s, self.test_s, strict=True)]

    def ratio(self) -> float:
        return statistics.median(self.ratios())


def main(argv: list[str]) -> int:
    """Time both commands with each installed Gradle, with compiled classes and a warm daemon if the version has one."""
    options = arguments(__doc__ or "", argv)
    rounds = 3 if options.quick else 5
    figures = Figures("navitas profile, compared with gradle test")
    pace_s: list[float] = []
    stages: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/compiled"
        _start_and_stop()
        figures.add("virtual phone, start and end", median_s(_start_and_stop, rounds), "s", at_most=3.0)
        os.environ["GRADLE_OPTS"] = f"-Dorg.gradle.daemon.registry.base={folder}/daemons"
        for name, launcher in gradles().items():
            gradle = f"Gradle {'on PATH' if name == 'path' else name}"
            try:
                for label, project, tests in _projects(Path(folder) / name):
                    print(f"{gradle}: {label}", file=sys.stderr, flush=True)
                    pairs = _pairs(launcher, project, tests, rounds)
                    pace_s += pairs.pace_s
                    stages.append(f"Seconds of {label}, {gradle}: {pairs.stages()}")
                    test_s = statistics.median(pairs.test_s)
                    note = compared_with(pairs.ratio() * test_s, test_s, f"gradle test, median of {rounds} pairs")
                    spread = f"{min(pairs.ratios()):.2f} – {max(pairs.ratios()):.2f}"
                    figures.add(f"{label}, {gradle}", pairs.ratio(), "×", at_most=1.3, note=f"{note}; {spread}")
            finally:
                subprocess.run([launcher, "--stop"], cwd=folder, check=True, capture_output=True)
    figures.add(
        "slowest pace of the machine, relative to the fastest",
        max(pace_s) / min(pace_s),
        "×",
        at_most=1.3,
        note="above the limit, other figures are unreliable",
    )
    code = figures.close(options.check)
    print("\n".join(stages))
    return code


def _projects(folder: Path) -> list[tuple[str, Path, str]]:
    """Return labels, copies of projects, and their tests."""
    waits = shutil.copytree(ROOT / "examples" / "waits", folder / "waits", ignore=shutil.ignore_patterns("build", ".gradle"))
    return [("the sample", copy_sample(folder / "sample"), DEMO_TESTS), ("examples/waits", waits, "*")]


def _pairs(launcher: str, project: Path, tests: str, rounds: int) -> _Pairs:
    test = [launcher, "-q", "-p", str(project), "cleanTest", "test", "--tests", tests]
    profile = [str(_NAVITAS), "profile", str(project), "--gradle", launcher, "--tests", tests, "--replace"]
    profile += ["-o", f"{project}-recording", "--verbose"]
    pairs = _Pairs()
    for number in range(-1, rounds):  # The first pair compiles and starts the daemon, so it does not count.
        for command, taken in ((test, pairs.test_s), (profile, pairs.profile_s)):
            pace_s, (taken_s, errors) = _pace_s(), _run(command)
            print(f"{project.name}, pair {number + 1}: {Path(command[0]).name} took {taken_s:.1f} s", file=sys.stderr, flush=True)
            if number >= 0:
                pairs.pace_s.append(pace_s)
                taken.append(taken_s)
                for stage, seconds in stages_s(errors).items():
                    pairs.stages_s.setdefault(stage, []).append(seconds)
    return pairs


def _run(command: Sequence[str]) -> tuple[float, str]:
    """Return the seconds that a command takes, and its standard error."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return time.perf_counter() - begin, done.stderr


def _pace_s() -> float:
    begin = time.perf_counter()
    for _ in range(_PACE_STEPS):
        pass
    return time.perf_counter() - begin


def _start_and_stop() -> None:
    with virtual_phone():
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
