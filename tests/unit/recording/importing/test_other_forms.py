"""Each form of a kernel trace gives the same switches; forms that are not read are refused by name."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_forms import FTRACE, LATENCY, REFUSED, TRACES

from navitas.base.errors import RecordingError
from navitas.base.packed_files import DamagedPacking
from navitas.recording.importing.other_forms import trace_form
from navitas.recording.importing.plain_files import plain_file
from navitas.recording.importing.trace_forms import converter_of
from navitas.recording.importing.traced_recording import read_kernel_trace
from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import RawTrace


def plain(path: Path) -> RawTrace:
    with plain_file(path, "FILE.x", is_trace=True) as content:
        read_kernel_trace(content, "FILE.x")
        return read_text(content)


def converted(data: bytes, sizes: list[int]) -> bytes:
    """Return a trace as the kernel's text, converted in pieces: the head, and then pieces of these sizes, repeated."""
    convert = converter_of(data[: 1 << 16])
    assert convert is not None
    pieces, at = [data[: 1 << 16]], 1 << 16
    while at < len(data):
        pieces.append(data[at : at + sizes[len(pieces) % len(sizes)]])
        at += len(pieces[-1])
    return b"".join(convert(iter(pieces), "FILE.x"))


@pytest.mark.parametrize("name", TRACES)
def test_each_form_has_the_same_events(name: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TRACES[name])
    raw, expected = plain(tmp_path / "trace"), read_text(FTRACE.encode())
    assert len(expected.trace.switches) == 1 and str(raw.trace.switches) == str(expected.trace.switches)
    assert str(raw.trace.frequencies) == str(expected.trace.frequencies)
    assert set(raw.trace.tasks.names.tolist()) == {b"a", b"app main"} and not raw.skipped_by_reason
    assert raw.trace.clock == ("boottime" if name == "latency of trace-cmd" else "global")


def _large() -> dict[str, bytes]:
    def repeated(text: bytes) -> bytes:
        return b"".join(text.replace(b"app main", b"app ma%02d" % (number % 100)) for number in range(600))

    long = repeated(FTRACE.encode()).decode() + '\u00e4\U0001f600\\"\t/'
    return {
        "perf script": repeated(TRACES["perf script"]),
        "latency": repeated(LATENCY.encode()),
        "atrace -z": b"TRACE:\n" + zlib.compress(long.encode(), 0),
        "JSON": json.dumps({"systemTraceEvents": long}).encode(),
        "UTF-16": long.encode("utf-16"),
    }


_LARGE = _large()


@pytest.mark.parametrize("name", ["perf script", "latency", "atrace -z", "JSON", "UTF-16"])
@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.integers(1, 90_000), min_size=2, max_size=3).filter(lambda sizes: sum(sizes) > 20_000))
def test_pieces_of_any_size_give_the_same_text(name: str, sizes: list[int]) -> None:
    assert converted(_LARGE[name], sizes) == converted(_LARGE[name], [len(_LARGE[name])])


@pytest.mark.parametrize("name", REFUSED)
def test_a_trace_of_another_form_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(REFUSED[name])
    with pytest.raises(RecordingError) as caught:
        plain(tmp_path / "trace")
    assert caught.value.message == f"FILE.x: this is {name}, which cannot be imported" and caught.value.remedy


def test_a_process_of_perf_is_that_of_its_thread(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TRACES["perf script"].replace(b"     7 [", b"     5/7 ["))
    tasks = plain(tmp_path / "trace").trace.tasks
    assert dict(zip(tasks.tid.tolist(), tasks.tgid.tolist(), strict=True))[7] == 5


def test_a_thread_with_the_name_of_an_address_is_no_frame(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TRACES["perf script"].replace(b"app main     7 [", b"       cafe     7 ["))
    assert len(plain(tmp_path / "trace").trace.switches) == 1


def test_a_latency_trace_says_what_was_overwritten(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("# latency: 0 us, #2/500, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:8)\n" + LATENCY)
    assert "498 events had been overwritten" in plain(tmp_path / "trace").warnings[0]


@pytest.mark.parametrize("cut", [50, 120])
def test_a_cut_json_is_damaged(cut: int, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TRACES["JSON with spaces"][:cut])
    with pytest.raises(RecordingError, match=r"FILE\.x: its JSON is damaged"):
        plain(tmp_path / "trace")


def test_a_trace_of_no_known_form_says_what_was_skipped(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("one\ntwo\n")
    with pytest.raises(RecordingError, match=r"; 2 lines were skipped \(not an event\)"):
        plain(tmp_path / "trace")


@given(st.binary(max_size=300), st.sampled_from(sorted({**TRACES, **REFUSED})), st.integers(0, 80))
def test_no_input_is_a_traceback(noise: bytes, name: str, at: int) -> None:
    data = {**TRACES, **REFUSED}[name]
    head = data[:at] + noise + data[at:]
    trace_form(head)
    if (convert := converter_of(head)) is not None:
        with suppress(RecordingError, DamagedPacking):
            b"".join(convert(iter([head]), "FILE.x"))
