"""Shared fixtures: the sample's bundle, a virtual phone, and the installed command."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import NAVITAS, Command, Ended, start
from support.faulty_project import faulty_project
from support.gradle_daemons import own_daemons
from support.lab import Lab

from navitas.build.gradle import build_bundles
from navitas.build.jars import JARS
from navitas.build.sample import copy_sample
from navitas.device.adb import AdbDevice
from navitas.virtual_phone.start import virtual_phone

Start = Callable[..., Command]
Run = Callable[..., Ended]


@pytest.fixture(scope="session")
def gradle(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The Gradle on PATH; its daemon is known to these tests alone and ends with them."""
    launcher = shutil.which("gradle")
    if launcher is None:
        pytest.skip("no `gradle` on PATH")
    if not all((JARS / f"navitas-{name}.jar").is_file() for name in ("gradle-plugin", "phone", "runtime")):
        pytest.skip("the jars are not built: make jars")
    with own_daemons(tmp_path_factory.mktemp("daemons")) as used:
        used.add(launcher)
        yield launcher


@pytest.fixture(scope="session")
def phone() -> Iterator[AdbDevice]:
    """A virtual phone for all tests of this process."""
    with virtual_phone() as device:
        yield device


@pytest.fixture(scope="session")
def sample(gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The sample project, built and ready to be profiled."""
    folder = tmp_path_factory.mktemp("sample")
    return Lab(phone, build_bundles(copy_sample(folder / "project"), gradle=gradle), folder)


@pytest.fixture(scope="session")
def faulty(gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The faulty project, built."""
    folder = tmp_path_factory.mktemp("faulty")
    return Lab(phone, build_bundles(faulty_project(folder / "project"), gradle=gradle), folder)


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
