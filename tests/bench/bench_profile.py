"""What `navitas profile` adds to `gradle test` on the sample, beyond the virtual phone's start (asked: ≤ 40 %, start ≤ 3 s)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ROOT, Figures, arguments, beside, median_s

sys.path.insert(0, str(ROOT / "tests"))

from support.gradle_projects import gradles

from navitas.build.sample import DEMO_TESTS, copy_sample
from navitas.device.virtual_phone import virtual_phone

_NAVITAS = Path(sys.executable).with_name("navitas")


def main(argv: list[str]) -> int:
    """Both on each Gradle there is, in turn, with compiled classes and a warm daemon where the version has one."""
    options = arguments(__doc__ or "", argv)
    rounds = 2 if options.quick else 3
    figures = Figures("navitas profile beside gradle test, on the sample's DemoTest")
    start_s = median_s(_start_and_stop, rounds)
    figures.add("virtual phone, start and end", start_s, "s", at_most=3.0)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GRADLE_OPTS"] = f"-Dorg.gradle.daemon.registry.base={folder}/daemons"
        for name, launcher in gradles().items():
            project = copy_sample(Path(folder) / name)
            try:
                test_s, profile_s = _both(launcher, project, rounds)
            finally:
                subprocess.run([launcher, "--stop"], cwd=folder, check=True, capture_output=True)
            added = 100 * (profile_s - start_s - test_s) / test_s
            note = beside(profile_s, test_s, "gradle test, all in all")
            figures.add(f"added with Gradle {'on PATH' if name == 'path' else name}", added, "%", at_most=40.0, note=note)
    return figures.close(options.check)


def _both(launcher: str, project: Path, rounds: int) -> tuple[float, float]:
    """Seconds of `gradle test` and of `navitas profile`, the best of some rounds in turn."""
    test = [launcher, "-q", "-p", str(project), "cleanTest", "test", "--tests", DEMO_TESTS]
    profile = [str(_NAVITAS), "profile", str(project), "--gradle", launcher, "--tests", DEMO_TESTS, "--replace"]
    profile += ["-o", f"{project}-recording"]
    taken: dict[str, list[float]] = {"test": [], "profile": []}
    for turn in range(rounds + 1):
        for kind, command in (("test", test), ("profile", profile)):
            begin = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
            if turn:  # the first compiles and starts the daemon
                taken[kind].append(time.perf_counter() - begin)
    return min(taken["test"]), min(taken["profile"])


def _start_and_stop() -> None:
    with virtual_phone():
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
