"""SIGINT, SIGTERM and SIGKILL at each stage of `profile` and `record`, on a phone that stays: what is left, what comes back."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.command_line import Command, Start
from support.git_repository import git, needs_git, plain_git, repository
from support.lab import Lab
from support.lab_fixtures import Apps
from support.notes_app import APP, bundle_of
from support.seeded_history import git_state
from support.stopped_command import PROGRAM, STOPPED

from navitas.base.owned_folder import remove_abandoned
from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run
from navitas.recording.store import open_recording

__all__ = ["plain_git", "repository"]

LOOK = (
    "settings list system; settings list global; dumpsys battery; cmd deviceidle enabled; pm list packages; pidof perfetto;"
    " ls /data/misc/perfetto-traces; ls /data/local/tmp/navitas 2>/dev/null; ls /data/local/tmp | grep navitas-"
)
STAGES = {
    "build": "",
    "install": "after navitas.capture.device.adb:AdbDevice.push",
    "start": "after navitas.capture.collect.runs.run_recorder:RunRecorder._configure",
    "tests": "after navitas.capture.collect.runs.instrument:_handle",
    "pull": "before navitas.capture.collect.apps.app_files:AppFolder.pull",
    "analysis": "after navitas.cli.report.reporting:load_profile",
}
"""The function before or after which the command stops; a build, and an app in use, wait by themselves."""
BUILD = "#!/bin/sh\ntouch building\nexec sleep 600\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
# Each signal at each stage, for one of the commands in turn, so that each command also has each signal and each stage.
CASES = [
    (("profile", "record")[(place + order) % 2], stage, number)
    for place, stage in enumerate(STAGES)
    for order, number in enumerate(SIGNALS)
]
IN_MAKE_TEST = {
    ("profile", "pull", signal.SIGINT),
    ("profile", "start", signal.SIGKILL),
    ("record", "start", signal.SIGTERM),
}
assert set(CASES) >= IN_MAKE_TEST


@dataclass
class Scene:
    """A phone on the user's adb server, and a folder in which commands measure on it."""

    phone: AdbDevice
    bundle: Path
    package: str
    folder: Path
    start: Start

    def begin(self, command: str, stage: str) -> Command:
        """Start a command, and wait until it is at a stage."""
        words: list[object] = [self.folder / "project", "--gradle", self.folder / "gradle"]
        if stage != "build":
            use = [APP, "--duration", 600 if stage == "tests" else 0.5]
            used = ["--tests", "*#passes"] if command == "profile" else use
            words = [*used, "--bundle", self.bundle]
        words = [command, *words, "--device", self.phone.serial, "-o", "rec", "--prepare"]
        environment = {"ADB_SERVER_SOCKET": self.phone.client.socket_spec, "TMPDIR": str(self.folder / "tmp")}
        if stage == "build":
            started = self.start(*words, env=environment)
            started.wait_until((self.folder / "project/building").exists)
        elif (command, stage) == ("record", "tests"):
            started = self.start(*words, env=environment)
            started.wait_for_line(f"recording {APP}")
        else:
            started = self.start("-c", PROGRAM, STAGES[stage], *words, program=sys.executable, env=environment)
            started.wait_for_line(STOPPED)
        return started

    def restore(self) -> None:
        """Do what the next commands do after a kill."""
        forget_killed(self.folder / "tmp")
        self.phone.uninstall(self.package)  # of a Java project, which runs on no phone that outlives a command
        assert run(["doctor", "--device", self.phone.serial, "--restore", "--quiet"]) == 0


def forget_killed(folder: Path) -> None:
    """Remove what killed commands left in the folder for temporary files, as the next commands do a minute later."""
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    remove_abandoned("navitas-", folder)


def temporary(folder: Path) -> list[str]:
    """The temporary folders of commands."""
    return [path.name for path in folder.iterdir() if path.name.startswith("navitas-")]


