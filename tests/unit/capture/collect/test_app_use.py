"""An app in use: the bound of its run, and whose app a command can use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress
from support.raising import raising

from navitas.base.errors import DeviceError, UsageError
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.apps.map_cache import KnownMap
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs import app_use
from navitas.capture.collect.runs.app_use import Use
from navitas.capture.collect.runs.instrument import InstrumentResult
from navitas.capture.collect.runs.run_recorder import RunPlan, RunRecorder, Work
from navitas.capture.device.base import DeviceInfo, ShellResult
from navitas.recording.store import open_recording

INSTALLED = {"pm path": "package:/data/app/a.apk\n", "cat /sys/devices/system/cpu/possible": "0-1\n"}


def use(command: str = "") -> Use:
    return Use("a.b", command, lambda: None, lambda _: set())


def test_only_a_use_of_a_known_length_bounds_its_run() -> None:
    assert app_use._plan(replace(use(), bound_s=7200.0)).bound_s == 7200.0
    assert app_use._plan(use()).bound_s is None
    assert app_use._plan(replace(use("monkey 1000"), bound_s=60.0)).bound_s is None


USERS = "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:Work:1030} running\n\tUserInfo{11:Guest:404} running\n"


def on_front(front: str, user: int | None) -> FakeDevice:
    device = FakeDevice({"am get-current-user": f"{front}\n", "pm list users": USERS})
    device.info = DeviceInfo("phone", "x", "", "", 30, named_user=user)
    return device


EVENTS = {
    "--monkey": replace(use("monkey 1000"), is_monkey=True),
    "--script": replace(use("input tap 1 2"), script=Path("a.txt")),
}


@pytest.mark.parametrize(
    ("option", "front", "user"), [("--monkey", "0", 10), ("--monkey", "0", 11), ("--script", "0", 11), ("--script", "10", 0)]
)
def test_events_for_the_screen_are_refused_for_a_user_who_is_not_there(
    tmp_path: Path, option: str, front: str, user: int
) -> None:
    """Nothing is installed or changed before."""
    device = on_front(front, user)
    refused = f"{option} uses apps of the user in the foreground, user {front}, and user {user} is measured"
    with pytest.raises(UsageError, match=refused):
        app_use.record(device, EVENTS[option], ProfileOptions(), tmp_path / "rec", NoProgress())
    assert set(device.commands) <= {"am get-current-user", "pm list users"}


@pytest.mark.parametrize(
    ("option", "front", "user"),
    [("--monkey", "10", None), ("--monkey", "0", 0), ("--monkey", "10", 10), ("--script", "0", 0), ("--script", "0", 10)],
)
def test_they_are_accepted_for_the_user_in_front_and_taps_for_a_work_profile(option: str, front: str, user: int | None) -> None:
    app_use._check_front(on_front(front, user), EVENTS[option])


@pytest.mark.parametrize("option", EVENTS)
def test_events_never_reach_other_apps_if_the_app_cannot_start(tmp_path: Path, option: str) -> None:
    device = FakeDevice({"monkey": "** No activities found to run, monkey aborted.\n"})
    with pytest.raises(DeviceError, match=r"launchers show no activity of a\.b, so events would reach other apps"):
        app_use._record_use(
            device, EVENTS[option], InstrumentResult(), tmp_path / "raw", None, progress=NoProgress(), on_process=print
        )
    assert len(device.commands) == 1


@pytest.mark.parametrize("is_known", [True, False])
def test_the_recording_of_an_interrupted_use_has_its_method_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """That of the bundle, or the one that the events name."""
    found = KnownMap("0123456789abcdef", ":app", "notes", b"{}", ())
    monkeypatch.setattr("navitas.capture.collect.apps.map_cache.find", {found.map_id: found}.get)

    def interrupted(recorder: RunRecorder, plan: RunPlan, _work: object) -> InstrumentResult:
        recorder.enter(plan, "interrupted")
        raise KeyboardInterrupt

    monkeypatch.setattr(RunRecorder, "run", interrupted)
    device = FakeDevice(INSTALLED).with_info(kind="virtual")
    known = replace(use(), map=found if is_known else None, map_ids=lambda _: {found.map_id})
    with pytest.raises(KeyboardInterrupt):
        app_use.record(
            device, known, ProfileOptions(prepare=False, power_profile="google-pixel-6"), tmp_path / "rec", NoProgress()
        )
    manifest = open_recording(tmp_path / "rec").manifest
    assert [one.id for one in manifest.maps] == [found.map_id]
    assert [(run.map_id, run.module) for run in manifest.runs] == [(found.map_id, ":app")]


def test_an_interrupted_use_of_a_sampled_app_has_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, nothing shows which threads of the trace are the app's. Settings that a lost device had kept are gone."""

    def do(_recorder: RunRecorder, plan: RunPlan, done: InstrumentResult, work: Work, folder: AppFolder | None) -> None:
        work(plan, done, tmp_path / "raw", folder)

    monkeypatch.setattr(RunRecorder, "_run_sampled", do)
    texts = INSTALLED | {
        "ps -A": "PID UID NAME\n42 10001 a.b\n",
        "dumpsys package": "flags=[ DEBUGGABLE ]",
        "which": "/bin/tool\n",
    }
    device = FakeDevice(texts, answers=True).with_info(kind="virtual", sdk=34)
    options = ProfileOptions(mode="sample", prepare=False, power_profile="google-pixel-6", record="none")
    with pytest.raises(KeyboardInterrupt):
        app_use.record(device, replace(use(), until=raising(KeyboardInterrupt())), options, tmp_path / "rec", NoProgress())
    (run,) = open_recording(tmp_path / "rec").manifest.runs
    assert (run.pid, run.exit) == (42, "interrupted")
    start = next(number for number, command in enumerate(device.commands) if command.startswith("monkey"))
    assert {"run-as a.b rm -rf files/navitas", "rm -f /data/local/tmp/navitas/a.b.properties"} <= set(device.commands[:start])


