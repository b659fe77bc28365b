"""Forms of traces and logs that are not read: errors name the form and what converts it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_forms import GZIP, LOGS, TRACES
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import RecordingError
from navitas.recording.importing.art_trace import read_art_trace
from navitas.recording.importing.other_forms import json_form, log_form, trace_form
from navitas.recording.importing.read_log import read_log
from navitas.recording.importing.traced_recording import read_kernel_trace

CASES = FIELD_DATA / "reported-cases"


def refused(path: Path, read: Callable[[Path, str], object]) -> RecordingError:
    with pytest.raises(RecordingError) as caught:
        read(path, "FILE.x")
    assert caught.value.message.startswith("FILE.x: ") and caught.value.remedy
    return caught.value


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_of_another_form_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TRACES[name])
    error = refused(tmp_path / "trace", read_kernel_trace)
    assert f"this is {name}, which cannot be imported" in error.message and "no switches" not in error.message


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_another_form_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOGS[name])
    error = refused(tmp_path / "log", partial(read_log, year=2021))
    assert f"this is {name}, which cannot be imported" in error.message


@pytest.mark.parametrize("read", [read_kernel_trace, read_art_trace, partial(read_log, year=2021)])
def test_a_packed_file_names_what_unpacks_it(read: Callable[[Path, str], object], tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(GZIP)
    error = refused(tmp_path / "packed", read)
    assert error.message.endswith("packed by gzip") and error.remedy == "Unpack it: gunzip FILE"


def test_a_trace_of_no_known_form_says_what_was_skipped(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("one\ntwo\n")
    assert "; 2 lines were skipped (not an event)" in refused(tmp_path / "trace", read_kernel_trace).message


@needs_field_data
@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("09-other-text-forms/latency.txt", "the kernel's latency format"),
        ("09-other-text-forms/perf-script.txt", "the output of perf script"),
        ("09-other-text-forms/tsc.txt", "a trace whose clock, x86-tsc, is no time"),
        ("12-logcat-forms/log_color.txt", "colors"),
        ("12-logcat-forms/log_long.txt", "-v long"),
        ("12-logcat-forms/log_studio_new.txt", "Android Studio"),
        ("12-logcat-forms/log_studio_old.txt", "an older Android Studio"),
        ("12-logcat-forms/log_time.txt", "-v time"),
    ],
)
def test_reported_files_are_named(file: str, form: str) -> None:
    read: Callable[[Path, str], object] = read_kernel_trace if file.startswith("09") else partial(read_log, year=2021)
    assert form in refused(CASES / file, read).message


@given(st.binary(max_size=300), st.text(max_size=80), st.text(max_size=80))
def test_no_input_is_a_traceback(head: bytes, line: str, before: str) -> None:
    trace_form(head)
    log_form(line, before)
    assert json_form({line: before}) is None or line == "logcatMessages"
