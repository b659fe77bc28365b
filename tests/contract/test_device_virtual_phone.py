"""The virtual phone with the adb program: several phones at once, and no process or file left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import eventually
from support.interruptible import interruptible

from navitas.base.errors import DeviceError
from navitas.capture.device.adb import AdbDevice, select_device
from navitas.capture.device.adb_server import list_devices
from navitas.virtual_phone.kernel.spec import default_profile
from navitas.virtual_phone.models import make_phone
from navitas.virtual_phone.start import virtual_phone

Adb = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def phone(virtual: AdbDevice) -> AdbDevice:
    return virtual


@pytest.fixture(scope="module")
def other() -> Iterator[AdbDevice]:
    """A second phone."""
    with virtual_phone() as device:
        yield device


def test_adb_shell(adb: Adb, phone: AdbDevice) -> None:
    done = adb("shell", "echo out; echo err >&2; exit 9")
    assert (done.returncode, done.stdout, done.stderr) == (9, b"out\n", b"err\n")


def test_adb_shell_reads_commands_from_input(adb: Adb, phone: AdbDevice) -> None:
    done = adb("shell", stdin=b"cd /data/local\npwd\nexit 3\n")
    assert (done.returncode, done.stdout) == (3, b"/data/local\n")


def test_adb_shell_on_a_terminal(adb: Adb, phone: AdbDevice) -> None:
    done = adb("shell", "-tt", "echo name?; read name; echo hello $name", stdin=b"me\r")
    assert done.stdout == b"name?\r\nme\r\nhello me\r\n"


def test_adb_push_and_pull_of_a_folder(adb: Adb, phone: AdbDevice, tmp_path: Path) -> None:
    (tmp_path / "tree/sub").mkdir(parents=True)
    (tmp_path / "tree/a.txt").write_bytes(b"A" * 100_000)
    (tmp_path / "tree/sub/ü.txt").write_bytes(b"B")
    assert adb("push", str(tmp_path / "tree"), "/data/local/tmp/").returncode == 0
    assert adb("pull", "/data/local/tmp/tree", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back/a.txt").read_bytes() == b"A" * 100_000
    assert (tmp_path / "back/sub/ü.txt").read_bytes() == b"B"


def test_adb_logcat(adb: Adb, phone: AdbDevice) -> None:
    adb("shell", "log -t real-adb 'hello there'")
    lines = adb("logcat", "-d", "-s", "real-adb").stdout.splitlines()
    assert lines[0] == b"--------- beginning of main"
    assert lines[1].endswith(b" I real-adb: hello there")


def test_adbutils(adb: Adb, phone: AdbDevice) -> None:
    device = phone.client.device(phone.serial)
    assert device.shell("echo hi") == "hi"
    assert device.shell2("exit 5", v2=True).returncode == 5
    device.sync.push(b"content", "/data/local/tmp/via-adbutils")
    assert device.sync.read_bytes("/data/local/tmp/via-adbutils") == b"content"
    assert "via-adbutils" in [entry.path for entry in device.sync.list("/data/local/tmp")]
    assert device.prop.model == phone.info.model


def test_a_phone_is_listed_and_selected(phone: AdbDevice) -> None:
    client = phone.client
    assert [(found.serial, found.state) for found in list_devices(client)] == [(phone.serial, "device")]
    assert select_device(None, client).info == phone.info
    with pytest.raises(DeviceError, match=phone.serial):
        select_device("another", client)


def test_several_devices_are_listed_when_none_is_named(phone: AdbDevice, other: AdbDevice) -> None:
    client = phone.client
    client.connect(other.serial)
    with pytest.raises(DeviceError) as caught:
        select_device(None, client)
    assert phone.serial in str(caught.value) and other.serial in str(caught.value)
    assert "--device" in caught.value.remedy
    client.disconnect(other.serial)


def test_two_phones_are_independent(phone: AdbDevice, other: AdbDevice) -> None:
    phone.push(b"first", "/data/local/tmp/whose")
    other.push(b"second", "/data/local/tmp/whose")
    assert phone.shell("cat /data/local/tmp/whose").stdout == b"first"
    assert other.shell("cat /data/local/tmp/whose").stdout == b"second"
    assert phone.info.identity == other.info.identity == "navitas-google_pixel_6"
    assert phone.serial != other.serial and phone.client.path != other.client.path


def test_another_phone_by_name() -> None:
    with virtual_phone(phone="google-nexus-5") as nexus:
        assert "nexus" in nexus.info.model
        assert nexus.shell("getprop ro.navitas.power_profile").text == "google-nexus-5\n"
        assert nexus.info.identity == "navitas-google_nexus_5"


def test_a_phones_identity_depends_on_the_content_of_its_file(tmp_path: Path) -> None:
    text = default_profile().read_text()
    identities = []
    for number, content in enumerate((text, text, f"{text}<!-- another -->")):
        file = tmp_path / str(number) / "mine.xml"
        file.parent.mkdir()
        file.write_text(content)
        identities.append(make_phone(tmp_path / f"state-{number}", str(file)).properties.get("ro.serialno"))
    first, same, other = identities
    assert first == same != other and first.startswith("navitas-mine-")


def test_an_unknown_phone_is_an_error_that_lists_all_phones() -> None:
    with pytest.raises(DeviceError, match="no phone named 'nokia-3310'"), virtual_phone(phone="nokia-3310"):
        pass


def _sockets(device: AdbDevice) -> list[str]:
    """The sockets of the adb server and of the phone."""
    return [str(device.client.path), device.serial.removeprefix("localfilesystem:")]


def _is_free(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) != 0


def _state_dirs() -> set[Path]:
    places = (Path("/dev/shm"), Path(os.environ.get("TMPDIR", "/tmp")))
    return {found for place in places if place.is_dir() for found in place.glob("navitas-phone-*")}


class Stop(Exception):
    """An error inside of the context."""


def test_an_error_leaves_no_process_and_no_file() -> None:
    with pytest.raises(Stop), virtual_phone() as device:
        sockets = _sockets(device)
        device.shell("yes > /dev/null 2>&1 &")
        busy = int(device.shell("pidof yes").text)
        folder = next(found for found in _state_dirs() if _holds(found, device))
        raise Stop
    assert all(_is_free(path) for path in sockets)
    assert not folder.exists()
    assert eventually(lambda: not _runs(busy))


def _holds(folder: Path, device: AdbDevice) -> bool:
    device.push(b"", "/data/local/tmp/mine")
    found = (folder / "root/data/local/tmp/mine").exists()
    device.shell("rm /data/local/tmp/mine")
    return found


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


CHILD = """
import json, pathlib, time
from navitas.virtual_phone import start
start._SHARED_MEMORY = pathlib.Path("/none")
with start.virtual_phone() as device:
    device.shell("yes > /dev/null 2>&1 & while [ -z \\"$(pidof yes)\\" ]; do sleep 0.05; done")
    sockets = [str(device.client.path), device.serial.removeprefix("localfilesystem:")]
    print(json.dumps([*sockets, int(device.shell("pidof yes").text)]), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_killed_owner_leaves_no_process_and_no_file(number: signal.Signals, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", CHILD]
    with interruptible():
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    assert child.stdout is not None
    *sockets, busy = json.loads(child.stdout.readline())
    assert len(list(tmp_path.glob("navitas-phone-*"))) == 1
    child.send_signal(number)
    child.wait()
    child.stdout.close()
    assert eventually(lambda: all(_is_free(path) for path in sockets) and not _runs(busy))
    assert eventually(
        lambda: list(tmp_path.glob("navitas-phone-*")) == [] and not any(Path(path).parent.exists() for path in sockets)
    )


def test_a_lost_phone_is_an_error_with_a_remedy() -> None:
    with virtual_phone() as device:
        folder = next(found for found in _state_dirs() if _holds(found, device))
        with device.stream("echo begin; sleep 600") as stream:
            lines = stream.lines()
            assert next(lines) == b"begin"
            _end_phone(folder)
            with pytest.raises(DeviceError, match="lost"):
                list(lines)
        with pytest.raises(DeviceError) as caught:
            device.shell("echo hi", timeout_s=5.0)
        assert caught.value.remedy


def _end_phone(folder: Path) -> None:
    """Kill the phone process that uses a folder, found by its command line."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder).encode() in arguments and b"navitas.virtual_phone" in arguments:
            os.kill(int(process.name), signal.SIGKILL)
