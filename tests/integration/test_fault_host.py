"""Faults of the host: full disks, read-only folders, concurrent and killed profilings. Errors are clear, data are kept."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from support.command_line import Run, Start
from support.faulty_project import faulty_project
from support.golden import GOLDEN
from support.gradle_projects import main_class, write
from support.host import read_only, small_disk
from support.lab import Lab

from navitas.base.errors import RecordingError
from navitas.base.owned_folder import mark_in_use, owned_folder
from navitas.energy.analyze.load import load
from navitas.recording.store import open_recording

# Builds wait for a file, so that another one comes meanwhile.
WAITING_BUILD = """
task wait {
  doLast {
    file('building').text = ''
    while (!file('go').exists()) Thread.sleep(50)
  }
}
compileJava.dependsOn wait
"""


@pytest.fixture(scope="module")
def project(gradle: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = faulty_project(tmp_path_factory.mktemp("faulty-host") / "project", WAITING_BUILD)
    return write(root, {"src/main/java/p/Main.java": main_class("Main")})


# Disks


def test_a_disk_that_fills_while_events_are_pulled(lab: Lab, tmp_path: Path) -> None:
    package = lab.bundles[0].manifest.package
    with small_disk(tmp_path / "disk", "4m") as disk:
        with pytest.raises(RecordingError, match="No space left") as caught:
            Lab(lab.phone, lab.bundles, disk).profile("*#callsMuch", name="rec")
        assert "-o" in caught.value.remedy and str(disk) in caught.value.message
        recording = open_recording(disk / "rec")
        assert recording.manifest.state == "partial"
        assert recording.files("events", 0), "data written before the disk was full are listed"
        (test,) = load(recording.path).tests
        assert (test.method, test.status) == ("callsMuch", "passed")
        assert not list(recording.path.glob(".*"))
    left = lab.phone.shell(f"pm list packages {package}; ls /data/local/tmp/navitas; pidof {package}").text
    assert left == ""


@pytest.mark.extended
def test_a_disk_that_is_full_from_the_start(lab: Lab, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        (disk / "ballast").write_bytes(bytes(60_000))
        with pytest.raises(RecordingError, match=f"{disk}/rec: cannot write a recording here: No space left") as caught:
            Lab(lab.phone, lab.bundles, disk).profile("*#passes", name="rec")
        assert "-o" in caught.value.remedy
        assert not list(disk.glob("rec/.*"))


def test_a_read_only_output_folder_is_rejected_before_the_build(in_process: Run, project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "rec", Path("/proc/rec")):
        done = in_process("profile", project, "-o", place)
        done.check_error(4, str(place), "cannot write", "-o")
        assert "building" not in done.err
    in_process("profile", project, "-o", "n" * 300).check_error(4, "File name too long", "shorter")
    with read_only(tmp_path / "ro") as folder:
        done = in_process("profile", project, "-o", folder / "rec")
        done.check_error(4, str(folder / "rec"), "Read-only file system", "-o")
        report = in_process("report", GOLDEN, "--json", folder / "out.json")
        report.check_error(4, "out.json", "Read-only file system", "choose a folder")


PREFIX = "navitas-phone-"


# Concurrent profilings


@pytest.mark.extended
def test_two_concurrent_profilings_of_one_project(start_navitas: Start, navitas: Run, project: Path, tmp_path: Path) -> None:
    for left in ("building", "go", "waiting"):
        (project / left).unlink(missing_ok=True)
    first = start_navitas("profile", project, "--tests", "*#waits", "-o", "one")
    first.wait_until((project / "building").exists)
    second = start_navitas("profile", project, "--tests", "*#passes", "-o", "two", "--no-test-probes")
    second.wait_for_line("waiting for another profiling of this project")
    (project / "go").touch()
    ended = second.end()
    assert ended.code == 0, ended.err
    second.check_nothing_left()
    first.wait_until((project / "waiting").exists)
    first.process.send_signal(signal.SIGHUP)
    stopped = first.end()
    assert stopped.code == 130, "the terminal was closed"
    first.check_nothing_left()
    states = {name: json.loads((tmp_path / name / "manifest.json").read_text())["state"] for name in ("one", "two")}
    assert states == {"one": "partial", "two": "complete"}
    # Each has the classes for its own options.
    assert {"f", "passes"} <= _methods(tmp_path / "one")
    assert "f" in _methods(tmp_path / "two") and "passes" not in _methods(tmp_path / "two")


def _methods(recording: Path) -> set[str]:
    return {method.name for method in load(recording).method_table.methods}


# Killed profilings


@pytest.mark.extended
def test_a_killed_profiling_does_not_affect_later_ones(start_navitas: Start, navitas: Run, project: Path, tmp_path: Path) -> None:
    (project / "waiting").unlink(missing_ok=True)
    (project / "go").touch()
    command = start_navitas("profile", project, "--tests", "*#waits", "-o", "one")
    command.wait_until((project / "waiting").exists)
    assert command.interrupt(signal.SIGKILL).code == -signal.SIGKILL
    command.check_nothing_left()
    (test,) = load(tmp_path / "one").tests
    assert (test.method, test.status) == ("waits", "cut"), "its recording can be read"
    refused = navitas("profile", project, "--tests", "*#passes", "-o", "one")
    refused.check_error(2, "already contains a recording")
    assert navitas("profile", project, "--tests", "*#passes", "-o", "two").code == 0


def test_folders_of_killed_phones_are_removed(tmp_path: Path) -> None:
    names = {name: tmp_path / f"{PREFIX}{name}" for name in ("mine", "young", "dead", "unmarked")}
    for folder in names.values():
        (folder / "root/data").mkdir(parents=True)
    handle = mark_in_use(names["mine"])
    for name in ("young", "dead"):
        os.close(mark_in_use(names[name]))
    (tmp_path / "other").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "other")
    for name in ("mine", "dead", "unmarked"):
        os.utime(names[name], (0, 0))
    with owned_folder(PREFIX, tmp_path) as new:
        assert new.is_dir()
    os.close(handle)
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"{PREFIX}{name}" for name in ("mine", "young", "unmarked", "link")),
        "other",
    }