@pytest.fixture
def scene(
    command: str, start_navitas: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Scene:
    """A Java project's bundle for `profile`, since it starts sooner, and that of an app for `record`."""
    phone: AdbDevice = request.getfixturevalue("phone")
    monkeypatch.setenv("ADB_SERVER_SOCKET", phone.client.socket_spec)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("tmp", "project"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/build.gradle").touch()
    (tmp_path / "gradle").write_text(BUILD)
    (tmp_path / "gradle").chmod(0o755)
    if command == "record":
        apps: Apps = request.getfixturevalue("apps")
        return Scene(phone, bundle_of(apps(), tmp_path / "notes.bundle.zip"), APP, tmp_path, start_navitas)
    lab: Lab = request.getfixturevalue("lab")
    return Scene(phone, lab.bundles[0].path, lab.bundles[0].manifest.package, tmp_path, start_navitas)


@pytest.mark.parametrize(
    ("command", "stage", "number"),
    [
        pytest.param(*case, id=f"{case[0]}-{case[1]}-{case[2].name}", marks=() if case in IN_MAKE_TEST else pytest.mark.extended)
        for case in CASES
    ],
)
def test_a_signal_leaves_the_phone_and_the_machine_as_they_were(
    scene: Scene, command: str, stage: str, number: signal.Signals
) -> None:
    before = scene.phone.shell(LOOK).text
    started = scene.begin(command, stage)
    ended = started.interrupt(number)
    started.check_nothing_left()
    assert "Traceback" not in ended.out + ended.err
    if number == signal.SIGKILL:
        assert ended.code == -number
        scene.restore()
    elif (command, stage, number) == ("record", "tests", signal.SIGINT):
        assert ended.code == 0, "Ctrl-C ends the use of the app"
    else:
        assert ended.code == 130 and "interrupted" in ended.err, ended.err
    assert scene.phone.shell(LOOK).text == before
    assert temporary(scene.folder / "tmp") == []
    check_recording(scene.folder / "rec", stage, is_complete=ended.code == 0, is_killed=number == signal.SIGKILL)


def check_recording(folder: Path, stage: str, *, is_complete: bool, is_killed: bool) -> None:
    """Assert that what there is can be reported, and that nothing else holds the folder."""
    if stage in ("build", "install"):
        assert not folder.exists() or [path.name for path in folder.iterdir()] == [".lock"]
        return
    assert (open_recording(folder).manifest.state == "complete") == (is_complete or stage == "analysis")
    assert run(["report", str(folder), "--json", str(folder.parent / "report.json"), "--quiet"]) == 0
    report = json.loads((folder.parent / "report.json").read_text())
    assert report["tests"] or stage == "start"
    assert report["methods"] or is_killed or stage in ("start", "tests"), "the events were pulled"


@pytest.mark.extended
@pytest.mark.parametrize("command", ["record"])
def test_a_second_ctrl_c_interrupts_what_follows_the_use(scene: Scene, command: str) -> None:
    """The first one ended the use."""
    words = [command, APP, "--bundle", scene.bundle, "--device", scene.phone.serial, "-o", "rec", "--", "sleep 600"]
    started = scene.start("-c", PROGRAM, STAGES["analysis"], *words, program=sys.executable)
    started.wait_for_line(f"recording {APP}")
    started.process.send_signal(signal.SIGINT)
    started.wait_for_line(STOPPED)
    assert started.interrupt().code == 130
    assert open_recording(scene.folder / "rec").manifest.state == "complete"


AGAINST = ("profile", "repository", "--against", "HEAD")
BISECT = ("bisect", "HEAD~", "HEAD", "repository")


@pytest.fixture
def history(repository: Path, tmp_path: Path) -> Path:
    """A repository of a project whose build does not end, with two commits and a change."""
    (repository / "build.gradle").touch()
    git(repository, "add", ".")
    for text in ("b", "c"):
        (repository / "app/file").write_text(text)
        git(repository, "commit", "-qam", text)
    (repository / "app/file").write_text("not committed")
    (tmp_path / "gradle").write_text(f"#!/bin/sh\ntouch {tmp_path}/building\nexec sleep 600\n")
    (tmp_path / "gradle").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    return repository


@needs_git
@pytest.mark.parametrize(
    ("words", "number"),
    [
        pytest.param(AGAINST, signal.SIGKILL, id="profile-SIGKILL"),
        pytest.param(AGAINST, signal.SIGINT, id="profile-SIGINT", marks=pytest.mark.extended),
        pytest.param(BISECT, signal.SIGTERM, id="bisect-SIGTERM", marks=pytest.mark.extended),
    ],
)
def test_a_build_of_a_revision_that_is_ended(
    history: Path, start_navitas: Start, tmp_path: Path, words: tuple[str, ...], number: signal.Signals
) -> None:
    """The repository is as before, and so are the folders for temporary files, after a kill by the next command."""
    state = git_state(history)
    command = start_navitas(*words, "--gradle", tmp_path / "gradle", "-o", "out", env={"TMPDIR": str(tmp_path / "tmp")})
    command.wait_until((tmp_path / "building").exists)
    assert any(path.name.startswith("navitas-revision-") for path in (tmp_path / "tmp").iterdir())
    ended = command.interrupt(number)
    assert ended.code == (-number if number == signal.SIGKILL else 130) and "Traceback" not in ended.err
    command.check_nothing_left()
    assert git_state(history) == state
    if number == signal.SIGKILL:
        forget_killed(tmp_path / "tmp")
    assert temporary(tmp_path / "tmp") == []
    assert not (tmp_path / "out").exists() or number == signal.SIGKILL
