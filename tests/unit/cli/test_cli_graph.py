"""`navitas graph` on recordings that are written byte for byte as the runtime writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.added_history import add_history, wall_ms
from support.capture import Capture
from support.golden import GOLDEN
from support.recording_maker import PACKAGE, make_recording
from support.scenario import Message, Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import ExitCode
from navitas.cli.main import run

MAIN, SYNC, RECEIVER = "a.b.MainActivity", "a.b.SyncService", "a.b.Receiver"


@pytest.fixture(autouse=True)
def without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit tests start no process."""
    monkeypatch.setattr("navitas.insight.graph.graphviz.shutil.which", lambda program: None)


def scenario(alarms: int, work_ms: float = 20) -> Scenario:
    """An exact alarm starts the service every 100 ms; each time, it broadcasts to the receiver."""
    calls = [call(f"{MAIN}#onCreate", 0, 40)]
    messages = [
        Message(1, 32, MAIN, 0, 32),
        Message(10, 10, MAIN, 5, target=SYNC),
        Message(11, 12, MAIN, 5, 2 | 4 | 8, 100, SYNC),
        Message(12, 1, MAIN, 0, 1, action="android.intent.action.VIEW"),
    ]
    for i in range(1, alarms + 1):
        at = 100.0 * i
        calls.append(call(f"{SYNC}#onStartCommand", at, at + work_ms))
        calls.append(call(f"{RECEIVER}#onReceive", at + 30, at + 35))
        messages += [Message(at, 34, SYNC, 5), Message(at + 1, 8, SYNC, 100 + i, action="a.b.DONE")]
        messages.append(Message(at + 30, 36, RECEIVER, 100 + i, action="a.b.DONE"))
    busy = tuple((one.start_ms, one.end_ms or one.start_ms, 1.0) for one in calls)
    main = ThreadSpec("main", tuple(calls), busy, messages=tuple(messages))
    return Scenario(1000, (main,), (TestSpec("a.b.MainTest#x", 0, 1000),))


Maker = Callable[..., Path]


@pytest.fixture
def recorded(tmp_path: Path) -> Maker:
    def make(name: str, alarms: int, work_ms: float = 20) -> Path:
        make_recording(tmp_path / name, scenario(alarms, work_ms))
        return tmp_path / name

    return make


def graph(*arguments: object) -> int:
    return run(["graph", *map(str, arguments)])


