"""What an adb server is asked beside its devices' services. A user's running server is never ended or replaced."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

from navitas.device.server_client import AdbError, AdbTimeout, ServerClient, program_path
from navitas.device.server_use import server_started, use_server
from navitas.errors import DeviceError

__all__ = [
    "AdbError",
    "AdbTimeout",
    "ListedDevice",
    "ServerClient",
    "adb_path",
    "adb_versions",
    "connect",
    "is_address",
    "list_devices",
    "reconnect",
    "user_client",
]

_ANSWER_S = 10.0
_START_S = 20.0
_RESTART = "restart it: adb kill-server && adb start-server"
_INSTALL = "install adb (on Debian: apt install adb), or name it by ADBUTILS_ADB_PATH"
_LINE = re.compile(r"(?P<serial>\S+)\s+(?P<state>no permissions.*?|\S+)(?P<tags>(?:\s+[\w-]+:\S*)*)\s*$")
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.%\w]+\]|[\w.-]+):\d{1,5}|localfilesystem:/.+")


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """One line of `adb devices -l`; only state `device` can be used."""

    serial: str
    state: str
    model: str
    transport: str = ""
    """How it is reached: `usb:…` (the port), an address, or empty: this tells two phones of one model apart."""


def adb_path() -> str:
    """The adb program: that of ADBUTILS_ADB_PATH, else on PATH, else the one that adbutils bundles. Raises `DeviceError`."""
    try:
        path = program_path()
    except AdbError as error:
        raise DeviceError(f"adb: {error}", _INSTALL) from None
    if not os.access(path, os.X_OK):
        raise DeviceError(f"adb: there is no program {path}", _INSTALL)
    return path


def user_client() -> ServerClient:
    """Client of the user's own server, as adb's variables name it; where none runs it is started, as adb would.

    `server_use.end_started_servers` ends one that was started here.

    Raises `DeviceError` when it cannot be reached or started.
    """
    client = ServerClient.of_user()
    try:
        client.probe(_ANSWER_S)
    except (ConnectionRefusedError, FileNotFoundError):
        # Only where nobody answers at all: `adb start-server` would end a running server of another version.
        if not client.is_startable:
            raise DeviceError(f"no adb server runs at {client.where}", "start it there: adb start-server") from None
        _start_server(client.port)
        server_started(client)
    except OSError as error:
        remedy = "check ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_HOST and ANDROID_ADB_SERVER_PORT"
        raise DeviceError(f"the adb server at {client.where} cannot be reached: {error}", remedy) from None
    use_server(client)
    return client


def _start_server(port: int) -> None:
    adb = adb_path()
    # A file, since the server keeps what it was given open: a pipe would never end.
    with tempfile.TemporaryFile() as output:
        try:
            # The two ways to name the server exclude each other.
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
            said = f": {lines[-1]}" if lines else ""
            raise DeviceError(f"no adb server runs on port {port} and {adb} starts none ({cause}){said}", "run: adb start-server")


def list_devices(client: ServerClient | None = None) -> list[ListedDevice]:
    """All devices that the adb server knows, usable or not. Raises `DeviceError` when there is no adb."""
    client = client or user_client()
    matches = (_LINE.match(line) for line in _ask(client, "host:devices-l").splitlines())
    return [
        ListedDevice(found["serial"], found["state"], _model(found["tags"]), _transport(found["serial"], found["tags"]))
        for found in matches
        if found is not None
    ]


def adb_versions(client: ServerClient) -> tuple[str, int]:
    """Of the adb program (as it calls itself, empty when it does not run), and of the server's protocol. Raises `DeviceError`."""
    try:
        done = subprocess.run(
            [adb_path(), "version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False
        )
        found = re.search(rb"^Version (\S{1,60})", done.stdout, re.MULTILINE)
    except (OSError, subprocess.TimeoutExpired):
        found = None
    answer = _ask(client, "host:version")
    server = int(answer, 16) if re.fullmatch(r"[0-9a-fA-F]{1,8}", answer) else 0
    return found[1].decode("utf-8", "replace") if found else "", server


def _model(tags: str) -> str:
    found = re.search(r"\bmodel:(\S+)", tags)
    return found[1].replace("_", " ") if found else ""


def _transport(serial: str, tags: str) -> str:
    found = re.search(r"\busb:\S+", tags)
    return found[0] if found else "network" if is_address(serial) else ""


def is_address(serial: str) -> bool:
    """Whether adb reaches a device over the network, at `host:port`, so that it can be connected again."""
    return bool(_ADDRESS.fullmatch(serial))


def connect(client: ServerClient, address: str, timeout_s: float = _ANSWER_S) -> None:
    """Have an adb server connect to a device on TCP. Raises `DeviceError`."""
    try:
        answer = client.connect(address, timeout=timeout_s)
        if "connected to" not in answer:
            raise AdbError(answer)
        client.wait_for(address, timeout=timeout_s)
    except (AdbError, OSError) as error:
        raise DeviceError(f"device {address}: adb cannot connect: {error}", "see whether a firewall blocks loopback") from None


def reconnect(client: ServerClient, address: str, timeout_s: float) -> None:
    """Have an adb server connect again to a device on TCP that it has lost. Raises `DeviceError`."""
    if any(found.serial == address and found.state == "device" for found in list_devices(client)):
        return
    with contextlib.suppress(AdbError, OSError):
        client.disconnect(address)  # one that is listed as offline counts as connected
    connect(client, address, timeout_s)


def _ask(client: ServerClient, service: str) -> str:
    """The text that a service of the server itself answers with."""
    where = f"the adb server at {client.where}"
    try:
        connection = client.make_connection(timeout=_ANSWER_S)
        try:
            connection.send_command(service)
            connection.check_okay()
            return str(connection.read_string_block())
        finally:
            connection.close()
    except (TimeoutError, AdbTimeout):
        raise DeviceError(f"{where} does not answer to {service}", _RESTART) from None
    except (AdbError, OSError, ValueError) as error:
        raise DeviceError(f"{where} refused {service}: {error}", _RESTART) from None
