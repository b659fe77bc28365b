"""The device's states during a run, from batterystats.txt."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.android.batterystats.keys import STATE_NAMES
from navitas.android.batterystats.tables import ClockAnchor, StateIntervals
from navitas.recording.manifest import Run
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.device_states import NO_UID, DeviceStates, RadioTimes, radio_times
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.state_history import StateHistory, read_state_history
from navitas.recording.parse.states_near_run import OPEN_NS, StatesNearRun
from navitas.recording.store import Recording

MS = 1_000_000
BOOT_MS = 5_000
WALL_MS = 1_700_000_000_000
"""The run begins at this wall clock, and at 5 s of the monotonic clock."""
RUN_NS = BOOT_MS * MS, (BOOT_MS + 1000) * MS
HEAD = (
    "# uid 10057\n# start screen_brightness=120 screen_brightness_mode=0\n# end screen_brightness=120 screen_brightness_mode=0\n"
)
RUN = Run(id=0, module=":", repeat=0, package="p", map_id="0" * 16, exit="complete")


class OneFile:
    """A recording with at most one file."""

    def __init__(self, path: Path | None) -> None:
        self._paths = () if path is None else (path,)

    def files(self, kind: str, run: int | None = None) -> tuple[Path, ...]:
        return self._paths if kind == "batterystats" else ()


def triples(step_ms: int = 0) -> ClockTriples:
    """Clocks of the run, each 100 ms. From its middle on, the wall clock is `step_ms` ahead."""
    at_ms = np.arange(0, 1001, 100, np.int64)
    wall_ms = WALL_MS + at_ms + np.where(at_ms > 500, step_ms, 0)
    return ClockTriples((BOOT_MS + at_ms) * MS, np.full(len(at_ms), -1), wall_ms * MS)


def read(folder: Path, text: str, clocks: ClockTriples | None = None) -> tuple[DeviceStates | None, Findings]:
    path = folder / "batterystats.txt"
    path.write_bytes(text.encode())
    findings = Findings(0)
    clocks = triples() if clocks is None else clocks
    return read_state_history(cast(Recording, OneFile(path)), RUN, clocks, findings, run_ns=RUN_NS).states, findings


def history(*lines: str, before_ms: int = 60_000) -> str:
    """A history that begins some time before the run."""
    return "".join(f"{line}\n" for line in ("9,0,i,vers,36,214,B,B", f"9,h,0:RESET:TIME:{WALL_MS - before_ms}", *lines))


def spans(states: DeviceStates | None, name: str) -> list[tuple[int, int, int, int]]:
    """Begin and end in ms from the begin of the run, value and uid."""
    assert states is not None
    begin, end, value, uid = states.intervals(name)
    return list(zip((begin // MS - BOOT_MS).tolist(), (end // MS - BOOT_MS).tolist(), value.tolist(), uid.tolist(), strict=True))


def test_states_are_joined_with_the_runs_clock(tmp_path: Path) -> None:
    text = HEAD + '9,hsp,0,10057,"p"\n9,hsp,1,10099,"lock"\n'
    text += history("9,h,50000,Bl=90,+S,Sb=1,+W,+Etp=0", "9,h,10200,+g,+ca,Gss=1", "9,h,300,-g,+w=1,Gss=2", "9,h,100,-ca,Sb=4")
    states, findings = read(tmp_path, text)
    assert states is not None and states.app_uid == 10057
    assert spans(states, "screen") == [(-10_000, 1000, 1, NO_UID)]
    assert spans(states, "brightness") == [(-10_000, 600, 1, NO_UID), (600, 1000, 4, NO_UID)]
    assert spans(states, "wifi") == [(-10_000, 1000, 1, NO_UID)]
    assert spans(states, "top") == [(-10_000, 1000, 1, 10057)]
    assert spans(states, "gnss") == [(200, 500, 1, NO_UID)]
    assert spans(states, "gnss_quality") == [(200, 500, 1, NO_UID)]
    assert spans(states, "camera") == [(200, 600, 1, NO_UID)]
    assert spans(states, "wake_lock") == [(500, 1000, 1, 10099)]
    assert not findings.warnings


def test_each_wake_lock_is_read_where_the_phone_records_them(tmp_path: Path) -> None:
    text = '9,hsp,0,10057,"mine"\n9,hsp,1,10099,"other"\n' + history(
        "9,h,60100,+w=0,+Ewl=0", "9,h,100,+Ewl=1", "9,h,200,-w,-Ewl=0"
    )
    states, _ = read(tmp_path, text)
    assert spans(states, "wake_lock") == [(100, 400, 1, 10057), (200, 1000, 1, 10099)]


def test_states_long_before_the_run_are_left_out(tmp_path: Path) -> None:
    states, _ = read(tmp_path, history("9,h,10,+ca,+S", "9,h,100,-ca", before_ms=7_200_000))
    assert states is not None and states.names == ("screen",)
    assert spans(states, "screen")[0][1] == 1000


def test_a_set_brightness_counts_without_history_of_it(tmp_path: Path) -> None:
    states, _ = read(tmp_path, HEAD + history("9,h,60010,+S"))
    assert spans(states, "brightness") == [(0, 1000, 2, NO_UID)]


@pytest.mark.parametrize(("level", "expected"), [(51, 1), (102, 2), (153, 3), (204, 4), (255, 4)])
def test_a_set_brightness_has_the_bin_of_androids_history(tmp_path: Path, level: int, expected: int) -> None:
    states, _ = read(tmp_path, HEAD.replace("120", str(level)) + history("9,h,60010,+S"))
    assert spans(states, "brightness") == [(0, 1000, expected, NO_UID)]


@pytest.mark.parametrize(
    "old, new", [("mode=0", "mode=1"), ("# end screen_brightness=120", "# end screen_brightness=9"), ("120", "x")]
)
def test_an_automatic_or_changed_brightness_is_unknown(tmp_path: Path, old: str, new: str) -> None:
    states, _ = read(tmp_path, HEAD.replace(old, new) + history("9,h,60010,+S"))
    assert states is not None and not states.has("brightness")


def test_a_clock_that_is_set_during_the_run(tmp_path: Path) -> None:
    hour_ms = 3_600_000
    lines = ["9,h,60200,+g", f"9,h,350:TIME:{WALL_MS + 550 + hour_ms}", "9,h,200,-g,+ca", "9,h,100,-ca"]
    states, findings = read(tmp_path, history(*lines), triples(hour_ms))
    assert spans(states, "gnss") == [(200, 750, 1, NO_UID)]
    assert spans(states, "camera") == [(750, 850, 1, NO_UID)]
    assert not findings.losses


def test_missing_content_is_named_with_a_remedy(tmp_path: Path) -> None:
    for text in ("", HEAD, HEAD + "Can't find service: batterystats\n", HEAD + "9,h,50,+S\n"):
        _, findings = read(tmp_path, text)
        assert "device_states" in {warning.code for warning in findings.warnings}, text
        assert all(warning.remedy and "batterystats.txt" in warning.message for warning in findings.warnings)
    assert read_state_history(cast(Recording, OneFile(None)), RUN, triples(), Findings(), run_ns=RUN_NS) == StateHistory()


def test_lines_that_are_not_understood_are_counted(tmp_path: Path) -> None:
    states, findings = read(tmp_path, history("9,h,60010,+S", "9,h,zzz,+g", "9,h,1,+S,+odd9"))
    assert spans(states, "screen")
    assert [(loss.what, loss.count, loss.file) for loss in findings.losses] == [
        ("batterystats_lines", 2, "runs/0/batterystats.txt")
    ]


def test_states_far_from_the_run_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only intervals near the run count towards the limit, however long the history is."""
    monkeypatch.setattr("navitas.recording.parse.states_near_run.MOST_STATES", 4)
    far = ["9,h,10,+ca", "9,h,10,-ca"] * 50
    states, findings = read(tmp_path, history(*far, "9,h,119200,+g", "9,h,100,-g,+W", before_ms=120_000))
    assert spans(states, "gnss") == [(200, 300, 1, NO_UID)] and spans(states, "wifi") == [(300, 1000, 1, NO_UID)]
    assert not spans(states, "camera") and not findings.losses


