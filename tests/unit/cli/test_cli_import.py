"""`navitas import`: output, exit codes and options."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

import pytest
from support.art_writer import Event, art_trace
from support.capture import Capture
from support.ftrace_writer import Form, comments
from support.import_folder import LINE, log_text

from navitas.base.errors import ExitCode
from navitas.cli.main import run


def test_a_log_becomes_a_recording_that_report_reads(place: Path, capsys: Capture) -> None:
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


def test_processes_and_the_choice_of_one(place: Path, capsys: Capture) -> None:
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


def test_a_name_for_the_test_makes_logs_repeats(place: Path, capsys: Capture) -> None:
    (place / "other.txt").write_text(log_text(9))
    assert run(["import", "SortTest.sort.txt", "other.txt", *LINE, "--test", "a.Test#both"]) == ExitCode.OK
    assert "run 1: a.Test#both: process 9" in capsys.readouterr().out
    assert run(["report", "rec", "--format", "json", "-o", "-"]) == ExitCode.OK
    tests = json.loads(capsys.readouterr().out)["tests"]
    assert [(one["class"], one["method"], one["repeat"]) for one in tests] == [("a.Test", "both", 0), ("a.Test", "both", 1)]


def test_processes_of_one_named_test_are_repeats(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", *LINE, "--test", "a.Test#both"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "run 1: a.Test#both: process 8" in said.out and "each of which is a run and a repeat of the test" in said.err


def test_a_log_that_is_given_twice_is_refused(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", "leaky.txt", *LINE]) == ExitCode.USAGE
    assert "leaky.txt is given twice" in capsys.readouterr().err
    assert not (place / "rec").exists()


def test_a_pipe_is_refused_with_a_way_to_read_it(place: Path, capsys: Capture) -> None:
    os.mkfifo(place / "pipe")
    assert run(["import", "pipe", *LINE]) == ExitCode.TROUBLE
    assert "Give it as standard input" in capsys.readouterr().err


def test_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(log_text(7).encode())))
    assert run(["import", "-", *LINE]) == ExitCode.OK
    assert capsys.readouterr().out == "run 0: standard-input#all: process 7, 1 thread, 2 events\n"


def test_a_recording_is_not_replaced_by_mistake(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", *LINE]) == ExitCode.OK
    assert run(["import", "leaky.txt", *LINE]) == ExitCode.USAGE
    assert "add --replace" in capsys.readouterr().err


@pytest.mark.parametrize("volts", ["1e-300", "0", "-4", "0.5", "31", "3850", "nan"])
def test_an_implausible_voltage_is_refused(volts: str, place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", *LINE, "--voltage", volts]) == ExitCode.USAGE
    assert "'--voltage'" in capsys.readouterr().err and not (place / "rec").exists()


def test_without_a_profile_the_clusters_are_named(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", "-o", "rec"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "2 CPUs up to 2266 MHz" in said and "google-nexus-5" in said
    assert not (place / "rec").exists()


def test_a_profile_of_another_phone_is_refused(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", "-o", "rec", "--power-profile", "google-pixel-6"]) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "The log has 1 cluster: CPUs 0-1, 2 speeds" in said
    assert not (place / "rec").exists()


def test_a_profile_with_other_core_counts_is_not_suggested_and_warns(place: Path, capsys: Capture) -> None:
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


def test_the_format_can_be_named(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", *LINE, "--log-format", "json"]) == ExitCode.TROUBLE
    assert "leaky.txt: unreadable JSON" in capsys.readouterr().err
    assert run(["import", "profile.xml", *LINE]) == ExitCode.TROUBLE
    assert "profile.xml: no line has a measurement of Navitas-Framework" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"main;a.B.run 3\n", "this is a file of stack samples alone, which cannot be imported"),
        (b"\n\x04\x08\x01\x10\x02\x12\x02\x12\x00", "this is a file of stack samples alone, which cannot be imported"),
        (b"app 7/7 5.000001: cycles:\n\t 7f01 main (/usr/bin/app)\n", "a kernel trace of the same time as LOG"),
        (b"# tracer: nop\n#\n", "Give what ran in it, too: --methods or --stacks."),
        (b"PERFILE2" + bytes(100), "perf script -i FILE"),
    ],
)
def test_a_measurement_of_another_tool_says_what_else_to_give(place: Path, content: bytes, said: str, capsys: Capture) -> None:
    (place / "other").write_bytes(content)
    assert run(["import", "other", *LINE]) == ExitCode.TROUBLE
    assert said in capsys.readouterr().err


def test_the_old_name_of_the_format_is_refused(place: Path, capsys: Capture) -> None:
    assert run(["import", "leaky.txt", *LINE, "--format", "json"]) == ExitCode.USAGE
    assert "--format is now --log-format" in capsys.readouterr().err


def test_a_kernel_trace_with_methods(place: Path, capsys: Capture) -> None:
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
