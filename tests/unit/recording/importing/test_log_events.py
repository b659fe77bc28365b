"""Logs with missing exits, several processes and threads, damaged lines, and without times or thread ids."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from original_logs import SPEEDS, VOLTS, by_method, imported, line, milliamps, paper1_by_method

from navitas.base.errors import NavitasError, RecordingError
from navitas.recording.importing.counted_cpus import counted_cpus
from navitas.recording.importing.original_log import Written, read_original_log
from navitas.recording.importing.processes import LoggedProcess, processes_of
from navitas.recording.importing.read_log import read_log

IDLE = {0: (100, 200), 1: (100, 200)}


def _ticks(passed: int, *, later: int = 0) -> dict[int, tuple[int, int]]:
    """Counters of two CPUs after some ticks, a third of them at the higher speed. `later`: the second CPU is read later."""
    return {cpu: (100 + (now - now // 3), 200 + now // 3) for cpu, now in ((0, passed), (1, passed + later))}


def _stamp(passed: int) -> str:
    return f"05-03 10:00:{passed // 100:02d}.{passed % 100:02d}0"


def _log(*events: tuple[int, int, str], pid: int = 7, brief: bool = False) -> str:
    """A log of events: ticks since the start, thread, and what."""
    return "".join(line(_stamp(t), (pid, tid), what, _ticks(t), brief=brief) for t, tid, what in events)


def _processes(text: str) -> list[LoggedProcess]:
    return list(processes_of(read_original_log(enumerate(text.splitlines(), 1), "log.txt", "log", Written(0, "a test"), 2021)))


def _imported(folder: Path, text: str) -> tuple[list[dict[str, float]], list[str], list[str]]:
    """The energies by method of each run, and the codes and messages of the warnings."""
    folder.mkdir(exist_ok=True)
    (folder / "log.txt").write_text(text)
    written, profile = imported(folder / "rec", folder / "log.txt")
    assert not [warning for warning in profile.warnings if warning.code == "not_conserved"]
    return by_method(profile), [note.code for _, note in written.notes], [note.message for _, note in written.notes]


def test_overlapping_threads_are_each_charged_by_paper_1_and_share_by_default(tmp_path: Path) -> None:
    text = _log((0, 7, "Entry a.B.one"), (10, 8, "Entry a.B.two"), (40, 7, "Exit a.B.one"), (50, 8, "Exit a.B.two"))
    (methods,), _, messages = _imported(tmp_path, text)
    assert methods == pytest.approx(dict(paper1_by_method(text)["7"]))
    _, profile = imported(tmp_path / "again", tmp_path / "log.txt")
    (test,) = profile.tests
    default = sum(thread.energy_j for thread in test.threads)
    assert default < 0.75 * sum(methods.values())
    assert any("60.0% of the time in calls" in message for message in messages)


def test_missing_exits_end_with_the_callers_exit_and_are_named(tmp_path: Path) -> None:
    text = _log((0, 7, "Entry a.B.caller"), (10, 7, "Entry a.B.thrower"), (30, 7, "Exit a.B.caller"), (40, 7, "Exit a.B.unknown"))
    text += _log((50, 7, "Entry a.B.last"), (60, 7, "Entry a.B.inner"), (70, 7, "Exit a.B.inner"))
    (methods,), codes, messages = _imported(tmp_path, text)
    assert methods["a.B.caller"] == pytest.approx(1.5 * methods["a.B.thrower"], rel=0.1)
    assert "a.B.unknown" not in methods
    assert codes.count("events_missing") == 2
    assert any("2 of 7 events are entries without an exit, first in line 2 (a.B.thrower)" in message for message in messages)
    assert any("1 of 7 events is an exit without an entry, first in line 4 (a.B.unknown)" in message for message in messages)


def test_lines_of_two_threads_in_another_order_than_their_readings(tmp_path: Path) -> None:
    """Thread 8 reads first and writes last: its reading counts, at the time of the other line."""
    rows = [
        (0, 0, 7, "Entry a.B.one"),
        (20, 20, 7, "Exit a.B.one"),
        (21, 15, 8, "Entry a.B.two"),
        (40, 40, 8, "Exit a.B.two"),
    ]
    text = "".join(line(_stamp(at), (7, tid), what, _ticks(read)) for at, read, tid, what in rows)
    (methods,), _, messages = _imported(tmp_path, text)
    assert methods == pytest.approx(dict(paper1_by_method(text)["7"]))
    assert not any("raised" in message for message in messages)
    (process,) = _processes(text)
    assert [event.place for event in process.events] == [1, 3, 2, 4]


def test_counters_that_two_threads_read_at_once_are_raised(tmp_path: Path) -> None:
    rows = [(0, 0, 7, "Entry a.B.one"), (10, 3, 7, "Exit a.B.one"), (12, 0, 8, "Entry a.B.two"), (30, 0, 8, "Exit a.B.two")]
    text = "".join(line(_stamp(at), (7, tid), what, _ticks(at, later=later)) for at, later, tid, what in rows)
    (methods,), _, messages = _imported(tmp_path, text)
    assert any("1 reading has counters below" in message for message in messages)
    assert methods["a.B.one"] == pytest.approx(paper1_by_method(text)["7"]["a.B.one"])


def _two_clusters(at: int, restarts: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Counters of a phone that is up for long. Those of `restarts` (CPU: ticks) began again at a time."""
    since = {cpu: restarts[cpu] if at > restarts.get(cpu, at) else -90_000 - cpu // 4 * 800 for cpu in (0, 1, 4, 5)}
    return {cpu: (at - t - (at - t) // 3, (at - t) // 3) for cpu, t in since.items()}


UNPLUGGED = [{4: 50, 5: 50}, {4: 50, 5: 90}, {4: 170, 5: 50}]
ALL_CORES = dict.fromkeys((0, 1, 4, 5), 90)
"""Without times in the log, this can be a restart of the phone."""


@pytest.mark.parametrize(("restarts", "brief"), [*product(UNPLUGGED, [False, True]), (ALL_CORES, False)])
def test_cores_that_were_unplugged_count_from_the_reading_before(restarts: dict[int, int], brief: bool, tmp_path: Path) -> None:
    """All energies are those of the log in which no core was unplugged, for the counters begin again right after a reading."""
    rows = [(t, f"{('Entry', 'Exit')[n % 2]} a.B.run{n // 2 % 2}") for n, t in enumerate(range(10, 211, 40))]

    def log(began: dict[int, int]) -> str:
        return "".join(line(_stamp(t), (7, 7), what, _two_clusters(t, began), brief=brief) for t, what in rows)

    (expected,), _, _ = _imported(tmp_path / "steady", log({}))
    (found,), codes, messages = _imported(tmp_path / "unplugged", log(restarts))
    assert found == pytest.approx(expected, rel=0.02)
    (message,) = [text for text in messages if "began again at 0" in text]
    assert codes.count("counter_restarts") == 1 and all(f"CPU {cpu}" in message for cpu in restarts)


def test_a_core_that_is_off_uses_nothing(tmp_path: Path) -> None:
    """It is off in the second call, and its counters begin again at 40 ticks. Paper 1 has what both cores counted."""
    one = [(0, {0: (9000, 900), 1: (9000, 900)}), (10, {0: (9010, 900), 1: (9005, 905)})]
    two = [(20, {0: (9010, 910)}), (40, {0: (9010, 930)})]
    three = [(45, {0: (9010, 935), 1: (5, 0)}), (60, {0: (9025, 935), 1: (5, 15)})]
    rows = [row for calls in (one, two, three) for row in calls]
    text = "".join(
        line(_stamp(t), (7, 7), f"{('Entry', 'Exit')[n % 2]} a.B.run{n // 2}", ticks) for n, (t, ticks) in enumerate(rows)
    )
    (methods,), codes, _ = _imported(tmp_path, text)
    low, high = (milliamps(0, khz) / 1e3 * VOLTS * 0.01 for khz in SPEEDS)
    expected = {"a.B.run0": 15 * low + 5 * high, "a.B.run1": 20 * high, "a.B.run2": 15 * low + 15 * high}
    assert methods == pytest.approx(expected)
    assert codes.count("counter_restarts") == codes.count("time_in_state_readings") == 1


def test_a_process_of_the_same_id_after_a_restart_is_another_one(tmp_path: Path) -> None:
    before = "".join(line(_stamp(t), (7, 7), what, _ticks(t + 10**6)) for t, what in ((0, "Entry a.B.run"), (9, "Exit a.B.run")))
    runs, _, _ = _imported(tmp_path, before + _log((10, 7, "Entry a.B.run"), (40, 7, "Exit a.B.run")))
    assert [round(run["a.B.run"] / runs[0]["a.B.run"], 1) for run in runs] == [1.0, 3.3]


@pytest.mark.parametrize("wrong", [10**11, 10**9, 0])
def test_a_damaged_reading_is_left_out_and_named(wrong: int, tmp_path: Path) -> None:
    rows = [(t, "Entry a.B.run" if t % 20 == 0 else "Exit a.B.run") for t in range(0, 100, 10)]
    text = "".join(line(_stamp(t), (7, 7), what, {0: (wrong, 0), 1: (wrong, 0)} if t == 30 else _ticks(t)) for t, what in rows)
    (methods,), codes, _ = _imported(tmp_path, text)
    whole = paper1_by_method("".join(line(_stamp(t), (7, 7), what, _ticks(t)) for t, what in rows))
    assert methods == pytest.approx(dict(whole["7"]), rel=0.05)
    assert "time_in_state_readings" in codes


def test_messages_that_logcat_cut_keep_their_entry(tmp_path: Path) -> None:
    whole = _log((0, 7, "Entry a.B.run"), (10, 7, "Entry a.B.inner"), (20, 7, "Exit a.B.inner"), (30, 7, "Exit a.B.run"))
    lines = whole.splitlines(keepends=True)
    lines[1] = lines[1][: lines[1].index("cpu1")] + "\n"
    (methods,), codes, _ = _imported(tmp_path, "".join(lines))
    assert methods == pytest.approx(dict(paper1_by_method(whole)["7"]), rel=0.05)
    assert codes.count("time_in_state_readings") == 1 and "events_missing" not in codes


def test_other_cpus_and_other_lines(tmp_path: Path) -> None:
    """A CPU is off for a while; other lines are of other programs, or of an unknown format."""
    off = line(_stamp(10), (7, 7), "Entry a.B.inner", {0: _ticks(10)[0]})
    text = "x\n" + _log((0, 7, "Entry a.B.run")) + off + _log((20, 7, "Exit a.B.inner"), (30, 7, "Exit a.B.run"))
    text += "05-03 10:00:00.000 D/TEST( 7): Entry a.B.run TimeInStates cpu0 1 1 ; EndOfData 0\n"
    text += "13-03 10:00:00.000  7  7 D TEST : Entry a.B.run TimeInStates cpu0 1 1 ; EndOfData 0\n"
    text += "05-03 10:00:00.000  7  7 D TEST : TimeInStates\n    Wifi: 0.22 ( cpu=0.01 )\n"
    _, codes, messages = _imported(tmp_path, text)
    assert "time_in_state_readings" in codes
    for part in (
        "first line 6: a measurement in an unknown format",
        "line 7: an impossible time",
        "line 8: an unreadable",
        "Wi-Fi",
    ):
        assert any(part in message for message in messages), part


def test_a_year_ends_during_the_log(tmp_path: Path) -> None:
    rows = [("12-31 23:59:59.990", 0, "Entry a.B.run"), ("01-01 00:00:00.040", 5, "Exit a.B.run")]
    text = "".join(line(stamp, (7, 7), what, _ticks(t)) for stamp, t, what in rows)
    (methods,), _, messages = _imported(tmp_path, text)
    assert methods == pytest.approx(dict(paper1_by_method(text)["7"]))
    (process,) = _processes(text)
    assert process.t_ns == (0, 50_000_000)
    assert any("begins in 2021 (--year), and passes the turn of the year 1 time" in message for message in messages)


def test_a_clock_that_is_set_back_takes_no_time(tmp_path: Path) -> None:
    rows = [("05-03 11:59:59.000", 0, "Entry a.B.run"), ("05-03 00:00:01.000", 200, "Exit a.B.run")]
    text = "".join(line(stamp, (7, 7), what, _ticks(t)) for stamp, t, what in rows)
    (methods,), _, messages = _imported(tmp_path, text)
    assert methods == pytest.approx(dict(paper1_by_method(text)["7"]))
    assert any("goes back 1 time" in message for message in messages)


def test_two_devices_cannot_share_a_recording(tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text(_log((0, 7, "Entry a.B.run"), (10, 7, "Exit a.B.run")))
    other.write_text(one.read_text().replace("800000", "900000"))
    with pytest.raises(RecordingError, match=r"one\.txt and .*other\.txt have different CPUs"):
        imported(tmp_path / "rec", one, other)


def test_cpus_share_a_policy_if_their_counters_are_the_same() -> None:
    own = {0: (100, 200), 1: (101, 200), 2: (9000, 1), 3: (9000, 1)}
    (process,) = _processes(line(_stamp(0), (7, 7), "Entry a.B.run", own))
    assert [policy.cpus for policy in counted_cpus([process]).policies] == [[0, 1], [2, 3]]


NO_LOGS = ["", "x\n", "05-03 10:00:00.000  7  7 D TEST : Entry TimeInStates EndOfData\n"]
NO_JSON = ["{", "{}", '{"tests": 1}', '{"tests": [1]}', '{"tests": [{"logs": [{}]}]}', '{"tests":' + "[" * 100_000]


@pytest.mark.parametrize(("name", "text"), [*(("a.txt", text) for text in NO_LOGS), *(("a.json", text) for text in NO_JSON)])
def test_a_log_without_measurements_is_an_error(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordingError, match=name):
        read_log(path, str(path), year=None)


@pytest.mark.parametrize(
    ("counters", "cause"),
    [
        ("cpu0 1000000000000000 1", "the frequency 1000000000000000 kHz is impossible"),
        ("cpu999999 400000 1", "CPU 999999 is not below"),
        ("cpu0 400000 999999999999", "999999999999 ticks are impossible"),
        ("cpu0 400000 -1", "it is missing, cut off, or has another form"),
    ],
)
def test_the_first_impossible_reading_is_named_if_none_is_usable(counters: str, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(f"x\n05-03 10:00:00.000  7  7 D TEST : Entry a.B.run TimeInStates {counters} ; EndOfData 0\n")
    with pytest.raises(RecordingError, match=rf"log\.txt: no entry or exit .* \(first in line 2: {cause}"):
        imported(tmp_path / "rec", path)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('{"tests": [{"logs": [{"header": {"processID": NaN}}, {}]}]}', r"an unreadable measurement in measurement 1, 2 in all"),
        ('{"tests": ' + "9" * 5000 + "}", "a number has too many digits"),
        ('{"tests":' + "[" * 100_000, "its values are nested too deeply"),
    ],
)
def test_the_cause_of_unusable_json_is_named_in_plain_words(text: str, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(RecordingError, match=cause):
        read_log(path, str(path), year=None)


def test_a_log_without_readings_has_no_energy(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("05-03 10:00:00.000  7  7 D TEST : Entry a.B.run TimeInStates EndOfData 0\n")
    with pytest.raises(RecordingError, match="no entry or exit has a usable reading"):
        imported(tmp_path / "rec", tmp_path / "log.txt")


_NAMES = st.sampled_from(["a.B.one", "a.B.two", "a.C.one"])


@st.composite
def _calls(draw: st.DrawFn) -> list[tuple[int, str]]:
    """Nested calls of one thread, of which some have no exit: ticks and what."""
    events: list[tuple[int, str]] = []
    passed = 0

    def call(depth: int) -> None:
        nonlocal passed
        name = draw(_NAMES)
        passed += draw(st.integers(1, 5))
        events.append((passed, f"Entry {name}"))
        for _ in range(draw(st.integers(0, 2)) if depth < 3 else 0):
            call(depth + 1)
        passed += draw(st.integers(1, 5))
        if draw(st.integers(0, 5)):
            events.append((passed, f"Exit {name}"))

    for _ in range(draw(st.integers(1, 3))):
        call(0)
    return events


@given(_calls())
@settings(max_examples=30, deadline=None)
def test_a_brief_log_has_the_energies_of_the_same_log_with_times(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("brief")
    text = _log(*((t, 7, what) for t, what in calls))
    brief = _log(*((t, 7, what) for t, what in calls), brief=True)
    (expected,), _, _ = _imported(folder / "threadtime", text)
    assert _used(expected) == pytest.approx(_used(_with_open_calls(text)), abs=1e-9)
    found, _, _ = _imported(folder / "brief", brief)
    assert found == [pytest.approx(expected, abs=1e-9)]


def _used(joules: dict[str, float]) -> dict[str, float]:
    return {name: energy_j for name, energy_j in joules.items() if energy_j > 0}


def _with_open_calls(text: str) -> dict[str, float]:
    """Paper 1's energies if calls without an exit end with the next exit of a caller, or the log."""
    lines = text.splitlines(keepends=True)
    out: list[str] = []
    stack: list[str] = []

    def close(row: str) -> None:
        out.append(row.partition("TEST    : ")[0] + "TEST    : Exit " + stack.pop() + row[row.index(" TimeInStates") :])

    for row in lines:
        kind, name = row.partition("TEST    : ")[2].split()[:2]
        if kind == "Entry":
            stack.append(name)
            out.append(row)
        elif name in stack:
            while stack[-1] != name:
                close(row)
            close(row)
    while stack:
        close(lines[-1])
    return paper1_by_method("".join(out))["7"]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_overlapping_threads_of_a_brief_log_are_separated_by_their_calls(data: st.DataObject) -> None:
    """Two threads that run different methods, each nested in itself."""
    rows = [(tid, what) for tid, name in ((7, "a"), (8, "b")) for what in data.draw(st.permutations([f"{name}1", f"{name}2"]))]
    order = data.draw(st.permutations([0, 0, 0, 0, 1, 1, 1, 1]))
    streams = []
    for tid in (7, 8):
        outer, inner = (what for number, what in rows if number == tid)
        streams.append([f"Entry x.Y.{outer}", f"Entry x.Y.{inner}", f"Exit x.Y.{inner}", f"Exit x.Y.{outer}"])
    text = "".join(line("", (7, 0), streams[which].pop(0), _ticks(10 * i), brief=True) for i, which in enumerate(order))
    (process,) = _processes(text)
    assert (process.pairs.cut, process.pairs.unmatched) == (0, 0)


_WORDS = st.sampled_from([
    "05-03 10:00:00.000 ", " 7 ", " 8 ", "D TEST    : ", "D/TEST    ( 7): ", "Entry a.B.run ", "Exit a.B.run ", "TimeInStates ",
    "cpu0 400000 1 800000 2 ; ", "cpu1 400000 99999999999 800000 2 ; ", "EndOfData 0", "\n", "\r\n", "12-31 ", "02-29 ",
    "99999999999999999999", "1700000000.000 ", "2024-02-29 23:59:60.999999999 ",
])  # fmt: skip


@given(st.lists(_WORDS | st.text(max_size=5), max_size=60).map("".join), st.integers(1970, 2115) | st.none())
@settings(max_examples=200, deadline=None)
def test_any_text_gives_events_or_an_error_of_navitas(text: str, year: int | None) -> None:
    try:
        log = read_original_log(enumerate(text.splitlines(), 1), "log", "log", Written(1.6e9, "a test"), year)
        processes = list(processes_of(log))
        counted_cpus(processes)
    except NavitasError:
        return
    for process in processes:
        assert list(process.t_ns) == sorted(set(process.t_ns)) and process.t_ns[0] == 0
        assert len(process.events) == len(process.threads)
