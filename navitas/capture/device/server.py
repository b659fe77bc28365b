"""A private adb server for one virtual phone. The user's own server and phones on USB are not affected.

It listens only on a Unix socket, so the permissions of the socket's folder decide who can use it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.capture.device.server_client import ServerClient

_START_S = 10.0
_STOP_S = 5.0
_PROBE_S = 0.01

# The shell ends the server when our end of its input closes, even if this process is killed.
_GUARD = '"$@" </dev/null & server=$!; read -r _; kill "$server" 2>/dev/null; wait "$server"'


@contextmanager
def private_adb_server(adb: str, socket: Path, home: Path) -> Iterator[ServerClient]:
    """Run an adb server on a Unix socket, with its keys and log in `home`, and yield its client. The server ends afterwards.

    Raises `DeviceError` if it does not start.
    """
    log = home / "adb-server.log"
    client = ServerClient(path=socket)
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", _GUARD, "navitas-adb", adb, "-L", client.socket_spec, "nodaemon", "server"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=_environment(home),
            start_new_session=True,
        )
    try:
        if not _wait_until_ready(client, process):
            lines = log.read_text("utf-8", "replace").strip().splitlines()
            raise DeviceError(
                f"the adb server {adb} did not start: {lines[-1] if lines else 'it said nothing'}",
                "run 'adb version' to check whether adb works, or reinstall adb",
            )
        yield client
    finally:
        _stop(process)


def _environment(home: Path) -> dict[str, str]:
    ours = {"HOME": str(home), "TMPDIR": str(home), "ADB_USB": "0", "ADB_EMU": "0", "ADB_MDNS": "0", "ADB_MDNS_AUTO_CONNECT": "0"}
    theirs = ("ADB_", "ANDROID_")
    return {key: value for key, value in os.environ.items() if not key.startswith(theirs)} | ours


def _wait_until_ready(client: ServerClient, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            client.probe()
            return True
        except OSError:
            time.sleep(_PROBE_S)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
