"""The adb server: missing, of another version, hanging, or with invalid answers; devices in every state."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.capture import Capture
from support.command_line import eventually
from support.fake_adb import block, fail, fake_adb, free_port

from navitas.base.errors import DeviceError, UsageError
from navitas.capture.device import adb_server
from navitas.capture.device.adb import select_device
from navitas.capture.device.adb_server import ListedDevice, _listed, adb_path, end_started_servers, list_devices, user_client
from navitas.cli.main import run

LISTING = """\
emulator-5554          device product:sdk_gphone_x86 model:sdk_gphone_x86_arm device:generic_x86_arm transport_id:1
0123456789ABCDEF       unauthorized usb:1-4 transport_id:2
HT7881A04806           offline
????????????           no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:3-2 transport_id:9
"""  # noqa: E501


def test_devices_of_every_state_are_listed() -> None:
    with fake_adb({"host:devices-l": block(LISTING)}) as server:
        *others, locked = list_devices(server.client)
        assert others == [
            ListedDevice("emulator-5554", "device", "sdk gphone x86 arm", ""),
            ListedDevice("0123456789ABCDEF", "unauthorized", "", "usb:1-4"),
            ListedDevice("HT7881A04806", "offline", ""),
        ]
        assert locked.serial == "????????????" and locked.state.startswith("no permissions (user in plugdev group")


@pytest.mark.parametrize(
    ("line", "device"),
    [
        (
            "bd9d00cc               device 3-1.4 product:p model:Phone_Two",
            ListedDevice("bd9d00cc", "device", "Phone Two", "3-1.4"),
        ),
        ("side1                  sideload 4-2 product:x transport_id:3", ListedDevice("side1", "sideload", "", "4-2")),
        (
            "adb-4c75aa91-lL2him (2)._adb-tls-connect._tcp device model:M transport_id:3",
            ListedDevice("adb-4c75aa91-lL2him (2)._adb-tls-connect._tcp", "device", "M", "network"),
        ),
        (" GS101200400611        device usb:17X model:rk3288", ListedDevice(" GS101200400611", "device", "rk3288", "usb:17X")),
        ("my device              offline transport_id:7", ListedDevice("my device", "offline", "", "")),
        ("adb-9A._adb._tcp.      device", ListedDevice("adb-9A._adb._tcp.", "device", "", "network")),
        ("localhost:5555         connecting", ListedDevice("localhost:5555", "connecting", "", "network")),
        ("(no serial number)     device 1-1 transport_id:9", ListedDevice("(no serial number)", "device", "", "1-1")),
        (
            "0a1b2c3d               dreaming usb:1-4",
            ListedDevice("0a1b2c3d               dreaming usb:1-4", "not understood", ""),
        ),
    ],
)
def test_a_line_is_read_from_its_end(line: str, device: ListedDevice) -> None:
    """A serial has any characters, a USB port of libusb no colon. A line of a form that is not known is the serial."""
    with fake_adb({"host:devices-l": block(f"{line}\n\n")}) as server:
        assert list_devices(server.client) == [device]


@given(serial=st.text(st.characters(categories=["L", "N", "P", "S"], include_characters=" "), min_size=1).filter(str.strip))
def test_every_line_names_its_device(serial: str) -> None:
    listed = [_listed(f"{serial:<22} {rest}") for rest in ("device 3-1 product:p transport_id:1", "recovery", "dreaming x")]
    assert [one.state for one in listed] == ["device", "recovery", "not understood"]
    assert {one.serial for one in listed[:2]} == {serial.rstrip()} and serial.strip() in listed[2].serial


def test_a_phone_with_a_path_or_a_space_is_found_and_what_is_not_understood_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    listing = "bd9d00cc device 3-1 product:p\n GS1  device usb:1-2 model:M\nZY dreaming hard\n"
    with fake_adb({"host:version": block("0029"), "host:devices-l": block(listing)}) as server:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        assert [select_device(serial).serial for serial in ("bd9d00cc", " GS1")] == ["bd9d00cc", " GS1"]
        with pytest.raises(DeviceError, match=r"device ' GS1' was lost during 'true'"):
            select_device(" GS1", server.client).shell("true")
        with pytest.raises(DeviceError, match=r"device ' X' is not connected") as caught:
            select_device(" X")
        assert run(["devices"]) == 0
        said = capsys.readouterr()
        run(["doctor", "--device", "ZY dreaming hard"])
        examined = capsys.readouterr().out
    assert {"  bd9d00cc  -  device  3-1", "  ' GS1'  M  device  usb:1-2", "  'ZY dreaming hard'  -  not understood  "} <= set(
        caught.value.message.split("\n")
    )
    assert "' GS1'" in said.out and "'ZY dreaming hard' is not understood: restart adb" in said.err
    assert "it lists a device that is not understood: ZY dreaming hard" in " ".join(examined.split())


@pytest.mark.parametrize(
    ("serial", "state", "remedy"),
    [
        ("0123456789ABCDEF", "is unauthorized", "allow USB debugging"),
        ("HT7881A04806", "is offline", "check the cable"),
        ("????????????", "is no permissions", "udev"),
    ],
)
def test_an_unusable_device_is_reported_with_a_remedy(serial: str, state: str, remedy: str) -> None:
    with (
        fake_adb({"host:devices-l": block(LISTING)}) as server,
        pytest.raises(DeviceError, match=serial.replace("?", r"\?")) as caught,
    ):
        select_device(serial, server.client)
    assert state in caught.value.message and remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("device offline", "check the cable"),
        ("device 'x' not found", "check the cable"),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "allow USB debugging"),
        ("closed", "check the cable"),
    ],
)
def test_a_refused_transport_names_device_action_and_reason(reason: str, remedy: str) -> None:
    answers = {"host:devices-l": block("x  device"), "host:transport:x": fail(reason)}
    with fake_adb(answers) as server:
        device = select_device("x", server.client)
        with pytest.raises(DeviceError, match=r"device x was lost during 'getprop'") as caught:
            device.shell("getprop")
    assert reason.partition("\n")[0] in caught.value.message and remedy in caught.value.remedy


@pytest.mark.parametrize("version", [29, 31, 41, 99])
def test_a_server_of_any_version_is_used_and_never_ended(version: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    called = tmp_path / "called"
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(script(tmp_path / "adb", f"echo $* >> {called}")))
    with fake_adb({"host:version": block(f"{version:04x}"), "host:devices-l": block("x  device")}) as server:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        assert [found.serial for found in list_devices()] == ["x"]
        assert select_device().serial == "x"
        assert "host:kill" not in server.requests
    assert not called.exists(), "the adb program would replace a server of another version"


@pytest.mark.parametrize("answer", [b"", b"NOPE", b"OKAYzzzz", b"OKAY00", b"FAIL0004no"])
def test_an_invalid_answer_is_an_error(answer: bytes) -> None:
    def say(connection: socket.socket) -> None:
        connection.sendall(answer)

    with fake_adb({"host:devices-l": say}) as server:
        try:
            assert list_devices(server.client) == []
        except DeviceError as error:
            assert str(server.port) in error.message and "kill-server" in error.remedy


def test_a_server_that_hangs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.device.adb_server._ANSWER_S", 0.2)
    with (
        fake_adb({"host:devices-l": lambda connection: connection.recv(1)}) as server,
        pytest.raises(DeviceError, match=f"{server.port} does not answer") as caught,
    ):
        list_devices(server.client)
    assert "kill-server" in caught.value.remedy


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_missing_adb_program_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(free_port()))
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(tmp_path / "none"))
    with pytest.raises(DeviceError, match="is not an executable program") as caught:
        list_devices()
    assert "apt install adb" in caught.value.remedy
    monkeypatch.delenv("ADBUTILS_ADB_PATH")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("adbutils._utils._get_bin_dir", lambda: str(tmp_path))
    with pytest.raises(DeviceError, match="adb") as caught:
        adb_path()
    assert "apt install adb" in caught.value.remedy


def test_a_remote_server_is_not_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    called = tmp_path / "called"
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(script(tmp_path / "adb", f"touch {called}")))
    monkeypatch.setenv("ANDROID_ADB_SERVER_HOST", "127.0.0.2")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(free_port()))
    with pytest.raises(DeviceError, match=r"no adb server runs at 127\.0\.0\.2"):
        user_client()
    assert not called.exists()


@pytest.mark.parametrize("port", ["usb", "-5", "65536", "9" * 5000])
def test_an_invalid_port_is_a_usage_error(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(UsageError, match="ANDROID_ADB_SERVER_PORT"):
        user_client()


def test_an_invalid_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in ("tcp:99999", "tcp:0", "vsock:1", "localfilesystem:x"):
        monkeypatch.setenv("ADB_SERVER_SOCKET", spec)
        with pytest.raises(UsageError, match=f"ADB_SERVER_SOCKET: '{spec}' is not supported"):
            user_client()
    monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:{'x' * 100}:5037")
    with pytest.raises(DeviceError, match="cannot be reached") as caught:
        user_client()
    assert "ADB_SERVER_SOCKET" in caught.value.remedy


STARTS = """\
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
open(sys.argv[2], "w").close()
while True:
    connection, _ = server.accept()
    with connection:
        request = connection.recv(4096)
        connection.sendall(b"OKAY" if b"kill" in request else b"OKAY0000")
        if b"kill" in request:
            sys.exit()
