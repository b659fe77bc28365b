"""A user with an empty environment of Python, who installs a release."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

import pytest


class NewUser:
    """A user with an empty environment of Python and an empty home folder, on a machine without Maven."""

    def __init__(self, folder: Path, gradle: str) -> None:
        self.bin = folder / "environment/bin"
        self.home = folder / "home"
        self.work = folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.gradle_home = folder / "gradle-home"
        self.gradle_home.mkdir()
        # Caches of its own: a daemon in a network of its own cannot ask others for their locks.
        shared = Path(os.environ.get("GRADLE_USER_HOME", Path.home() / ".gradle"))
        for name in ("init.d", "init.gradle", "gradle.properties"):
            if (shared / name).exists():
                (self.gradle_home / name).symlink_to(shared / name)
        venv.create(self.bin.parent, with_pip=True, symlinks=True)
        tools = folder / "tools"
        tools.mkdir()
        (tools / "gradle").symlink_to(gradle)
        for program in (
            path for part in os.environ["PATH"].split(os.pathsep) if Path(part).is_dir() for path in Path(part).iterdir()
        ):
            link = tools / program.name
            if not program.name.startswith(("mvn", "navitas", "pip", "python")) and not link.is_symlink():
                link.symlink_to(program)
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "MAVEN", "XDG_"))
        } | {
            "PATH": f"{self.bin}{os.pathsep}{tools}",
            "GRADLE_OPTS": f"{os.environ.get('GRADLE_OPTS', '')} -Dorg.gradle.daemon.registry.base={folder / 'daemons'}".strip(),
        }

    def run(self, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**self.environment, **variables}
        return subprocess.run(command, shell=True, cwd=self.work, env=environment, capture_output=True, text=True, check=False)

    def install(self, command: str, **variables: str) -> None:
        """Install something with the settings of pip and of this machine. Skips the test without a package registry."""
        done = self.run(command, **variables)
        if done.returncode != 0 and "No matching distribution found" in done.stderr:
            pytest.skip("no package registry")
        assert done.returncode == 0, done.stderr

    def navitas(self, arguments: str) -> subprocess.CompletedProcess[str]:
        return self.at_home(f"navitas {arguments}")

    def at_home(self, command: str) -> subprocess.CompletedProcess[str]:
        return self.run(command, HOME=str(self.home), GRADLE_USER_HOME=str(self.gradle_home))
