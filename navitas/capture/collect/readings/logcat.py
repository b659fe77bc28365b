"""Capture logcat into the recording: dumped after the run, or streamed if it carries the events. Finds the runtime's notes."""

from __future__ import annotations

import re
import threading
import time
import uuid
from pathlib import Path
from types import TracebackType

from navitas.base.errors import DeviceError
from navitas.base.new_files import write_new
from navitas.capture.collect.options import Transport
from navitas.capture.device.base import Device

_FORMAT = "-v epoch -v usec"
_SILENCE_S = 60.0
_SILENCE_AFTER_ERROR_S = 5.0
_POLL_S = 0.1
_MARK = b"navitas: ["
_NOTE = re.compile(rb"navitas: \[(\w{1,40})\] ([^\r\n]*)")
_OF_MISSING_DATA = frozenset((b"recording_stopped", b"not_recording", b"records_lost", b"thread_stopped", b"blocks_uncounted"))
_MAX_NOTES = 20


class LogcatCapture:
    """Captures logcat while open: streams it with transport `logcat`, otherwise dumps it at the end."""

    def __init__(self, device: Device, output: Path, transport: Transport) -> None:
        self._device = device
        self._output = output
        self._streaming = transport == "logcat"
        self._awaited = b""
        self._arrived = threading.Event()
        self.failure: DeviceError | OSError | None = None

    def __enter__(self) -> LogcatCapture:
        # Find the start by a mark, not by time: the device's clock may change in between.
        self._mark = f"navitas-begin-{uuid.uuid4().hex}"
        self._device.shell(f"log -t navitas-collect {self._mark}")
        if self._streaming:
            self._output.touch()
            self._context = self._device.stream(f"logcat {_FORMAT} -T 1")
            self._stream = self._context.__enter__()
            self._reader = threading.Thread(target=self._copy, name="navitas-logcat", daemon=True)
            self._reader.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        patience_s = _SILENCE_S if kind is None else _SILENCE_AFTER_ERROR_S
        try:
            if self._streaming:
                self._drain(patience_s)
            else:
                self._dump(patience_s)
        except (DeviceError, OSError) as lost:
            self.failure = self.failure or lost
        finally:
            if self._streaming:
                self._stream.close()
                self._reader.join(timeout=5.0)
                self._context.__exit__(kind, error, trace)

    def _dump(self, timeout_s: float) -> None:
        with self._output.open("wb") as file:
            for piece in self._device.exec_out(f"logcat -d {_FORMAT}", timeout_s=timeout_s):
                file.write(piece)
        _keep_from(self._output, self._mark.encode())

    def _copy(self) -> None:
        try:
            with self._output.open("wb") as file:
                for line in self._stream.lines():
                    file.write(line + b"\n")
                    file.flush()
                    if self._awaited and self._awaited in line:
                        self._arrived.set()
        except (DeviceError, OSError) as error:
            self.failure = error

    def _drain(self, patience_s: float) -> None:
        """Wait until the stream has caught up: write a mark to the log and wait for it, however slow the link.

        Raises `DeviceError` if the mark is missing and nothing has arrived for `patience_s`: then the log's end is missing.
        """
        mark = f"navitas-drain-{uuid.uuid4().hex}"
        self._awaited = mark.encode()
        if self._device.shell(f"log -t navitas-collect {mark}", timeout_s=patience_s).exit_code != 0:
            return
        seen, last_s = -1, time.monotonic()
        while not self._arrived.wait(_POLL_S):
            silent = time.monotonic() - last_s > patience_s
            if self.failure is not None:
                return
            if silent or not self._reader.is_alive():
                remedy = "check whether the device hangs; events of the last moments are missing"
                raise DeviceError(f"device {self._device.info.serial}: the end of its log did not arrive", remedy)
            if (received := self._stream.received_bytes) != seen:
                seen, last_s = received, time.monotonic()


def _keep_from(log: Path, mark: bytes) -> None:
    """Remove everything logged before the mark. Keep everything if the log no longer contains the mark."""
    data = log.read_bytes()
    found = data.find(mark)
    if found >= 0:
        write_new(log, data[data.find(b"\n", found) + 1 :])


def runtime_notes(logcat: Path) -> list[str]:
    """Return each note about missing data once, by code (docs/dev/formats.md). Empty without a log."""
    notes: dict[str, None] = {}
    try:
        with logcat.open("rb") as lines:
            for line in lines:
                if _MARK in line and (match := _NOTE.search(line)) and match[1] in _OF_MISSING_DATA and len(notes) < _MAX_NOTES:
                    notes[match[2].decode("utf-8", "replace")[:400]] = None
    except FileNotFoundError:
        pass
    return list(notes)
