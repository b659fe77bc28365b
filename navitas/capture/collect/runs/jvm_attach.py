"""Load an agent into a running JVM of this computer, by HotSpot's attach mechanism (attachListener_posix.cpp)."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable

_WAIT_S = 5.0
_POLL_S = 0.02
_MOST_BYTES = 1 << 16
_LIBRARY = re.compile(rb"/libjvm\.so(?: \(deleted\))?$", re.MULTILINE)
_CAUGHT = re.compile(rb"^SigCgt:\s*([0-9a-f]+)$", re.MULTILINE)
_PEER = struct.Struct("3i")
"""`struct ucred` of unix(7): pid, user and group."""
_START_TICKS = 19
"""`starttime` of proc_pid_stat(5), counted after the name."""
_LIST = "list JVMs: jps -l"
_RETURN = re.compile(r"return code: (-?\d+)")
_START = "or start it with: navitas record --java -- java …"


class NoAnswer(UsageError):
    """A JVM has not answered a request, and may have done it."""


def check_jvm(pid: int, proc: Path = Path("/proc")) -> None:
    """Check that a process is a JVM which this user may attach to. Raises `UsageError`.

    SIGQUIT may end another process, so nothing else gets one.
    """
    folder = proc / str(pid)
    try:
        status = (folder / "status").read_text("utf-8", "replace")
        owner, is_jvm = folder.stat().st_uid, _LIBRARY.search((folder / "maps").read_bytes()) is not None
    except FileNotFoundError:
        raise UsageError(f"there is no process {pid}", _LIST) from None
    except PermissionError:
        raise UsageError(f"process {pid} belongs to another user", f"run Navitas as that user, {_START}") from None
    except OSError as error:
        raise UsageError(f"process {pid} cannot be read: {error.strerror}", _LIST) from None
    if not is_jvm:
        raise UsageError(f"process {pid} is not a JVM of HotSpot: it has no libjvm.so", _LIST)
    if owner != os.geteuid():
        raise UsageError(f"process {pid} belongs to another user", f"run Navitas as that user, {_START}")
    inner = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
    if len(inner) > 1:
        raise UsageError(f"process {pid} is in a container, which Navitas cannot attach to", "run Navitas in the container")


def start_of(pid: int, proc: Path = Path("/proc")) -> int:
    """Return when a process started, in the kernel's ticks after its boot. Two processes of one pid differ in it.

    Raises `UsageError` if there is no such process.
    """
    try:
        return int((proc / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[_START_TICKS])
    except (FileNotFoundError, ProcessLookupError):
        raise _ended(pid) from None
    except OSError as error:
        raise UsageError(f"process {pid} cannot be read: {error.strerror}", _LIST) from None


@contextmanager
def open_jvm(pid: int, start: int) -> Iterator[int]:
    """Yield a handle (`pidfd_open`) of the JVM that has this pid and started then. Raises `UsageError` if it has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        raise _ended(pid) from None
    try:
        if select.select([handle], [], [], 0)[0] or start_of(pid) != start:
            raise _ended(pid)
        yield handle
    finally:
        os.close(handle)


def _ended(pid: int) -> UsageError:
    return UsageError(f"the process {pid} has ended", _LIST)


def load_agent(pid: int, library: Path, options: str) -> None:
    """Load a library into a JVM, and run its agent with options.

    Raises `NoAnswer` if the JVM may have done so, and another `UsageError` if it has not.
    """
    answer = _request(pid, ("load", str(library), "true", options))
    code, _, text = answer.partition("\n")
    returned = _RETURN.search(text)
    if code.strip() == "0" and (text.strip() in ("", "0") or (returned is not None and returned[1] == "0")):
        return
    why = printable(" ".join(text.split()) or f"code {code.strip() or 'unknown'}", 300)
    kind = UsageError if code.strip() else NoAnswer
    raise kind(f"the JVM {pid} did not load async-profiler: {why}", f"see its output, {_START}")


def _request(pid: int, words: tuple[str, ...]) -> str:
    path = Path(f"/proc/{pid}/root/tmp/.java_pid{pid}")
    kind: type[UsageError] = UsageError
    try:
        if not path.exists():
            _wake(pid, path)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_WAIT_S)
            connection.connect(str(path))
            _check_listener(connection, pid)
            kind = NoAnswer
            connection.sendall(b"".join(word.encode() + b"\0" for word in ("1", *words)))
            answer = bytearray()
            while len(answer) < _MOST_BYTES and (piece := connection.recv(4096)):
                answer += piece
    except OSError as error:
        raise kind(f"the JVM {pid} does not answer: {error}", f"try again, {_START}") from None
    return answer.decode("utf-8", "replace")


def _check_listener(connection: socket.socket, pid: int) -> None:
    """Check that this user listens, since any user can put a socket into /tmp. Raises `UsageError`."""
    _, owner, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    if owner != os.geteuid():
        raise UsageError(
            f"/tmp/.java_pid{pid} is not the socket of the JVM {pid}: user {owner} listens there", f"remove it, {_START}"
        )


def _wake(pid: int, path: Path) -> None:
    """Make the JVM listen: with the file that it looks for at a SIGQUIT."""
    mark = None
    try:
        mark = _new_mark(pid)
        _quit(pid)
        end = time.monotonic() + _WAIT_S
        while not path.exists():
            if time.monotonic() > end:
                raise UsageError(f"the JVM {pid} does not let others attach (-XX:+DisableAttachMechanism?)", _START[3:])
            time.sleep(_POLL_S)
    except (ProcessLookupError, FileNotFoundError):
        raise _ended(pid) from None
    except OSError as error:
        raise UsageError(f"the JVM {pid} cannot be attached to: {error.strerror}", f"run Navitas as its user, {_START}") from None
    finally:
        if mark is not None:
            with suppress(OSError):
                mark.unlink()


def _new_mark(pid: int) -> Path | None:
    """Create the file that the JVM looks for. Returns None if there is one, which is another's to remove. Raises `OSError`."""
    marks = [Path(f"/proc/{pid}/{folder}/.attach_pid{pid}") for folder in ("cwd", "root/tmp")]
    for mark in marks:
        try:
            mark.touch(0o600, exist_ok=False)  # O_EXCL: never through a link
        except FileExistsError:
            return None
        except OSError:
            if mark == marks[-1]:
                raise
        else:
            return mark
    return None


def _quit(pid: int) -> None:
    """Send SIGQUIT to a JVM that catches it. The handle keeps its process, also if the pid gets another one."""
    handle = os.pidfd_open(pid)
    try:
        check_jvm(pid)
        _check_catches(pid)
        signal.pidfd_send_signal(handle, signal.SIGQUIT)
    finally:
        os.close(handle)


def _check_catches(pid: int, proc: Path = Path("/proc")) -> None:
    """Check that a process catches SIGQUIT, which otherwise ends it. Raises `UsageError`, and `OSError` if it has ended."""
    caught = _CAUGHT.search((proc / str(pid) / "status").read_bytes())
    if caught is None or not int(caught[1], 16) >> (signal.SIGQUIT - 1) & 1:
        raise UsageError(f"the JVM {pid} does not catch SIGQUIT: it is still starting, or has -Xrs", f"try again, {_START}")
