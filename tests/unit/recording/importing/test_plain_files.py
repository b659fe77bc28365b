"""Packed files are read like their content; damage, bombs and what is packed twice or otherwise are refused by name."""

from __future__ import annotations

import bz2
import errno
import gzip
import importlib
import io
import lzma
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_forms import FTRACE, MESSAGES, TRACES, log_of
from support.art_writer import art_trace

from navitas.base.errors import RecordingError, UsageError
from navitas.base.packed_files import DamagedPacking, gunzip, unzstd
from navitas.recording.importing import plain_files
from navitas.recording.importing.art_trace import read_art_trace
from navitas.recording.importing.plain_files import content_name, plain_file
from navitas.recording.importing.read_log import read_log
from navitas.recording.importing.traced_recording import read_kernel_trace
from navitas.recording.parse.trace.text_trace import read_text

Pack = Callable[[bytes], bytes]


def _zstd(data: bytes) -> bytes:
    try:
        packed: bytes = importlib.import_module("compression.zstd").compress(data)
    except ImportError:
        packed = pytest.importorskip("zstandard").compress(data)
    return packed


PACKS = pytest.mark.parametrize("pack", [gzip.compress, _zstd], ids=["gzip", "zstd"])


def _read_trace(path: Path, shown: str) -> object:
    with plain_file(path, shown, is_trace=True) as plain:
        return read_kernel_trace(plain, shown)


READERS = {"trace": _read_trace, "methods": read_art_trace, "log": partial(read_log, year=2021)}


@PACKS
@pytest.mark.parametrize("name", TRACES)
def test_a_packed_trace_is_read_like_its_content(name: str, pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "trace.packed"
    path.write_bytes(pack(TRACES[name]))
    with plain_file(path, "FILE.x", is_trace=True) as plain:
        found = read_text(plain).trace
    assert not plain.exists() and not list(Path(tempfile.gettempdir()).glob(f"navitas-import-*/{path.name}"))
    assert str(found.switches) == str(read_text(FTRACE.encode()).trace.switches)


@PACKS
def test_a_packed_log_is_read_like_its_content(pack: Pack, tmp_path: Path) -> None:
    plain, packed = tmp_path / "2021-05-03_a.B.run.txt", tmp_path / "2021-05-03_a.B.run.txt.gz"
    plain.write_text(log_of("threadtime", MESSAGES))
    packed.write_bytes(pack(plain.read_bytes()))
    expected, found = (read_log(path, "log", year=None) for path in (plain, packed))
    assert found.parts == expected.parts and (found.year, found.format) == (expected.year, expected.format)
    assert found.parts[0].name == "2021-05-03_a.B.run"


@PACKS
def test_a_packed_method_trace_is_read_like_its_content(pack: Pack, tmp_path: Path) -> None:
    data = art_trace([(1, 4, 0, 0, 5), (1, 4, 1, 3, 9)], {1: "main"})
    (tmp_path / "app.trace").write_bytes(data)
    (tmp_path / "app.trace.gz").write_bytes(pack(data))
    expected, found = (read_art_trace(tmp_path / name, "app.trace") for name in ("app.trace", "app.trace.gz"))
    assert found.methods == expected.methods and str(found.threads) == str(expected.threads)


def test_a_file_that_is_not_packed_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(FTRACE.encode())
    with plain_file(tmp_path / "trace", "x", is_trace=True) as plain:
        assert plain == tmp_path / "trace"


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(("pack", "tool"), [(bz2.compress, "bunzip2"), (lzma.compress, "unxz")])
def test_another_packing_names_what_unpacks_it(kind: str, pack: Pack, tool: str, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(pack(FTRACE.encode()))
    with pytest.raises(RecordingError, match=r"^FILE\.x: packed by ") as caught:
        READERS[kind](tmp_path / "packed", "FILE.x")
    assert caught.value.remedy == f"Unpack it: {tool} FILE"


@pytest.mark.parametrize("kind", READERS)
@PACKS
def test_what_is_packed_twice_is_refused(kind: str, pack: Pack, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(pack(gzip.compress(FTRACE.encode())))
    with pytest.raises(RecordingError, match=r"^FILE\.x: packed twice, by \w+ and gzip"):
        READERS[kind](tmp_path / "packed", "FILE.x")


@pytest.mark.parametrize("kind", READERS)
@PACKS
def test_a_cut_file_is_damaged(kind: str, pack: Pack, tmp_path: Path) -> None:
    packed = pack(os.urandom(1000))
    (tmp_path / "packed").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(RecordingError, match=r"^FILE\.x: the packed file ends early"):
        READERS[kind](tmp_path / "packed", "FILE.x")


@pytest.mark.parametrize("kind", READERS)
@PACKS
def test_a_bomb_is_bounded(kind: str, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_files, "_LEAST_BYTES", 4 << 20)
    (tmp_path / "bomb").write_bytes(pack(bytes(20 << 20)))
    with pytest.raises(RecordingError, match=r"^FILE\.x: unpacked, it is larger than 4 MiB"):
        READERS[kind](tmp_path / "bomb", "FILE.x")


def test_a_copy_that_cannot_be_written_is_no_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(gzip.compress(bytes(3 << 20)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(RecordingError, match=r"^FILE\.x: the unpacked copy in .+ cannot be written: File too") as caught:
            _read_trace(tmp_path / "packed", "FILE.x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.remedy == "Free space, or set TMPDIR."


def test_an_error_of_reading_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.FileIO):
        def readinto(self, buffer: object) -> int:
            if self.tell():
                raise OSError(errno.EIO, "Input/output error")
            return super().readinto(buffer)  # type: ignore[arg-type]

    (tmp_path / "packed").write_bytes(gzip.compress(os.urandom(3 << 20)))
    monkeypatch.setattr(plain_files, "open_regular", lambda path: io.BufferedReader(Broken(path)))
    with pytest.raises(RecordingError, match=r"^FILE\.x: cannot be read: Input/output error"):
        _read_trace(tmp_path / "packed", "FILE.x")


def test_without_the_library_an_error_names_what_installs_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "packed").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(UsageError, match="unpacking Zstandard needs the package zstandard") as caught:
        _read_trace(tmp_path / "packed", "FILE.x")
    assert "zstd" in caught.value.remedy or "zstandard" in caught.value.remedy


@PACKS
@given(data=st.data())
def test_members_in_pieces_of_any_size(pack: Pack, data: st.DataObject) -> None:
    members = data.draw(st.lists(st.binary(max_size=200), min_size=1, max_size=3))
    packed = b"".join(map(pack, members)) + bytes(data.draw(st.integers(0, 5)))
    size = data.draw(st.integers(1, 100))
    unpack = gunzip if pack is gzip.compress else unzstd
    assert b"".join(unpack(packed[at : at + size] for at in range(0, len(packed), size))) == b"".join(members)


@PACKS
@given(data=st.data())
def test_damage_is_no_traceback(pack: Pack, data: st.DataObject) -> None:
    packed = bytearray(pack(FTRACE.encode()))
    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    unpack = gunzip if pack is gzip.compress else unzstd
    try:
        b"".join(unpack([bytes(packed)]))
    except DamagedPacking as error:
        assert str(error) in ("is damaged here", "ends early")


@pytest.mark.parametrize(
    ("name", "content"), [("a.B.run.txt", "a.B.run"), ("a.B.run.txt.gz", "a.B.run"), ("app.trace.ZST", "app"), ("log", "log")]
)
def test_the_name_of_the_content(name: str, content: str) -> None:
    assert content_name(Path(name)) == content
