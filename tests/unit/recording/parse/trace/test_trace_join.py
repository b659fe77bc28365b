"""Traces on the run's clock: suspends, other boots, unknown clocks."""

from __future__ import annotations

import numpy as np
import pytest
from support import perfetto_writer as pw
from support.ftrace_writer import Form, comments
from support.perfetto_writer import PerfettoWriter

from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.trace.join import Process, to_monotonic
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.text_trace import read_text

S, MS = 1_000_000_000, 1_000_000
BOOT, AHEAD = 7_000 * S, 300 * S
REALTIME = 1_700_000_000 * S


def _triples(*moments: tuple[int, int], realtime: int = REALTIME) -> ClockTriples:
    """(boottime, lead over monotonic) after BOOT."""
    boot = np.array([BOOT + at for at, _ in moments], np.int64)
    return ClockTriples(boot - np.array([ahead for _, ahead in moments]), boot, boot - BOOT + realtime)


def _trace(times: list[int], snapshots: list[tuple[int, int]], suspends: tuple[int, int] | None = None) -> PerfettoWriter:
    trace = PerfettoWriter()
    for at, ahead in snapshots:
        trace.snapshot(BOOT + at, BOOT + at - ahead, REALTIME + at)
    trace.compact(0, [(BOOT + t_ns, 1, 500 + i % 2, "a") for i, t_ns in enumerate(times)])
    if suspends:
        trace.bundle(1, [pw.suspended(BOOT + suspends[0], begins=True), pw.suspended(BOOT + suspends[1], begins=False)])
    return trace


def test_boottime_is_converted_by_snapshots_and_triples() -> None:
    raw = read_perfetto(bytes(_trace([0, MS], [(0, AHEAD)])))
    joined = to_monotonic(raw, _triples((0, AHEAD + 40_000), (S, AHEAD - 20_000)), Process({500}))
    assert joined.trace is not None and joined.reasons == ()
    assert (joined.trace.switches.t_ns - BOOT + AHEAD).tolist() == [0, MS]
    assert joined.residual_ns == 40_000


def test_a_suspend_in_the_middle_takes_no_monotonic_time() -> None:
    times = [0, S, 31 * S, 40 * S]
    snapshots = [(0, AHEAD), (40 * S, AHEAD + 29 * S)]
    joined = to_monotonic(read_perfetto(bytes(_trace(times, snapshots, (S + MS, 31 * S - MS)))), _triples((0, AHEAD)))
    assert joined.trace is not None
    monotonic = joined.trace.switches.t_ns - BOOT + AHEAD
    assert (monotonic[0], monotonic[1], monotonic[3]) == (0, S, 11 * S)
    assert S < monotonic[2] <= 2 * S + 2 * MS
    assert joined.reasons == () and len(joined.trace.losses) == 0
    assert np.all(joined.trace.suspends.to_ns - joined.trace.suspends.from_ns <= S)


def test_an_unrecorded_suspend_is_the_longest_pause() -> None:
    times = [0, S, 31 * S, 40 * S]
    joined = to_monotonic(read_perfetto(bytes(_trace(times, [(0, AHEAD), (40 * S, AHEAD + 29 * S)]))), _triples((0, AHEAD)))
    assert joined.trace is not None
    assert (joined.trace.switches.t_ns - BOOT + AHEAD).tolist() == [0, S, 2 * S, 11 * S]
    assert any("suspended for 29.000 s" in reason.text for reason in joined.reasons)


def test_a_suspend_longer_than_any_pause_is_a_loss() -> None:
    times = [i * S for i in range(40)]
    joined = to_monotonic(read_perfetto(bytes(_trace(times, [(0, AHEAD), (40 * S, AHEAD + 29 * S)]))), _triples((0, AHEAD)))
    assert joined.trace is not None and joined.trace.losses.cpu.tolist() == [-1]
    assert np.all(np.diff(joined.trace.switches.t_ns) >= 0)


def test_a_single_interrupted_reading_is_ignored() -> None:
    triples = _triples(*((i * S, AHEAD + (80 * MS if i == 5 else 0)) for i in range(10)))
    joined = to_monotonic(read_perfetto(bytes(_trace([0, 9 * S], [(0, AHEAD)]))), triples)
    assert joined.trace is not None and joined.residual_ns == 0
    assert (joined.trace.switches.t_ns - BOOT + AHEAD).tolist() == [0, 9 * S]


