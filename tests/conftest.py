"""Shared fixtures; `support` (tests/support) is importable from every test."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
# Timing decides no test.
settings.register_profile("navitas", deadline=None)
settings.load_profile("navitas")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write golden files anew instead of comparing with them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares with tests/golden/<name>, or writes it with --refresh-golden."""

    def check(name: str, text: str) -> None:
        path = TESTS / "golden" / name
        if request.config.getoption("--refresh-golden"):
            path.write_text(text, "utf-8")
        assert text.splitlines() == path.read_text("utf-8").splitlines()

    return check


@pytest.fixture(scope="session")
def field() -> Path:
    """The folder of real devices' files beside the repository."""
    folder = TESTS.parent.parent / "shared" / "field"
    if not folder.is_dir():
        pytest.skip("no field data: ../shared/field is absent")
    return folder


@pytest.fixture
def made_plugin_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin's jar in `tmp_path / "jars"`, which stands for the one that the build makes."""
    (tmp_path / "jars").mkdir()
    with zipfile.ZipFile(tmp_path / "jars" / "navitas-gradle-plugin.jar", "w") as jar:
        jar.writestr("a", "b")
    monkeypatch.setattr("navitas.build.jars.JARS", tmp_path / "jars")
