"""Unit tests start no process and no JVM: `make check` runs them all."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from support.no_processes import NoProcesses

_HERE = Path(__file__).parent
_GUARD = NoProcesses()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Refuses processes to each test of this folder and to its fixtures."""
    if _HERE not in item.path.parents:  # pytest calls this hook for all tests of a session
        return (yield)
    with _GUARD.watch():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails a test whose code got over the refusal."""
    report = yield
    if call.when == "teardown" and _GUARD.refused and report.passed:
        report.outcome = "failed"
        report.longrepr = (
            f"this test, or a fixture of it, starts a process ({_GUARD.refused[0]}): its place is tests/process, or"
            " tests/integration where it needs a virtual phone or Gradle (docs/dev/testing.md)"
        )
    return report
