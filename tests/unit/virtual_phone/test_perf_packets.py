"""Perfetto's `linux.perf` on the virtual phone: which processes it samples, and what its packets say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.perfetto_samples import stacks_of

from navitas.android.perfetto.messages import message_class, read_config
from navitas.android.perfetto.sampling import stack_source
from navitas.recording.parse.samples_simpleperf import read_simpleperf
from navitas.recording.parse.samples_stacks import StackForest
from navitas.recording.parse.stack_samples import KERNEL, NO_STACK, Frame, RawSamples
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.virtual_phone.trace.perf_packets import perf_packets, sampled_processes
from navitas.virtual_phone.trace.simpleperf_report import simpleperf_report

AHEAD_NS = 5_000_000_000
RUN = Frame("java", "", "org.example.App", "run", "()V")
LAMBDA = Frame("java", "", "org.example.App$$Lambda/0x7f3c10001000", "run")
READ = Frame("native", "libc.so", "", "read")
LOST = Frame("unknown", "libc.so", "", "")
SYSCALL = Frame("kernel", KERNEL, "", "ksys_read")


def perf_config(text: str = "") -> object:
    (source,) = read_config((text or stack_source("org.example")).encode(), is_text=True).data_sources
    return source.config.perf_event_config


def samples() -> RawSamples:
    forest: StackForest[Frame] = StackForest()
    rows = [forest.stack([RUN, LAMBDA]), forest.stack([RUN, READ, SYSCALL]), forest.stack([RUN, LOST]), NO_STACK]
    t_ns = np.array([1_000_000_000, 1_010_000_000, 1_020_000_000, 1_030_000_000], np.int64)
    tid = np.array([11, 12, 11, 11], np.int64)
    stack = np.array(rows, np.int32)
    return RawSamples(t_ns, tid, stack, forest.table(), tuple(forest.frames), "monotonic", lost=2)


def packed(stacks: dict[int, RawSamples], config: object) -> bytes:
    trace = message_class("Trace")()
    trace.packet.extend(perf_packets(stacks, config, AHEAD_NS))
    data: bytes = trace.SerializeToString()
    return data


def test_the_reader_of_traces_finds_the_samples() -> None:
    read = read_perfetto(packed({10: samples()}, perf_config())).trace.samples
    assert read is not None and read.clock == "boottime"
    assert (read.t_ns - AHEAD_NS).tolist() == samples().t_ns.tolist() and read.tid.tolist() == [11, 12, 11, 11]
    assert read.process_of == {11: 10, 12: 10} and read.lost == 2
    assert read.period_ns == pytest.approx(1e9 / 199)
    assert stacks_of(read) == [
        ["org.example.App.run", "org.example.App$$Lambda.run"],
        ["org.example.App.run", "read", "ksys_read"],
        ["org.example.App.run", ""],
        [],
    ]
    kinds = {frame.name: frame.kind for frame in read.frames}
    assert kinds == {"run": "java", "read": "native", "ksys_read": "kernel", "": "unknown"}


def test_frames_of_the_kernel_are_left_out_if_they_are_not_requested() -> None:
    config = perf_config(stack_source("org.example").replace("kernel_frames: true", ""))
    read = read_perfetto(packed({10: samples()}, config)).trace.samples
    assert read is not None and stacks_of(read)[1] == ["org.example.App.run", "read"]


@pytest.mark.parametrize(
    ("text", "interval_ns"),
    [
        (stack_source("org.example"), 5_025_125),
        (stack_source("org.example").replace("frequency: 199", "period: 2000000"), 2_000_000),
        (stack_source("org.example").replace("SW_CPU_CLOCK", "HW_CPU_CYCLES"), None),
        ('data_sources { config { name: "linux.perf" perf_event_config { timebase { frequency: 100 } } } }', None),
    ],
)
def test_which_processes_are_sampled_and_how_often(text: str, interval_ns: int | None) -> None:
    sampled = sampled_processes(perf_config(text))
    assert (sampled and sampled[1]) == interval_ns
    if sampled is not None:
        assert [sampled[0](name) for name in ("org.example", "org.example:remote", "org.example.other")] == [True, True, False]


def test_the_report_of_simpleperf_has_the_same_samples(tmp_path: Path) -> None:
    (path := tmp_path / "samples.simpleperf").write_bytes(simpleperf_report({10: samples()}, "org.example", 1_000_000))
    read = read_simpleperf(path)
    assert read.t_ns.tolist() == samples().t_ns.tolist() and read.process_of == {11: 10, 12: 10}
    assert (read.period_ns, read.lost, read.engine) == (1e6, 2, "simpleperf")
    assert stacks_of(read)[:3] == [
        ["org.example.App.run", "org.example.App$$Lambda.run"],
        ["org.example.App.run", "read", "ksys_read"],
        ["org.example.App.run", ""],
    ]
