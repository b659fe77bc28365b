"""Text traces: all formats, compared with a slow reader of single lines; losses, invalid lines, pages, blocks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.field_data import FIELD_DATA, needs_field_data
from support.ftrace_writer import Form, comments
from support.trace_tasks import task_name, threads_of

from navitas.base.errors import RecordingError
from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import DEAD, RUNNABLE, SLEEPS, UNKNOWN, RawTrace

FIELD = FIELD_DATA / "ftrace"
US, MS, S = 1_000, 1_000_000, 1_000_000_000
BEGIN = 259_445 * S + 106_949 * US
FORMS = [
    Form(),
    Form(tgid=True),
    Form(flags="d..3."),
    Form(True, "d..3."),
    Form(flags=""),
    Form(flags="", trace_cmd=True),
    Form(True, "d..2.", True),
]

names = st.text(st.characters(min_codepoint=32, max_codepoint=0x24F, exclude_characters="\x7f\x85"), min_size=1, max_size=15).map(
    lambda name: name.encode()[:15].decode("utf-8", "ignore").strip() or "a"
)
awkward = st.sampled_from(
    ["a b", "x-y-1", "Binder:924_3", "kworker/u16:3-ev", "a=b", "pid=7 comm=", "[003]", "p prev_pid=3", "-", ":", "<...>"]
)
states = st.sampled_from(
    ["R", "R+", "S", "D", "S|W", "D|K", "x", "X", "Z", "I", "t", "0", "1", "2", "16", "256", "0x100", "1026"]
)
switches = st.tuples(
    st.integers(0, 7),
    names | awkward,
    st.integers(1, 32_768),
    states,
    names | awkward,
    st.integers(0, 4_000_000),
    st.integers(0, 9 * MS),
)


def _state(text: str) -> int:
    if text[0].isdigit():
        value = int(text, 0)
        return DEAD if value & 0x70 else RUNNABLE if value in (0, 0x100, 0x400, 0x800, 0x1000) else SLEEPS
    return RUNNABLE if text[0] == "R" else DEAD if text[0] in "XxZ" else SLEEPS


def _rows(raw: RawTrace) -> list[tuple[int, ...]]:
    """The switches in the lines, without inferred ones (whose previous thread is unknown)."""
    columns = raw.trace.switches
    rows = (c.tolist() for c in (columns.cpu, columns.t_ns, columns.prev_tid, columns.prev_state, columns.next_tid))
    return [row for row in zip(*rows, strict=True) if row[2] != UNKNOWN]


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=20)
@given(rows=st.lists(switches, min_size=1, max_size=30), block=st.integers(500, 2_000))
def test_text_traces_round_trip(form: Form, rows: list[tuple[int, str, int, str, str, int, int]], block: int) -> None:
    lines, expected, t_ns = [], [], BEGIN
    for cpu, name, tid, state, following, next_tid, later in rows:
        t_ns += later // US * US
        lines.append(form.switch(cpu, t_ns, (name, tid, state), (following, next_tid), tgid=4321))
        expected.append((cpu, t_ns, tid, _state(state), next_tid))
    raw = read_text("".join([comments(), *lines]).encode(), block)
    assert raw.skipped == ()
    assert _rows(raw) == sorted(expected, key=lambda row: row[:2])
    tasks = raw.trace.tasks
    _, name, tid, state, following, next_tid, _ = rows[-1]
    last = task_name(tasks, int(np.flatnonzero(tasks.tid == next_tid)[-1])) if next_tid else ""
    assert not next_tid or last in {following, name if tid == next_tid else following} or following == "<...>"
    if form.tgid:
        assert 4321 in tasks.tgid[tasks.tid == tid]


def test_frequencies_idle_states_and_lifetimes_are_read() -> None:
    form = Form()
    lines = [
        form.frequency(3, BEGIN, 2_841_600),
        form.idle(2, BEGIN + US, -1),
        form.idle(2, BEGIN + US + 40, 0),
        form.idle(2, BEGIN + 7 * MS, 1),
        form.new_task(0, BEGIN + MS, ("main", 100), 201, "main", thread=True),
        form.line(0, BEGIN + MS + US, "sched_process_fork", "comm=main pid=100 child_comm=main child_pid=201"),
        form.switch(0, BEGIN + 2 * MS, ("main", 100, "R"), ("main", 201)),
        form.line(0, BEGIN + 2 * MS, "task_rename", "pid=201 oldcomm=main newcomm=pool=1 t oom_score_adj=0"),
        form.new_task(0, BEGIN + 2 * MS, ("pool=1 t", 201), 202, "pool=1 t", thread=True),
        form.exited(0, BEGIN + 3 * MS, ("pool=1 t", 201)),
        form.switch(0, BEGIN + 3 * MS + US, ("pool=1 t", 201, "X"), ("main", 100)),
        form.new_task(0, BEGIN + 4 * MS, ("main", 100), 201, "main", thread=False),
        form.switch(0, BEGIN + 5 * MS, ("main", 100, "S"), ("other", 201)),
        form.line(0, BEGIN + 6 * MS, "suspend_resume", "machine_suspend[3] begin"),
        form.line(0, BEGIN + 8 * MS, "suspend_resume", "machine_suspend[3] end"),
        form.line(0, BEGIN + 9 * MS, "cpuhp_enter", "cpu: 0000 target:   0 step: 199 (cpuhp_kick_ap_work)"),
    ]
    listed = "".join(f"/proc/100/task/{tid}\n" for tid in (100,))
    raw = read_text((listed + "".join(lines)).encode())
    trace, tasks = raw.trace, raw.trace.tasks
    assert raw.skipped == ()
    assert (trace.frequencies.cpu.tolist(), trace.frequencies.khz.tolist()) == ([3], [2_841_600])
    assert trace.idle.state.tolist() == [-1, 1]
    lives = [
        (int(tasks.tid[i]), int(tasks.tgid[i]), task_name(tasks, i), int(tasks.from_ns[i]) - BEGIN, int(tasks.to_ns[i]) - BEGIN)
        for i in range(len(tasks))
    ]
    end = 9 * MS
    assert lives == [
        (100, 100, "main", 0, end),
        (201, 100, "pool=1 t", MS, 3 * MS + US),
        (201, 201, "other", 4 * MS, end),
        (202, 100, "pool=1 t", 2 * MS, end),
    ]
    assert (trace.suspends.from_ns - BEGIN).tolist() == [6 * MS] and (trace.suspends.to_ns - BEGIN).tolist() == [8 * MS]
    assert trace.switches.next_tid.tolist()[-1] == 0 and trace.switches.t_ns[-1] == BEGIN + 9 * MS


@pytest.mark.parametrize("block", [500, 1 << 20])
def test_lost_events_become_spans(block: int) -> None:
    form = Form()

    def switch(cpu: int, at: int) -> str:
        return form.switch(cpu, BEGIN + at * MS, ("a", 5, "R"), ("a", 5))

    text = comments(entries=(5, 905)) + switch(0, 0) + switch(1, 1) + "CPU:1 [LOST 34 EVENTS]\n" + switch(0, 2) + switch(1, 3)
    text += (
        "CPU:0 [LOST EVENTS]\n"
        + switch(1, 4)
        + "CPU:2 [EVENTS DROPPED]\n"
        + switch(2, 5)
        + "CPU:1 [LOST 1 EVENTS]\n"
        + switch(0, 6)
    )
    raw = read_text(text.encode(), block)
    losses = raw.trace.losses
    found = sorted(zip(losses.cpu.tolist(), (losses.from_ns - BEGIN).tolist(), (losses.to_ns - BEGIN).tolist(), strict=True))
    # The ring buffer of core 1 had been overwritten, so what it ran before its first switch is unknown.
    assert found == [(0, 2 * MS, 6 * MS), (1, 0, MS), (1, 1 * MS, 3 * MS), (1, 4 * MS, 6 * MS), (2, 0, 5 * MS)]
    assert raw.skipped == () and "900 events" in raw.warnings[0] and raw.trace.clock == "boottime"


def test_lines_that_do_not_parse_are_reported() -> None:
    form = Form()
    good = form.switch(0, BEGIN, ("a", 5, "S"), ("b", 6))
    broken = [
        good.replace("prev_pid=5 ", ""),
        good.replace("next_pid=6", "next_pid=99999999"),
        "nonsense\n",
        good.replace(".106949:", ":"),
        form.line(0, BEGIN, "sched_switch", "[FAILED TO PARSE] prev_comm=a"),
        form.frequency(0, BEGIN, 1).replace("cpu_id", "cpu"),
        form.line(0, BEGIN, "sched_waking", "whatever"),
        "\n",
        "x" * 5_000 + "\n",
    ]
    raw = read_text((good + "".join(broken) + good).encode(), 4_000)
    assert len(raw.trace.switches) == 2
    assert [line.number for line in raw.skipped] == [2, 3, 4, 5, 6, 7, 10, 10]
    assert all(len(line.text) <= 200 for line in raw.skipped)
    assert raw.skipped_by_reason == {
        "sched_switch without its fields": 2,
        "not an event": 3,
        "trace-cmd could not decode the event": 1,
        "cpu_frequency without its fields": 1,
        "longer than any event's line": 1,
    }


RAW = """\
cpus=4
       trace-cmd-6973  [002] 259445.106949: sched_waking:          comm=main pid=100 prio=120 target_cpu=1
       trace-cmd-6973  [002] 259445.106950: sched_switch:          prev_comm=trace-cmd prev_pid=6973 prev_prio=120 prev_state=64 \
