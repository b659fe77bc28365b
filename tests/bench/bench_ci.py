"""What the workflow of examples/ci adds to `gradle test` in a job that has its caches (limit: 60 s), step by step.

Each job has a new clone of a pull request and a new Gradle daemon. The tools are those of this environment; downloads of
Gradle and Navitas are in the user's caches. The check goes on until each budget is decided, as the workflow asks. How many
repeats that takes is partly chance, so a harmless change has three jobs, and the median counts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from common import Figures, arguments, compared_with, stages_s
from support.ci_example import SLOWER, copy_example, pull_request, run_steps

_STEPS = ("installed tools", "navitas check")
_HARMLESS = ("return n > 1;", "return 1 < n;")
_CHANGES = {"a change that finds each prime twice": (SLOWER, 1), "a harmless change": (_HARMLESS, 3)}
"""Changes, and their numbers of jobs."""
_REPEAT = re.compile(r"\(run (\d+) of ")


def main(argv: list[str]) -> int:
    """Time `gradle test` and the workflow's steps for pull requests of both kinds; with `--quick`, for the first alone."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("The workflow of examples/ci, in a job that has its caches")
    stages: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder))
        for label, (change, jobs) in list(_CHANGES.items())[: 1 if options.quick else None]:
            measured = []
            for number in range(jobs):
                repositories = Path(folder) / f"{label.replace(' ', '-')}-{number}"
                added_s, note, printed = _added(repositories, change, environment)
                measured.append((added_s, note))
                repeats = len(set(_REPEAT.findall(printed)))
                stages.append(f"Seconds of navitas check, {label}, {repeats} repeats: {_shown(stages_s(printed))}")
            added_s, note = sorted(measured)[jobs // 2]
            others = f"; all: {', '.join(f'{one_s:.1f}' for one_s, _ in measured)} s" if jobs > 1 else ""
            figures.add(f"{label}: it adds", added_s, "s", at_most=60.0, note=note + others)
    code = figures.close(options.check)
    print("\n".join(stages))
    return code


def _added(repositories: Path, change: tuple[str, str], environment: Mapping[str, str]) -> tuple[float, str, str]:
    """Return the seconds that the workflow adds to `gradle test` in a job, by step in words, and what it prints."""
    repositories.mkdir()
    command = pull_request(copy_example(repositories / "project"), change)
    subprocess.run(command, shell=True, cwd=repositories, env=environment, check=True)
    checkout = repositories / "checkout"
    ((test_s,), _) = _job(["gradle -q test"], checkout, environment)
    taken_s, printed = _job(run_steps(), checkout, environment)
    steps = _shown(dict(zip(_STEPS, taken_s, strict=True)))
    return sum(taken_s), f"{steps}; {compared_with(sum(taken_s), test_s, 'gradle test')}", printed


def _shown(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {taken_s:.1f}" for name, taken_s in seconds.items())


def _environment(folder: Path) -> dict[str, str]:
    """Return the variables of a job: its home has the tools of this environment, and the user's caches of Gradle."""
    home = folder / "home"
    home.mkdir()
    (home / "navitas").symlink_to(sys.prefix)
    caches = os.environ.get("GRADLE_USER_HOME") or str(Path.home() / ".gradle")
    made = {"HOME": str(home), "GRADLE_USER_HOME": caches, "GITHUB_BASE_REF": "main", "NAVITAS_CHECK_VERBOSE": "1"}
    made |= {"GRADLE_OPTS": f"-Dorg.gradle.daemon.registry.base={folder}/daemons"}
    return {**os.environ, **made, "PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}


def _job(steps: list[str], checkout: Path, environment: Mapping[str, str]) -> tuple[list[float], str]:
    """Return the seconds of each step, and what they print to standard error. A change above its budget ends with 1."""
    taken_s, printed = [], ""
    try:
        for step in steps:
            begin = time.perf_counter()
            command = ["bash", "-e", "-c", step]
            done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
            taken_s.append(time.perf_counter() - begin)
            printed += done.stderr
            print(f"{taken_s[-1]:.1f} s, exit code {done.returncode}: {step[:60]!r}", file=sys.stderr, flush=True)
            if done.returncode > 1:
                raise RuntimeError(f"{step} ended with {done.returncode}: {done.stdout}{done.stderr}")
    finally:
        subprocess.run(["gradle", "--stop"], cwd=checkout, env=environment, check=False, capture_output=True)
    return taken_s, printed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