def test_traces_of_other_runs_are_refused() -> None:
    raw = read_perfetto(bytes(_trace([0, MS], [(0, AHEAD)])))
    other_boot = to_monotonic(raw, _triples((0, AHEAD), realtime=REALTIME + 86_400 * S))
    assert other_boot.trace is None and "another boot" in other_boot.reasons[-1].text
    other_time = to_monotonic(raw, _triples((900 * S, AHEAD), (950 * S, AHEAD)))
    assert other_time.trace is None and "another time" in other_time.reasons[-1].text
    stranger = to_monotonic(raw, _triples((0, AHEAD)), Process({4242}))
    assert stranger.trace is None and "process" in stranger.reasons[-1].text
    none = np.empty(0, np.int64)
    bare = to_monotonic(read_perfetto(bytes(_trace([0, MS], []))), ClockTriples(none, none, none))
    assert bare.trace is None and "no reading relates" in bare.reasons[-1].text
    empty = to_monotonic(read_perfetto(b""), _triples((0, AHEAD)))
    assert empty.trace is None and "no switches" in empty.reasons[-1].text


def _text(begin_ns: int, *, clock: str | None = None, mark: str = "") -> bytes:
    form = Form()
    lines = [comments(clock) if clock else "# tracer: nop\n"]
    lines += [form.line(0, begin_ns, "tracing_mark_write", f"trace_event_clock_sync: {mark}", task=("atrace", 9))] if mark else []
    lines += [form.switch(0, begin_ns + i * MS, ("a", 500, "S"), ("b", 501)) for i in range(3)]
    return "".join(lines).encode()


def test_text_traces_are_joined_by_their_marks() -> None:
    triples = _triples((0, AHEAD), (S, AHEAD))
    monotonic = BOOT - AHEAD
    known = to_monotonic(read_text(_text(BOOT, clock="local global [boot] mono")), triples)
    assert known.trace is not None and known.trace.start_ns == monotonic and known.reasons == ()
    known = to_monotonic(read_text(_text(monotonic, clock="mono")), triples)
    assert known.trace is not None and known.trace.start_ns == monotonic
    for begin in (BOOT, monotonic):
        marked = to_monotonic(read_text(_text(begin, mark=f"parent_ts={monotonic / S + 0.003:.6f}")), triples)
        assert marked.trace is not None and marked.trace.start_ns == monotonic and marked.reasons == ()
    uptime = to_monotonic(read_text(_text(55 * S, mark=f"parent_ts={monotonic / S:.6f}")), triples)
    assert uptime.trace is not None and uptime.trace.start_ns == monotonic and "own marks" in uptime.reasons[-1].text
    realtime = to_monotonic(read_text(_text(55 * S, mark=f"realtime_ts={REALTIME // MS}")), triples)
    assert realtime.trace is not None and realtime.trace.start_ns == monotonic
    assumed = to_monotonic(read_text(_text(monotonic)), triples)
    assert assumed.trace is not None and "assumed to be" in assumed.reasons[-1].text


def test_times_far_from_the_run_are_clipped() -> None:
    trace = _trace([0, MS, 2 * MS], [(0, AHEAD)])
    trace.bundle(1, [pw.new_task(1 << 60, 1, 700, "forged", thread=True), pw.switch(1 << 60, ("a", 5, 1), ("b", 6))])
    joined = to_monotonic(read_perfetto(bytes(trace)), _triples((0, AHEAD), (S, AHEAD)), Process({500}))
    assert joined.trace is not None and [reason.code for reason in joined.reasons] == ["trace_times_far"]
    assert (joined.trace.switches.t_ns[:3] - BOOT + AHEAD).tolist() == [0, MS, 2 * MS]
    for times in (joined.trace.switches.t_ns, joined.trace.tasks.from_ns, joined.trace.windows.to_ns):
        assert (times - BOOT + AHEAD).max() <= 3_601 * S


def test_contradicting_readings_join_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.recording.parse.trace.offsets._MAX_JUMPS", 100)
    snapshots = [(i * MS, AHEAD + (i % 2) * S) for i in range(0, 900, 3)]
    joined = to_monotonic(read_perfetto(bytes(_trace([0, MS], snapshots))), _triples((0, AHEAD)))
    assert len(joined.reasons) <= 4
    many = [(i * MS, AHEAD + i * 6 * MS) for i in range(110)]
    joined = to_monotonic(read_perfetto(bytes(_trace([0, MS], many))), _triples((0, AHEAD)))
    assert joined.trace is None and "trace_clocks_contradict" in {reason.code for reason in joined.reasons}


def test_another_process_with_the_same_thread_ids_is_refused() -> None:
    trace = _trace([0, MS], [(0, AHEAD)])
    tid = int(read_perfetto(bytes(trace)).trace.tasks.tid[0])
    trace.tree({4000: "x"}, [(tid, 4000, "t")])
    raw, triples = read_perfetto(bytes(trace)), _triples((0, AHEAD))
    assert to_monotonic(raw, triples, Process({tid}, 4000)).trace is not None
    assert to_monotonic(raw, triples, Process({tid}, 3999)).reasons[-1].text == "the app's process is not in the trace"
