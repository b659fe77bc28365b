"""Stacks with counts and without times, such as collapsed ones: all that they show of a thread is the share of each stack.

Collapsed stacks have a line for each: frames from the outermost one on, separated by `;`, a blank, and the number of samples. A
first frame `[name tid=N]` (async-profiler's option `threads`) or `name-PID/TID` (stackcollapse-perf.pl --tid) is the thread.
"""

from __future__ import annotations

import codecs
import re
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.recording.parse.arrays import ranks
from navitas.recording.parse.samples_names import function_frame
from navitas.recording.parse.samples_stacks import DEEPEST, StackForest
from navitas.recording.parse.stack_samples import KERNEL, Frame, RawSamples
from navitas.recording.parse.trace.trace_tables import Trace
from navitas.recording.raw import readable

NO_THREAD: Final = 0
"""The thread of stacks that name none."""
MOST_SAMPLES: Final = 20_000_000
_LINE_BYTES = 1 << 24
"""Recursion without end has many thousands of frames."""
_LINE = re.compile(rb"(.+?) (\d{1,9})\s*")
_BEGUN = re.compile(rb'(?:[^\x00-\x1f";]{1,1000};){60,}[^\x00-\x1f";]*')
"""How a line begins that is longer than the head of its file: JSON, such as of other profilers, has quotes."""
_THREAD = re.compile(r"\[(.*) tid=(\d{1,7})\]|(.*)-(\d{1,7})/(\d{1,7})")
_JAVA = re.compile(r"((?:[^;/.()\s]+/)+[^;/.()]+|[^;/.()\s]+)\.([^;/.()\s]+)")
_ANNOTATED = re.compile(r"(.*)_\[([jik01])\]")
_OF_THREAD = re.compile(r"samples-(\d{1,7})\.(?:collapsed|pprof)")
"""The name of a file whose stacks are all of one thread, which it does not name itself."""


def read_collapsed(path: Path) -> RawSamples:
    """Return collapsed stacks, each as often as it was sampled, at no time. Raises `RecordingError` if the file is none."""
    reader = _Collapsed(thread_of_name(path))
    with readable(path, "Check the file."), open_regular(path) as stream:
        number = 0
        while line := stream.readline(_LINE_BYTES):
            number += 1
            line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if line.strip() and not reader.add(line):
                raise RecordingError(
                    f"{path}: line {number:,} is no collapsed stack", "Give lines of frames, separated by ;, and a count."
                )
    samples = reader.table()
    if samples.total > MOST_SAMPLES:
        raise too_many(path, samples.total)
    return samples


def too_many(path: Path, count: int) -> RecordingError:
    """Return the error for a file with more samples than are read."""
    return RecordingError(f"{path}: {count:,} samples, and at most {MOST_SAMPLES:,} are read", "Profile less often.")


def thread_of_name(path: Path) -> int:
    """Return the thread of stacks that name none, by the name of their file in a recording."""
    alone = _OF_THREAD.fullmatch(path.name)
    return NO_THREAD if alone is None else int(alone[1])


def is_collapsed(head: bytes) -> bool:
    """Whether a text begins with collapsed stacks."""
    *lines, begun = head.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if not lines:
        return _BEGUN.fullmatch(begun) is not None
    is_stack = [_LINE.fullmatch(line) and b"\t" not in line for line in lines[:20]]
    return all(is_stack) and any(b";" in line for line in lines[:20])


def timed_by_trace(raw: RawSamples, trace: Trace) -> RawSamples:
    """Return samples without times as if taken in the middle of their thread's running, so that they share all of its energy.

    Samples of threads that do not run in the trace keep the impossible time 0. Other samples stay unchanged.
    """
    if raw.clock != "none":
        return raw
    tids, of_tid = ranks(raw.tid)
    t_ns = np.zeros(len(tids), np.int64)
    for number, tid in enumerate(tids.tolist()):
        begun = np.sort(trace.switches.t_ns[trace.switches.next_tid == tid])
        if tid != NO_THREAD and len(begun):
            t_ns[number] = begun[len(begun) // 2]
    return replace(raw, t_ns=t_ns[of_tid], clock="monotonic")


class _Collapsed:
    def __init__(self, tid: int) -> None:
        self._tid = tid
        self._forest: StackForest[Frame] = StackForest()
        self._names: dict[int, str] = {}
        self._process_of: dict[int, int] = {}
        self._tids, self._rows, self._counts = array("q"), array("i"), array("q")

    def add(self, line: bytes) -> bool:
        """Add a line. Returns False if it is no collapsed stack."""
        match = _LINE.fullmatch(line)
        if match is None:
            return False
        stack = match[1].decode("utf-8", "replace")
        outermost, _, inner = stack.partition(";")
        tid, thread = self._tid, _THREAD.fullmatch(outermost)
        if thread is not None:
            tid = int(thread[2] or thread[5])
            self._names[tid] = thread[1] or thread[3] or ""
            if thread[4]:
                self._process_of[tid] = int(thread[4])
            stack = inner
        if count := int(match[2]):
            self._tids.append(tid)
            self._rows.append(self._forest.stack(map(_frame, stack.rsplit(";", DEEPEST) if stack else ())))
            self._counts.append(count)
        return True

    def table(self) -> RawSamples:
        """Return the samples."""
        return RawSamples(
            np.zeros(len(self._tids), np.int64),
            np.array(self._tids, np.int64),
            np.array(self._rows, np.int32),
            self._forest.table(),
            tuple(self._forest.frames),
            "none",
            thread_names=self._names,
            process_of=self._process_of,
            cut=self._forest.cut,
            engine="collapsed stacks",
            count=np.array(self._counts, np.int64),
        )


def _frame(text: str) -> Frame:
    """The function of a frame. async-profiler's names of Java have slashes, and its option `ann` adds the kind of code."""
    annotated = _ANNOTATED.fullmatch(text)
    name, kind = (annotated[1], annotated[2]) if annotated is not None else (text, "")
    if kind == "k":
        return Frame("kernel", KERNEL, "", name)
    java = _JAVA.fullmatch(name)
    if java is not None and (kind or "/" in java[1]):
        return Frame("java", "", java[1].replace("/", "."), java[2])
    return function_frame(name, "")
