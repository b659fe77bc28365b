"""`navitas graph` on recordings of apps that are killed, that have several processes, or whose files end in the middle."""

from __future__ import annotations

import json
from dataclasses import replace
from math import fsum
from pathlib import Path

import pytest
from support.added_history import add_history, wall_ms
from support.capture import Capture
from support.recording_maker import PACKAGE, RUN_STEP_NS, make_recording
from support.scenario import Call, Message, Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import ExitCode
from navitas.cli.main import run

MAIN, SYNC, REMOTE = "a.b.MainActivity", "a.b.SyncService", "a.b.RemoteService"
TAG = f"*walarm*:{PACKAGE}/{SYNC}"
_AFTER_MS = RUN_STEP_NS // 1_000_000


def scenario(calls: tuple[Call, ...], messages: tuple[Message, ...], **more: object) -> Scenario:
    busy = tuple((one.start_ms, one.end_ms or 500.0, 1.0) for one in calls)
    main = ThreadSpec("main", calls, busy, messages=messages)
    return replace(Scenario(500, (main,), (TestSpec("a.b.MainTest#x", 0, 500),)), **more)  # type: ignore[arg-type]


FIRST = (
    (call(f"{MAIN}#onCreate", 0, 40), call(f"{SYNC}#onStartCommand", 100, 150), Call(f"{SYNC}#onStartCommand", 400, None)),
    (
        Message(1, 32, MAIN, 0, 32),
        Message(10, 12, MAIN, 5, 2 | 8, 100, SYNC),
        Message(20, 3, MAIN, 7, target=REMOTE),
        Message(100, 34, SYNC, 5),
        Message(400, 34, SYNC, 5),
    ),
)
SECOND = (
    (call(f"{REMOTE}#onStartCommand", 50, 80), call(f"{SYNC}#onStartCommand", 200, 250)),
    (Message(50, 34, REMOTE, 7), Message(200, 34, SYNC, 5)),
)


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """One run of two processes: the first is killed within a callback; the second one has the alarm and a service."""
    folder = tmp_path / "r"
    make_recording(folder, scenario(*FIRST, exit="crashed"), scenario(*SECOND))
    manifest = json.loads((folder / "manifest.json").read_text())
    for file in manifest["files"]:
        file["run"] = 0 if file["path"].endswith(".nvch") else file["run"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def graph(folder: Path) -> dict[str, object]:
    assert run(["graph", str(folder), "--json", str(folder / "g.json")]) == ExitCode.OK
    found: dict[str, object] = json.loads((folder / "g.json").read_text())
    return found


def links(found: dict[str, object]) -> set[tuple[str, str, str, int]]:
    return {(one["source"], one["target"], one["kind"], one["count"]) for one in found["links"]}  # type: ignore[attr-defined]


def test_an_app_that_is_killed_and_started_again(killed: Path, capsys: Capture) -> None:
    """The alarm of the first process starts the service of the second, and an intent crosses the processes."""
    found = graph(killed)
    assert links(found) == {
        ("(Android system)", MAIN, "normal", 1),
        (MAIN, SYNC, "periodic", 3),
        (MAIN, REMOTE, "normal", 1),
    }
    nodes: list[dict[str, float]] = found["nodes"]  # type: ignore[assignment]
    total = found["graph"]["energy_j"]  # type: ignore[index]
    assert fsum(node["energy_j"] or 0.0 for node in nodes) == pytest.approx(total, rel=1e-9)
    assert "messages of 2 processes" in capsys.readouterr().err and found["graph"]["processes"] == 2  # type: ignore[index]


def test_the_history_of_a_killed_app_is_compared_over_both_processes(killed: Path) -> None:
    lines = [f'# uid 10057\n9,hsp,1,10057,"{TAG}"\n9,h,0:RESET:TIME:{wall_ms(0)}\n']
    lines += [f"9,h,{step},+Eal=1\n9,h,0,-Eal=1\n" for step in (100, 300, _AFTER_MS - 200)]
    add_history(killed, "".join(lines))
    (row,) = graph(killed)["history"]["tags"]  # type: ignore[index]
    assert (row["recorded"], row["in_history"], row["difference"]) == (3, 3, None)


def test_a_history_that_ends_in_the_middle_of_a_line_has_fewer_alarms(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    make_recording(folder, scenario(*FIRST))
    text = f'# uid 10057\n9,hsp,1,10057,"{TAG}"\n9,h,0:RESET:TIME:{wall_ms(0)}\n9,h,100,+Eal=1\n9,h,0,-Eal=1\n9,h,300,+E'
    add_history(folder, text)
    (row,) = graph(folder)["history"]["tags"]  # type: ignore[index]
    assert (row["recorded"], row["in_history"], row["difference"]) == (2, 1, "fewer_in_history")


def test_events_that_end_in_the_middle_are_named(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "r"
    recording = make_recording(folder, scenario(*FIRST))
    (path,) = recording.files("events", 0)
    path.write_bytes(path.read_bytes()[:-30])
    graph(folder)
    assert "warning: " in capsys.readouterr().err