"""
"""An adb server that knows no devices and can be ended."""


@pytest.fixture
def startable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    """Return the port of a server that is not running and that the adb program can start."""
    port = free_port()
    (tmp_path / "server.py").write_text(STARTS)
    listens = tmp_path / "listens"
    start = f"'{sys.executable}' {tmp_path / 'server.py'} {port} {listens} & while [ ! -e {listens} ]; do sleep 0.02; done"
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(script(tmp_path / "adb", f"({start})")))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return port


def _refuses(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("arguments", [["devices"], ["profile", "--device", "foo"], ["doctor", "--device", "foo"]])
def test_a_server_ends_with_the_command_that_started_it(
    arguments: list[str], startable: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build.gradle").touch()
    run(arguments)
    assert eventually(lambda: _refuses(startable))


def test_a_server_that_another_process_uses_continues(startable: int, tmp_path: Path) -> None:
    client = user_client()
    other = os.open(next((tmp_path / "state/navitas").glob("adb-server-*.lock")), os.O_RDWR)
    fcntl.flock(other, fcntl.LOCK_SH)
    end_started_servers()
    client.probe(5.0)
    assert os.pread(other, 100, 0) == b"to be ended\n"
    os.close(other)
    adb_server._uses[client.where] = adb_server._Use(client, os.open(_lock(tmp_path), os.O_RDWR))  # the other process ends
    end_started_servers()
    assert eventually(lambda: _refuses(startable))


def test_the_mark_of_a_killed_process_ends_no_other_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with fake_adb({"host:devices-l": block("x  device")}) as server:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        user_client()
        end_started_servers()
        _lock(tmp_path).write_text("to be ended\n")
        user_client()
        end_started_servers()
        assert "host:kill" not in server.requests


def _lock(folder: Path) -> Path:
    return next((folder / "state/navitas").glob("adb-server-*.lock"))


@pytest.mark.parametrize(("text", "limit_s"), [("echo 'cannot bind' >&2; exit 1", 60), ("exit 1", 60), ("exec sleep 60", 0.1)])
def test_a_server_that_cannot_be_started_is_an_error(
    text: str, limit_s: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    port = str(free_port())
    monkeypatch.setattr("navitas.capture.device.adb_server._START_S", limit_s)
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(script(tmp_path / "adb", text)))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(DeviceError, match=f"no adb server runs on port {port}") as caught:
        list_devices()
    assert "cannot bind" in caught.value.message or "cannot bind" not in text
    assert "adb start-server" in caught.value.remedy
