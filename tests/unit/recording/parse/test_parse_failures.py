"""Where and why tests failed, from the output of `am instrument`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.recording_maker import make_recording
from support.scenario import Scenario, TestSpec, ThreadSpec

from navitas.energy.analyze.load import load
from navitas.recording.manifest import File
from navitas.recording.store import Recording

STACK = """java.lang.AssertionError: not sorted: [2, 1]
\tat org.junit.Assert.fail(Assert.java:89)
\tat app//org.example.SortTest$Checks.check(SortTest.java:41)
\tat org.example.SortTest.sorts(SortTest.java:12)
\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)
"""


def recording(folder: Path, stack: str | None, status: str = "failed") -> Recording:
    """A recording of one test, with the output of its run unless `stack` is None."""
    threads, test = (ThreadSpec("main", busy=((0.0, 90.0, 1.0),)),), TestSpec("org.example.SortTest#sorts", 10, 80, status)
    scenario = Scenario(100.0, threads=threads, tests=(test,))
    made = make_recording(folder, scenario)
    if stack is not None:
        name = "runs/0/instrument.txt"
        status_of = "INSTRUMENTATION_STATUS: class=org.example.SortTest\nINSTRUMENTATION_STATUS: test=sorts\n"
        (folder / name).write_text(f"{status_of}INSTRUMENTATION_STATUS: stack={stack}INSTRUMENTATION_STATUS_CODE: -2\n")
        file = File(path=name, kind="instrument", bytes=1, sha256="0", run=0)
        manifest = made.manifest.model_copy(update={"files": [*made.manifest.files, file]})
        (folder / "manifest.json").write_text(manifest.model_dump_json(by_alias=True))
    return made


@pytest.mark.parametrize(
    ("stack", "wanted"),
    [
        (STACK, "SortTest.java:41: AssertionError: not sorted: [2, 1]"),
        (STACK.replace("SortTest", "Other"), "Assert.java:89: AssertionError: not sorted: [2, 1]"),
        ("kotlin.NotImplementedError\n\tat a.B.c(Native Method)\n", "NotImplementedError"),
        ("no stack at all\n", "no stack at all"),
        (None, ""),
    ],
)
def test_the_line_is_that_of_the_tests_class(tmp_path: Path, stack: str | None, wanted: str) -> None:
    recording(tmp_path / "rec", stack)
    (test,) = load(tmp_path / "rec").tests
    assert test.failure == wanted


def test_only_failed_tests_have_a_failure(tmp_path: Path) -> None:
    recording(tmp_path / "rec", STACK, "passed")
    (test,) = load(tmp_path / "rec").tests
    assert test.failure == ""


def test_a_damaged_output_is_no_failure_of_the_report(tmp_path: Path) -> None:
    recording(tmp_path / "rec", STACK)
    (tmp_path / "rec/runs/0/instrument.txt").write_bytes(b"\xff" * 5_000_000 + b"\nINSTRUMENTATION_STATUS: stack=\x00")
    (test,) = load(tmp_path / "rec").tests
    assert test.failure == ""
