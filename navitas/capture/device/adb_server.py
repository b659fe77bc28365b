"""Requests to an adb server itself. A running server of the user's is never ended or replaced.

Each process that uses the user's server holds a shared lock. The process that started the server ends it, or leaves that to the
last process that uses it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass

from navitas.base.errors import DeviceError, NavitasError
from navitas.base.folder_lock import share_lock, try_lock
from navitas.base.user_folders import make_folder, state_folder
from navitas.capture.device.server_client import AdbError, AdbTimeout, ServerClient, program_path

_ANSWER_S = 10.0
_START_S = 20.0
_RESTART = "restart it: adb kill-server && adb start-server"
_INSTALL = "install adb (on Debian: apt install adb), or set ADBUTILS_ADB_PATH to it"
NOT_UNDERSTOOD = "not understood"
"""The state of a device whose line is not understood."""
_STATES = "device|offline|unauthorized|authorizing|connecting|bootloader|host|recovery|rescue|sideload|detached|unknown"
# A serial can begin with spaces and contain them, so the state is the last word that can be one. What follows it has a colon,
# except the USB port as libusb names it, such as 3-1.4 (AOSP: append_transport in transport.cpp, to_string in adb.cpp).
_LINE = re.compile(
    rf"(?P<serial>.*\S)\s+(?P<state>no permissions\b.*?|{_STATES})(?P<tags>(?:\s+(?:[\w-]+:\S*|\d+-\d[\d.]*))*)\s*"
)
# The last form is the mDNS name of a phone with wireless debugging.
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.%\w]+\]|[\w.-]+):\d{1,5}|localfilesystem:/.+|.+\._adb(-tls-connect)?\._tcp\.?")
_TO_BE_ENDED = b"to be ended\n"
_PATIENCE_S = 5.0
_uses: dict[str, _Use] = {}


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """One line of `adb devices -l`. Only a device in state `device` is usable.

    If the state is `NOT_UNDERSTOOD`, `serial` is the whole line.
    """

    serial: str
    state: str
    model: str
    transport: str = ""
    """The USB port (`usb:1-4`, or `3-1`), `network`, or empty. Distinguishes two phones of the same model."""


def adb_path() -> str:
    """Return the adb program: from ADBUTILS_ADB_PATH, from PATH, or adbutils' bundled one. Raises `DeviceError`."""
    try:
        path = program_path()
    except AdbError as error:
        raise DeviceError(f"adb: {error}", _INSTALL) from None
    if not os.access(path, os.X_OK):
        raise DeviceError(f"adb: {path} is not an executable program", _INSTALL)
    return path


def user_client() -> ServerClient:
    """Return a client of the user's own server, chosen by adb's variables. Starts the server if none runs, as adb would.

    `end_started_servers` ends a server that was started here.

    Raises `DeviceError` if the server cannot be reached or started.
    """
    client = ServerClient.of_user()
    try:
        client.probe(_ANSWER_S)
    except (ConnectionRefusedError, FileNotFoundError):
        # Only if there is no answer at all: `adb start-server` would end a running server of another version.
        if not client.is_startable:
            raise DeviceError(f"no adb server runs at {client.where}", "start it there: adb start-server") from None
        _start_server(client.port)
        use_server(client)
        if use := _uses.get(client.where):
            use.is_started = True
    except (OSError, UnicodeError) as error:  # A name that no host can have is a `UnicodeError`.
        remedy = "check ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_HOST and ANDROID_ADB_SERVER_PORT"
        raise DeviceError(f"the adb server at {client.where} cannot be reached: {error}", remedy) from None
    use_server(client)
    return client


def _start_server(port: int) -> None:
    adb = adb_path()
    # Use a file: the server keeps its output open, so a pipe would never end.
    with tempfile.TemporaryFile() as output:
        try:
            # adb accepts only one of the two ways to name the server.
            named = [] if os.environ.get("ADB_SERVER_SOCKET") else ["-P", str(port)]
            command = [adb, *named, "start-server"]
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=_START_S, check=False
            ).returncode
            cause = f"exit code {code}"
        except (OSError, subprocess.TimeoutExpired) as error:
            code, cause = -1, str(error)
        if code != 0:
            output.seek(0)
            lines = output.read(65536).decode("utf-8", "replace").strip().splitlines()
            last_line = f": {lines[-1]}" if lines else ""
            raise DeviceError(
                f"no adb server runs on port {port}; {adb} starts none ({cause}){last_line}", "run: adb start-server"
            )


def list_devices(client: ServerClient | None = None) -> list[ListedDevice]:
    """Return all devices that the adb server knows, usable or not. Raises `DeviceError` if there is no adb."""
    client = client or user_client()
    return [_listed(line) for line in _query(client, "host:devices-l").splitlines() if line.strip()]


