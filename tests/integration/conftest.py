"""Shared fixtures: the sample's bundle, a virtual phone, and the installed command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.capture import Capture
from support.command_line import NAVITAS, Command, Ended, Run, Start, start
from support.faulty_project import faulty_project
from support.lab import Lab
from support.lab_fixtures import Bundles, apps, bundles, daemons, gradle, phone, sample, sampler
from support.release import clone, release

from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run

__all__ = ["apps", "bundles", "daemons", "gradle", "phone", "sample", "sampler"]


@pytest.fixture(scope="session")
def faulty(bundles: Bundles, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The faulty project, built."""
    folder = tmp_path_factory.mktemp("faulty")
    return Lab(phone, bundles(faulty_project(folder / "project")), folder)


@pytest.fixture
def lab(faulty: Lab, tmp_path: Path) -> Lab:
    """The faulty project's bundle, with recordings in the test's folder."""
    for name in ("waiting", "before", "after"):
        (faulty.folder / "project" / name).unlink(missing_ok=True)
    return Lab(faulty.phone, faulty.bundles, tmp_path)


@pytest.fixture
def start_navitas(tmp_path: Path) -> Iterator[Start]:
    """Starts `navitas` in the test's folder; ends processes that a failed test leaves."""
    if not NAVITAS.is_file():
        pytest.skip(f"{NAVITAS.name} is not installed next to this Python: make setup")
    started: list[Command] = []

    def begin(*arguments: object, env: dict[str, str] | None = None, program: str | Path = NAVITAS) -> Command:
        started.append(start(arguments, cwd=tmp_path, env=env, program=program))
        return started[-1]

    yield begin
    for command in started:
        command.close()


@pytest.fixture
def navitas(start_navitas: Start) -> Run:
    """Runs `navitas` to its end and asserts that it leaves no process."""

    def ended(*arguments: object, env: dict[str, str] | None = None) -> Ended:
        command = start_navitas(*arguments, env=env)
        found = command.end()
        command.check_nothing_left()
        return found

    return ended


@pytest.fixture
def in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Run:
    """Runs a command that starts no process, in this one and in the test's folder."""
    monkeypatch.chdir(tmp_path)

    def ended(*arguments: object, env: dict[str, str] | None = None) -> Ended:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            capsys.readouterr()
            return Ended(run([str(word) for word in arguments]), *capsys.readouterr())

    return ended


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release of this tree."""
    return release(clone(tmp_path_factory.mktemp("release")), {"TZ": "UTC", "LC_ALL": "C.UTF-8"})[0]
