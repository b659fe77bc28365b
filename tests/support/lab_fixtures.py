"""Fixtures for tests that profile real builds on the virtual phone. A conftest imports those that its tests need."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from navitas.build.jars import JARS
from navitas.build.sample import copy_sample
from navitas.bundle.reader import Bundle
from navitas.device.adb import AdbDevice
from navitas.virtual_phone.start import virtual_phone
from support.bundle_cache import cached_bundles
from support.gradle_daemons import own_daemons
from support.lab import Lab

Bundles = Callable[[Path], list[Bundle]]


@pytest.fixture(scope="session")
def gradle(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The Gradle on PATH. Its daemon serves only these tests and ends with them."""
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
def bundles(gradle: str, pytestconfig: pytest.Config) -> Bundles:
    """Returns the bundles of a project that a test has written."""
    cache = getattr(pytestconfig, "cache", None)
    return lambda project: cached_bundles(project, gradle, cache)


@pytest.fixture(scope="session")
def sample(bundles: Bundles, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The sample project, built for profiling."""
    folder = tmp_path_factory.mktemp("sample")
    return Lab(phone, bundles(copy_sample(folder / "project")), folder)
