"""A log buffer keeps what earlier tests logged: each measurement counts once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from original_logs import SPEEDS, by_method, imported, line

from navitas.base.errors import UsageError
from navitas.recording.importing.measured_log import MeasuredLog
from navitas.recording.importing.original_json import read_original_json
from navitas.recording.importing.original_log import Written, read_original_log
from navitas.recording.importing.processes import processes_of
from navitas.recording.importing.read_log import count_once

Row = tuple[int, int]
"""A process, and the second and tick at which its method is entered or, if it is odd, left."""


def rows(pid: int, *seconds: int) -> list[Row]:
    return [(pid, second) for second in seconds]


def as_json(tests: dict[str, list[Row]]) -> dict[str, object]:
    def log(pid: int, second: int) -> dict[str, object]:
        header = {"processID": pid, "threadID": pid, "methodName": "a.B.run", "isEntry": not second % 2}
        details = [{"frequency": khz, "timestamp": 100 * second} for khz in SPEEDS]
        body = [{"component": "cpuTimeInStates", "details": [{"kernel": 0, "details": details}]}]
        return {"header": header | {"timestamp": 1_600_000_000_000 + 1000 * second if pid else 0}, "body": body}

    document = [{"testName": name, "logs": [log(*row) for row in logged]} for name, logged in tests.items()]
    return {"tests": document}


def as_text(logged: list[Row]) -> str:
    return "".join(
        line(f"05-03 10:00:{second:02}.000", (pid, pid), f"{'Exit' if second % 2 else 'Entry'} a.B.run", {0: [100 * second] * 2})
        for pid, second in logged
    )


def runs(*logs: MeasuredLog) -> list[tuple[str, int, int]]:
    """The test, process id and number of events of each process."""
    count_once(logs)
    return [(one.test, one.pid, len(one.events)) for log in logs for one in processes_of(log)]


FIRST, SECOND = rows(7, 0, 1, 2, 3), rows(8, 6, 7)


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ({"a": FIRST, "b": FIRST + SECOND}, [("a", 7, 4), ("b", 8, 2)]),
        ({"b": FIRST + SECOND, "a": FIRST}, [("b", 8, 2), ("a", 7, 4)]),
        ({"a": FIRST[:3], "b": FIRST[2:] + SECOND}, [("a", 7, 4), ("b", 8, 2)]),
        ({"a": FIRST, "b": FIRST}, [("a", 7, 4)]),
        ({"a": FIRST, "b": FIRST[2:] + SECOND, "c": SECOND + rows(9, 10, 11)}, [("a", 7, 4), ("b", 8, 2), ("c", 9, 2)]),
        ({"a": rows(7, 0, 0, 1, 1), "b": rows(7, 0, 1, 1) + SECOND}, [("a", 7, 4), ("b", 8, 2)]),
    ],
    ids=["the next test", "in another order", "a buffer that lost its start", "nothing else", "three tests", "equal events"],
)
def test_a_process_counts_in_the_test_whose_log_ended_first(
    tests: dict[str, list[Row]], expected: list[tuple[str, int, int]]
) -> None:
    log = read_original_json(as_json(tests), "logs.json")
    assert runs(log) == expected
    assert log.repeated.total() == sum(map(len, tests.values())) - sum(count for _, _, count in expected)


def test_json_without_process_ids_counts_readings_once() -> None:
    first, second = rows(0, 0, 1), rows(0, 6, 7)
    log = read_original_json(as_json({"a": first, "b": first + second}), "logs.json")
    assert runs(log) == [("a", 0, 2), ("b", 0, 2)]


def test_a_file_with_two_dumps() -> None:
    text = "".join("--------- beginning of main\n" + as_text(logged) for logged in (FIRST, FIRST + SECOND))
    log = read_original_log(enumerate(text.splitlines(), 1), "log.txt", "log", Written(0, "a test"), 2021)
    assert runs(log) == [("log", 7, 4), ("log", 8, 2)]


def test_a_dump_of_several_buffers_is_one_dump() -> None:
    """Equal events on both sides of a buffer's line are two events. The next dump begins with a buffer that was there."""
    dump = f"--------- beginning of main\n{as_text(FIRST)}--------- beginning of system\n{as_text(FIRST[-1:] + SECOND)}"
    log = read_original_log(enumerate(dump.splitlines(), 1), "log.txt", "log", Written(0, "a test"), 2021)
    assert runs(log) == [("log", 7, 5), ("log", 8, 2)] and not log.repeated
    log = read_original_log(enumerate((dump * 2).splitlines(), 1), "log.txt", "log", Written(0, "a test"), 2021)
    assert runs(log) == [("log", 7, 5), ("log", 8, 2)] and log.repeated["log"] == 7


def test_the_logs_of_two_tests_and_the_warning(tmp_path: Path) -> None:
    (one := tmp_path / "SortTest.one.txt").write_text(as_text(FIRST))
    (two := tmp_path / "SortTest.two.txt").write_text(as_text(FIRST + SECOND))
    written, profile = imported(tmp_path / "rec", two, one)
    assert [(test.method, test.repeat) for test in profile.tests] == [("two", 0), ("one", 0)]
    assert by_method(profile)[1] == by_method(imported(tmp_path / "alone", one)[1])[0]
    assert f"{two.name}: the log buffer of SortTest.two had 4 measurements of earlier tests" in [
        note.message for _, note in written.notes
    ]
    (copy := tmp_path / "part.txt").write_text(as_text(FIRST[2:]))
    with pytest.raises(UsageError, match=r"one\.txt and .*part\.txt have the same measurements of process 7"):
        imported(tmp_path / "copied", one, copy)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 30)), unique=True, min_size=1), st.data())
def test_any_parts_of_one_log_have_its_events_once(events: list[Row], data: st.DataObject) -> None:
    log = sorted(events, key=lambda row: row[1])
    ends = sorted(data.draw(st.lists(st.integers(1, len(log)), min_size=1, max_size=4)))
    dumps = {str(number): log[data.draw(st.integers(0, end - 1)) : end] for number, end in enumerate(ends)}
    measured = read_original_json(as_json(dumps), "logs.json")
    count_once([measured])
    kept = [(event.pid, event.ticks[0] // 100) for part in measured.parts for event in part.events]
    assert sorted(kept) == sorted({row for dump in dumps.values() for row in dump})
