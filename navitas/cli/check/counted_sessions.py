"""Sessions with the operations that their tests executed, by a census: the same in each run of deterministic tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.cli.operations.input import read_builds
from navitas.insight.compare.session import Session, TestRun, qualified_name
from navitas.insight.compare.versions import is_recording
from navitas.insight.operations.census.document import GC


def counted_sessions(sessions: Sequence[Session], recordings: Sequence[Path], census: Path) -> list[Session]:
    """Return the sessions of recordings with the operations of their tests, without garbage collections.

    Raises `UsageError` for a JSON report, which has no executed blocks, and the errors of `read_builds`.
    """
    if reports := [path for path in recordings if not is_recording(path)]:
        raise UsageError(f"{reports[0]} is a JSON report, which has no executed blocks", "Give recordings with --census.")
    builds = read_builds([(recording, census) for recording in recordings])
    counted = []
    for session, build in zip(sessions, builds, strict=True):
        counts: dict[tuple[str, int], int] = {}
        for test in build.tests:
            executions = zip(build.program.names, build.program.executions(test).tolist(), strict=True)
            key = qualified_name(test.module, test.name), test.repeat
            counts[key] = sum(count for name, count in executions if name != GC)
        tests = {
            name: {repeat: _with_count(run, counts.get((name, repeat))) for repeat, run in runs.items()}
            for name, runs in session.tests.items()
        }
        busy = {
            repeat: {name: _with_count(run, counts.get((name, repeat))) for name, run in runs.items()}
            for repeat, runs in session.busy.items()
        }
        counted.append(replace(session, tests=tests, busy=busy))
    return counted


def _with_count(run: TestRun, count: int | None) -> TestRun:
    return replace(run, operations=count)
