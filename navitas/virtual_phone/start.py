"""The virtual phone on demand: its process, a private adb server, and the device behind both.

Both listen on Unix sockets in a folder that only this user can enter. What adb needs is slow to import, so the process starts
before.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from navitas.base.errors import DeviceError
from navitas.base.owned_folder import owned_folder
from navitas.capture.device.local_socket import LONGEST_PATH_BYTES, make_private
from navitas.virtual_phone.releases import DEFAULT_SDK

if TYPE_CHECKING:
    from navitas.virtual_phone.virtual_device import VirtualDevice

_PREFIX = "navitas-phone-"
_LONGEST_NAME = "server"
_SHORT = Path("/tmp")
_PLAIN = re.compile(r"[\w/.+-]+", re.ASCII)
_READY_S = 30.0
_STOP_S = 10.0
_SHARED_MEMORY = Path("/dev/shm")
_MIN_FREE_BYTES = 1 << 30


@contextmanager
def virtual_phone(
    *, phone: str = "default", seed: int = 0, sdk: int = DEFAULT_SDK, hides_rails: bool = False, activity: float = 0.0
) -> Iterator[VirtualDevice]:
    """Start a virtual phone and yield it. Afterwards process, adb server, sockets and files are always removed.

    `phone` is the name of a power profile in `profiles/`, or the path of one; `seed` determines what it does not contain.
    `sdk` is its API level. With `hides_rails`, only power monitors of apps show its rails. `activity` is the spread (0 to 1) by
    which the code of threads changes a core's power.
    Raises `DeviceError` if the phone does not start.
    """
    with ExitStack() as stack:
        state = stack.enter_context(owned_folder(_PREFIX, _state_parent()))
        home = stack.enter_context(_socket_folder(state))
        log = stack.enter_context((state / "phone.log").open("w+b"))
        options = ["--phone", phone, "--seed", str(seed), "--sdk", str(sdk), "--activity", str(activity)]
        options += ["--hide-rails"] if hides_rails else []
        process = stack.enter_context(_phone_process(state, home / "phone", options, log))
        from navitas.virtual_phone.virtual_device import adb_server, connected  # noqa: PLC0415  # Slow.

        client = stack.enter_context(adb_server(home / _LONGEST_NAME))
        yield connected(client, _wait_until_ready(process, log), state)


def _socket_folder(state: Path) -> AbstractContextManager[Path]:
    """Yield a private folder for the sockets: in `state`, or in /tmp if a path in `state` is unsuitable for a socket."""
    folder = state / "adb"
    if len(os.fsencode(folder / _LONGEST_NAME)) <= LONGEST_PATH_BYTES and _PLAIN.fullmatch(str(folder)):
        make_private(folder)
        return nullcontext(folder)
    if not os.access(_SHORT, os.W_OK):
        raise DeviceError(f"{folder}: the path is too long for a socket", "set TMPDIR to a folder with a shorter path")
    return owned_folder("navitas-adb-", _SHORT)


def _state_parent() -> Path:
    """Return the folder in memory if it has space (kernel files change a hundred times a second), else the temp folder."""
    try:
        room = shutil.disk_usage(_SHARED_MEMORY).free
    except OSError:
        room = 0
    if room >= _MIN_FREE_BYTES and os.access(_SHARED_MEMORY, os.W_OK):
        return _SHARED_MEMORY
    return Path(tempfile.gettempdir())


@contextmanager
def _phone_process(state: Path, socket: Path, options: Sequence[str], log: BinaryIO) -> Iterator[subprocess.Popen[bytes]]:
    places = ("--state-dir", str(state), "--socket", str(socket), "--remove-state")
    process = subprocess.Popen(
        # -P: import no module from the current folder, which may belong to anyone.
        [sys.executable, "-P", "-m", "navitas.virtual_phone", *places, *options],
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
    """Return the phone's address from the line that it prints when ready. Raises the error that it prints instead."""
    assert process.stdout is not None
    deadline = time.monotonic() + _READY_S
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        piece = os.read(process.stdout.fileno(), 4096) if ready else b""
        if not piece:
            log.seek(0)
            output = log.read().decode("utf-8", "replace").strip()
            raise DeviceError(
                f"the virtual phone did not start: {output or f'nothing came within {_READY_S:.0f} s'}",
                "free memory or disk space if these are short, else report this",
            )
        line += piece
    answer = json.loads(line)
    if "error" in answer:
        raise DeviceError(answer["error"], answer["remedy"])
    return str(answer["serial"])
