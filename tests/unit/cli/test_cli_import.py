"""`navitas import`: output, exit codes and options."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

import pytest
from support import perfetto_writer as pw
from support.art_writer import Event, art_trace
from support.ftrace_writer import Form, comments
from support.jfr_writer import JfrText, sample
from support.perfetto_samples import SampleWriter
from support.perfetto_writer import PerfettoWriter

from navitas.android.perfetto.messages import read_config
from navitas.android.perfetto.sampling import SAMPLED_TRACE
from navitas.base.errors import ExitCode
from navitas.cli.main import run

COUNTERS = "cpu0 300000 {0} 2266000 {1} ; cpu1 300000 {0} 2266000 {1} ;  EndOfData 0"
PROFILE = """<device name="Android"><item name="cpu.suspend">0</item><item name="cpu.idle">0</item>
<array name="cpu.clusters.cores"><value>2</value></array><item name="cpu.cluster_power.cluster0">0</item>
<array name="cpu.core_speeds.cluster0"><value>300000</value><value>2266000</value></array>
<array name="cpu.core_power.cluster0"><value>10</value><value>100</value></array></device>"""


def _log(*pids: int) -> str:
    return "".join(
        f"05-03 10:00:00.{ms} {pid:5d} {pid:5d} D TEST    : {kind} a.B.run TimeInStates {COUNTERS.format(100, ticks)}\n"
        for pid in pids
        for ms, kind, ticks in (("100", "Entry", 50), ("400", "Exit", 80))
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.xml").write_text(PROFILE)
    (tmp_path / "SortTest.sort.txt").write_text(_log(7))
    (tmp_path / "leaky.txt").write_text(_log(7, 8))
    return tmp_path


LINE = ["-o", "rec", "--power-profile", "profile.xml", "--year", "2021"]


def test_a_log_becomes_a_recording_that_report_reads(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "SortTest.sort.txt", *LINE]) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == "run 0: SortTest#sort: process 7, 1 thread, 2 events\n"
    assert said.err.splitlines()[-2:] == ["recording: rec", "next: navitas report rec --formula paper1"]
    assert "energy of one call can be wrong by up to 0.0077 J" in said.err
    assert run(["report", "rec", "--formula", "paper1", "--format", "json", "-o", "-"]) == ExitCode.OK
    report = json.loads(capsys.readouterr().out)
    (test,) = report["tests"]
    (method,) = test["threads"][0]["methods"]
    assert (test["class"], test["method"], report["evidence"]["components"]["cpu"]["level"]) == ("SortTest", "sort", "device")
    assert method["paper1_j"] == pytest.approx(2 * 0.3 * 0.1 * 3.85)
    assert "imported" in {warning["code"] for warning in report["warnings"]}


def test_processes_and_the_choice_of_one(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE]) == ExitCode.OK
    said = capsys.readouterr()
    assert "run 1: leaky#all (process 8): process 8" in said.out
    assert "2 processes, each of which is a run" in said.err and "--process 8" in said.err
    assert run(["import", "leaky.txt", *LINE, "--replace", "--process", "8", "--json", "-"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert [one["process"] for one in document["runs"]] == [8]
    assert document["runs"][0]["entries_without_exit"] == 0
    assert run(["import", "leaky.txt", *LINE, "--replace", "--process", "9"]) == ExitCode.USAGE
    assert "no log has this process" in capsys.readouterr().err


def test_a_name_for_the_test_makes_logs_repeats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "other.txt").write_text(_log(9))
    assert run(["import", "SortTest.sort.txt", "other.txt", *LINE, "--test", "a.Test#both"]) == ExitCode.OK
    assert "run 1: a.Test#both: process 9" in capsys.readouterr().out
    assert run(["report", "rec", "--format", "json", "-o", "-"]) == ExitCode.OK
    tests = json.loads(capsys.readouterr().out)["tests"]
    assert [(one["class"], one["method"], one["repeat"]) for one in tests] == [("a.Test", "both", 0), ("a.Test", "both", 1)]


def test_processes_of_one_named_test_are_repeats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE, "--test", "a.Test#both"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "run 1: a.Test#both: process 8" in said.out and "each of which is a run and a repeat of the test" in said.err


def test_a_log_that_is_given_twice_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", "leaky.txt", *LINE]) == ExitCode.USAGE
    assert "leaky.txt is given twice" in capsys.readouterr().err
    assert not (place / "rec").exists()


def test_a_pipe_is_refused_with_a_way_to_read_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(place / "pipe")
    assert run(["import", "pipe", *LINE]) == ExitCode.TROUBLE
    assert "Give it as standard input" in capsys.readouterr().err


def test_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(_log(7).encode())))
    assert run(["import", "-", *LINE]) == ExitCode.OK
    assert capsys.readouterr().out == "run 0: standard-input#all: process 7, 1 thread, 2 events\n"


def test_a_recording_is_not_replaced_by_mistake(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE]) == ExitCode.OK
    assert run(["import", "leaky.txt", *LINE]) == ExitCode.USAGE
    assert "add --replace" in capsys.readouterr().err


@pytest.mark.parametrize("volts", ["1e-300", "0", "-4", "0.5", "31", "3850", "nan"])
def test_an_implausible_voltage_is_refused(volts: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE, "--voltage", volts]) == ExitCode.USAGE
    assert "'--voltage'" in capsys.readouterr().err and not (place / "rec").exists()


def test_without_a_profile_the_clusters_are_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", "-o", "rec"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "2 CPUs up to 2266 MHz" in said and "google-nexus-5" in said
    assert not (place / "rec").exists()


def test_a_profile_of_another_phone_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", "-o", "rec", "--power-profile", "google-pixel-6"]) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "The log has 1 cluster: CPUs 0-1, 2 speeds" in said
    assert not (place / "rec").exists()


def test_a_profile_with_other_core_counts_is_not_suggested_and_warns(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Clusters of 4, 3 and 1 CPUs. The profile of google-pixel-6 has 4, 2 and 2, with similar speeds."""
    speeds = [1_800_000] * 4 + [2_250_000] * 3 + [2_800_000]
    rows = ((0, "Entry", 50), (300, "Exit", 80))
    text = ""
    for ms, kind, ticks in rows:
        counters = " ".join(f"cpu{cpu} 300000 {100 * (cpu > 3)} {khz} {ticks} ;" for cpu, khz in enumerate(speeds))
        text += f"05-03 10:00:00.{ms:03d} 7 7 D TEST : {kind} a.B.run TimeInStates {counters}  EndOfData 0\n"
    (place / "big.txt").write_text(text)
    assert run(["import", "big.txt", "-o", "rec"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "4 CPUs up to 1800 MHz, 3 CPUs up to 2250 MHz, 1 CPU up to 2800 MHz" in said and "google-pixel-6" not in said
    assert run(["import", "big.txt", "-o", "rec", "--power-profile", "google-pixel-6", "--json", "out.json"]) == ExitCode.OK
    assert "cluster 1 has 2 cores, but 3 on the phone" in capsys.readouterr().err
    assert "power_profile" in [warning["code"] for warning in json.loads((place / "out.json").read_text())["warnings"]]
    assert run(["report", "rec", "--format", "json", "-o", "-"]) == ExitCode.OK
    found = [warning["message"] for warning in json.loads(capsys.readouterr().out)["warnings"]]
    assert sum("cluster 1 has 2 cores" in message for message in found) == 1


def test_the_format_can_be_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE, "--log-format", "json"]) == ExitCode.TROUBLE
    assert "leaky.txt: unreadable JSON" in capsys.readouterr().err
    assert run(["import", "profile.xml", *LINE]) == ExitCode.TROUBLE
    assert "profile.xml: no line has a measurement of Navitas-Framework" in capsys.readouterr().err


