"""Samples of `perf script`, and that it and simpleperf's report have the same samples of one recording."""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from support.field_data import FIELD_DATA, NO_FIELD_DATA
from support.perfetto_samples import stacks_of

from navitas.recording.parse.samples_columns import is_of_time
from navitas.recording.parse.samples_perf_script import is_perf_script, read_perf_script
from navitas.recording.parse.samples_simpleperf import read_simpleperf
from navitas.recording.parse.stack_samples import RawSamples

TEXT = """\
# captured on: Mon Nov 30 2026
   my prog 1:x   700/701  [003]  5.000001:     250000 cpu-clock:u:
\t    55d0c0de1139 work+0x19 (/usr/bin/prog)
\t    55d0c0de1150 _ZN3app4mainEv+0x5 (/usr/bin/prog (deleted))

swapper     0/0     [000]  5.000001500: 250000 cpu-clock:

prog   700/700  [001]  5.000002:  9 cycles:
\tffffffff810b2f34 try_to_wake_up+0x44 ([kernel.kallsyms])
\t    7f2a10 inner (inlined)
\t    7f2a10 [unknown] (/usr/lib/libc.so.6)

prog   700/700  [001]  5.000003:  9 page-faults:
\t    7f2a10 never (/usr/bin/prog)

prog   700/700  [001]  5.000004:  sched:sched_switch: prev_comm=prog prev_pid=700
prog   700 5.000005:  250000 task-clock:
prog   700/700 5.000006: PERF_RECORD_LOST lost 12
java   800/801  [000]  5.000007:  250000 cpu-clock:
\t    7f00aa Lorg/example/Main;::run+0x20 (/tmp/perf-800.map)
"""
FIELD = FIELD_DATA / "stack-samples"


def _read(tmp_path: Path, text: str, name: str = "samples.perf.txt") -> RawSamples:
    (path := tmp_path / name).write_text(text)
    return read_perf_script(path)


def test_texts_of_stacks_are_not_kept(tmp_path: Path) -> None:
    sample = "prog 700/700 [001] 5.{:06d}: 250000 cpu-clock:\n\t    {:x} " + "f" * 10_000 + " (/usr/bin/prog)\n\n"
    (path := tmp_path / "samples.perf.txt").write_text("".join(sample.format(i, 4096 + i) for i in range(1, 2001)))
    tracemalloc.start()
    found = read_perf_script(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 2000 and len(found.stacks) == 1
    assert peak < 8 << 20, "of 20 MB"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_samples_of_time_are_read_with_their_call_chains(tmp_path: Path, newline: str) -> None:
    found = _read(tmp_path, TEXT.replace("\n", newline))
    assert found.t_ns.tolist() == [5_000_001_000, 5_000_002_000, 5_000_005_000, 5_000_007_000]
    assert found.tid.tolist() == [701, 700, 700, 801]
    assert stacks_of(found) == [["app::main()", "work"], ["", "inner", "try_to_wake_up"], [], ["org.example.Main.run"]]
    assert found.thread_names == {701: "my prog 1:x", 700: "prog", 801: "java"}
    assert found.process_of == {701: 700, 700: 700, 801: 800}
    assert (found.lost, found.period_ns, found.clock) == (12, 250_000, "monotonic")
    assert (found.others, found.engine) == ({"page-faults": 1, "sched:sched_switch": 1}, "perf")
    kinds = {frame.name: (frame.kind, frame.module) for frame in found.frames}
    assert kinds[""] == ("unknown", "/usr/lib/libc.so.6") and kinds["inner"] == ("native", "/usr/lib/libc.so.6")
    assert kinds["try_to_wake_up"] == ("kernel", "[kernel]") and kinds["run"][0] == "java"
    assert kinds["app::main()"] == ("native", "/usr/bin/prog (deleted)")


def test_the_files_name_has_another_clock(tmp_path: Path) -> None:
    assert _read(tmp_path, TEXT, "samples.boottime.perf.txt").clock == "boottime"


def test_samples_across_pieces_of_a_long_text_are_whole(tmp_path: Path) -> None:
    one = TEXT.split("\n\n", 1)[0].removeprefix("# captured on: Mon Nov 30 2026\n") + "\n\n"
    found = _read(tmp_path, one * 12_000)
    assert len(found) == 12_000 and len(found.stacks) == 2


def test_a_text_with_times_is_one_whatever_event_is_its_first() -> None:
    assert is_perf_script(TEXT.encode())
    assert is_perf_script(b"prog 700/700 [001] 5.000004: sched:sched_switch: prev_comm=prog\n")
    assert not is_perf_script(b"prog 700 cycles:\n\t    7f1 main (/usr/bin/prog)\n")
    assert not is_perf_script(b"          <idle>-0     [001] d..2  5.000001: cpu_idle: state=1 cpu_id=1\n")


def test_inlined_methods_of_java_are_frames_of_their_own(tmp_path: Path) -> None:
    text = "java 7 1.000001: cycles:\n\t 7f01 La/B;::run->La/C;::<init>->Lb/D;.add (/tmp/perf-7.map)\n"
    text += "\t 7f02 a::B::operator->() (/usr/bin/java)\n\n"
    assert stacks_of(_read(tmp_path, text)) == [["a::B::operator->()", "a.B.run", "a.C.<init>", "b.D.add"]]


@pytest.mark.parametrize(
    "event", ["cpu-clock:u", "cpu-clock/period=1000000,call-graph=fp/", "cpu_core/cycles,freq=9/u", "cpu/cycles/"]
)
def test_the_name_of_an_event_can_have_terms(event: str) -> None:
    assert is_of_time(event) and not is_of_time(event.replace("c", "x"))


@pytest.mark.skipif(not FIELD.is_dir(), reason=NO_FIELD_DATA)
def test_two_reports_of_one_recording_have_the_same_samples() -> None:
    binary = read_simpleperf(FIELD / "display_bitmaps.proto_data")
    text = read_perf_script(FIELD / "perf_display_bitmaps.perf-script")
    assert len(binary) == 525 and (binary.t_ns // 1000 == text.t_ns // 1000).all() and (binary.tid == text.tid).all()
    assert binary.process_of == text.process_of and binary.period_ns == text.period_ns == 250_000
    assert len(binary.stacks) == len(text.stacks)

    def leaves(samples: RawSamples) -> Counter[str]:
        return Counter(re.split("[<( ]", names[-1])[0] for names in stacks_of(samples))

    assert leaves(binary) == leaves(text)
    assert {frame.kind for frame in binary.frames} == {"java", "native", "kernel", "unknown"}


PUBLISHED = {
    "gzip.perf": 420,
    "graphviz.perf": 312,
    "test.perf": 73,
    "simpleperf-cpu-clock.trace": 927,
    "simpleperf-task-clock.trace": 1484,
}


@pytest.mark.skipif(not FIELD.is_dir(), reason=NO_FIELD_DATA)
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_recordings_are_read(name: str) -> None:
    read = read_simpleperf if name.endswith(".trace") else read_perf_script
    found = read(FIELD / name)
    assert len(found) == PUBLISHED[name] and (found.lost, found.cut) == (0, 0) and (found.stack >= 0).all()
