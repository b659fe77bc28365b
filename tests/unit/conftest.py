"""Unit tests start no process and no JVM. `make check` runs all of them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from support.no_processes import NoProcesses

_HERE = Path(__file__).parent
_GUARD = NoProcesses()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Prevent each test of this folder, and its fixtures, from starting a process."""
    if _HERE not in item.path.parents:  # pytest calls this hook for all tests of a session
        return (yield)
    with _GUARD.watch():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that tried to start a process and caught the error."""
    report = yield
    if call.when == "teardown" and _GUARD.refused and report.passed:
        report.outcome = "failed"
        report.longrepr = (
            f"this test, or one of its fixtures, starts a process ({_GUARD.refused[0]}): move it to tests/process, or to"
            " tests/integration if it needs a virtual phone or Gradle (docs/dev/testing.md)"
        )
    return report
