"""Another user of the machine can neither use Navitas' sockets nor take over its files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from support.command_line import Command, Ended, Start
from support.faulty_project import faulty_project
from support.sockets import Listening, answers_to_stranger, described, family_of, listening
from support.stranger import STRANGER_UID, as_stranger

from navitas.base.owned_folder import owned_folder
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_server import adb_path
from navitas.capture.device.local_socket import connect
from navitas.virtual_phone import start


@pytest.fixture(autouse=True)
def _root() -> None:
    if os.getuid() != 0:
        pytest.skip("only root can run a program as another user")


def attacked(command: Command) -> tuple[Ended, set[Listening], list[list[str]]]:
    """Try every socket that the command's processes listen on, as soon as it exists, until the command ends."""
    seen: set[Listening] = set()
    answers: list[list[str]] = []
    while command.process.poll() is None:
        new = listening(family_of(command.mark)) - seen
        if new:
            seen |= new
            answers += answers_to_stranger(new)
        time.sleep(0.05)
    return command.end(), seen, answers


@pytest.mark.extended
def test_no_socket_answers_another_user(start_navitas: Start, gradle: str, tmp_path: Path) -> None:
    daemons = f"-Dorg.gradle.daemon.registry.base={tmp_path / 'daemons'}"
    words = ("profile", faulty_project(tmp_path / "project"), "--tests", "*#passes", "--gradle", gradle, "-o", "rec")
    command = start_navitas(*words, env={"GRADLE_OPTS": daemons})
    try:
        ended, seen, answers = attacked(command)
    finally:
        subprocess.run(
            [gradle, "--stop"], cwd=tmp_path, env={**os.environ, "GRADLE_OPTS": daemons}, capture_output=True, check=False
        )
    assert ended.code == 0, ended.err
    assert answers == [], described(seen)
    sockets = {Path(one.address).name for one in seen if one.kind == "unix"}
    assert {"phone", "server"} <= sockets, "the adb server and the phone were tried"
    assert [one for one in seen if one.kind == "udp" and "navitas.virtual_phone" in one.command], "the log's port was tried"
    assert not [one for one in seen if one.kind == "tcp" and ("adb" in one.command or "navitas" in one.command.split(" -cp ")[0])]
    for log in (tmp_path / "rec").glob("runs/*/logcat.txt"):
        assert "stranger" not in log.read_text("utf-8", "replace")


def test_the_sockets_answer_the_phones_own_user(phone: AdbDevice) -> None:
    """The same requests by the phone's user."""
    sockets = [str(phone.client.path), phone.serial.removeprefix("localfilesystem:")]
    for path, words, answer in ((sockets[0], b"000chost:version", b"OKAY"), (sockets[1], _connection_packet(), b"CNXN")):
        with connect(Path(path)) as own:
            own.sendall(words)
            assert own.recv(4096).startswith(answer)


def _connection_packet() -> bytes:
    data = b"host::\0"
    word = int.from_bytes(b"CNXN", "little")
    fields = (word, 0x01000001, 1 << 20, len(data), sum(data), word ^ 0xFFFFFFFF)
    return b"".join(field.to_bytes(4, "little") for field in fields) + data


ADB = """
import subprocess, sys
program, *places = sys.argv[1:]
for server, serial in zip(places[::2], places[1::2]):
    done = subprocess.run([program, "-L", server, "-s", serial, "shell", "id"], capture_output=True, text=True)
    print(done.returncode, done.stdout)
"""


def test_adb_fails_as_another_user(phone: AdbDevice) -> None:
    program = adb_path()
    done = as_stranger(ADB, program, phone.client.socket_spec, phone.serial)
    assert done.returncode != 0 or not done.stdout.startswith("0"), done.stdout
    assert "uid=" not in done.stdout


def test_the_sockets_folder_is_closed_to_another_user(phone: AdbDevice) -> None:
    path = phone.serial.removeprefix("localfilesystem:")
    done = as_stranger("import os, sys; os.stat(sys.argv[1])", path)
    assert done.returncode != 0 and "Permission denied" in done.stderr


def test_another_users_folders_of_the_same_names_are_not_used(tmp_path: Path) -> None:
    """A link or a folder of another user in the temp folder is neither used nor removed."""
    temp = tmp_path / "temp"
    temp.mkdir()
    temp.chmod(0o1777)
    mine = tmp_path / "precious"
    mine.mkdir()
    (mine / "owner").touch()
    (temp / "navitas-demo-aaaaaaaa").symlink_to(mine)
    (temp / "navitas-demo-bbbbbbbb").mkdir()
    (temp / "navitas-demo-bbbbbbbb" / "owner").symlink_to(mine / "owner")
    for path in (temp / "navitas-demo-aaaaaaaa", temp / "navitas-demo-bbbbbbbb"):
        os.chown(path, 65534, 65534, follow_symlinks=False)
        os.utime(path, (0, 0), follow_symlinks=False)
    with owned_folder("navitas-demo-", temp) as made:
        assert made.stat().st_mode & 0o777 == 0o700
    assert (mine / "owner").exists() and len(list(temp.iterdir())) == 2


def bundle_for(home: Path) -> bytes:
    """A bundle whose JDK is at `home`."""
    data = io.BytesIO()
    manifest = {
        "schema_version": 1, "package": "org.other", "module": ":", "project": "p", "map_id": "0" * 16, "class_path": ["c"],
        "test_roots": ["c"], "working_dir": "/", "jvm_args": [], "system_properties": {}, "environment": {},
        "java_home": str(home), "warnings": [],
    }  # fmt: skip
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bundle.json", json.dumps(manifest))
        archive.writestr("c/x", b"")
    return data.getvalue()


@pytest.mark.parametrize("by", ["owner", "adb", "owner, of another user"])
def test_only_a_local_bundle_may_name_its_jdk(phone: AdbDevice, tmp_path: Path, by: str) -> None:
    """A bundle that Navitas installs, such as one of a build with its own JDK, but not one sent over adb."""
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    file = tmp_path / "other.bundle.zip"
    file.write_bytes(bundle_for(tmp_path / "jdk"))
    if by == "adb":
        phone.push(file, "/data/local/tmp/other.zip")
        assert "Success" in phone.shell("pm install /data/local/tmp/other.zip; rm /data/local/tmp/other.zip").text
    else:
        if by != "owner":
            os.chown(tmp_path / "jdk", STRANGER_UID, STRANGER_UID)
        phone.install([file])
    try:
        said = phone.shell("am instrument -w -r org.other/org.navitas.phone.InstrumentMain").text
    finally:
        phone.uninstall("org.other")
    assert (tmp_path / "ran").exists() is (by == "owner")
    assert (f"navitas.warning=the build's tests use the JDK {tmp_path}/jdk, but" in said) is (by != "owner")


def test_with_a_very_long_temp_folder_sockets_are_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    monkeypatch.setattr(start, "_SHARED_MEMORY", Path("/none"))
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with start.virtual_phone() as device:
        assert device.shell("echo hi").text == "hi\n"
        made = Path(device.serial.removeprefix("localfilesystem:")).parent
        assert made.parent == Path("/tmp") and made.stat().st_mode & 0o777 == 0o700
        assert any(deep.glob("navitas-phone-*"))
    assert not made.exists() and not any(deep.iterdir())


def test_the_phone_imports_no_module_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user may have put a module into it, for example into /tmp."""
    for name in ("argparse", "json", "navitas"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path)
    with start.virtual_phone() as device:
        assert device.shell("echo hi").text == "hi\n"
    assert not (tmp_path / "ran").exists()
