"""Finds the dumps of batterystats in a bug report: two of the many sections that AOSP's dumpstate writes.

Sources: AOSP's dumpstate.cpp and DumpstateUtil.cpp, and dumpsys.cpp, Android 8 to 16.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from navitas.line_blocks import LineBlock, LineSequence


class DumpPart(Enum):
    """Where a dump of batterystats is: in a file of its own, or in a section of a bug report."""

    PLAIN = "dump"
    CHECKIN = "section CHECKIN BATTERYSTATS"
    TEXT = "section DUMP OF SERVICE batterystats"


_HEAD = re.compile(
    rb"(?m)^(?:(== dumpstate: )"
    rb"|(------ CHECKIN BATTERYSTATS )"
    rb"|DUMP OF SERVICE (?:[A-Z]+ )?(batterystats):?[ \r]*$"
    rb"|(DUMP OF SERVICE |------ |-{9} [\d.]+s was the duration of )).*$"
)
"""The line that begins a section, or ends one. Groups: the report's first and last line, checkin, text, other."""
_RULE = re.compile(rb"(?m)^[=-]{20,}\r?$\n?")
_DONE = re.compile(rb"(?m)^== dumpstate: done")


class BugreportCutter:
    """Cuts blocks of lines into dumps. Lines of other sections are dropped. A file without sections is one dump.

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