next_comm=swapper/2 next_pid=0 next_prio=120
          <idle>-0     [001] 259445.106951: cpu_idle:              state=4294967295 cpu_id=1
          <idle>-0     [001] 259445.106952: cpu_frequency:         state=1800000 cpu_id=1
          <idle>-0     [001] 259445.106953: sched_switch:          prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=0 \
next_comm=main next_pid=100 next_prio=120
            main-100   [001] 259445.106954: task_newtask:          pid=101 comm=main clone_flags=0x3d0f00 oom_score_adj= 0
            main-100   [001] 259445.106955: sched_process_fork:    parent_comm=main parent_pid=100 child_comm=main child_pid=102
            main-100   [001] 259445.106956: sched_switch:          prev_comm=main prev_pid=100 prev_prio=120 prev_state=256 \
next_comm=worker 1 next_pid=101 next_prio=-1
        worker 1-101   [001] 259445.106957: sched_switch:          prev_comm=worker 1 prev_pid=101 prev_prio=-1 prev_state=0x2 \
next_comm=main next_pid=100 next_prio=120
            main-100   [001] 259445.106958: task_rename:           pid=101 oldcomm=worker 1 newcomm=worker 2 oom_score_adj=-800
            main-100   [001] 259445.106959: sched_process_exit:    comm=worker 2 pid=101 prio=120
            main-100   [001] 259445.106960: sched_process_free:    comm=worker 2 pid=101 prio=120
            main-100   [001] 259445.106961: suspend_resume:        action=0xffffffff82a1b0c0 val=3 start=1
            main-100   [001] 259445.106962: sched_switch:          prev_comm=main prev_pid=100 prev_prio=120 prev_state=1 \
