"""Markers (chunk type 4), and the test windows that follow from them and the manifest's tests."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from navitas.recording.manifest import Test
from navitas.recording.parse.chunks import Chunk, records
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.tables import Marker, Window

_HEADER = struct.Struct("<qBBHH")
_KINDS: tuple[Literal["run_start", "test_start", "test_finish", "run_end"], ...] = (
    "run_start",
    "test_start",
    "test_finish",
    "run_end",
)
_STATUSES: tuple[Literal["passed", "failed", "ignored", "assumption"], ...] = ("passed", "failed", "ignored", "assumption")


def decode_markers(chunks: Iterable[Chunk]) -> tuple[tuple[Marker, ...], int, Counter[int]]:
    """Return markers in time order, the number of impossible markers dropped, and the number of markers of each unknown kind.

    A test_finish with an unknown status is kept.
    """
    markers: list[Marker] = []
    dropped = 0
    unknown: Counter[int] = Counter()
    for record in records(chunks, _HEADER):
        if isinstance(record, int):
            dropped += record
            continue
        (t_ns, kind, status, _, _), test = record
        if t_ns < 0:
            dropped += 1
        elif kind >= len(_KINDS):
            unknown[kind] += 1
        else:
            known = _STATUSES[status] if status < len(_STATUSES) else "unknown"
            markers.append(Marker(t_ns, _KINDS[kind], str(test, "utf-8", "replace"), known))
    markers.sort(key=lambda marker: marker.t_ns)
    return tuple(markers), dropped, unknown


def windows_of(markers: Sequence[Marker], tests: Sequence[Test], end_ns: int, findings: Findings) -> tuple[Window, ...]:
    """Return the windows of a run's tests. Matches markers with the manifest's tests by `class#method`, in order.

    A test without a test_finish ends where the next test starts, or at the end of the run.
    """
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for test in reversed(tests):
        waiting[f"{test.class_name}#{test.method}"].append(test.id)
    is_ignored = {test.id: test.status == "ignored" for test in tests}
    windows: list[Window] = []
    unknown = 0
    open_test: Marker | None = None
    for marker in (*markers, None):
        if marker is not None and marker.kind in {"run_start", "run_end"}:
            continue
        finish = marker is not None and marker.kind == "test_finish"
        if finish and (open_test is None or marker is None or marker.test != open_test.test):
            continue
        if open_test is not None:
            ids = waiting[_as_listed(open_test.test)]
            if ids and is_ignored[ids[-1]]:
                ids.pop()  # it never ran; the time of its markers belongs to no test
            elif ids:
                windows.append(Window(ids.pop(), open_test.t_ns, end_ns if marker is None else marker.t_ns))
            else:
                unknown += 1
        open_test = None if finish else marker
    message = "{count} tests that ran are not in the manifest"
    findings.add_loss("unknown_tests", unknown, message, "Their energy counts as energy outside tests.")
    if tests and not any(marker.kind == "test_start" for marker in markers):
        findings.warn(
            "no_markers",
            "no test start or finish was recorded, so tests have no energy",
            "Check that the run's listener is on the test class path (navitas-runtime-junit).",
        )
    return tuple(windows)


def _as_listed(test: str) -> str:
    """Return a marker's test as the manifest's `class#method`. A whole class that failed or was ignored has no method."""
    return test.removesuffix("null") if test.endswith("#null") else test
