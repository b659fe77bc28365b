"""Sample files that the shell can read (/proc/stat, rails, traffic, threads' time_in_state) in a loop, to `shell.txt`."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from navitas.collect import thread_states
from navitas.device.base import Device, ShellStream
from navitas.errors import DeviceError
from navitas.power_statistics import SERIES, SERVICE

INTERVAL_S = 0.2
STATISTICS_S = 2.0
"""`dumpsys` starts a process, so it runs less often."""
_FIRST_BLOCK_S = 5.0
_SHORTEST_S = 0.02


def loop_command(
    paths: Sequence[str],
    package: str = "",
    *,
    traffic_paths: Sequence[str] = (),
    traffic_s: float = INTERVAL_S,
    statistics: bool = False,
) -> str:
    """Return the shell loop. It starts no process: `cat`, `echo` and `sleep` are builtins of Android's mksh.

    A block ends where the next one begins. The first block comes twice, so that its end arrives without delay. With a package,
    blocks also contain its threads' time_in_state. Counters of traffic are in the blocks every `traffic_s` seconds, the other
    files in those every `INTERVAL_S`. With `statistics`, a block every `STATISTICS_S` has the text of the power statistics.
    """
    period_s = min(INTERVAL_S, max(traffic_s, _SHORTEST_S)) if traffic_paths else INTERVAL_S
    begin = 'echo "@ $EPOCHREALTIME"; '
    files, traffic = _reads(paths), _reads(traffic_paths)
    threads = thread_states.reading(package, INTERVAL_S) if package else ""
    own = _every(round(INTERVAL_S / period_s), "c", f"{files} {threads}")
    other = _every(round(traffic_s / period_s), "d", traffic) if traffic else ""
    slow = _every(round(STATISTICS_S / period_s), "g", f"echo '# {SERIES}'; dumpsys {SERVICE};") if statistics else ""
    first = f"{begin}{files} {traffic} n=0; w=0; p=; c=0; d=0; g=0;"
    return f"{first} while :; do {begin}{own} {other} {slow} sleep {period_s:g}; done"


def _reads(paths: Sequence[str]) -> str:
    return " ".join(f"echo '# {path}'; cat {shlex.quote(path)};" for path in paths)


def _every(blocks: int, variable: str, code: str) -> str:
    """Return code that runs in the first block, then in every `blocks`-th one."""
    if blocks <= 1 or not code.strip():
        return code
    return f"if [ ${variable} -le 0 ]; then {variable}={blocks}; {code} fi; {variable}=$(({variable}-1));"


class ShellSampler:
    """Runs the loop while the context is open. Writes every line to the file unchanged, with `\n` line ends, except for
    threads that have not run since the last reading."""

    def __init__(
        self,
        device: Device,
        paths: Sequence[str],
        output: Path,
        package: str = "",
        *,
        traffic_paths: Sequence[str] = (),
        traffic_s: float = INTERVAL_S,
        statistics: bool = False,
    ) -> None:
        self._device = device
        self._command = loop_command(paths, package, traffic_paths=traffic_paths, traffic_s=traffic_s, statistics=statistics)
        # The loop may have read traffic long before the end of the run.
        self._last = f'echo "@ $EPOCHREALTIME"; {_reads(traffic_paths)}' if traffic_paths else ""
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
        if self._last and kind is None and self.failure is None:
            try:
                with self._output.open("ab") as file:
                    file.write(self._device.shell(self._last).stdout)
            except (DeviceError, OSError) as lost:
                self.failure = lost

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
