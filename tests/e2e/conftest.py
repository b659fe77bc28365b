"""Real Gradle installations for end-to-end tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.gradle_daemons import own_daemons
from support.gradle_projects import gradle_params, gradles

from navitas.build.jars import JARS


@pytest.fixture(scope="session", autouse=True)
def plugin_jar() -> None:
    if not (JARS / "navitas-gradle-plugin.jar").is_file():
        pytest.skip("the plugin's jar is not built: make jars")


@pytest.fixture(scope="session")
def daemons(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """The Gradle launchers used. Their daemons serve only these tests and end with them."""
    with own_daemons(tmp_path_factory.mktemp("daemons")) as used:
        yield used


@pytest.fixture(scope="session", params=gradle_params())
def gradle(request: pytest.FixtureRequest, daemons: set[str]) -> str:
    """Each Gradle in turn; a test may select some."""
    launcher: str = request.param
    daemons.add(launcher)
    return launcher


@pytest.fixture(scope="session")
def any_gradle(daemons: set[str]) -> str:
    """One Gradle, for behavior that does not depend on its version."""
    found = gradles()
    if not found:
        pytest.skip("no `gradle` on PATH and NAVITAS_GRADLE_HOMES is not set")
    launcher = next(iter(found.values()))
    daemons.add(launcher)
    return launcher
