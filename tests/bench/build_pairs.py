"""Pairs of Android builds with a warm daemon: a plain build in one copy of a project, and one with probes in another."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from navitas.capture.build.gradle import INIT_SCRIPT
from navitas.capture.build.java import jar


class BuildPairs:
    """Two copies of a project, built once. Each round builds both, so that both see the same machine.

    `tasks` are those of the build `plain` and of the build `probed`, with Gradle's options.
    """

    def __init__(
        self, launcher: Sequence[str], project: Callable[[Path], Path], folder: Path, tasks: Mapping[str, Sequence[str]]
    ) -> None:
        self._folder = folder
        self._projects = {name: project(folder / name) for name in ("plain", "probed")}
        plugin = ["--init-script", str(INIT_SCRIPT), f"-Pnavitas.pluginJar={jar('navitas-gradle-plugin.jar')}"]
        self._commands = {"plain": [*launcher, *tasks["plain"]], "probed": [*launcher, *plugin, *tasks["probed"]]}
        self.clean_s = {name: self._build(name) for name in self._projects}

    def round(self, edit: Callable[[Path], None] | None) -> dict[str, float]:
        """Edit both copies and build them; return the seconds of the builds."""
        taken = {}
        for name, project in self._projects.items():
            if edit is not None:
                edit(project)
            taken[name] = self._build(name)
        return taken

    def _build(self, name: str) -> float:
        begin = time.perf_counter()
        done = subprocess.run(self._commands[name], cwd=self._projects[name], check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return time.perf_counter() - begin


@contextmanager
def build_pairs(gradle: str, project: Callable[[Path], Path], tasks: Mapping[str, Sequence[str]]) -> Iterator[BuildPairs]:
    """Make pairs of builds, whose daemon ends with the context."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a daemon can still write
        launcher = [gradle, "-q", f"-Dorg.gradle.daemon.registry.base={folder}/daemons"]
        try:
            for name in ("plain", "probed"):
                (Path(folder) / name).mkdir()
            yield BuildPairs(launcher, project, Path(folder), tasks)
        finally:
            subprocess.run([*launcher, "--stop"], cwd=folder, check=False, capture_output=True)