def _listed(line: str) -> ListedDevice:
    if (found := _LINE.fullmatch(line)) is None:
        return ListedDevice(line.strip(), NOT_UNDERSTOOD, "")
    serial, state, tags = found.group("serial", "state", "tags")
    model, port = re.search(r"\bmodel:(\S+)", tags), re.search(r"\s(usb:\S+|\d+-\S+)", tags)
    transport = port[1] if port else "network" if is_address(serial) else ""
    return ListedDevice(serial, state, model[1].replace("_", " ") if model else "", transport)


def quoted(serial: str) -> str:
    """Return a serial as messages show it and a shell takes it: in quotes if it has spaces."""
    return shlex.quote(serial) if " " in serial else serial


def adb_versions(client: ServerClient) -> tuple[str, int]:
    """Return the versions of the adb program (empty if it does not run) and of the server's protocol. Raises `DeviceError`."""
    try:
        done = subprocess.run(
            [adb_path(), "version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False
        )
        found = re.search(rb"^Version (\S{1,60})", done.stdout, re.MULTILINE)
    except (OSError, subprocess.TimeoutExpired):
        found = None
    answer = _query(client, "host:version")
    server = int(answer, 16) if re.fullmatch(r"[0-9a-fA-F]{1,8}", answer) else 0
    return found[1].decode("utf-8", "replace") if found else "", server


def is_address(serial: str) -> bool:
    """Return whether adb reaches a device over the network, by `host:port` or an mDNS name, so that it can be reconnected."""
    return bool(_ADDRESS.fullmatch(serial))


def connect(client: ServerClient, address: str, timeout_s: float = _ANSWER_S) -> None:
    """Make an adb server connect to a device over TCP. Raises `DeviceError`."""
    try:
        answer = client.connect(address, timeout=timeout_s)
        if "connected to" not in answer:
            raise AdbError(answer)
        client.wait_for(address, timeout=timeout_s)
    except (AdbError, OSError) as error:
        raise DeviceError(f"device {address}: adb cannot connect: {error}", "check whether a firewall blocks loopback") from None


def reconnect(client: ServerClient, address: str, timeout_s: float) -> None:
    """Make an adb server reconnect to a lost device over TCP. Raises `DeviceError`."""
    if any(found.serial == address and found.state == "device" for found in list_devices(client)):
        return
    with suppress(AdbError, OSError):
        client.disconnect(address)  # the server treats a device that is offline as connected
    connect(client, address, timeout_s)


def _query(client: ServerClient, service: str) -> str:
    """Return the answer of a service of the server itself."""
    where = f"the adb server at {client.where}"
    try:
        with closing(client.make_connection(timeout=_ANSWER_S)) as connection:
            connection.send_command(service)
            connection.check_okay()
            return str(connection.read_string_block())
    except (TimeoutError, AdbTimeout):
        raise DeviceError(f"{where} does not answer to {service}", _RESTART) from None
    except (AdbError, OSError, ValueError) as error:
        raise DeviceError(f"{where} refused {service}: {error}", _RESTART) from None


@dataclass(slots=True)
class _Use:
    """A server that this process uses."""

    client: ServerClient
    lock: int
    is_started: bool = False


def use_server(client: ServerClient) -> None:
    """Say that this process uses a server, until `end_started_servers`. Without a state folder nothing is said."""
    if client.where in _uses:
        return
    with suppress(OSError, NavitasError):
        folder = state_folder()
        make_folder(folder)
        name = "".join(char if char.isalnum() or char in ".-" else "_" for char in client.where)
        path = folder / f"adb-server-{name[-100:]}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if try_lock(lock):
            os.ftruncate(lock, 0)  # what a killed process has left there means another server
        share_lock(lock)
        _uses[client.where] = _Use(client, lock)


def end_started_servers() -> None:
    """End each server that Navitas has started and that no other process of Navitas uses."""
    while _uses:
        use = _uses.popitem()[1]
        try:
            if try_lock(use.lock):
                if use.is_started or os.pread(use.lock, len(_TO_BE_ENDED), 0) == _TO_BE_ENDED:
                    os.ftruncate(use.lock, 0)
                    _end(use.client)
            elif use.is_started:
                os.pwrite(use.lock, _TO_BE_ENDED, 0)
        except OSError:
            pass  # it stays, as a server of the user would
        finally:
            os.close(use.lock)


def _end(client: ServerClient) -> None:
    with suppress(AdbError, OSError), closing(client.make_connection(timeout=_PATIENCE_S)) as connection:
        connection.send_command("host:kill")
        connection.check_okay()