next_comm=swapper/1 next_pid=0 next_prio=120
"""


def test_raw_fields_of_trace_cmd_are_read() -> None:
    """`trace-cmd report -R` prints every field as it is in the ring buffer (libtraceevent: tep_print_fields)."""
    raw = read_text(RAW.encode())
    trace, tasks = raw.trace, raw.trace.tasks
    assert [(state, tid) for _, _, _, state, tid in _rows(raw)] == [
        (RUNNABLE, 100),
        (RUNNABLE, 101),
        (SLEEPS, 100),
        (SLEEPS, 0),
        (DEAD, 0),
    ]
    assert (trace.frequencies.cpu.tolist(), trace.frequencies.khz.tolist()) == ([1], [1_800_000])
    assert trace.idle.state.tolist() == [-1]
    lives = {
        (int(tasks.tid[i]), task_name(tasks, i)): (int(tasks.tgid[i]), (int(tasks.from_ns[i]) - BEGIN) // US)
        for i in range(len(tasks))
    }
    assert lives[101, "worker 2"][1] == 5 and lives[102, "main"][1] == 6
    # The text does not contain the action, so it is unknown whether the device was suspended.
    assert raw.skipped_by_reason == {"suspend_resume without its fields": 1}


def test_a_core_that_goes_offline_in_raw_fields_runs_nothing() -> None:
    form = Form(flags="", trace_cmd=True)
    switch = form.switch(1, BEGIN, ("swapper/1", 0, "R"), ("main", 100))
    for event, fields in (
        ("cpuhp_enter", " cpu=1 target=0 idx=235 fun=0x0"),
        ("sched_cpu_hotplug", " affected_cpu=1 error=0 status=0"),
    ):
        end = form.switch(0, BEGIN + 9 * MS, ("swapper/0", 0, "R"), ("other", 200))
        raw = read_text((switch + form.line(1, BEGIN + MS, event, fields) + end).encode())
        assert [(row[1] - BEGIN, row[4]) for row in _rows(raw) if row[0] == 1] == [(0, 100), (MS, 0)]


def test_atraces_own_lines_are_not_losses() -> None:
    form = Form()
    events = form.switch(0, BEGIN, ("a", 5, "S"), ("b", 6)) + form.switch(0, BEGIN + MS, ("b", 6, "S"), ("a", 5))
    for said in ("capturing trace... done\nTRACE:\n", " done\nTRACE:\n", "capturing trace...\n"):
        raw = read_text((said + "# tracer: nop\n" + events).encode())
        assert raw.skipped == () and len(raw.trace.losses.cpu) == 0 and len(raw.trace.switches) == 2, said


def test_a_page_contains_its_trace() -> None:
    form = Form()
    lines = [form.switch(0, BEGIN + i * MS, ("a", 5, "S"), ("b", 6)) for i in range(9)]
    script = "<!DOCTYPE html>\n<script>\n" + lines[0] + '</script>\n<script class="trace-data" type="application/text">\n'
    page = script + "# tracer: nop\n" + "".join(lines) + "\n  </script>\n<script>more</script>\n"
    old = '<!DOCTYPE html>\nvar x=/^# tracer:/;\nvar linuxPerfData = "\\\n# tracer: nop\\n\\\n' + "".join(lines).replace(
        "\n", "\\n\\\n"
    )
    for text in (page, old + '";\n</script>\n'):
        for block in (300, 1 << 20):
            raw = read_text(text.encode(), block)
            assert len(raw.trace.switches) == 9 and raw.skipped == ()


def test_a_missing_switch_is_a_loss() -> None:
    form = Form(trace_cmd=True)
    a, b, c = ("a", 5, "S"), ("b", 6, "S"), ("c", 7, "S")
    whole = [
        form.switch(0, BEGIN + i * MS, one, following[:2]) for i, (one, following) in enumerate([(a, b), (b, c), (c, a), (a, b)])
    ]
    assert len(read_text("".join(whole).encode()).trace.losses) == 0
    for gone in ("", whole[1].replace(" ==> ", " [FAILED TO PARSE] "), whole[1].replace(":6 [", ":99999999 [")):
        losses = read_text("".join([whole[0], gone, *whole[2:]]).encode()).trace.losses
        assert (losses.cpu.tolist(), (losses.from_ns - BEGIN).tolist(), (losses.to_ns - BEGIN).tolist()) == ([0], [0], [2 * MS])


def test_endless_lines_and_names_are_cut() -> None:
    form = Form()
    line = form.switch(0, BEGIN, ("a", 5, "R"), ("a", 5))
    blank = line[:-1] + " " * 3_000_000 + "\n" + " " * 900 + "-1" + " " * 900 + "\n"
    assert len(read_text((line + blank * 2 + line).encode(), 4 << 20).trace.switches) == 4
    page = "<!DOCTYPE html>\n" + '<script class="trace-data">\n</script>\n' * 20_000
    raw = read_text((page + line).encode())
    assert len(raw.trace.switches) == 1 and raw.skipped_by_reason["not an event"] > 30_000
    entries = "".join(f"# entries-in-buffer/entries-written: 1/{number}\n" for number in range(2, 2_000))
    assert len(read_text((entries + "# entries-in-buffer/entries-written: 1/" + "9" * 900 + "\n").encode()).warnings) <= 20


@pytest.mark.parametrize(
    "mark", ["parent_ts=9999999999999", "realtime_ts=9999999999999", "parent_ts=0", "realtime_ts=" + "9" * 40]
)
def test_marks_with_impossible_times_are_ignored(mark: str) -> None:
    form = Form()
    text = form.line(0, BEGIN, "tracing_mark_write", f"trace_event_clock_sync: {mark}") + form.switch(
        0, BEGIN, ("a", 5, "S"), ("b", 6)
    )
    assert len(read_text(text.encode()).trace.snapshots) == 0


@given(st.binary(max_size=400), st.integers(0, 300))
def test_any_bytes_parse_without_error(noise: bytes, place: int) -> None:
    text = "".join(form.switch(1, BEGIN, ("a", 5, "R"), ("b", 6)) for form in FORMS).encode()
    raw = read_text(text[:place] + noise + text[place:], 600)
    assert len(raw.trace.switches) >= len(FORMS) - 3
    assert np.all(raw.trace.switches.next_tid >= 0)


def test_missing_files_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        read_text(tmp_path / "none.txt")
    assert len(read_text(b"").trace.switches) == 0


@needs_field_data
def test_field_traces_parse_or_report_skipped_lines() -> None:
    found = {path.name: read_text(path) for path in sorted(FIELD.iterdir())}
    for path in sorted(FIELD.iterdir()):
        text = path.read_text(errors="replace")
        lines = re.findall(r"^.*-\d+ .*\[\d+\].*: sched_switch: .*$", text, re.MULTILINE)
        assert len(_rows(found[path.name])) == len(lines), path
    assert {name: sum(raw.skipped_by_reason.values()) for name, raw in found.items() if raw.skipped} == {
        "android_systrace.html": 1,  # a line of a core that does not exist: `dummy-0000 [000] 0.0: 0: …`
        "trappy_trace_failed_to_parse.txt": 3,
    }
    assert [line.number for line in found["trappy_trace_failed_to_parse.txt"].skipped] == [2, 3, 7]
    assert len(found["android_systrace.html"].trace.switches) == 11_074
    assert len(found["lisa_trace-cmd_report.txt"].trace.frequencies.t_ns) == 12
    tgid = found["smartperf_tgid.txt"].trace.tasks
    assert threads_of(tgid, 2519) == [2532] and task_name(tgid, tgid.tid.tolist().index(2532)) == "HeapTaskDaemon"
    assert threads_of(found["atrace_procfs_dump"].trace.tasks, 1079) == [1079, 1080, 1081]
