"""The class path as an argument of a JVM, however long it is."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

# Linux takes no argument of 128 KiB (MAX_ARG_STRLEN).
_LONGEST_ARGUMENT = (128 << 10) - 1
_LINE_BYTES = 72


def class_path_argument(first: Path, entries: Sequence[Path], jar: Path) -> str:
    """`first` and the entries, joined; where that is too long, `first` and `jar`, which is made and leads to the entries.

    The jar's manifest names them in its `Class-Path` (JAR File Specification): every Java reads that, though the property
    `java.class.path` then holds two names alone. Raises `OSError` when the jar cannot be written.
    """
    joined = os.pathsep.join(map(str, [first, *entries]))
    if len(os.fsencode(joined)) <= _LONGEST_ARGUMENT:
        return joined
    urls = " ".join(quote(str(entry)) + ("/" if entry.is_dir() else "") for entry in entries)
    text = f"Manifest-Version: 1.0\r\n{_wrapped(f'Class-Path: {urls}')}\r\n"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", text)
    return os.pathsep.join(map(str, [first, jar]))


def _wrapped(header: str) -> str:
    """A header in lines of 72 bytes, continued ones with a space before them."""
    lines = [header[:_LINE_BYTES]]
    lines += [f" {header[at : at + _LINE_BYTES - 1]}" for at in range(_LINE_BYTES, len(header), _LINE_BYTES - 1)]
    return "".join(f"{line}\r\n" for line in lines)
