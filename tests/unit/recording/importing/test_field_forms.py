"""Each trace and log of the field data is imported, or refused with the right reason."""

from __future__ import annotations

import pytest
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import RecordingError
from navitas.recording.importing.art_trace import read_art_trace
from navitas.recording.importing.plain_files import plain_file
from navitas.recording.importing.read_log import read_log
from navitas.recording.importing.traced_recording import read_kernel_trace

SWITCHES = {
    "ftrace/android_systrace.html": 11074,
    "ftrace/lisa_trace-cmd_report.txt": 1553,
    "ftrace/smartperf_tgid.txt": 17,
    "reported-cases/01-perfetto-guest-frequency/trace.pftrace": 168,
    "reported-cases/03-perfetto-guest-cpu/trace.pftrace": 168,
    "reported-cases/07-per-core-clock/trace.txt": 168,
    "reported-cases/09-other-text-forms/latency.txt": 168,
    "reported-cases/09-other-text-forms/perf-script.txt": 168,
}
REFUSED = {
    "ftrace/atrace_procfs_dump": "the trace has no switches of threads",
    "ftrace/trappy_trace.txt": "the trace has no switches of threads",
    "ftrace/trappy_trace_failed_to_parse.txt": "3 lines were skipped (trace-cmd could not decode the event)",
    "reported-cases/09-other-text-forms/tsc.txt": "this is a trace whose clock, x86-tsc, is no time",
}
EVENTS = {
    "navitas-framework-logs/2020-05-05_logs.json": ("json (schema 1)", 90),
    "navitas-framework-logs/2021-04-23_InliningAnonymousClassTest.start.txt": ("threadtime", 6),
    "navitas-framework-logs/2021-04-23_InliningSeparateClassTest.start.txt": ("threadtime", 6),
    "navitas-framework-logs/2021-05-03_MultithreadingTest.startWithSort.txt": ("threadtime", 6),
    "navitas-framework-logs/2021-05-03_MultithreadingTest.startWithoutSort.txt": ("threadtime", 6),
    "navitas-framework-logs/2021-05-28_MultithreadingTest.startWithSort_leaky.txt": ("threadtime", 36),
    "navitas-framework-logs/2021-11-18_brief_NavigationTest.txt": ("brief", 64),
    "reported-cases/12-logcat-forms/log_color.txt": ("threadtime", 4),
    "reported-cases/12-logcat-forms/log_long.txt": ("long", 4),
    "reported-cases/12-logcat-forms/log_studio_new.txt": ("Android Studio", 4),
    "reported-cases/12-logcat-forms/log_studio_old.txt": ("older Android Studio", 4),
    "reported-cases/12-logcat-forms/log_time.txt": ("time", 4),
}
METHODS = {"01-perfetto-guest-frequency", "03-perfetto-guest-cpu", "07-per-core-clock", "09-other-text-forms"}

pytestmark = needs_field_data


def test_each_file_of_these_folders_is_here() -> None:
    folders = [FIELD_DATA / "ftrace", FIELD_DATA / "navitas-framework-logs", *(FIELD_DATA / "reported-cases").glob("*")]
    # Dumps of devices, power profiles and programs are inputs of other commands.
    others = {"README.md", "pp.xml", "devices.txt", "fake.py", "placeholder.xml", "mhz.xml", "micro.xml"}
    inputs = {
        path.relative_to(FIELD_DATA).as_posix() for folder in folders for path in folder.iterdir() if path.name not in others
    }
    assert {name for name in inputs if not name.endswith(".trace")} == {*SWITCHES, *REFUSED, *EVENTS}
    assert {name.split("/")[1] for name in inputs if name.endswith(".trace")} == METHODS


@pytest.mark.parametrize("name", [*SWITCHES, *REFUSED])
def test_a_trace(name: str) -> None:
    path = FIELD_DATA / name
    with plain_file(path, path.name, is_trace=True) as plain:
        if name in SWITCHES:
            assert len(read_kernel_trace(plain, path.name).trace.switches) == SWITCHES[name]
            return
        with pytest.raises(RecordingError) as caught:
            read_kernel_trace(plain, path.name)
    assert caught.value.message.startswith(f"{path.name}: ") and REFUSED[name] in caught.value.message


@pytest.mark.parametrize("name", EVENTS)
def test_a_log(name: str) -> None:
    log = read_log(FIELD_DATA / name, "log", year=2021)
    assert (log.format, sum(len(part.events) for part in log.parts)) == EVENTS[name] and not log.damaged


@pytest.mark.parametrize("folder", sorted(METHODS))
def test_a_method_trace(folder: str) -> None:
    for path in (FIELD_DATA / "reported-cases" / folder).glob("*.trace"):
        assert sum(len(thread.t_ns) for thread in read_art_trace(path, path.name).threads)


def test_forms_of_one_trace_have_the_same_switches() -> None:
    folder = FIELD_DATA / "reported-cases/09-other-text-forms"
    read = []
    for name in ("latency.txt", "perf-script.txt"):
        with plain_file(folder / name, name, is_trace=True) as plain:
            read.append(read_kernel_trace(plain, name).trace)
    assert str(read[0].switches) == str(read[1].switches) and str(read[0].frequencies) == str(read[1].frequencies)
