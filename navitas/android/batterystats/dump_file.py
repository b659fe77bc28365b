"""Opens a dump of batterystats, or a bug report as text or zip file, as blocks of lines in bounded memory and time."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import IO

from navitas.base.errors import RecordingError
from navitas.base.line_blocks import LineBlock, LineCutter, LineSequence, utf8_of
from navitas.base.packed_files import packing_of
from navitas.base.regular_files import open_regular
from navitas.base.zip_errors import UNREADABLE_ZIP

MOST_BYTES = 4 << 30
"""What follows is not read. Bug reports of real phones have less than 0.5 GiB, unpacked."""
_BLOCK_BYTES = 1 << 20
_ZIP_BEGIN = (b"PK\x03\x04", b"PK\x05\x06")
_MEMBER = re.compile(r"bugreport[^/]*\.txt")
_NAME_FILE = "main_entry.txt"
_NAME_BYTES = 1000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_UNREADABLE = (OSError, *UNREADABLE_ZIP)
_REMEDY = "Copy it again from the phone: adb bugreport FILE.zip"
_HEAD = re.compile(
    rb"(?m)^(?:(== dumpstate: )"
    rb"|(------ CHECKIN BATTERYSTATS )"
    rb"|DUMP OF SERVICE (?:[A-Z]+ )?(batterystats):?[ \r]*$"
    rb"|(DUMP OF SERVICE |------ |-{9} [\d.]+s was the duration of )).*$"
)
"""The line that begins a section, or ends one. Groups: the report's first and last line, checkin, text, other."""
_RULE = re.compile(rb"(?m)^[=-]{20,}\r?$\n?")
_DONE = re.compile(rb"(?m)^== dumpstate: done")


class DumpPart(Enum):
    """Where a dump of batterystats is: in a file of its own, or in a section of a bug report."""

    PLAIN = "dump"
    CHECKIN = "section CHECKIN BATTERYSTATS"
    TEXT = "section DUMP OF SERVICE batterystats"


class BugreportCutter:
    """Cuts blocks of lines into dumps: two of the many sections of a bug report. A file without sections is one dump.

    Lines of other sections are dropped. Sources: AOSP's dumpstate.cpp, DumpstateUtil.cpp and dumpsys.cpp, Android 8 to 16.

    - `is_bugreport`: whether the text is a bug report.
    - `is_done`: whether it has its last line. Bug reports of old releases have none.
    - `open_part`: the section of batterystats in which the lines end so far; `PLAIN` outside of bug reports, else None.
    """

    def __init__(self) -> None:
        self.is_bugreport = False
        self.is_done = False
        self.open_part: DumpPart | None = DumpPart.PLAIN

    def cut(self, block: LineBlock) -> Iterator[tuple[DumpPart, LineBlock]]:
        """Yield the pieces of a block that belong to dumps."""
        data, begin = block.lines.data, 0
        refused = block.refused
        for head in _HEAD.finditer(data):
            yield from self._piece(data[begin : head.start()])
            begin = head.end() + 1
            self._enter(head)
        yield from self._piece(data[begin:])
        if refused and self.open_part is not None:
            yield self.open_part, LineBlock(refused=refused)

    def _piece(self, data: bytes) -> Iterator[tuple[DumpPart, LineBlock]]:
        if self.open_part is None:
            return
        lines = (_RULE.sub(b"", data) if b"-----" in data or b"=====" in data else data).removesuffix(b"\n")
        if lines:
            yield self.open_part, LineBlock(lines=LineSequence(lines))

    def _enter(self, head: re.Match[bytes]) -> None:
        report, checkin, text, _ = head.groups()
        self.is_bugreport = True
        self.is_done = self.is_done or (report is not None and _DONE.match(head[0]) is not None)
        self.open_part = DumpPart.CHECKIN if checkin else DumpPart.TEXT if text else None


class DumpFile:
    """The lines of a file. `damage` says why they end before the file's end; empty if they do not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""

    def blocks(self) -> Iterator[LineBlock]:
        """Yield all lines. Raises `RecordingError` if the file cannot be read, or is a zip file without a bug report."""
        try:
            with open_regular(self.path) as stream:
                is_zip = stream.peek(4)[:4] in _ZIP_BEGIN
                yield from self._of_zip(stream) if is_zip else self._lines(stream)
        except OSError as error:
            is_special = self.path.exists() and not self.path.is_file()
            remedy = "For standard input, give -." if is_special else "Check the name, and that you may read the file."
            raise RecordingError(f"{self.path}: cannot be read: {error.strerror or error}", remedy) from error

    def _of_zip(self, stream: IO[bytes]) -> Iterator[LineBlock]:
        try:
            with zipfile.ZipFile(stream) as archive, archive.open(self._member(archive)) as member:
                yield from self._lines(member)
        except _UNREADABLE as error:
            _raise_of_system(error)
            raise RecordingError(f"{self.path}: not a readable zip file ({error})", _REMEDY) from error

    def _member(self, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
        texts = [one for one in archive.infolist() if one.filename.endswith(".txt")]
        named = next((_name_in(archive, one) for one in texts if one.filename == _NAME_FILE), "")
        reports = [one for one in texts if _MEMBER.fullmatch(one.filename.rpartition("/")[2])]
        found = [one for one in texts if one.filename == named] or reports
        if not found:
            has_archive = any(one.filename.endswith((".zip", ".gz")) for one in archive.infolist())
            remedy = "Unpack the archive in it, and name that." if has_archive else "Name a file of adb bugreport."
            raise RecordingError(f"{self.path}: the zip file has no bugreport-*.txt", remedy)
        chosen = max(found, key=lambda one: one.file_size)
        if chosen.compress_type not in _METHODS:
            raise NotImplementedError(f"compression method {chosen.compress_type}")
        return chosen

    def _lines(self, stream: IO[bytes]) -> Iterator[LineBlock]:
        cutter, size, last = LineCutter(), 0, b"\n"
        try:
            while data := stream.read(_BLOCK_BYTES):
                if not size:
                    self._refuse_archive(data)
                    utf8 = utf8_of(data)
                size, data = size + len(data), utf8(data)
                last = data[-1:] or last
                yield cutter.cut(data)
                if size >= MOST_BYTES:
                    self.damage = f"only its first {MOST_BYTES >> 30} GiB are read"
                    break
        except _UNREADABLE as error:
            _raise_of_system(error)
            self.damage = f"the zip file is damaged ({error})"
        yield cutter.cut(b"", end=True)
        if not self.damage and last != b"\n":
            self.damage = "it ends without a line feed, so it may be cut off in the middle of a line"

    def _refuse_archive(self, begin: bytes) -> None:
        if (packing := packing_of(begin)) is not None:
            remedy = f"Unpack it ({packing.command}), and name the file in it."
            raise RecordingError(f"{self.path}: the text is packed in a {packing.name} file", remedy)


def _raise_of_system(error: Exception) -> None:
    """Raise an error of the operating system again. Damage of a bzip2 file is an `OSError` without a number."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error


def _name_in(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> str:
    """Return the name of the report, which a small entry contains."""
    with archive.open(entry) as stream:
        return stream.read(_NAME_BYTES).decode("utf-8", "replace").strip()
