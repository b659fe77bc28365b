"""Samples what only the device's shell may read (/proc/stat, rails, threads' time_in_state), in one loop, into `shell.txt`."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from navitas.collect import thread_states
from navitas.device.base import Device, ShellStream
from navitas.errors import DeviceError

INTERVAL_S = 0.2
_FIRST_BLOCK_S = 5.0


def loop_command(paths: Sequence[str], package: str = "", interval_s: float = INTERVAL_S) -> str:
    """The shell loop; `cat`, `echo` and `sleep` are built into Android's mksh, so it starts no process.

    A block ends where the next begins; the first is doubled, so that nobody waits an interval for its end. With a package
    blocks also have its threads' own time_in_state.
    """
    reads = " ".join(f"echo '# {path}'; cat {shlex.quote(path)};" for path in paths)
    block = f'echo "@ $EPOCHREALTIME"; {reads}'
    threads = f" {thread_states.reading(package, interval_s)}" if package else ""
    return f"{block} n=0; w=0; p=; while :; do {block}{threads} sleep {interval_s}; done"


class ShellSampler:
    """Runs the loop while the context is open; every line goes to the file as it came, with `\\n` ends, but for
    threads that have not run since they were last read."""

    def __init__(self, device: Device, paths: Sequence[str], output: Path, package: str = "") -> None:
        self._device = device
        self._command = loop_command(paths, package)
        self._output = output
        self._blocks = threading.Condition()
        self._count = 0
        self._ended = False
        self.failure: DeviceError | OSError | None = None

    def __enter__(self) -> ShellSampler:
        self._context = self._device.stream(self._command)
        self._stream: ShellStream = self._context.__enter__()
        self._reader = threading.Thread(target=self._copy, name="navitas-shell-sampler", daemon=True)
        self._reader.start()
        self.wait_for_block(_FIRST_BLOCK_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stream.close()
        self._reader.join(timeout=5.0)
        self._context.__exit__(kind, error, trace)

    def wait_for_block(self, timeout_s: float) -> None:
        """Wait until one more whole block has been read, or the time is over: samples must enclose the run."""
        with self._blocks:
            # The block under way may have begun before this call, so the next one must be complete.
            wanted = self._count + 2
            self._blocks.wait_for(lambda: self._count >= wanted or self._ended, timeout_s)

    def _copy(self) -> None:
        block: list[bytes] = []
        changed = thread_states.Changed()
        try:
            with self._output.open("wb") as file:
                for line in self._stream.lines():
                    if line.startswith(b"@ "):
                        # Whole blocks only: the last one is cut wherever the loop was when it was ended.
                        file.writelines(changed.of(block))
                        file.flush()
                        block.clear()
                        self._tell()
                    block.append(line + b"\n")
        except (DeviceError, OSError) as error:
            self.failure = error
        finally:
            self._tell(ended=True)

    def _tell(self, *, ended: bool = False) -> None:
        with self._blocks:
            self._count += 1
            self._ended = self._ended or ended
            self._blocks.notify_all()