def test_the_old_name_of_the_format_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "leaky.txt", *LINE, "--format", "json"]) == ExitCode.USAGE
    assert "--format is now --log-format" in capsys.readouterr().err


def test_a_kernel_trace_with_methods(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slices = [(100, start, start + 700 + start % 900) for start in range(1_000_000, 1_300_000, 5_000)]
    form = Form(tgid=True)
    rows = [comments("mono"), form.frequency(0, 999_000_000, 300000), form.frequency(0, 999_500_000, 2266000)]
    events: list[Event] = []
    for number, (tid, start, end) in enumerate(slices):
        rows.append(form.switch(0, start * 1000, ("swapper", 0, "R"), ("org.example", tid)))
        rows.append(form.switch(0, end * 1000, ("org.example", tid, "S"), ("swapper", 0), tgid=100))
        events += [(1, 4, 0, number * 10, start + 5 - 1_000_000), (1, 4, 1, number * 10 + 8, end - 5 - 1_000_000)]
    (place / "trace.txt").write_text("".join(rows))
    (place / "app.trace").write_bytes(art_trace(events, {1: "main"}, start_us=1_000_000))
    line = ["import", "trace.txt", "--methods", "app.trace", "-o", "traced", "--power-profile", "profile.xml"]
    assert run([*line, "--json", "out.json"]) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == "run 0: app#all: process 100, 1 thread with scheduling slices, 0 without, 120 events\n"
    assert "placed by its header: they begin at 1.000000 s" in said.err
    assert json.loads((place / "out.json").read_text())["start_source"] == "its header"
    assert run(["report", "traced", "--format", "json", "-o", "-"]) == ExitCode.OK
    report = json.loads(capsys.readouterr().out)
    assert report["evidence"]["components"]["cpu"]["level"] == "sched"
    assert run(line[:6]) == ExitCode.USAGE
    for name in ("trace.txt", "app.trace"):
        (place / f"{name}.gz").write_bytes(gzip.compress((place / name).read_bytes()))
    packed = ["import", "trace.txt.gz", "--methods", "app.trace.gz", "-o", "packed", "--power-profile", "profile.xml"]
    assert run(packed) == ExitCode.OK
    assert [path.read_bytes() for path in Path("packed").rglob("trace.txt")] == [(place / "trace.txt").read_bytes()]
    capsys.readouterr()
    assert run(["import", "trace.txt", "leaky.txt", "--methods", "app.trace", "-o", "other"]) == ExitCode.USAGE
    assert run(["import", "leaky.txt", "--start", "3", "-o", "other"]) == ExitCode.USAGE
    assert "--start needs --methods" in capsys.readouterr().err


BOOT = 9_000_000_000_000
MS = 1_000_000
MAIN = [("__libc_init", "system/lib64/libc.so"), ("void org.example.Main.run(int)", "data/app/org.example/oat/arm64/base.odex")]
STACKS = {
    "sort": [*MAIN, ("org.example.Sorter.sort", "[anon:dalvik-jit-code-cache]")],
    "read": [*MAIN, ("_ZN7android6Parcel4readEi", "system/lib64/libbinder.so")],
}


def _sampled_trace(*, other_process: bool = False, samples: bool = True, scheduler: bool = True) -> bytes:
    """A trace of one thread on one core, which sorts at the high frequency and then reads at the low one, for 50 ms each."""
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
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


def _methods(capsys: pytest.CaptureFixture[str], folder: str) -> dict[str, float]:
    assert run(["report", folder, "--format", "json", "-o", "-"]) == ExitCode.OK
    report = json.loads(capsys.readouterr().out)
    assert report["evidence"]["components"]["cpu"]["level"] == "sched"
    (test,) = report["tests"]
    return {method["name"]: method["exclusive_j"] for thread in test["threads"] for method in thread["methods"]}


def test_a_run_without_events_has_the_clocks_and_the_length_of_its_trace(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So is the use of an app without the runtime."""
    (place / "app.pftrace").write_bytes(_sampled_trace())
    assert run(["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml"]) == ExitCode.OK
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


def test_a_perfetto_trace_with_samples_has_joules_of_methods(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace())
    line = ["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml"]
    assert run([*line, "--json", "out.json"]) == ExitCode.OK
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


def test_the_process_of_samples_is_chosen_if_there_are_several(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(other_process=True))
    line = ["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "2 processes: 500 (org.example.app, 100 samples), 900 (other, 1 samples)" in said and "--process PID" in said
    assert run([*line, "--process", "77"]) == ExitCode.USAGE
    assert "--process 77: no stack samples of this process" in capsys.readouterr().err
    assert run([*line, "--process", "500"]) == ExitCode.OK


def test_samples_without_the_scheduler_are_refused_with_a_configuration(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(scheduler=False))
    assert run(["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml"]) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "a Perfetto trace of stack samples without the scheduler, which cannot be imported" in said
    assert 'name: "linux.perf"' in said and "sched/sched_switch" in said
    read_config(SAMPLED_TRACE.encode(), is_text=True)
    assert not (place / "rec").exists()


def test_a_perfetto_trace_without_samples_or_methods_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    assert run(["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml"]) == ExitCode.TROUBLE
    assert "app.pftrace: no stack samples of time" in capsys.readouterr().err


def _perf_script(shift_ns: int) -> str:
    lines = []
    for i in range(100):
        seconds, rest = divmod(BOOT - 70 + shift_ns + MS * (i + 1) + MS // 2, 1_000_000_000)
        name = "sort" if i < 50 else "read"
        lines.append(f"app 500/500 [000] {seconds}.{rest:09d}: 1000000 cpu-clock:\n\t  7f00 {name}+0x4 (/usr/bin/app)\n\n")
    return "".join(lines)


@pytest.mark.parametrize(("shift_ns", "name"), [(0, "samples.perf.txt"), (3_600_000_000_070, "samples.boottime.perf.txt")])
def test_a_text_of_perf_script_is_placed_by_the_clock_that_fits(
    place: Path, capsys: pytest.CaptureFixture[str], shift_ns: int, name: str
) -> None:
    trace = _sampled_trace(samples=False)
    if shift_ns:
        # The device slept for an hour before the trace.
        packets = PerfettoWriter()
        packets.snapshot(BOOT, BOOT - shift_ns, 1_700_000_000_000_000_000)
        trace, shift_ns = bytes(packets) + trace[len(bytes(_snapshot())) :], 70
    (place / "app.pftrace.gz").write_bytes(gzip.compress(trace))
    (place / "app.perf").write_text(_perf_script(shift_ns))
    line = ["import", "app.pftrace.gz", "--stacks", "app.perf", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.OK
    said = capsys.readouterr()
    assert "100 stack samples" in said.out and "100.0% of the stack samples are at times at which their threads run" in said.err
    assert [path.name for path in (place / "rec").rglob("samples*")] == [name]
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def test_processes_of_samples_without_ids_of_them_are_those_of_the_trace(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    seconds, rest = divmod(BOOT - 70 + 60 * MS, 1_000_000_000)
    other = f"other 900 [000] {seconds}.{rest:09d}: 1000000 cpu-clock:\n\t  7f00 foreign+0x4 (/usr/bin/other)\n\n"
    (place / "app.perf").write_text(_perf_script(0).replace("500/500", "500") + other)
    line = ["import", "app.pftrace", "--stacks", "app.perf", "-o", "rec", "--power-profile", "profile.xml"]
    assert run([*line, "--process", "500"]) == ExitCode.OK
    assert "process 500, 1 thread, 100 stack samples" in capsys.readouterr().out
    assert set(_methods(capsys, "rec")) == {"sort", "read"}


def _snapshot() -> PerfettoWriter:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    return trace


def test_samples_of_another_time_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.perf").write_text(_perf_script(80 * MS))
    line = ["import", "app.pftrace", "--stacks", "app.perf", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "app.perf: only 20% of the stack samples are at times at which their threads run" in said
    assert "perf record -k CLOCK_MONOTONIC" in said
    (place / "other").write_text("no samples\n")
    assert run([*line[:3], "other", *line[4:]]) == ExitCode.TROUBLE
    assert "other: no stack samples of a form that is read" in capsys.readouterr().err
    (place / "other").write_bytes(_collapsed(threads=True).encode("utf-16"))
    assert run([*line[:3], "other", *line[4:]]) == ExitCode.TROUBLE
    assert "other: a text in UTF-16" in (said := capsys.readouterr().err) and "iconv -f UTF-16 -t UTF-8 other" in said
    late = JfrText({1: [(("a/B", "run", "()V"), 1)]}, {500: "app"}, sample(BOOT + 900 * MS, 500, 1), pid=500)
    (place / "other").write_bytes(late.chunk())
    assert run([*line[:3], "other", *line[4:]]) == ExitCode.TROUBLE
    assert "Give a trace and samples of the same time." in (said := capsys.readouterr().err) and "perf record" not in said
    assert run([*line, "--methods", "app.perf"]) == ExitCode.USAGE


def test_a_text_of_perf_script_can_be_both_trace_and_samples(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    line = ["import", "both.perf", "--stacks", "both.perf", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.OK
    assert capsys.readouterr().out == "run 0: both#all: process 500, 1 thread, 100 stack samples\n"
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def _collapsed(*, threads: bool) -> str:
    begin = f"{'[app tid=500];' if threads else ''}org/example/Main.main"
    return f"{begin};org/example/Sort.sort 50\n{begin};read 25\n{begin};ksys_read_[k] 25\n"


@pytest.mark.parametrize("threads", [True, False])
def test_collapsed_stacks_share_the_energy_of_their_thread(
    place: Path, capsys: pytest.CaptureFixture[str], threads: bool
) -> None:
    """Without times, the power of a stack is unknown, so sorting has no more energy than reading."""
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.collapsed").write_text(_collapsed(threads=threads))
    line = ["import", "app.pftrace", "--stacks", "app.collapsed", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line if threads else [*line, "--process", "500"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "process 500, 1 thread, 100 stack samples" in said.out
    assert "the stack samples have no times: each thread's energy in the whole trace is shared by their numbers" in said.err
    found = _methods(capsys, "rec")
    assert found["sort"] == pytest.approx(0.05 * (0.1 + 0.01) * 3.85 / 2, rel=0.1)
    assert found["sort"] == pytest.approx(2 * found["ksys_read"])


def test_stacks_without_threads_are_refused_if_several_run(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace(samples=False))
    (place / "app.collapsed").write_text(_collapsed(threads=False))
    line = ["import", "app.pftrace", "--stacks", "app.collapsed", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.USAGE
    assert "the process of the stack samples is unknown" in capsys.readouterr().err
    assert run([*line, "--process", "77"]) == ExitCode.USAGE
    assert "name no threads, and 0 threads of process 77 run in the trace" in capsys.readouterr().err
    (place / "app.collapsed").write_text(_collapsed(threads=True).replace("tid=500", "tid=4242"))
    assert run(line) != ExitCode.OK


@pytest.mark.parametrize("clock", ["monotonic", "tsc"])
def test_jfr_is_joined_by_its_clock(place: Path, capsys: pytest.CaptureFixture[str], clock: str) -> None:
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
    line = ["import", "app.pftrace", "--stacks", "app.jfr", "-o", "rec", "--power-profile", "profile.xml"]
    assert run(line) == ExitCode.OK
    assert "100.0% of the stack samples are at times" in capsys.readouterr().err
    found = _methods(capsys, "rec")
    assert found["sort"] / found["read"] == pytest.approx(10, rel=0.1)


def test_names_that_r8_has_changed_are_those_of_the_source_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "app.pftrace").write_bytes(_sampled_trace())
    mapping = "org.example.Shop -> org.example.Sorter:\r\n    void pay() -> sort\r\n"
    (place / "mapping.txt").write_text(mapping)
    line = ["import", "app.pftrace", "-o", "rec", "--power-profile", "profile.xml", "--mapping", "mapping.txt"]
    assert run(line) == ExitCode.OK
    assert "mapping.txt has no class" not in capsys.readouterr().err
    assert "pay" in _methods(capsys, "rec")
    (place / "mapping.txt").write_text("org.example.Shop -> a.a:\n")
    assert run([*line, "--replace"]) == ExitCode.OK
    assert "the mapping.txt has no class of the stack samples" in capsys.readouterr().err
    assert run(["import", "SortTest.sort.txt", *LINE, "-o", "other", "--mapping", "mapping.txt"]) == ExitCode.USAGE
    assert "--mapping needs stack samples" in capsys.readouterr().err
