"""The virtual phone on demand: its process, a private adb server, and the device behind both."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from navitas.device.adb import AdbDevice
from navitas.device.adb_server import ServerClient, adb_path, connect
from navitas.device.server import private_adb_server
from navitas.device.state_folders import owned_folder
from navitas.errors import DeviceError

_PREFIX = "navitas-phone-"
_READY_S = 30.0
_STOP_S = 10.0
_SHARED_MEMORY = Path("/dev/shm")
_MIN_FREE_BYTES = 1 << 30


@contextmanager
def virtual_phone(*, phone: str = "default") -> Iterator[AdbDevice]:
    """Start a virtual phone and yield it; process, adb server, ports and files are gone afterwards, whatever happened.

    `phone` names a power profile in `profiles/`, or is the path of one. Raises `DeviceError` when it does not start.
    """
    with owned_folder(_PREFIX, _state_parent()) as state:
        home = state / "adb"
        home.mkdir()
        with (
            (state / "phone.log").open("w+b") as log,
            _phone_process(state, phone, log) as process,
            private_adb_server(adb_path(), home) as server_port,
        ):
            address = _wait_until_ready(process, log)
            client = ServerClient("127.0.0.1", server_port)
            connect(client, address)
            yield AdbDevice(client, address)


def _state_parent() -> Path:
    """Memory where there is room, since kernel files change a hundred times a second; else the temp folder."""
    try:
        room = shutil.disk_usage(_SHARED_MEMORY).free
    except OSError:
        room = 0
    if room >= _MIN_FREE_BYTES and os.access(_SHARED_MEMORY, os.W_OK):
        return _SHARED_MEMORY
    return Path(tempfile.gettempdir())


@contextmanager
def _phone_process(state: Path, phone: str, log: BinaryIO) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "navitas.device.virtual", "--state-dir", str(state), "--phone", phone, "--remove-state"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _wait_until_ready(process: subprocess.Popen[bytes], log: BinaryIO) -> str:
    """The phone's address, from the line that it prints when it is ready, or the error that it prints instead."""
    assert process.stdout is not None
    deadline = time.monotonic() + _READY_S
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        piece = os.read(process.stdout.fileno(), 4096) if ready else b""
        if not piece:
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip()
            raise DeviceError(
                f"the virtual phone did not start: {said or f'nothing came within {_READY_S:.0f} s'}",
                "free memory or disk space if these are short, else report this",
            )
        line += piece
    answer = json.loads(line)
    if "error" in answer:
        raise DeviceError(answer["error"], answer["remedy"])
    return str(answer["serial"])
