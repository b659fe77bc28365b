"""Read the CPU clocks of the threads of a process of this computer, as the runtime does within an app, into an event file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from navitas.base.new_files import new_file
from navitas.recording.event_chunks import counter_chunks, marker_chunk, triple_chunk

_THREADS, _PROCESS = 1, 2
_PERIOD_S = 0.02
_OTHERS_EVERY = 10
"""Periods between readings of the clocks and of what `others` reads."""


class ProcessThreads:
    """Reads while the context is open, and writes the file at its end.

    `others()` returns other counters: source and text of each. Threads of a process that has ended have no more readings.
    """

    def __init__(
        self, pid: int, path: Path, others: Callable[[], Sequence[tuple[int, bytes]]], proc: Path = Path("/proc")
    ) -> None:
        self._folder = proc / str(pid)
        self._path = path
        self._others = others
        self._known: dict[str, bytes] = {}
        self._readings: list[tuple[int, int, bytes]] = []
        self._clocks: list[tuple[int, int, int]] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="navitas-sampler", daemon=True)
        self.failure: Exception | None = None

    def __enter__(self) -> ProcessThreads:
        self._start_ns = time.monotonic_ns()
        self._read()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join()
        if self.failure is None:
            with suppress(Exception):
                self._read_others()
        self._read()
        end_ns = max(self._start_ns, time.monotonic_ns())
        with new_file(self._path) as out:
            for chunk in counter_chunks(self._readings):
                out.write(chunk)
            out.write(triple_chunk(self._clocks))
            out.write(marker_chunk(self._start_ns, end_ns))

    def _run(self) -> None:
        count = 0
        try:
            while not self._stopping.wait(_PERIOD_S):
                if count % _OTHERS_EVERY == 0:
                    self._read_others()
                self._read()
                count += 1
        except Exception as error:  # of `others`: the recorder names it
            self.failure = error

    def _read_others(self) -> None:
        t_ns = time.monotonic_ns()
        texts = self._others()
        middle_ns = (t_ns + time.monotonic_ns()) // 2
        self._readings += [(middle_ns, source, text) for source, text in texts]

    def _read(self) -> None:
        t_ns = time.monotonic_ns()
        lines = []
        with suppress(OSError):
            for tid in os.listdir(self._folder / "task"):  # noqa: PTH208 (fifty times a second)
                with suppress(OSError):
                    if line := self._changed(tid):
                        lines.append(line)
        now_ns = time.monotonic_ns()
        # The wall clock in the middle of both readings of the monotonic one.
        self._clocks.append((now_ns, -1, time.time_ns() - (time.monotonic_ns() - now_ns) // 2))
        if lines:
            self._readings.append(((t_ns + now_ns) // 2, _THREADS, b"".join(lines)))
        with suppress(OSError):
            self._readings.append((now_ns, _PROCESS, (self._folder / "stat").read_bytes()))

    def _changed(self, tid: str) -> bytes:
        """Return the line of a thread whose CPU time has changed, else nothing."""
        folder = self._folder / "task" / tid
        clock = (folder / "schedstat").read_bytes().strip()
        if self._known.get(tid) == clock:
            return b""
        self._known[tid] = clock
        return b"%s %s %s\n" % (tid.encode(), clock, (folder / "comm").read_bytes().strip())