def test_more_states_than_a_phone_has_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.recording.parse.states_near_run.MOST_STATES", 4)
    states, findings = read(tmp_path, history("9,h,60000", *["9,h,10,+ca", "9,h,10,-ca"] * 6, "9,h,10,+g"))
    assert len(spans(states, "camera")) == 4 and not spans(states, "gnss")
    assert [(loss.what, loss.count) for loss in findings.losses] == [("state_intervals", 3)]
    assert "3 intervals of states are left out" in findings.warnings[0].message


def test_states_before_the_first_wall_clock_count_from_it() -> None:
    """The first anchor may come in a later block."""
    near = StatesNearRun(["camera"], (1000, 2000))
    near.add(intervals((100, 200), (900, 1100)), [])
    near.add(intervals((1500, 1600), (5000, 5100)), [ClockAnchor(1200 * MS, 1200, True)])
    found = near.end(intervals((1900, 9000), (4000, 9000)), [ClockAnchor(1200 * MS, 1200, True)])
    assert (found.start_ns // MS).tolist() == [900, 1500, 1900]
    assert found.end_ns.tolist() == [1100 * MS, 1600 * MS, OPEN_NS]


def intervals(*spans_ms: tuple[int, int]) -> StateIntervals:
    """Intervals in which a camera was on."""
    count, (start, end) = len(spans_ms), np.array(spans_ms, np.int64).T * MS
    state = np.full(count, STATE_NAMES.index("camera"), np.int16)
    return StateIntervals(state, np.ones(count, np.int32), start, end, np.full(count, -1, np.int32), np.zeros(count, np.int32))


def test_a_fully_charged_phone_records_no_states(tmp_path: Path) -> None:
    _, findings = read(tmp_path, history("9,h,10,Bl=100,Bs=f,Bp=u,+S"))
    assert [warning.code for warning in findings.warnings] == ["device_states"]
    assert "charged" in findings.warnings[0].message


def test_without_clock_triples_states_cannot_be_joined(tmp_path: Path) -> None:
    none = np.empty(0, np.int64)
    states, findings = read(tmp_path, history("9,h,60010,+S"), ClockTriples(none, none, none))
    assert states is not None and not states.names
    assert [warning.code for warning in findings.warnings] == ["no_clocks"]


def test_the_value_of_a_state_in_each_step() -> None:
    """The last interval that began counts, until it ends."""
    start, end = (np.array(times, np.int64) for times in ([10, 20, 40], [30, 25, 50]))
    levels = DeviceStates(("brightness",), np.zeros(3, np.int32), np.array([1, 3, 4]), start, end, np.full(3, NO_UID))
    edges = np.array([0, 10, 20, 25, 30, 40, 50, 60], np.int64)
    value, is_known = levels.values_at("brightness", edges, 2)
    assert value.tolist() == [2, 1, 3, 2, 2, 4, 2] and is_known.tolist() == [False, True, True, False, False, True, False]
    value, is_known = levels.values_at("gnss_quality", edges, 0)
    assert value.tolist() == [0] * 7 and not is_known.any()


_LINE = st.one_of(
    st.text(max_size=60),
    st.builds(
        "9,h,{}{}".format,
        st.integers(0, 10**14),
        st.sampled_from(["", ",+S", ",-S", ",Sb=9", ",+w=0", ":START", ":RESET:TIME:5"]),
    ),
    st.builds("9,h,{}:TIME:{}".format, st.integers(0, 10**6), st.integers(0, 10**16)),
    st.builds('9,hsp,{},{},"x"'.format, st.integers(0, 3), st.integers(-5, 1 << 40)),
    st.builds(
        "# {} {}".format, st.sampled_from(["uid", "start", "end"]), st.text("0123456789=screen_brightness_mode ", max_size=40)
    ),
    st.just(f"9,h,0:RESET:TIME:{WALL_MS}"),
    st.sampled_from(HEAD.splitlines()),
)


@given(st.lists(_LINE, max_size=25), st.integers(-(10**9), 10**9))
def test_any_text_gives_states_in_order(tmp_path_factory: pytest.TempPathFactory, lines: list[str], step_ms: int) -> None:
    folder = tmp_path_factory.getbasetemp()
    states, findings = read(folder, "\n".join(lines), triples(step_ms))
    assert all(warning.message and warning.remedy for warning in findings.warnings)
    if states is not None:
        assert (states.end_ns > states.start_ns).all()
        assert len(states.state) == len(states.value) == len(states.uid)
        assert (states.end_ns <= RUN_NS[1] + 200_000 * MS).all()


def test_the_times_of_radios_are_what_their_controllers_add_during_the_run() -> None:
    head = {
        "start": [],
        "gwfcd_start": ["100", "20", "0.0", "0.0", "7"],
        "gwfcd_end": ["350", "40", "0.0", "0.0", "8"],
        "gmcd_end": ["5", "6", "0", "1", "2"],
    }
    ms = 1_000_000
    assert radio_times(head) == (RadioTimes("wifi", 20 * ms, ms, 250 * ms), RadioTimes("modem", 6 * ms, 3 * ms, 5 * ms))


def test_times_of_radios_without_a_reading_at_the_start_are_unknown(tmp_path: Path) -> None:
    """The phone did not answer at the start. Its times at the end are those since the last charge."""
    path = tmp_path / "batterystats.txt"
    path.write_text("# gwfcd_end 350 40 0.0 0.0 8\n# end screen_brightness=120\n" + history("9,h,60010,+S"))
    found = read_state_history(cast(Recording, OneFile(path)), RUN, triples(), Findings(0), run_ns=RUN_NS)
    assert found.states is not None and found.radio_times == ()


@pytest.mark.parametrize(
    "end", ["90 40 0.0 0.0 8", "x 40 0.0 0.0 8", "350", "", "nan 1 0.0 0.0 1", "1e300 1e303 0.0 0.0 8", "9e15 40 0.0 0.0 8"]
)
def test_times_of_radios_that_are_reset_or_unreadable_are_left_out(end: str) -> None:
    head = {"start": [], "gwfcd_start": ["100", "20", "0.0", "0.0", "7"], "gwfcd_end": end.split()}
    assert radio_times(head) == ()


def events(folder: Path, text: str, clocks: ClockTriples | None = None) -> list[tuple[str, str, float]] | None:
    path = folder / "batterystats.txt"
    path.write_text(text)
    clocks = triples() if clocks is None else clocks
    found = read_state_history(cast(Recording, OneFile(path)), RUN, clocks, Findings(0), run_ns=RUN_NS).events
    if found is None:
        return None
    times = ((found.t_ns - RUN_NS[0]) / MS).tolist()
    return list(zip(found.states, found.tags, times, strict=True))


ALARMS = (
    '9,hsp,1,10057,"*walarm*:a.b/.Sync"\n9,hsp,2,10057,"a.b/.Job"\n9,hsp,3,10058,"*alarm*:other"\n'
    f"9,h,0:RESET:TIME:{WALL_MS - 1000}\n9,h,500,+Eal=1\n9,h,0,-Eal=1\n9,h,600,+Eal=1\n9,h,0,-Eal=1,+Ejb=2\n9,h,10,+Eal=3\n"
    "9,h,90,-Ejb=2\n9,h,900,+Eal=1\n"
)


def test_alarms_and_jobs_of_the_app_have_their_tag_and_time(tmp_path: Path) -> None:
    """Also alarms that end at once. Those of other apps, and before or after the run, are left out."""
    assert events(tmp_path, HEAD + ALARMS) == [("alarm", "*walarm*:a.b/.Sync", 100.0), ("job", "a.b/.Job", 100.0)]


def test_alarms_of_an_unknown_app_or_time_are_left_out(tmp_path: Path) -> None:
    assert events(tmp_path, ALARMS) is None
    assert events(tmp_path, HEAD + ALARMS.replace(f":TIME:{WALL_MS - 1000}", "")) is None


def test_a_history_says_whether_it_has_alarms_at_all(tmp_path: Path) -> None:
    path = tmp_path / "batterystats.txt"
    path.write_text(HEAD + f"9,h,0:RESET:TIME:{WALL_MS}\n9,h,10,Bl=90,+S\n")
    found = read_state_history(cast(Recording, OneFile(path)), RUN, triples(), Findings(0), run_ns=RUN_NS).events
    assert found is not None and not len(found) and not found.names_alarms and not found.names_jobs
