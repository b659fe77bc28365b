"""Real Gradle installations for end-to-end tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from support.gradle_projects import gradle_params

from navitas.build.jars import JARS


@pytest.fixture(scope="session", autouse=True)
def plugin_jar() -> None:
    if not (JARS / "navitas-gradle-plugin.jar").is_file():
        pytest.skip("the plugin's jar is not built: make jars")


@pytest.fixture(scope="session", params=gradle_params())
def gradle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Gradle, each in turn, whose daemon is known to these tests alone and ends with them."""
    launcher: str = request.param
    registry = tmp_path_factory.mktemp("daemons")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADLE_OPTS", f"-Dorg.gradle.daemon.registry.base={registry}")
        yield launcher
        subprocess.run([launcher, "--stop"], cwd=registry, check=True, capture_output=True)
