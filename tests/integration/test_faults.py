"""Faults as a user sees them: exit code, cause and remedy, no traceback, no lost data, no leftover process."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbutils
import jsonschema  # type: ignore[import-untyped]
import pytest
from support.command_line import Run
from support.fake_adb import block, fake_adb, free_port
from support.faulty_project import faulty_project
from support.lab import Lab

from navitas.report.json_report import schema


@pytest.fixture(scope="module")
def project(gradle: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return faulty_project(tmp_path_factory.mktemp("faulty") / "project")


def report(in_process: Run, recording: Path) -> dict[str, Any]:
    """The JSON report of a recording, checked against its schema."""
    done = in_process("report", recording, "--json", "-")
    assert done.code == 0, done.err
    return read(done.out)


def read(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    jsonschema.validate(found, schema())
    return found


def warnings(found: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in found["warnings"]}


# Before the run


def test_no_gradle_project(navitas: Run, tmp_path: Path) -> None:
    navitas("profile", tmp_path).check_error(2, str(tmp_path), "not a Gradle project", "build.gradle")


def test_a_project_that_does_not_exist(in_process: Run, tmp_path: Path) -> None:
    in_process("profile", tmp_path / "nowhere").check_error(2, "nowhere")


def test_a_missing_gradle(in_process: Run, tmp_path: Path) -> None:
    project = faulty_project(tmp_path / "project")
    in_process("profile", project, "--gradle", tmp_path / "none").check_error(2, "no Gradle at", "--gradle")


def test_no_gradle_on_the_path(in_process: Run, tmp_path: Path) -> None:
    project = faulty_project(tmp_path / "project")
    in_process("profile", project, env={"PATH": str(tmp_path)}).check_error(4, "no Gradle found", "apt install gradle")


@pytest.mark.extended
def test_no_java(navitas: Run, tmp_path: Path, gradle: str) -> None:
    project = faulty_project(tmp_path / "project")
    env = {"JAVA_HOME": str(tmp_path)}
    navitas("profile", project, "--gradle", gradle, env=env).check_error(4, "JAVA_HOME", "JDK")


@pytest.mark.extended
def test_a_failing_build_shows_its_last_lines(navitas: Run, tmp_path: Path, gradle: str) -> None:
    project = faulty_project(tmp_path / "project", "throw new GradleException('the build is broken on purpose')\n")
    navitas("profile", project).check_error(4, "the build is broken on purpose", "last lines")
    assert not (tmp_path / "navitas-recordings").exists()


@pytest.fixture
def no_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An adb server without devices."""
    port = str(free_port())
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    monkeypatch.setenv("ADB_MDNS", "0")
    adb = str(adbutils.adb_path())
    subprocess.run([adb, "-P", port, "start-server"], check=True, capture_output=True)
    yield
    subprocess.run([adb, "-P", port, "kill-server"], check=False, capture_output=True)


@pytest.mark.usefixtures("no_devices")
def test_an_unknown_device_is_reported_with_all_known_ones(navitas: Run, project: Path) -> None:
    navitas("profile", project, "--device", "nosuchserial").check_error(4, "nosuchserial", "adb lists")


def test_no_adb_server_and_no_adb_program(in_process: Run, tmp_path: Path) -> None:
    env = {"ANDROID_ADB_SERVER_PORT": str(free_port()), "ADBUTILS_ADB_PATH": str(tmp_path / "adb")}
    in_process("devices", env=env).check_error(4, "is not an executable program", "apt install adb")
    in_process("devices", env={"ANDROID_ADB_SERVER_PORT": "usb"}).check_error(2, "ANDROID_ADB_SERVER_PORT")


def test_an_adb_server_of_another_version_keeps_running(in_process: Run, tmp_path: Path) -> None:
    with fake_adb({"host:version": block("001f"), "host:devices-l": block("x  unauthorized")}) as server:
        env = {"ANDROID_ADB_SERVER_PORT": str(server.port)}
        done = in_process("devices", env=env)
        assert done.code == 0 and ["x", "-", "unauthorized", "-"] in [line.split() for line in done.out.splitlines()]
        (tmp_path / "build.gradle").touch()
        in_process("profile", tmp_path, "--device", "x", env=env).check_error(
            4, "device x is unauthorized", "allow USB debugging"
        )
        assert not [request for request in server.requests if "kill" in request]


