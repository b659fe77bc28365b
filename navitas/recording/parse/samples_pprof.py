"""Reads stacks of pprof's format (github.com/google/pprof, proto/profile.proto): numbers of samples, without their times."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.protobuf_schema import BYTES, I64, U64, Messages
from navitas.base.regular_files import read_regular
from navitas.recording.parse.jfr.jfr_varints import varint_at
from navitas.recording.parse.samples_names import function_frame
from navitas.recording.parse.samples_stacks import DEEPEST, StackForest
from navitas.recording.parse.samples_untimed import MOST_SAMPLES, NO_THREAD, thread_of_name, too_many
from navitas.recording.parse.stack_samples import Frame, RawSamples
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.raw import readable

_PPROF: Final = Messages(
    "navitas.pprof",
    {
        "ValueType": {"type": (1, I64, False), "unit": (2, I64, False)},
        "Label": {"key": (1, I64, False), "num": (3, I64, False)},
        "Sample": {"location_id": (1, U64, True), "value": (2, I64, True), "label": (3, "Label", True)},
        "Mapping": {"id": (1, U64, False), "filename": (5, I64, False)},
        "Line": {"function_id": (1, U64, False), "line": (2, I64, False)},
        "Location": {"id": (1, U64, False), "mapping_id": (2, U64, False), "line": (4, "Line", True)},
        "Function": {"id": (1, U64, False), "name": (2, I64, False), "filename": (4, I64, False)},
        "Profile": {
            "sample_type": (1, "ValueType", True),
            "sample": (2, "Sample", True),
            "mapping": (3, "Mapping", True),
            "location": (4, "Location", True),
            "function": (5, "Function", True),
            "string_table": (6, BYTES, True),
            "period": (12, I64, False),
        },
    },
)
_MOST_BYTES = 256 << 20
_NUMBER, _CONTENT = 0, 2
_FIELDS = {*product(range(7, 16), [_NUMBER]), *product((*range(1, 7), 11, 13), [_CONTENT])} - {(11, _NUMBER)}
"""The fields of a profile, with their wire types. Comments (13) are packed or not."""
_SAMPLE_TYPE, _LONGEST_TYPE = 1, 22
_TIDS = ("tid", "thread_id", "thread id")
_JAVA_FILES = (".java", ".kt", ".groovy", ".scala")
_TEXT_BYTES = 4096


def is_pprof(head: bytes) -> bool:
    """Whether a file that is not packed begins with fields of a profile, in any order: each writer has its own."""
    view, at, fields = memoryview(head), 0, 0
    with suppress(IndexError):  # The last field ends after the head.
        while at < len(head):
            tag, at = varint_at(view, at)
            value, at = varint_at(view, at)
            field, wire_type = tag >> 3, tag & 7
            if (field, wire_type) not in _FIELDS or (field == _SAMPLE_TYPE and value > _LONGEST_TYPE):
                return False
            at += value if wire_type == _CONTENT else 0
            fields += at <= len(head)
    return fields > 0


def read_pprof(path: Path) -> RawSamples:
    """Return the stacks of a profile of CPU time, each as often as it was sampled, at no time.

    Raises `RecordingError` if the file cannot be read, is damaged, or is a profile of something else.
    """
    try:
        with readable(path, "Check the file."):
            profile = _PPROF.decoded("Profile", read_regular(path, _MOST_BYTES))
    except ValueError as error:
        raise RecordingError(f"{path}: no profile of pprof: {error}", "Make it again.") from error
    texts = [text[:_TEXT_BYTES].decode("utf-8", "replace") for text in profile.string_table]
    column, divisor = _counts(profile, texts, path)
    frames = _Frames(profile, texts)
    forest: StackForest[Frame] = StackForest()
    rows, tids, counts = [], [], []
    for sample in profile.sample:
        if len(sample.value) <= column or sample.value[column] <= 0:
            continue
        inner = (frame for location in sample.location_id for frame in reversed(frames.of(location)))
        rows.append(forest.stack(list(islice(inner, DEEPEST + 1))[::-1]))  # One that is cut is known by its length.
        tids.append(_thread(sample, texts) or thread_of_name(path))
        counts.append(max(round(sample.value[column] / divisor), 1))
    if sum(counts) > MOST_SAMPLES:
        raise too_many(path, sum(counts))
    return RawSamples(
        np.zeros(len(tids), np.int64),
        np.array(tids, np.int64),
        np.array(rows, np.int32),
        forest.table(),
        tuple(forest.frames),
        "none",
        cut=forest.cut,
        engine="pprof",
        count=np.array(counts, np.int64),
    )


def _text(texts: list[str], number: int) -> str:
    return texts[number] if 0 <= number < len(texts) else ""


def _counts(profile: Any, texts: list[str], path: Path) -> tuple[int, int]:
    """Return which value of a sample is a number of samples of CPU time, once divided by a number: 1, or the period."""
    kinds = [(_text(texts, kind.type), _text(texts, kind.unit)) for kind in profile.sample_type]
    by_cpu = ("cpu", "nanoseconds")
    if ("samples", "count") in kinds and (by_cpu in kinds or len(kinds) == 1):
        return kinds.index(("samples", "count")), 1
    if by_cpu in kinds and profile.period > 0:
        return kinds.index(by_cpu), profile.period
    listed = ", ".join(f"{kind} ({unit})" for kind, unit in kinds[:5]) or "nothing"
    raise RecordingError(f"{path}: a profile of {listed}, not of CPU time", "Profile the CPU time.")


def _thread(sample: Any, texts: list[str]) -> int:
    tid = next((label.num for label in sample.label if _text(texts, label.key) in _TIDS), NO_THREAD)
    return tid if 0 < tid < TID_LIMIT else NO_THREAD


class _Frames:
    """The functions of locations, outermost first: several where the compiler has inlined calls."""

    def __init__(self, profile: Any, texts: list[str]) -> None:
        self._files = {mapping.id: _text(texts, mapping.filename) for mapping in profile.mapping}
        self._functions = {
            function.id: tuple(_text(texts, part) for part in (function.name, function.filename)) for function in profile.function
        }
        self._frames = {location.id: self._of(location) for location in profile.location}

    def of(self, location: int) -> tuple[Frame, ...]:
        """Return the functions of a location."""
        return self._frames.get(location, ())

    def _of(self, location: Any) -> tuple[Frame, ...]:
        path = self._files.get(location.mapping_id, "")
        lines = [(*self._functions.get(line.function_id, ("", "")), line.line) for line in reversed(location.line)]
        return tuple(_frame(name, path, file, line) for name, file, line in lines or [("", "", 0)])


def _frame(name: str, path: str, file: str, line: int) -> Frame:
    full_name = name.partition("(")[0]
    owner, _, method = full_name.replace("/", ".").rpartition(".")
    # Names of Go have slashes, too.
    if owner and method and (file.endswith(_JAVA_FILES) if file else "/" in full_name):
        return Frame("java", "", owner, method, file=file, line=max(line, 0))
    return function_frame(name, path, file=file, line=max(line, 0))
