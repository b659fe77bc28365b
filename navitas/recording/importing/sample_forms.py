"""Files of stack samples: their forms, known by how they begin, and what reads each of them."""

from __future__ import annotations

import codecs
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from navitas.base.errors import RecordingError
from navitas.recording.importing.other_forms import trace_form
from navitas.recording.importing.plain_files import errors_naming, head_of
from navitas.recording.parse.jfr.jfr_file import MAGIC as JFR
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.samples_perf_script import is_perf_script, read_perf_script
from navitas.recording.parse.samples_pprof import is_pprof, read_pprof
from navitas.recording.parse.samples_simpleperf import MAGIC as SIMPLEPERF
from navitas.recording.parse.samples_simpleperf import read_simpleperf
from navitas.recording.parse.samples_untimed import is_collapsed, read_collapsed
from navitas.recording.parse.stack_samples import RawSamples

_FORMS: Final = (
    "Give async-profiler's JFR or collapsed stacks, pprof, simpleperf's report-sample --protobuf, or the text of perf script."
)


class SampleFile(NamedTuple):
    """The samples of a file: its path, its name in messages, and the suffix of its name in the recording."""

    path: Path
    shown: str
    suffix: str
    samples: RawSamples


class _Form(NamedTuple):
    suffix: str
    begins: Callable[[bytes], bool]
    read: Callable[[Path], RawSamples]


_READ = (
    _Form(".simpleperf", lambda head: head.startswith(SIMPLEPERF), read_simpleperf),
    _Form(".jfr", lambda head: head.startswith(JFR), read_jfr),
    _Form(".perf.txt", is_perf_script, lambda path: read_perf_script(path, "monotonic")),
    _Form(".collapsed", is_collapsed, read_collapsed),
    _Form(".pprof", is_pprof, read_pprof),
)


def has_samples(head: bytes) -> bool:
    """Whether a file begins as one of stack samples that are read."""
    return any(form.begins(head) for form in _READ)


def read_sample_file(path: Path, shown: str) -> SampleFile:
    """Read a file of samples. `path` is that of `plain_file`. Raises `RecordingError` if it has no form that is read."""
    head = head_of(path, shown)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        remedy = f"Convert it: iconv -f UTF-16 -t UTF-8 {shlex.quote(shown)} > stacks.txt"
        raise RecordingError(f"{shown}: a text in UTF-16, as PowerShell writes with >; samples are read in UTF-8", remedy)
    form = next((form for form in _READ if form.begins(head)), None)
    if form is None:
        if (other := trace_form(head)) is not None:
            raise other.error(shown)
        raise RecordingError(f"{shown}: no stack samples of a form that is read", _FORMS)
    with errors_naming(shown, path):
        return SampleFile(path, shown, form.suffix, form.read(path))
