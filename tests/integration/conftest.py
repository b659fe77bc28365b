"""Shared fixtures: the sample's bundle, a virtual phone, and the installed command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.command_line import NAVITAS, Command, Ended, start
from support.faulty_project import faulty_project
from support.lab import Lab
from support.lab_fixtures import Bundles, bundles, gradle, sample
from support.quick_jvm import quick_jvms

from navitas.device.adb import AdbDevice
from navitas.virtual_phone.start import virtual_phone

__all__ = ["bundles", "gradle", "sample"]

Start = Callable[..., Command]
Run = Callable[..., Ended]


@pytest.fixture(scope="session")
def phone() -> Iterator[AdbDevice]:
    """A virtual phone for all tests of this process. They compare energy only with the phone's rails."""
    with ExitStack() as stack:
        with quick_jvms():
            device = stack.enter_context(virtual_phone())
        yield device


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

    def begin(*arguments: object, env: dict[str, str] | None = None) -> Command:
        started.append(start(arguments, cwd=tmp_path, env=env))
        return started[-1]

    yield begin
    for command in started:
        command.close()


@pytest.fixture
def navitas(start_navitas: Start) -> Run:
    """Runs `navitas` to its end and asserts that it leaves no process."""

    def run(*arguments: object, env: dict[str, str] | None = None) -> Ended:
        command = start_navitas(*arguments, env=env)
        ended = command.end()
        command.check_nothing_left()
        return ended

    return run