def test_the_tables_fit_80_columns(recorded: Maker, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert graph(recorded("r", 8)) == ExitCode.OK
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 80
    for title in ("Modules", "Communications", "Cost of alarms, jobs, work and broadcasts", "Unmatched", "Advice"):
        assert title in out.splitlines()
    text = " ".join(out.split())
    assert "a.b.MainActivity" in text and "an exact alarm of a.b.MainActivity starts a.b.SyncService every 0.1 s" in text
    assert "Sent by a.b.MainActivity.onCreate (MainActivity.java:" in text and "leaves the app" in text
    assert err.splitlines()[-1].startswith("next: navitas graph ")


def test_tables_of_a_processing_show_nothing_else(recorded: Maker, capsys: Capture) -> None:
    assert graph(recorded("r", 8), "--from", "Receiver") == ExitCode.OK
    out, err = capsys.readouterr()
    assert "(outside modules)" not in out and "Unmatched" not in out
    assert re.search(r"^Receiver .* % +0 ", out, re.MULTILINE), "what others send to it is not of this processing"
    assert err.splitlines()[-1].endswith("--from a.b.Receiver -o modules.svg")


def test_the_kind_and_the_requested_period_are_shown_at_80_columns(
    recorded: Maker, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert graph(recorded("r", 8)) == ExitCode.OK
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (row,) = (row for row in rows if row[:2] == ["MainActivity", "SyncService"])
    assert row[2:6] == ["periodic", "8", "100", "ms"]


def test_json_has_the_graph_with_its_processing(recorded: Maker, capsys: Capture) -> None:
    assert graph(recorded("r", 8), "--from", "SyncService", "--json", "-") == ExitCode.OK
    found = json.loads(capsys.readouterr().out)
    assert found["processing"]["modules"] == [SYNC, RECEIVER]
    assert {(one["source"], one["target"], one["kind"], one["count"]) for one in found["links"]} == {
        (SYNC, RECEIVER, "broadcast", 8)
    }
    assert sum(node["energy_j"] for node in found["nodes"]) == pytest.approx(found["graph"]["energy_j"], rel=1e-9)
    by_name = {node["id"]: node["energy_j"] for node in found["nodes"]}
    assert by_name[SYNC] == pytest.approx(4 * by_name[RECEIVER], rel=0.05)


def test_a_wake_up_has_the_energy_of_all_that_it_starts(recorded: Maker, tmp_path: Path) -> None:
    assert graph(recorded("r", 8), "--json", tmp_path / "g.json") == ExitCode.OK
    found = json.loads((tmp_path / "g.json").read_text())
    by_name = {node["id"]: node["energy_j"] for node in found["nodes"]}
    (alarm,) = (one for one in found["wake_ups"] if one["kind"] == "periodic")
    assert alarm["total_j"] == pytest.approx(by_name[SYNC] + by_name[RECEIVER])
    (advice,) = (one for one in found["advice"] if one["rule"] == "exact-repeating-alarm")
    assert advice["saving_j"] == pytest.approx(alarm["each_j"] * 7)


def alarms(*at_ms: int, clock_set_ms: int | None = None) -> str:
    """A history with alarms of the service at times of the run; alarms and wake-ups of others do not count.

    At 450 ms, the phone's clock is set back by an hour, if `clock_set_ms`.
    """
    lines = [f'# uid 10057\n9,hsp,1,10057,"*walarm*:{PACKAGE}/{SYNC}"\n9,hsp,2,1000,"*alarm*:TIME_TICK"\n']
    lines.append(f"9,h,0:RESET:TIME:{wall_ms(-1000)}\n9,h,500,+Eal=2\n9,h,0,-Eal=2\n9,h,500,Bl=90,Ewa=1\n")
    now = 0
    for at in sorted([*at_ms, *([] if clock_set_ms is None else [clock_set_ms])]):
        if at == clock_set_ms:
            lines.append(f"9,h,{at - now}:TIME:{wall_ms(at) - 3_600_000}\n")
        else:
            lines.append(f"9,h,{at - now},+Eal=1\n9,h,0,-Eal=1\n")
        now = at
    return "".join(lines) + "NEXT: 77\n"


def test_alarms_are_compared_with_the_history(recorded: Maker, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    folder = recorded("r", 8)
    add_history(folder, alarms(100, 200, 300, 400, 500, 600, 700))
    assert graph(folder, "--json", folder / "g.json") == ExitCode.OK
    out = capsys.readouterr().out
    assert "Alarms and jobs in the history of batterystats" in out and "fewer in history" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    tag = f"*walarm*:{PACKAGE}/{SYNC}"
    assert json.loads((folder / "g.json").read_text())["history"] == {
        "runs": 1,
        "unjoined": 0,
        "tags": [
            {"kind": "wake_up", "tag": tag, "modules": [SYNC], "recorded": 8, "in_history": 7, "difference": "fewer_in_history"}
        ],
    }


def test_without_a_history_nothing_is_compared(recorded: Maker, capsys: Capture) -> None:
    folder = recorded("r", 3)
    assert graph(folder, "--json", folder / "g.json") == ExitCode.OK
    assert "history of batterystats" not in capsys.readouterr().out
    assert "history" not in json.loads((folder / "g.json").read_text())


def test_a_clock_that_is_set_keeps_the_alarms_of_the_history(tmp_path: Path, capsys: Capture) -> None:
    made = replace(scenario(8), clock_set=((450.0, -3600.0),))
    make_recording(tmp_path / "r", made)
    add_history(tmp_path / "r", alarms(*range(100, 900, 100), clock_set_ms=450))
    assert graph(tmp_path / "r", "--json", tmp_path / "g.json") == ExitCode.OK
    (found,) = json.loads((tmp_path / "g.json").read_text())["history"]["tags"]
    assert (found["recorded"], found["in_history"], found["difference"]) == (8, 8, None)
    assert "the phone's clock was set" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "begin"),
    [("g.dot", "digraph"), ("g.gv", "digraph"), ("g.svg", "<svg"), ("g.graphml", "<?xml"), ("g.json", "{"), ("g.sarif", "{")],
)
def test_the_extension_selects_the_format(recorded: Maker, name: str, begin: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / name
    assert graph(recorded("r", 3), "-o", file) == ExitCode.OK
    assert file.read_text().startswith(begin) and "Modules" in capsys.readouterr().out


def test_a_format_without_a_file_goes_to_standard_output(recorded: Maker, capsys: Capture) -> None:
    assert graph(recorded("r", 3), "--format", "dot") == ExitCode.OK
    assert capsys.readouterr().out.startswith("digraph")


def test_the_difference_of_two_recordings(recorded: Maker, capsys: Capture) -> None:
    before, after = recorded("before", 4), recorded("after", 8)
    assert graph(after, "--before", before, "--json", after / "diff.json") == ExitCode.OK
    out = capsys.readouterr().out
    assert "Changed modules, per run" in out and "4 → 8" in out
    found = json.loads((after / "diff.json").read_text())["difference"]
    assert {(one["target"], one["change"]) for one in found["links"]} == {(SYNC, "dearer"), (RECEIVER, "dearer")}
    assert graph(after, "--before", after) == ExitCode.OK
    assert "No module and no communication changed." in capsys.readouterr().out


@pytest.mark.parametrize(
    "case",
    [
        (["--from", "Nothing"], "no module is named Nothing"),
        (["-o", "-"], "--format dot -o -"),
        (["-o", "x.pdf"], "no format has this extension"),
        (["--format", "pdf"], "--format"),
        (["-o", "x.dot", "--json", "x.dot"], "x.dot"),
    ],
)
def test_wrong_options_are_named_with_a_remedy(
    recorded: Maker, case: tuple[list[str], str], capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments, message = case
    monkeypatch.chdir(tmp_path)
    assert graph(recorded("r", 3), *arguments) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.glob("x.*"))


def test_a_recording_without_communications_has_a_remedy(capsys: Capture) -> None:
    assert graph(GOLDEN) == ExitCode.TROUBLE
    err = capsys.readouterr().err
    assert "no communications between modules" in err and "--record hooks" in err and str(GOLDEN) in err


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "a.\x1b[31m\u202egnp" + "x" * 300
    rows = tuple(Message(10.0 + i, 34, f"{name}{i}", 0, 32, action=name) for i in range(30))
    main = ThreadSpec("main", (call("a.b.C#m", 0, 100),), ((0, 100, 1.0),), messages=rows)
    make_recording(tmp_path / "r", Scenario(200, (main,), (TestSpec("a.b.MainTest#x", 0, 200),)))
    assert graph(tmp_path / "r", "--top", 5) == ExitCode.OK
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\u202e") and max(map(len, out.splitlines())) <= 80
    assert "more modules" in out