@dataclass
class InterruptedPhone(FakeDevice):
    """Interrupts each command that begins with `at`, after the use."""

    at: str = ""
    used: bool = False

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        result = super().shell(command, timeout_s=timeout_s)
        if self.used and command.startswith(self.at):
            raise KeyboardInterrupt
        return result


@pytest.mark.parametrize(
    ("at", "left"),
    [
        ("settings get", "not all was pulled: /data/local"),
        ("am force-stop", "not all was pulled: a.b may still run; /data/local"),
    ],
)
def test_after_two_interruptions_the_app_does_not_run_or_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, left: str
) -> None:
    """The states of the device are read first of all that is pulled. The recording keeps the process of a sampled app."""
    device = InterruptedPhone(INSTALLED, [b""] * 4, answers=True, at=at).with_info(kind="virtual")

    def used(_recorder: RunRecorder, _plan: RunPlan, done: InstrumentResult, *_: object) -> None:
        done.pid, device.used = 42, True
        device.commands.clear()

    monkeypatch.setattr(RunRecorder, "_run_sampled", used)
    options = ProfileOptions(prepare=False, power_profile="google-pixel-6", record="hooks", trace="none")
    with pytest.raises(KeyboardInterrupt):
        app_use.record(device, use(), options, tmp_path / "rec", NoProgress())
    assert "am force-stop a.b" in device.commands
    recorded = open_recording(tmp_path / "rec").manifest
    assert [(run.exit, run.pid) for run in recorded.runs] == [("interrupted", 42)]
    (warning,) = [warning for warning in recorded.warnings if warning.code == "cleanup"]
    assert left in warning.message


@dataclass
class EventPhone(FakeDevice):
    """Has one event file of five bytes, of which each pull gives a text, or is interrupted (None) after a part."""

    given: list[bytes | None] = field(default_factory=list)

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        self._ask(command)
        text = self.given.pop(0)
        yield text or b"1"
        if text is None:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("given", "kept", "lost"),
    [([None, b"12345"], b"12345", 0), ([b"12", None, b"123", b"12"], b"123", 2), ([None, None], None, 0)],
)
def test_events_whose_pull_is_interrupted_are_pulled_again_or_stay_on_the_phone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[bytes | None], kept: bytes | None, lost: int
) -> None:
    monkeypatch.setattr(RunRecorder, "_run_sampled", lambda *_: None)
    device = EventPhone(
        {**INSTALLED, "run-as a.b ls": "events-1.nvch\n", "run-as a.b stat": "5\n"}, answers=True, given=given
    ).with_info(kind="virtual")
    options = ProfileOptions(prepare=False, power_profile="google-pixel-6", record="none", trace="none")
    with pytest.raises(KeyboardInterrupt):
        app_use.record(device, use(), options, tmp_path / "rec", NoProgress())
    assert device.given == []
    recorded = open_recording(tmp_path / "rec").manifest
    (run,) = recorded.runs
    is_removed = "run-as a.b rm -rf files/navitas" in device.commands
    assert [loss.count for loss in recorded.losses] == ([lost] if lost else [])
    if kept is None:
        assert run.exit == "interrupted" and not is_removed
        (warning,) = [warning for warning in recorded.warnings if warning.code == "cleanup"]
        assert "not all was pulled" in warning.message and "/data/data/a.b/files/navitas" in warning.message
    else:
        assert run.exit == "complete" and is_removed
        assert (tmp_path / "rec/runs/0/events-1.nvch").read_bytes() == kept
