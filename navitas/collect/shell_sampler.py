"""Sample files that only the device's shell can read (/proc/stat, rails, threads' time_in_state) in a loop, to `shell.txt`."""

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
    """Return the shell loop. It starts no process: `cat`, `echo` and `sleep` are builtins of Android's mksh.

    A block ends where the next one begins. The first block comes twice, so that its end arrives without delay. With a package,
    blocks also contain its threads' time_in_state.
    """
    reads = " ".join(f"echo '# {path}'; cat {shlex.quote(path)};" for path in paths)
    block = f'echo "@ $EPOCHREALTIME"; {reads}'
    threads = f" {thread_states.reading(package, interval_s)}" if package else ""
    return f"{block} n=0; w=0; p=; while :; do {block}{threads} sleep {interval_s}; done"


class ShellSampler:
    """Runs the loop while the context is open. Writes every line to the file unchanged, with `\n` line ends, except for
    threads that have not run since the last reading."""

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
        """Wait until another complete block has arrived, or until the time-out, because samples must enclose the run."""
        with self._blocks:
            # The current block may have begun before this call, so wait for the next one to be complete.
            wanted = self._count + 2
            self._blocks.wait_for(lambda: self._count >= wanted or self._ended, timeout_s)

    def _copy(self) -> None:
        block: list[bytes] = []
        changed = thread_states.Changed()
        try:
            with self._output.open("wb") as file:
                for line in self._stream.lines():
                    if line.startswith(b"@ "):
                        # Write whole blocks only: the last one ends wherever the loop was stopped.
                        file.writelines(changed.lines_of(block))
                        file.flush()
                        block.clear()
                        self._notify()
                    block.append(line + b"\n")
        except (DeviceError, OSError) as error:
            self.failure = error
        finally:
            self._notify(ended=True)

    def _notify(self, *, ended: bool = False) -> None:
        with self._blocks:
            self._count += 1
            self._ended = self._ended or ended
            self._blocks.notify_all()
