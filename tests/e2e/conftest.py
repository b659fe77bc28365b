"""Real Gradle installations for end-to-end tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.gradle_projects import gradle_params, gradles
from support.lab_fixtures import daemons, phone
from support.quick_jvm import quick_jvms

from navitas.capture.build.java import JARS

__all__ = ["daemons", "phone"]


@pytest.fixture
def quick() -> Iterator[None]:
    """JVMs start quickly, also those of the virtual phones that a test starts."""
    with quick_jvms():
        yield


@pytest.fixture(scope="session", autouse=True)
def plugin_jar() -> None:
    if not (JARS / "navitas-gradle-plugin.jar").is_file():
        pytest.skip("the plugin's jar is not built: make jars")


@pytest.fixture(scope="session", params=gradle_params())
def gradle(request: pytest.FixtureRequest, daemons: None) -> str:
    """Each Gradle in turn; a test may select some."""
    launcher: str = request.param
    return launcher


@pytest.fixture(scope="session")
def any_gradle(daemons: None) -> str:
    """One Gradle, for behavior that does not depend on its version."""
    found = gradles()
    if not found:
        pytest.skip("no Gradle on PATH or in NAVITAS_GRADLE_HOMES: make system gradle-homes")
    return next(iter(found.values()))
