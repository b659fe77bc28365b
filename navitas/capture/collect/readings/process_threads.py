"""Read the CPU clocks of the threads of a process of this computer, as the runtime does within an app, into an event file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from navitas.recording.event_chunks import counter_chunks, marker_chunk, triple_chunk

_THREADS, _PROCESS = 1, 2
_PERIOD_S = 0.02
_OTHERS_EVERY = 10
"""Periods between readings of the clocks and of what `others` reads."""
_WRITE_EVERY = 50
_NONE = -1
"""The handle of no folder."""
_MOST_BYTES = 4096
"""More than one of these files has."""


class ProcessThreads:
    """Reads while the context is open, and writes each second what it has read: hours take the memory of a second.

    `others()` returns other counters: source and text of each. Threads of a process that has ended have no more readings, not
    even if another process gets its pid.
    """

    def __init__(
        self, pid: int, path: Path, others: Callable[[], Sequence[tuple[int, bytes]]], proc: Path = Path("/proc")
    ) -> None:
        self._process = proc / str(pid)
        self._folder = _NONE  # a handle of the process, which another one with its pid does not have
        self._path = path
        self._others = others
        self._known: dict[str, bytes] = {}
        self._readings: list[tuple[int, int, bytes]] = []
        self._clocks: list[tuple[int, int, int]] = []
        self._counter_chunks = self._writes = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="navitas-sampler", daemon=True)
        self.failure: Exception | None = None

    def __enter__(self) -> ProcessThreads:
        self._out = self._path.open("wb")
        self._out.write(marker_chunk(time.monotonic_ns(), None))
        with suppress(OSError):
            self._folder = os.open(self._process, os.O_RDONLY | os.O_DIRECTORY)
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
        if self._folder != _NONE:
            os.close(self._folder)
        try:
            with self._out:
                self._write()
                self._out.write(marker_chunk(None, time.monotonic_ns(), seq=1))
        except OSError as full:
            self.failure = self.failure or full

    def _run(self) -> None:
        count = 0
        try:
            while not self._stopping.wait(_PERIOD_S):
                if count % _OTHERS_EVERY == 0:
                    self._read_others()
                self._read()
                count += 1
                if count % _WRITE_EVERY == 0:
                    self._write()
        except Exception as error:  # of `others`, or a full disk: the recorder names it
            self.failure = error

    def _write(self) -> None:
        readings, clocks, self._readings, self._clocks = self._readings, self._clocks, [], []
        chunks, number = list(counter_chunks(readings, self._counter_chunks)), self._writes
        self._counter_chunks += len(chunks)
        self._writes += 1
        self._out.writelines([*chunks, triple_chunk(clocks, number)])
        self._out.flush()

    def _read_others(self) -> None:
        t_ns = time.monotonic_ns()
        texts = self._others()
        middle_ns = (t_ns + time.monotonic_ns()) // 2
        self._readings += [(middle_ns, source, text) for source, text in texts]

    def _read(self) -> None:
        t_ns = time.monotonic_ns()
        lines = self._changed_threads()
        now_ns = time.monotonic_ns()
        # The wall clock in the middle of both readings of the monotonic one.
        self._clocks.append((now_ns, -1, time.time_ns() - (time.monotonic_ns() - now_ns) // 2))
        if lines:
            self._readings.append(((t_ns + now_ns) // 2, _THREADS, b"".join(lines)))
        with suppress(OSError):
            self._readings.append((now_ns, _PROCESS, self._text("stat")))

    def _changed_threads(self) -> list[bytes]:
        """Return the lines of the threads whose CPU time has changed. Forgets threads that have ended."""
        lines = []
        clocks: dict[str, bytes] = {}
        with suppress(OSError):
            for tid in self._threads():
                with suppress(OSError):
                    clock = clocks[tid] = self._text(f"task/{tid}/schedstat").strip()
                    if self._known.get(tid) != clock:
                        lines.append(b"%s %s %s\n" % (tid.encode(), clock, self._text(f"task/{tid}/comm").strip()))
        self._known = clocks
        return lines

    def _threads(self) -> list[str]:
        handle = os.open("task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._folder)
        try:
            return os.listdir(handle)  # noqa: PTH208 (fifty times a second, of a handle)
        finally:
            os.close(handle)

    def _text(self, name: str) -> bytes:
        handle = os.open(name, os.O_RDONLY, dir_fd=self._folder)
        try:
            return os.read(handle, _MOST_BYTES)
        finally:
            os.close(handle)
