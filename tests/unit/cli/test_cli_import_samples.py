"""`navitas import` of stack samples: in a trace or in a file of their own, and of which process."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support import perfetto_writer as pw
from support.capture import Capture
from support.import_folder import LINE
from support.jfr_writer import JfrText, sample
from support.perfetto_samples import SampleWriter
from support.perfetto_writer import PerfettoWriter

from navitas.android.perfetto.messages import read_config
from navitas.android.perfetto.sampling import SAMPLED_TRACE
from navitas.base.errors import ExitCode
from navitas.cli.main import run

INTO = ["-o", "rec", "--power-profile", "profile.xml"]
IMPORT = ["import", "app.pftrace", *INTO]
BOOT = 9_000_000_000_000
MS = 1_000_000
MAIN = [("__libc_init", "system/lib64/libc.so"), ("void org.example.Main.run(int)", "data/app/org.example/oat/arm64/base.odex")]
STACKS = {
    "sort": [*MAIN, ("org.example.Sorter.sort", "[anon:dalvik-jit-code-cache]")],
    "read": [*MAIN, ("_ZN7android6Parcel4readEi", "system/lib64/libbinder.so")],
}


def _sampled_trace(*, other_process: bool = False, samples: bool = True, scheduler: bool = True, processes: bool = True) -> bytes:
    """A trace of one thread on one core, which sorts at the high frequency and then reads at the low one, for 50 ms each."""
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    if processes:
        trace.tree({500: "org.example.app", 900: "other"}, [(500, 500, "org.example.app"), (900, 900, "other")])
    if scheduler:
        events = [pw.frequency(BOOT, 0, 2_266_000), pw.switch(BOOT + MS, ("swapper/0", 0, 0), ("org.example.app", 500))]
        events += [pw.frequency(BOOT + 51 * MS, 0, 300_000)]
        trace.bundle(0, [*events, pw.switch(BOOT + 101 * MS, ("org.example.app", 500, 1), ("swapper/0", 0))])
    if samples:
        writer = SampleWriter(trace)
        writer.begin(frequency=1000)
        for i in range(100):
            writer.sample(BOOT + MS * (i + 1) + MS // 2, (500, 500), STACKS["sort" if i < 50 else "read"])
        if other_process:
            writer.sample(BOOT + 60 * MS, (900, 900), MAIN)
    return bytes(trace)


def _methods(capsys: Capture, folder: str) -> dict[str, float]:
    assert run(["report", folder, "--format", "json", "-o", "-"]) == ExitCode.OK
    report = json.loads(capsys.readouterr().out)
    assert report["evidence"]["components"]["cpu"]["level"] == "sched"
    (test,) = report["tests"]
    return {method["name"]: method["exclusive_j"] for thread in test["threads"] for method in thread["methods"]}


def test_a_run_without_events_has_the_clocks_and_the_length_of_its_trace(place: Path, capsys: Capture) -> None:
    """So is the use of an app without the runtime."""
    (place / "app.pftrace").write_bytes(_sampled_trace())
    assert run(IMPORT) == ExitCode.OK
    capsys.readouterr()
    before = _methods(capsys, "rec")
    manifest = json.loads((place / "rec/manifest.json").read_text())
    (events,) = (file for file in manifest["files"] if file["kind"] == "events")
    (place / "rec" / events["path"]).unlink()
    manifest["files"].remove(events)
    manifest["runs"][0]["whole"] = True
    (place / "rec/manifest.json").write_text(json.dumps(manifest))
    assert _methods(capsys, "rec") == pytest.approx(before)
    assert run(["report", "rec", "--json", "-"]) == ExitCode.OK
    codes = {warning["code"] for warning in json.loads(capsys.readouterr().out)["warnings"]}
    assert codes.isdisjoint({"no_events", "no_clocks", "events_missing"})


def test_a_perfetto_trace_with_samples_has_joules_of_methods(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace())
    assert run([*IMPORT, "--json", "out.json"]) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == "run 0: app#all: process 500, 1 thread, 100 stack samples\n"
    assert said.err.splitlines()[-1] == "next: navitas report rec"
    document = json.loads((place / "out.json").read_text())
    assert {key: document[key] for key in ("process", "samples", "share_running")} == {
        "process": 500,
        "samples": 100,
        "share_running": 1.0,
    }
    found = _methods(capsys, "rec")
    # The same number of samples, and ten times the current.
    assert found["sort"] / found["android::Parcel::read(int)"] == pytest.approx(10, rel=0.1)
    assert found["sort"] == pytest.approx(0.05 * 0.1 * 3.85, rel=0.05)


def test_the_process_of_samples_is_chosen_if_there_are_several(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(other_process=True))
    assert run(IMPORT) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "2 processes: 500 (org.example.app, 100 samples), 900 (other, 1 samples)" in said and "--process PID" in said
    assert run([*IMPORT, "--process", "77"]) == ExitCode.USAGE
    assert "app.pftrace: no stack samples of process 77" in capsys.readouterr().err
    assert run([*IMPORT, "--process", "500"]) == ExitCode.OK


def test_samples_without_the_scheduler_are_refused_with_a_configuration(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(scheduler=False))
    assert run(IMPORT) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "a Perfetto trace of stack samples without the scheduler, which cannot be imported" in said
    assert 'name: "linux.perf"' in said and "sched/sched_switch" in said
    read_config(SAMPLED_TRACE.encode(), is_text=True)
    assert not (place / "rec").exists()


def test_a_perfetto_trace_without_samples_or_methods_is_refused(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    assert run(IMPORT) == ExitCode.TROUBLE
    assert "app.pftrace: no stack samples of time" in capsys.readouterr().err


def _perf_script(shift_ns: int) -> str:
    lines = []
    for i in range(100):
        seconds, rest = divmod(BOOT - 70 + shift_ns + MS * (i + 1) + MS // 2, 1_000_000_000)
        name = "sort" if i < 50 else "read"
        lines.append(f"app 500/500 [000] {seconds}.{rest:09d}: 1000000 cpu-clock:\n\t  7f00 {name}+0x4 (/usr/bin/app)\n\n")
    return "".join(lines)


@pytest.mark.parametrize(("shift_ns", "name"), [(0, "samples.perf.txt"), (3_600_000_000_070, "samples.boottime.perf.txt")])
def test_a_text_of_perf_script_is_placed_by_the_clock_that_fits(place: Path, capsys: Capture, shift_ns: int, name: str) -> None:
    trace = _sampled_trace(samples=False)
    if shift_ns:
        # The device slept for an hour before the trace.
        packets = PerfettoWriter()
        packets.snapshot(BOOT, BOOT - shift_ns, 1_700_000_000_000_000_000)
        trace, shift_ns = bytes(packets) + trace[len(bytes(_snapshot())) :], 70
    (place / "app.pftrace.gz").write_bytes(gzip.compress(trace))
    (place / "app.perf").write_text(_perf_script(shift_ns))
    assert run(["import", "app.pftrace.gz", *INTO, "--stacks", "app.perf"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "100 stack samples" in said.out and "100.0% of the stack samples are at times at which their threads run" in said.err
    assert [path.name for path in (place / "rec").rglob("samples*")] == [name]
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def test_processes_of_samples_without_ids_of_them_are_those_of_the_trace(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    seconds, rest = divmod(BOOT - 70 + 60 * MS, 1_000_000_000)
    other = f"other 900 [000] {seconds}.{rest:09d}: 1000000 cpu-clock:\n\t  7f00 foreign+0x4 (/usr/bin/other)\n\n"
    (place / "app.perf").write_text(_perf_script(0).replace("500/500", "500") + other)
    line = [*IMPORT, "--stacks", "app.perf"]
    assert run([*line, "--process", "500"]) == ExitCode.OK
    assert "process 500, 1 thread, 100 stack samples" in capsys.readouterr().out
    assert set(_methods(capsys, "rec")) == {"sort", "read"}


def _snapshot() -> PerfettoWriter:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    return trace


def test_samples_of_another_time_are_refused(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.perf").write_text(_perf_script(80 * MS))
    line = [*IMPORT, "--stacks", "app.perf"]
    assert run(line) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "app.perf: only 20% of the stack samples are at times at which their threads run" in said
    assert "perf record -k CLOCK_MONOTONIC" in said
    (place / "other").write_text("no samples\n")
    assert run([*line[:-1], "other"]) == ExitCode.TROUBLE
    assert "other: no stack samples of a form that is read" in capsys.readouterr().err
    (place / "other").write_bytes(b"PERFILE2" + bytes(100))
    assert run([*line[:-1], "other"]) == ExitCode.TROUBLE
    assert "other: this is the binary file of perf or simpleperf" in capsys.readouterr().err
    (place / "other").write_bytes(_collapsed(threads=True).encode("utf-16"))
    assert run([*line[:-1], "other"]) == ExitCode.TROUBLE
    assert "other: a text in UTF-16" in (said := capsys.readouterr().err) and "iconv -f UTF-16 -t UTF-8 other" in said
    late = JfrText({1: [(("a/B", "run", "()V"), 1)]}, {500: "app"}, sample(BOOT + 900 * MS, 500, 1), pid=500)
    (place / "other").write_bytes(late.chunk())
    assert run([*line[:-1], "other"]) == ExitCode.TROUBLE
    assert "Give a trace and samples of the same time." in (said := capsys.readouterr().err) and "perf record" not in said
    assert run([*line, "--methods", "app.perf"]) == ExitCode.USAGE


def test_a_text_of_perf_script_can_be_both_trace_and_samples(place: Path, capsys: Capture) -> None:
    def at(ms: int) -> str:
        return "{}.{:09d}".format(*divmod(BOOT - 70 + ms * MS, 1_000_000_000))

    switch = "sched:sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120"
    first = [
        f"swapper 0/0 [000] {at(0)}: power:cpu_frequency: state=2266000 cpu_id=0",
        f"swapper 0/0 [000] {at(1)}: " + switch.format("swapper/0", 0, "R", "app", 500),
        f"app 500/500 [000] {at(51)}: power:cpu_frequency: state=300000 cpu_id=0",
    ]
    last = f"app 500/500 [000] {at(101)}: " + switch.format("app", 500, "S", "swapper/0", 0)
    (place / "both.perf").write_text("\n\n".join([*first, _perf_script(0) + last]) + "\n")
    assert run(["import", "both.perf", *INTO, "--stacks", "both.perf"]) == ExitCode.OK
    assert capsys.readouterr().out == "run 0: both#all: process 500, 1 thread, 100 stack samples\n"
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def _collapsed(*, threads: bool) -> str:
    begin = f"{'[app tid=500];' if threads else ''}org/example/Main.main"
    return f"{begin};org/example/Sort.sort 50\n{begin};read 25\n{begin};ksys_read_[k] 25\n"


@pytest.mark.parametrize("threads", [True, False])
def test_collapsed_stacks_share_the_energy_of_their_thread(place: Path, capsys: Capture, threads: bool) -> None:
    """Without times, the power of a stack is unknown, so sorting has no more energy than reading."""
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.collapsed").write_text(_collapsed(threads=threads))
    line = [*IMPORT, "--stacks", "app.collapsed"]
    assert run(line if threads else [*line, "--process", "500"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "process 500, 1 thread, 100 stack samples" in said.out
    assert "the stack samples have no times: each thread's energy in the whole trace is shared by their numbers" in said.err
    found = _methods(capsys, "rec")
    assert found["sort"] == pytest.approx(0.05 * (0.1 + 0.01) * 3.85 / 2, rel=0.1)
    assert found["sort"] == pytest.approx(2 * found["ksys_read"])


def test_stacks_without_threads_are_refused_if_several_run(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.collapsed").write_text(_collapsed(threads=False))
    line = [*IMPORT, "--stacks", "app.collapsed"]
    assert run(line) == ExitCode.USAGE
    assert "app.collapsed: the process of the stack samples is unknown" in capsys.readouterr().err
    assert run([*line, "--process", "77"]) == ExitCode.USAGE
    assert (
        "app.collapsed: the stack samples name no threads, and 0 threads of process 77 run in the trace"
        in capsys.readouterr().err
    )
    (place / "app.collapsed").write_text(_collapsed(threads=True).replace("tid=500", "tid=4242"))
    for command in (line, [*line, "--process", "500"]):
        assert run(command) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert (
            "app.collapsed: the process of the stack samples is unknown: the trace has none of their threads" in said
            and "a trace and samples of the same time" in said
        )


def test_a_trace_without_process_ids_is_named_as_such(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False, processes=False))
    (place / "app.collapsed").write_text(_collapsed(threads=True))
    line = [*IMPORT, "--stacks", "app.collapsed"]
    for command in (line, [*line, "--process", "500"]):
        assert run(command) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert "the trace has no process ids, which --process does not replace" in said and "record-tgid" in said


@pytest.mark.parametrize("clock", ["monotonic", "tsc"])
def test_jfr_is_joined_by_its_clock(place: Path, capsys: Capture, clock: str) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    ticks = BOOT - 70 if clock == "monotonic" else JfrText.start_ticks
    run_frame, sort, read = (("org/example/Main", name, "()V") for name in ("run", "sort", "read"))
    text = JfrText(
        stacks={1: [(sort, 1), (run_frame, 1)], 2: [(read, 1), (run_frame, 1)]},
        threads={500: "app"},
        events=b"".join(sample(ticks + MS * (i + 1) + MS // 2, 500, 1 if i < 50 else 2) for i in range(100)),
        settings={"engine": "ctimer", "event": "ctimer", "clock": clock, "interval": "1000000"},
        pid=500,
    )
    (place / "app.jfr").write_bytes(text.chunk())
    assert run([*IMPORT, "--stacks", "app.jfr"]) == ExitCode.OK
    assert "100.0% of the stack samples are at times" in capsys.readouterr().err
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def test_names_that_r8_has_changed_are_those_of_the_source_again(place: Path, capsys: Capture) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace())
    mapping = "org.example.Shop -> org.example.Sorter:\r\n    void pay() -> sort\r\n"
    (place / "mapping.txt").write_text(mapping)
    line = [*IMPORT, "--mapping", "mapping.txt"]
    assert run(line) == ExitCode.OK
    assert "mapping.txt has no class" not in capsys.readouterr().err
    assert "pay" in _methods(capsys, "rec")
    (place / "mapping.txt").write_text("org.example.Shop -> a.a:\n")
    assert run([*line, "--replace"]) == ExitCode.OK
    assert "the mapping.txt has no class of the stack samples" in capsys.readouterr().err
    assert run(["import", "SortTest.sort.txt", *LINE, "-o", "other", "--mapping", "mapping.txt"]) == ExitCode.USAGE
    assert "--mapping needs stack samples" in capsys.readouterr().err
