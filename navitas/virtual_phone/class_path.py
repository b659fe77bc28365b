"""Pass a class path of any length to a JVM."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

# Linux limits an argument to less than 128 KiB (MAX_ARG_STRLEN).
_LONGEST_ARGUMENT = (128 << 10) - 1
_LINE_BYTES = 72


def class_path_argument(first: Path, entries: Sequence[Path], jar: Path) -> str:
    """Join `first` and the entries. If that is too long, write `jar`, which refers to the entries, and join `first` and `jar`.

    The jar's manifest names the entries in its `Class-Path` (JAR File Specification), which every Java reads. The property
    `java.class.path` then has only two entries. Raises `OSError` if the jar cannot be written.
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
    """Wrap a header into lines of 72 bytes; continuation lines begin with a space."""
    lines = [header[:_LINE_BYTES]]
    lines += [f" {header[at : at + _LINE_BYTES - 1]}" for at in range(_LINE_BYTES, len(header), _LINE_BYTES - 1)]
    return "".join(f"{line}\r\n" for line in lines)
