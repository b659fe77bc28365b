"""Each form of logcat, and of Android Studio, gives the same measurements, as far as it has process ids, thread ids and times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_forms import LOGS, MESSAGES, STUDIO_FILE, LogForm, Message, log_of, studio_file

from navitas.recording.importing.log_forms import LogLines, is_studio_log, studio_lines
from navitas.recording.importing.measured_log import MeasuredLog
from navitas.recording.importing.original_log import Written, read_original_log
from navitas.recording.importing.read_log import read_log

_NAMES = st.sampled_from(["a.B.run", "a.B.work", "org.example.Main$1.<init>", "k.ClassKt.f-impl"])
_MESSAGES = st.lists(
    st.builds(
        lambda pid, tid, kind, name, ticks: (pid, tid, f"{kind} {name} TimeInStates cpu0 500000 {ticks} ;  EndOfData 7"),
        st.sampled_from([1, 4321, 99999]),
        st.sampled_from([1, 4321, 4322]),
        st.sampled_from(["Entry", "Exit"]),
        _NAMES,
        st.integers(0, 10_000),
    ),
    min_size=1,
    max_size=20,
)


def _expected(form: LogForm, messages: tuple[Message, ...]) -> list[tuple[object, ...]]:
    begin = 1_620_043_210_000
    return [
        (
            one.text.split()[0] == "Entry",
            one.text.split()[1],
            one.pid if form.has_process else 0,
            one.tid if form.has_threads else 0,
            (begin + one.ms) * 1_000_000 if form.has_times else None,
            int(one.text.split()[5]),
        )
        for one in messages
    ]


def _events(log: MeasuredLog) -> list[tuple[object, ...]]:
    return [
        (event.is_entry, event.method, event.pid, event.tid, event.realtime_ns, event.ticks[0])
        for part in log.parts
        for event in part.events
    ]


@pytest.mark.parametrize("name", LOGS)
@given(drawn=_MESSAGES)
def test_each_form_has_the_same_measurements(name: str, drawn: list[tuple[int, int, str]]) -> None:
    messages = tuple(Message(pid, tid, 40 * number, text) for number, (pid, tid, text) in enumerate(drawn))
    lines = (line for line in enumerate(log_of(name, messages).splitlines(), 1) if line[1])
    log = read_original_log(lines, "log", "log", Written(0, "a test"), 2021)
    assert _events(log) == _expected(LOGS[name], messages) and not log.damaged


@given(drawn=_MESSAGES)
def test_a_file_of_android_studio_has_the_same_measurements(drawn: list[tuple[int, int, str]]) -> None:
    messages = tuple(Message(pid, tid, 40 * number, text) for number, (pid, tid, text) in enumerate(drawn))
    document = json.loads(studio_file(messages))
    assert is_studio_log(document)
    log = read_original_log(studio_lines(document), "log", "log", Written(0, "a test"), None)
    assert _events(log) == _expected(STUDIO_FILE, messages) and not log.damaged and log.year is None


@pytest.mark.parametrize("name", [*LOGS, ".logcat"])
def test_a_file_names_its_form(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.B.run.txt"
    path.write_text(studio_file(MESSAGES) if name == ".logcat" else log_of(name, MESSAGES))
    log = read_log(path, "log", year=2021)
    expected = name.removeprefix("older ") if "Studio" not in name else name
    expected = expected.partition(" with")[0] if "Studio" in name else expected.split(" ")[0]
    assert log.format == {"color": "threadtime", "colored": "process", ".logcat": "json (Android Studio)"}.get(expected, expected)
    assert log.unit == ("measurement" if name == ".logcat" else "line") and not log.damaged


def test_a_damaged_message_of_a_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "log.logcat"
    path.write_text(studio_file(MESSAGES).replace('"pid": 4321', '"pid": "4321"', 1))
    log = read_log(path, "log", year=None)
    assert len(_events(log)) == 3 and log.damaged.total() == 1 and min(log.first.values()) == 1


def test_a_line_without_process_in_a_log_with_processes_is_damaged() -> None:
    lines = log_of("threadtime", MESSAGES[:2]) + MESSAGES[2].text + "\n" + log_of("tag", MESSAGES[3:])
    log = read_original_log(enumerate(lines.splitlines(), 1), "log", "log", Written(0, "a test"), 2021)
    assert len(_events(log)) == 2 and log.damaged.total() == 2


@given(st.lists(st.text(max_size=80) | st.sampled_from([one.line for one in LOGS.values()]), max_size=5))
def test_no_line_is_a_traceback(lines: list[str]) -> None:
    reader = LogLines()
    for line in lines:
        reader.record(line + MESSAGES[0].text)
