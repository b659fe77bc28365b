"""Fixtures for tests that profile real builds on the virtual phone. A conftest imports those that its tests need."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from navitas.base.errors import BuildError
from navitas.base.user_folders import cache_folder
from navitas.capture.build import async_profiler
from navitas.capture.build.java import JARS
from navitas.capture.build.sample import copy_sample
from navitas.capture.bundle.reader import Bundle
from navitas.capture.device.adb import AdbDevice
from navitas.virtual_phone.start import virtual_phone
from support.bundle_cache import cached_bundles
from support.gradle_daemons import run_folder, shared_daemons
from support.lab import Lab
from support.maven import NotFetchedError, fetch_once
from support.notes_app import Made, cached
from support.quick_jvm import quick_jvms

Apps = Callable[..., Made]
Bundles = Callable[[Path], list[Bundle]]
_PHONE = pytest.StashKey[AdbDevice]()


@pytest.fixture(scope="session")
def daemons(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The environment of all builds: their daemons serve only this test run, all its processes, and end with it."""
    with shared_daemons(run_folder(tmp_path_factory) / "gradle-daemons"):
        yield


@pytest.fixture(scope="session")
def gradle(daemons: None) -> str:
    """The Gradle on PATH."""
    launcher = shutil.which("gradle")
    if launcher is None:
        pytest.skip("no `gradle` on PATH: make system")
    if not all((JARS / f"navitas-{name}.jar").is_file() for name in ("gradle-plugin", "phone", "runtime")):
        pytest.skip("the jars are not built: make jars")
    return launcher


@pytest.fixture(scope="session")
def sampler() -> Path:
    """The library of async-profiler. It is downloaded once from Maven Central into the cache."""
    place, jars = cache_folder() / "async-profiler", [async_profiler.COORDINATES]
    try:
        fetch_once(jars, place, async_profiler.is_provided, lambda files: async_profiler.provide(*files), transitive=False)
        return async_profiler.find()
    except (BuildError, NotFetchedError) as error:
        pytest.skip(f"no async-profiler: {error}")


def shared_phone(config: pytest.Config) -> AdbDevice:
    """Return the virtual phone of this test process. Its apps use one compiler, so do not compare its energies."""
    if _PHONE not in config.stash:
        stack = ExitStack()
        config.add_cleanup(stack.close)
        with quick_jvms():
            config.stash[_PHONE] = stack.enter_context(virtual_phone())
    return config.stash[_PHONE]


@pytest.fixture(scope="session")
def phone(pytestconfig: pytest.Config) -> AdbDevice:
    """The virtual phone for all tests of this process that leave it as it was."""
    return shared_phone(pytestconfig)


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


@pytest.fixture(scope="session")
def apps(jvm: str, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Apps:
    """Returns the notes app of these options (`notes_app.cached`), built once for all tests."""
    cache = getattr(pytestconfig, "cache", None)
    shelf = tmp_path_factory.mktemp("apps") if cache is None else cache.mkdir("navitas-apps")

    def make(**options: object) -> Made:
        try:
            return cached(shelf, **options)  # type: ignore[arg-type]
        except NotFetchedError as error:
            pytest.skip(str(error))

    return make
