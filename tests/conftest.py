"""Shared fixtures. Every test can import `support` (tests/support).

A test that needs a program beyond Python uses that program's fixture. The fixture skips the test if the program is missing,
and marks the test: `pytest -m "not gradle"` leaves out all tests that need Gradle (docs/dev/testing.md).
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
# Helpers of one folder serve others.
_HELPERS = {path.parent for path in (TESTS / "unit").rglob("*.py")}
sys.path += map(str, sorted(_HELPERS | {TESTS / "accuracy", TESTS / "fuzz"}))

from support.android_projects import sdk  # noqa: E402
from support.browser import find_browser  # noqa: E402
from support.example_budget import limit_examples  # noqa: E402
from support.field_data import FIELD_DATA, NO_FIELD_DATA  # noqa: E402
from support.golden import GOLDEN  # noqa: E402
from support.repeatable_random import restart_random_numbers  # noqa: E402

# No test fails because it is slow.
# `make check` runs few examples, the same each time. `make test` runs new ones in each run. Tests run as many as they name with
# `make examples`, those with the marker `many_examples` also with `make test-all`.
MOST_EXAMPLES = {"check": 10, "test": 25, "extended": 25}
settings.register_profile("check", deadline=None, derandomize=True, database=None, max_examples=MOST_EXAMPLES["check"])
settings.register_profile("test", deadline=None, max_examples=MOST_EXAMPLES["test"])
for _profile in ("extended", "all"):
    settings.register_profile(_profile, deadline=None)
settings.load_profile(os.environ.get("NAVITAS_HYPOTHESIS", "test"))

# Each marker applies to all tests that use one of its fixtures, directly or through other fixtures.
NEEDS = {
    "jvm": {"jvm", "gradle", "any_gradle", "daemons"},
    "gradle": {"gradle", "any_gradle", "daemons"},
    "android": {"android_sdk"},
    "browser": {"browser"},
}

# What is tested here reads bytes and lines that others write, or conserves energy. Its tests get the marker `many_examples`.
_COLLECTED = ("battery_sample", "device_history", "input_script", "retrace", "settings")
_MANY_EXAMPLES = (
    *(f"unit/{name}" for name in ("android", "capture/bundle", "capture/device", "fleet/ingest", "insight/vitals", "power")),
    "unit/recording",
    "unit/base/test_untrusted_text.py",
    *(f"unit/energy/attribute/test_{name}.py" for name in ("attribute_properties", "hardware_conservation")),
    *(f"unit/capture/collect/test_{name}.py" for name in _COLLECTED),
    *(f"unit/virtual_phone/test_{name}.py" for name in ("adb_wire", "phone_log", "phone_sync", "shell_any_text", "shell_syntax")),
    "unit/insight/calibrate/test_calibration_files.py",
    "unit/cli/test_settings_file.py",
    "unit/insight/operations/regress/test_read_table.py",
    "unit/report/test_damaged_recordings.py",
    "unit/virtual_phone/kernel/test_ring_pages.py",
    "process/capture/device",
)
assert all((TESTS / part).exists() for part in _MANY_EXAMPLES), "a part of _MANY_EXAMPLES has moved"

# Fixtures that took at least this long are in the JUnit XML, for .ci/slowest.
_LONG_S = 0.5
_fixture_times: list[tuple[str, str]] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by what it tests and by the programs that its fixtures need. Limit its examples."""
    profile = settings.get_current_profile_name()
    paths = {item.path for item in items}
    explored = {path for path in paths if any(path.is_relative_to(TESTS / part) for part in _MANY_EXAMPLES)}
    for item in items:
        if item.path in explored:
            item.add_marker("many_examples")
        fixtures = set(getattr(item, "fixturenames", ()))
        for marker, names in NEEDS.items():
            if fixtures & names:
                item.add_marker(marker)
        is_whole = profile == "extended" and item.path in explored
        if profile in MOST_EXAMPLES and isinstance(item, pytest.Function) and not is_whole:
            limit_examples(item.obj, MOST_EXAMPLES[profile])


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Measure fixtures that several tests share."""
    start = time.perf_counter()
    try:
        return (yield)
    finally:
        took_s = time.perf_counter() - start
        if fixturedef.scope != "function" and took_s >= _LONG_S:
            _fixture_times.append(("fixture", f"{fixturedef.argname} {took_s:.2f}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the times of fixtures to the test that was the first to use them."""
    if call.when == "setup":
        item.user_properties.extend(_fixture_times)
        _fixture_times.clear()
    return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="rewrite golden files instead of comparing with them")


@pytest.fixture(autouse=True)
def _repeatable_random_numbers() -> None:
    restart_random_numbers()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares with tests/golden/<name>, or writes it with --refresh-golden."""

    def check(name: str, text: str) -> None:
        path = TESTS / "golden" / name
        if request.config.getoption("--refresh-golden"):
            path.write_text(text, "utf-8")
        assert text.splitlines() == path.read_text("utf-8").splitlines()

    return check


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A copy of the golden recording, to change: `tmp_path / "rec"`."""
    return shutil.copytree(GOLDEN, tmp_path / "rec")


@pytest.fixture(scope="session")
def jvm() -> str:
    """The `java` on PATH."""
    program = shutil.which("java")
    if program is None:
        pytest.skip("no `java` on PATH: make system")
    return program


@pytest.fixture
def android_sdk(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Android SDK for tests. ANDROID_HOME names it while the test runs."""
    home = sdk()
    if home is None:
        pytest.skip("no Android SDK in ANDROID_HOME or .android-sdk: make android-sdk")
    monkeypatch.setenv("ANDROID_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def browser() -> str:
    """Chromium or Chrome."""
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium or Chrome on PATH: make browser")
    return program


@pytest.fixture(scope="session")
def field() -> Path:
    """The folder with data of real devices."""
    if not FIELD_DATA.is_dir():
        pytest.skip(NO_FIELD_DATA)
    return FIELD_DATA


@pytest.fixture
def made_plugin_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin jar in `tmp_path / "jars"`, in place of the one that the build makes."""
    (tmp_path / "jars").mkdir()
    with zipfile.ZipFile(tmp_path / "jars" / "navitas-gradle-plugin.jar", "w") as jar:
        jar.writestr("a", "b")
    monkeypatch.setattr("navitas.capture.build.java.JARS", tmp_path / "jars")
