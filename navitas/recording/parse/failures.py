"""Find where and why tests failed, in the output of `am instrument`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from navitas.android.instrumentation import InstrumentationParser, TestFinished
from navitas.base.regular_files import open_regular
from navitas.recording.manifest import Test
from navitas.recording.store import Recording

_LONGEST = 300
_LONGEST_LINE = 1 << 20
_FRAME = re.compile(r"\s*at (?:[^\s()/]*/)*([^\s()/]+)\.[^\s().]+\(([^\s():]+:\d+)\)")
"""A frame of a stack: its class, and its file and line."""


def failed_lines(recording: Recording, run: int, tests: Sequence[Test]) -> dict[int, str]:
    """Return for each test of a run that failed where and why: `SortTest.java:12: AssertionError: not sorted`.

    Without the line if the stack has no frame with one. Tests whose failure is not recorded are missing.
    """
    failed = {(test.class_name, test.method): test for test in tests if test.status == "failed"}
    if not failed:
        return {}
    found: dict[int, str] = {}
    for event in (event for path in recording.files("instrument", run) for event in _finished(path)):
        test = failed.get((event.class_name, event.method))
        if test is not None and event.stack:
            found[test.id] = _where_and_why(event.stack, test.class_name)
    return found


def _finished(path: Path) -> Iterator[TestFinished]:
    """Yield the ends of tests. An unreadable file has none: a warning of the recording names it."""
    parser = InstrumentationParser()
    try:
        with open_regular(path) as stream:
            while line := stream.readline(_LONGEST_LINE):
                events = parser.feed(line.decode("utf-8", "replace").rstrip("\r\n"))
                yield from (event for event in events if isinstance(event, TestFinished))
    except OSError:
        return


def _where_and_why(stack: str, class_name: str) -> str:
    """Return the innermost line in the test's class, or the innermost of all, and the exception without its package."""
    first, _, rest = stack.partition("\n")
    exception, colon, message = first.partition(":")
    why = f"{exception.rpartition('.')[2]}{colon}{message}"[:_LONGEST].rstrip()
    frames = [frame.groups() for frame in map(_FRAME.match, rest.split("\n")) if frame is not None]
    own = [line for name, line in frames if name == class_name or name.startswith(f"{class_name}$")]
    line = next(iter(own or [line for _, line in frames]), "")
    return f"{line}: {why}" if line else why
