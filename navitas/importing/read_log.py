"""Opens a file of measurements and reads it by its content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

from navitas.errors import RecordingError
from navitas.importing.log_dates import written_by
from navitas.importing.measured_log import MAX_BYTES, MeasuredLog
from navitas.importing.original_json import MAX_JSON_BYTES, read_original_json
from navitas.importing.original_log import read_original_log
from navitas.importing.other_forms import check_packed
from navitas.importing.unreadable import unreadable
from navitas.line_blocks import blocks_of
from navitas.regular_files import as_utf8, open_regular, read_regular

LogFormat = Literal["auto", "log", "json"]
_HEAD_BYTES = 4096


def read_log(path: Path, shown: str, *, year: int | None, log_format: LogFormat = "auto") -> MeasuredLog:
    """Read a log, or JSON of Navitas-Framework. `shown` is its name in messages, and its test is named after its file.

    Line ends can be those of Windows, and text UTF-16 (PowerShell).

    Raises `RecordingError` if the file cannot be read or has no measurement.
    """
    try:
        with open_regular(path) as stream:
            head = stream.read(_HEAD_BYTES)
            status = os.fstat(stream.fileno())
        check_packed(head, shown)
        if log_format == "json" or (log_format == "auto" and _is_json(head)):
            return read_original_json(read_regular(path, MAX_JSON_BYTES), shown)
        if status.st_size > MAX_BYTES:
            raise RecordingError(f"{shown}: larger than 1 GiB", "Cut the log into parts, and import each of them.")
        written = written_by(path.stem, status.st_mtime)
        with open_regular(path) as stream:
            return read_original_log(_lines(stream), shown, path.stem, written, year)
    except OSError as error:
        raise unreadable(shown, error) from error


def _is_json(head: bytes) -> bool:
    return as_utf8(head).lstrip()[:1] == b"{"


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without blank ones. Of longer ones than 1 MiB, only the beginning."""
    for block in blocks_of(stream):
        for number, line in zip(block.numbers, block.lines, strict=True):
            yield number, line.decode("utf-8", "replace")
        for refusal in block.refused:
            yield refusal.row, refusal.text.decode("utf-8", "replace")