# Tests


@pytest.mark.extended
def test_no_test_matches(navitas: Run, project: Path, tmp_path: Path) -> None:
    done = navitas("profile", project, "--tests", "FaultyTest#pases", "-o", "out")
    done.check_error(2, "no test matches 'FaultyTest#pases'", "similar: FaultyTest#passes")
    assert not (tmp_path / "out").exists()


def test_a_failing_test_is_reported(navitas: Run, lab: Lab, tmp_path: Path) -> None:
    words = ("--tests", "*#passes", "--tests", "*#fails", "-o", "out", "--json", "-")
    done = navitas("profile", "--bundle", lab.bundles[0].path, *words)
    assert done.code == 3
    assert "Traceback" not in done.err
    assert "FAILED p.FaultyTest#fails" in done.err and "as it should" in done.err
    found = read(done.out)  # standard output has only JSON
    assert {test["method"]: test["status"] for test in found["tests"]} == {"passes": "passed", "fails": "failed"}
    assert all(test["energy_j"] > 0 for test in found["tests"])
    assert not list(tmp_path.glob("out/**/*.part"))
    assert read(navitas("report", "out", "--json", "-").out)["totals"] == found["totals"]


@pytest.mark.extended
@pytest.mark.parametrize("transport", ["files", "logcat"])
def test_a_jvm_that_dies_mid_test(navitas: Run, lab: Lab, tmp_path: Path, transport: str) -> None:
    words = ("--tests", "*#dies", "-o", "out", "--json", "out.json", "--transport", transport)
    done = navitas("profile", "--bundle", lab.bundles[0].path, *words)
    assert done.code == 3, done.err
    assert "Traceback" not in done.err and "FAILED p.FaultyTest#dies" in done.err
    found = read((tmp_path / "out.json").read_text())
    (test,) = found["tests"]
    assert (test["method"], test["status"]) == ("dies", "cut")
    (main,) = (thread for thread in test["threads"] if thread["name"] == "main")
    cut = {method["name"]: method["cut"] for method in main["methods"]}
    # Whether `burn`, which ends just before the JVM does, was also cut depends on the last flush.
    assert cut.get("dies") == cut.get("die") == 1
    assert test["wall_ns"] > 0 and test["energy_j"] > 0
    assert "crashed" in warnings(found)


# The recording's folder


def test_a_folder_with_other_files_is_not_changed(in_process: Run, project: Path, tmp_path: Path) -> None:
    kept = tmp_path / "mine" / "kept.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    in_process("profile", project, "--tests", "*#passes", "-o", "mine").check_error(4, "mine", "-o")
    assert [path.name for path in kept.parent.iterdir()] == ["kept.txt"]


IDLE = '<device name="Android"><item name="cpu.idle">%s</item></device>'
ENTITY = '<!DOCTYPE device [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + IDLE % "&x;"
DTD = '<!DOCTYPE device SYSTEM "http://127.0.0.1/x.dtd">' + IDLE % 1
PLACEHOLDER = (
    '<device name="Android"><array name="cpu.speeds"><value>400000</value></array><item name="cpu.active">0.1</item></device>'
)
DEEP = f'<device name="Android">{"<group>" * 5000}{"</group>" * 5000}</device>'


@pytest.mark.parametrize(
    "text",
    [
        ENTITY,
        pytest.param(DTD, marks=pytest.mark.extended),
        pytest.param(DEEP, marks=pytest.mark.extended),
        pytest.param(PLACEHOLDER, marks=pytest.mark.extended),
    ],
    ids=["entity", "dtd", "deep", "placeholder"],
)
def test_an_unusable_power_profile_is_rejected(navitas: Run, project: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "profile.xml").write_text(text)
    done = navitas("profile", project, "--tests", "*#passes", "--power-profile", "profile.xml", "-o", "out")
    done.check_error(4, "profile")
    assert "root:" not in done.err
    assert not (tmp_path / "out").exists(), "it is rejected before the tests run"


