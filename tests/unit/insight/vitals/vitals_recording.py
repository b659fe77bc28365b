"""Recordings with wake locks, made for tests: as tables, and as a folder with histories of batterystats."""

from __future__ import annotations

from pathlib import Path

from attribution_maker import MS, POLICIES, manifest, nested, run, thread
from hardware_maker import APP_UID, PHONE, hooks, profile_of
from support.added_history import add_history
from support.recording_maker import make_recording
from support.run_tables import changed
from support.scenario import Call, Scenario, TestSpec, ThreadSpec
from traces import METHODS

from navitas.android.batterystats.reader import line_blocks
from navitas.energy.analyze.load import Loaded
from navitas.energy.analyze.profile import Profile
from navitas.insight.vitals.dump_use import DumpReading, RunHistory
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import RunTables

WALL_MS = 1_700_000_000_000
K = HookKind.WAKE_LOCK
EVENTS = sorted([*nested((100, 900, 0), (200, 300, 1), (210, 220, 2)), *nested((400, 500, 3), (410, 420, 2))])
"""m0 calls m1, and m3 afterwards. Both call m2, which is WakeLock.acquire."""
API_KINDS = (0, 0, int(K))
APP_PACKAGE = "org.example.app"


def hooked_run() -> RunTables:
    """m1 acquires a wake lock at 215 ms, which is held for 100 ms; m3 another at 415 ms, for 300 ms."""
    rows = [(215, False, 7), (315, True, 7), (415, False, 8), (715, True, 8)]
    found = hooks([(0, t, t, 0, K, stop, handle) for t, stop, handle in rows])
    made = run([thread(1, EVENTS, [(0, 0), (1000, 100)])])
    return changed(made, hooks=found)


def loaded(tables: RunTables) -> tuple[Loaded, Profile]:
    """A recording of this run."""
    profile = profile_of(tables, api_kinds=API_KINDS)
    parsed = ParsedRecording(profile.method_table, (tables,), (), ())
    assert len(profile.method_table.methods) == METHODS
    return Loaded(Path("made"), parsed, manifest(1, policies=POLICIES), PHONE), profile


def history(folder: Path, *lines: str, uid: int = APP_UID) -> RunHistory:
    """The history of the run. It begins with the run."""
    path = folder / "batterystats.txt"
    names = f'9,hsp,1,{uid},"sync"\n9,hsp,2,{uid},"upload"\n9,hsp,3,1000,"system"\n9,h,0:RESET:TIME:{WALL_MS}\n'
    path.write_text(names + "".join(f"{line}\n" for line in lines))
    dump = DumpReading()
    for block in line_blocks(path):
        dump.read(block)
    dump.end()
    span_ns = 0, 1000 * MS
    return RunHistory(0, APP_PACKAGE, uid, dump.history.states(), dump.reader.tags, span_ns, True, dump.reader.lines, 0)


def recording_with_histories(folder: Path, *texts: str | None, clock_set: tuple[tuple[float, float], ...] = ()) -> Path:
    """A recording with a run of 1 s for each text, the content of its batterystats.txt."""
    tests = (TestSpec("a.b.CTest#test", 0, 1000),)
    threads = (ThreadSpec("main", (Call("a.b.C#work", 10, 900),), ((10, 900, 1.0),)),)
    scenarios = [Scenario(1000, threads, tests, repeat=number, clock_set=clock_set) for number in range(len(texts))]
    make_recording(folder, *scenarios)
    for number, text in enumerate(texts):
        if text is not None:
            add_history(folder, text, number)
    return folder
