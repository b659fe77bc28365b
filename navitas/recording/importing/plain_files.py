"""Opens files of other tools: an unpacked copy of packed ones, and traces in other text forms as the kernel's text."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from navitas.base.errors import RecordingError
from navitas.base.new_files import new_file
from navitas.base.owned_folder import owned_folder
from navitas.base.packed_files import GZIP, ZSTD, DamagedPacking, Packing, gunzip, packing_of, unzstd
from navitas.base.regular_files import open_regular
from navitas.recording.importing.other_forms import is_perfetto
from navitas.recording.importing.trace_forms import converter_of

_HEAD_BYTES = 1 << 16
_LOOK_BYTES = 4096
_TAB = ord("\t")
_MOST_BYTES = 16 << 30
_LEAST_BYTES = 64 << 20
_EXPANSION = 200
_PIECE_BYTES = 1 << 20
_UNPACKERS = {GZIP: gunzip, ZSTD: unzstd}
Pieces = Iterator[bytes]


def content_name(path: Path) -> str:
    """Return a file's name without its last suffix, and without that of its packing."""
    suffixes = {suffix for packing in _UNPACKERS for suffix in packing.suffixes}
    return Path(path.stem).stem if path.suffix.lower() in suffixes else path.stem


def begins_as_perfetto(path: Path, shown: str) -> bool:
    """Whether the content of a file, which may be packed, begins like a Perfetto trace.

    Raises `RecordingError` if the file cannot be read or is damaged.
    """
    try:
        with open_regular(path) as stream:
            head, pieces = _begun(_read(stream, shown))
            packing = packing_of(head)
            if packing in _UNPACKERS:
                head = next(_unpacked(pieces, packing, shown), b"")
            # A log can begin with an empty line and have names in UTF-8. It has no control characters.
            return is_perfetto(head) and min(head[:_LOOK_BYTES]) < _TAB
    except DamagedPacking as error:
        raise RecordingError(f"{shown}: the packed file {error}", "Copy it again from where it was made.") from error
    except OSError as error:
        raise unreadable(shown, error) from error


@contextmanager
def plain_file(path: Path, shown: str, *, is_trace: bool = False) -> Iterator[Path]:
    """Yield a path of the file's content: that of the file, or of a temporary copy that exists until the end of the block.

    A packed file is unpacked once. If it `is_trace`, the copy has the kernel's text form if the file has another text form.
    `shown` is the file's name in messages.

    Raises `RecordingError` if the file cannot be read, is damaged, expands to more than 200 times its size or 16 GiB,
    or if the copy cannot be written.
    """
    with ExitStack() as stack:
        yield _copy(path, shown, is_trace, stack) or path


def _copy(path: Path, shown: str, is_trace: bool, stack: ExitStack) -> Path | None:
    try:
        with open_regular(path) as stream:
            may_expand = min(max(_LEAST_BYTES, _EXPANSION * os.fstat(stream.fileno()).st_size), _MOST_BYTES)
            head, pieces = _begun(_read(stream, shown))
            packing = packing_of(head)
            if packing is not None:
                head, pieces = _begun(_bounded(_unpacked(pieces, packing, shown), shown, may_expand))
                if (inner := packing_of(head)) is not None:
                    raise RecordingError(f"{shown}: packed twice, by {packing.name} and {inner.name}", "Unpack it once.")
            convert = converter_of(head) if is_trace else None
            if convert is not None:
                pieces = _bounded(convert(pieces, shown), shown, may_expand)
            if packing is None and convert is None:
                return None
            return _written(pieces, path.name, shown, stack)
    except DamagedPacking as error:
        raise RecordingError(f"{shown}: the packed file {error}", "Copy it again from where it was made.") from error
    except OSError as error:
        raise unreadable(shown, error) from error


def _read(stream: io.BufferedReader, shown: str) -> Pieces:
    try:
        yield from iter(partial(stream.read, _PIECE_BYTES), b"")
    except OSError as error:
        raise unreadable(shown, error) from error


def _written(pieces: Pieces, name: str, shown: str, stack: ExitStack) -> Path:
    """The copy. `pieces` raise no `OSError`, so each is of writing."""
    try:
        copy = stack.enter_context(owned_folder("navitas-import-")) / name
        with copy.open("wb") as out:
            out.writelines(pieces)
    except OSError as error:
        folder = tempfile.tempdir or "a temporary folder"
        cause = f"the unpacked copy in {folder} cannot be written: {error.strerror or error}"
        raise RecordingError(f"{shown}: {cause}", "Free space, or set TMPDIR.") from error
    return copy


def _unpacked(pieces: Pieces, packing: Packing, shown: str) -> Pieces:
    if packing not in _UNPACKERS:
        raise RecordingError(f"{shown}: packed by {packing.name}", f"Unpack it: {packing.command} FILE")
    return _UNPACKERS[packing](pieces)


def _begun(pieces: Pieces) -> tuple[bytes, Pieces]:
    """Return how a file begins, and all of its pieces."""
    head = b""
    while len(head) < _HEAD_BYTES and (data := next(pieces, None)) is not None:
        head += data
    return head, chain([head], pieces)


def _bounded(pieces: Pieces, shown: str, limit_bytes: int) -> Pieces:
    size = 0
    for data in pieces:
        size += len(data)
        if size > limit_bytes:
            limit = f"{limit_bytes >> 20:,} MiB"
            raise RecordingError(f"{shown}: unpacked, it is larger than {limit}", "Check what it is. If it is sound, unpack it.")
        yield data


def head_of(path: Path, shown: str) -> bytes:
    """Return how a file begins. `path` is that of `plain_file`. Raises `RecordingError`."""
    try:
        with open_regular(path) as stream:
            return stream.read(_HEAD_BYTES)
    except OSError as error:
        raise unreadable(shown, error) from error


def copy_file(source: Path, target: Path) -> None:
    """Copy a file into a recording."""
    with open_regular(source) as stream, new_file(target) as copy:
        shutil.copyfileobj(stream, copy)


@contextmanager
def errors_naming(shown: str, path: Path) -> Iterator[None]:
    """Raise a `RecordingError` of the block about the file at `path` with the name that the user knows."""
    try:
        yield
    except RecordingError as error:
        raise RecordingError(error.message.replace(str(path), shown), error.remedy) from error


def unreadable(shown: str, error: OSError) -> RecordingError:
    """Return the error for a file that the system, or `navitas.base.regular_files`, does not read."""
    is_other_kind = error.errno == errno.EINVAL
    remedy = "Give it as standard input: navitas import - <FILE" if is_other_kind else "Check the file."
    return RecordingError(f"{shown}: cannot be read: {error.strerror or error}", remedy)