# Reports of damaged recordings


def test_no_such_recording(in_process: Run) -> None:
    in_process("report", "nowhere").check_error(2, "nowhere")


def test_a_folder_that_is_not_a_recording(in_process: Run, tmp_path: Path) -> None:
    in_process("report", tmp_path).check_error(4, "manifest.json")


def test_no_recording_named(in_process: Run) -> None:
    in_process("report").check_error(2, "RECORDING is missing")


def events(recording: Path) -> Path:
    return recording / "runs" / "0" / "events-4000.nvch"


def test_a_truncated_event_file_is_reported_up_to_its_end(in_process: Run, recording: Path) -> None:
    whole = report(in_process, recording)
    data = events(recording).read_bytes()
    events(recording).write_bytes(data[: len(data) * 2 // 3 + 7])
    found = report(in_process, recording)
    assert {"file_changed", "damaged_bytes"} <= warnings(found) - warnings(whole)
    assert [test["method"] for test in found["tests"]] == [test["method"] for test in whole["tests"]]


def test_a_flipped_bit_loses_one_chunk(in_process: Run, recording: Path) -> None:
    data = bytearray(events(recording).read_bytes())
    data[len(data) // 2] ^= 0x10
    events(recording).write_bytes(bytes(data))
    found = report(in_process, recording)
    assert {"file_changed", "damaged_bytes"} <= warnings(found)
    assert found["totals"]["energy_j"] > 0


def test_an_event_file_of_noise_is_a_warning(in_process: Run, recording: Path) -> None:
    events(recording).write_bytes(os.urandom(100_000))
    assert {"file_changed", "no_events"} <= warnings(report(in_process, recording))


def test_a_recording_of_a_newer_navitas(in_process: Run, recording: Path) -> None:
    data = events(recording).read_bytes()
    # The CRC covers the version, so chunks of another layout are rejected.
    events(recording).write_bytes(data.replace(b"NVCH\x01\x00", b"NVCH\x02\x00\x01"))
    found = report(in_process, recording)
    assert {"newer_chunks", "no_events"} <= warnings(found)
    newer = next(warning for warning in found["warnings"] if warning["code"] == "newer_chunks")
    assert "version (2)" in newer["message"] and "Update Navitas" in newer["remedy"]
    for path in (recording / "maps" / "36b9b900498770ce.json", recording / "manifest.json"):
        text = path.read_text()
        path.write_text(re.sub(r'"schema_version": ?1', '"schema_version": 2', text))
        in_process("report", recording).check_error(4, path.name, "schema_version 2", "Update Navitas")
        path.write_text(text)


def test_a_map_of_another_build_is_an_error_that_names_both_builds(in_process: Run, recording: Path) -> None:
    ours, other = "36b9b900498770ce", "00000000deadbeef"
    manifest = (recording / "manifest.json").read_text().replace(ours, other)
    (recording / "manifest.json").write_text(manifest)
    path = recording / "maps" / f"{ours}.json"
    (recording / "maps" / f"{other}.json").write_text(path.read_text().replace(ours, other))
    in_process("report", recording).check_error(4, ours, other)


def test_a_replaced_map(in_process: Run, recording: Path) -> None:
    ours, other = "36b9b900498770ce", "00000000deadbeef"
    path = recording / "maps" / f"{ours}.json"
    path.write_text(path.read_text().replace(ours, other))
    in_process("report", recording).check_error(4, ours, other)


def test_a_sound_recording_is_reported_on_the_terminal(navitas: Run, recording: Path) -> None:
    before = {path: path.read_bytes() for path in recording.rglob("*") if path.is_file()}
    done = navitas("report", recording)
    assert done.code == 0
    assert "SortTest#withSort" in done.out and "Traceback" not in done.err
    after = {path: path.read_bytes() for path in recording.rglob("*") if path.is_file()}
    assert after == before, "a report does not write to the recording"
