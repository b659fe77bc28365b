"""Sample files that the shell can read (/proc/stat, rails, traffic, threads' time_in_state) in a loop, to `shell.txt`."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from navitas.android.power_statistics import SERIES, SERVICE
from navitas.base.errors import DeviceError
from navitas.capture.device.base import Device, ShellStream

INTERVAL_S = 0.2
STATISTICS_S = 2.0
"""`dumpsys` starts a process, so it runs less often."""
_FIRST_BLOCK_S = 5.0
_COMPLETE = 2  # beginnings of blocks after which the first one has ended
_SHORTEST_S = 0.02
_SHARE = 0.1
"""The largest share of the loop's time for reading threads: the loop skips blocks if a pass takes longer."""
_LOOK_UP_EVERY = 25  # blocks after which the app's process is looked up again; while there is none, after 2
_BEGIN = 'echo "@ $EPOCHREALTIME"; '
_HEAD = re.compile(rb"# (/proc/\d+/task/\d+/time_in_state)$")


@dataclass(frozen=True, slots=True)
class ShellReads:
    """What the loop reads: `files` every `INTERVAL_S`, counters of `traffic` every `traffic_s` seconds, and with `statistics`
    the text of the power statistics every `STATISTICS_S`."""

    files: Sequence[str] = ()
    traffic: Sequence[str] = ()
    traffic_s: float = INTERVAL_S
    statistics: bool = False


def loop_command(reads: ShellReads, package: str = "") -> str:
    """Return the shell loop. It starts no process: `cat`, `echo` and `sleep` are builtins of Android's mksh.

    A block ends where the next one begins. The first block comes twice, so that its end arrives without delay. With a package,
    blocks also contain its threads' time_in_state.
    """
    traffic_s = reads.traffic_s
    period_s = min(INTERVAL_S, max(traffic_s, _SHORTEST_S)) if reads.traffic else INTERVAL_S
    files, traffic = _reads(reads.files), _reads(reads.traffic)
    threads = threads_reading(package) if package else ""
    own = _every(round(INTERVAL_S / period_s), "c", f"{files} {threads}")
    other = _every(round(traffic_s / period_s), "d", traffic) if traffic else ""
    slow = _every(round(STATISTICS_S / period_s), "g", f"echo '# {SERIES}'; dumpsys {SERVICE};") if reads.statistics else ""
    first = f"{_BEGIN}{files} {traffic} n=0; w=0; p=; c=0; d=0; g=0;"
    return f"{first} while :; do {_BEGIN}{own} {other} {slow} sleep {period_s:g}; done"


def last_block_command(reads: ShellReads, package: str = "") -> str:
    """Return the command for a block after the loop, so that readings enclose the run without a wait for the loop's next one."""
    threads = f"n=0; w=0; p=; {threads_reading(package)}" if package else ""
    return f"{_BEGIN}{_reads(reads.files)} {_reads(reads.traffic)} {threads}"


def _reads(paths: Sequence[str]) -> str:
    return " ".join(f"echo '# {path}'; cat {shlex.quote(path)};" for path in paths)


def _every(blocks: int, variable: str, code: str) -> str:
    """Return code that runs in the first block, then in every `blocks`-th one."""
    if blocks <= 1 or not code.strip():
        return code
    return f"if [ ${variable} -le 0 ]; then {variable}={blocks}; {code} fi; {variable}=$(({variable}-1));"


class ShellSampler:
    """Runs the loop while the context is open. Writes every line to the file unchanged, with `\n` line ends, except for
    threads that have not run since the last threads_reading."""

    def __init__(self, device: Device, reads: ShellReads, output: Path, package: str = "") -> None:
        self._device = device
        self._command = loop_command(reads, package)
        self._last = last_block_command(reads, package)
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
        with self._blocks:  # the samples must enclose the run
            self._blocks.wait_for(lambda: self._count >= _COMPLETE or self._ended, _FIRST_BLOCK_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stream.close()
        self._reader.join(timeout=5.0)
        self._context.__exit__(kind, error, trace)
        if kind is None and self.failure is None:
            try:
                with self._output.open("ab") as file:
                    file.write(self._device.shell(self._last).stdout)
            except (DeviceError, OSError) as lost:
                self.failure = lost

    def _copy(self) -> None:
        block: list[bytes] = []
        changed = ChangedThreads()
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


def threads_reading(package: str) -> str:
    """Return the loop's code for one block. It uses the variables n, w and p (initially 0, 0 and empty).

    Apart from an occasional `pidof`, it starts no process. mksh counts in 32 bits, so a time is `1`, three digits of seconds and
    six of microseconds. If the kernel has no such file, nothing is printed; if a thread ends meanwhile, only its path.
    """
    look_up = f'p=$(pidof {shlex.quote(package)}); n=2; if [ -n "$p" ]; then n={_LOOK_UP_EVERY}; fi;'
    each = 'for f in /proc/$q/task/*/time_in_state; do echo "# $f"; cat $f; done'
    files = f"for q in $p; do if [ -r /proc/$q/time_in_state ]; then {each}; fi; done"
    pass_us = round(INTERVAL_S * 1e6 * _SHARE)
    return (
        f"if [ $n -le 0 ]; then {look_up} fi; n=$((n-1)); "
        f"if [ $w -gt 0 ]; then w=$((w-1)); else {_read_clock('s')} {{ {files}; }} 2>/dev/null; {_read_clock('e')} "
        f"w=$(((e-s)/{pass_us})); fi;"
    )


def _read_clock(name: str) -> str:
    return f"x=$EPOCHREALTIME; x=${{x#???????}}; {name}=1${{x%???????}}${{x#????}};"


class ChangedThreads:
    """Drops readings that equal those of the previous pass, because most threads sleep. Stores only the previous pass."""

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[bytes, ...]] = {}

    def lines_of(self, block: Sequence[bytes]) -> Iterator[bytes]:
        """Yield a block's lines, without the readings of unchanged threads."""
        path, text = b"", []
        passed: dict[bytes, tuple[bytes, ...]] = {}
        for line in [*block, b"# /"]:
            if not line.startswith(b"# /"):
                text.append(line)
                continue
            if not path or self._last.get(path) != tuple(text[1:]):
                yield from text
            if path:
                passed[path] = tuple(text[1:])
            head = _HEAD.match(line.rstrip())
            path, text = head[1] if head else b"", [line]
        if passed:  # a block may have no pass
            self._last = passed
