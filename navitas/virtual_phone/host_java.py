"""This machine's Java, which runs apps and the phone's own tools: its programs, Navitas' jars, and class paths of any length."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import navitas
from navitas.virtual_phone.jdks import JdkList, program

_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d{1,9})', re.MULTILINE)
JARS = Path(navitas.__file__).parent / "jars"
# Linux limits an argument to less than 128 KiB (MAX_ARG_STRLEN).
_LONGEST_ARGUMENT = (128 << 10) - 1
_LINE_BYTES = 72


class StartError(Exception):
    """A prerequisite of a process is missing. The message names it, and the remedy."""


def find_java() -> str:
    """Return the `java` of JAVA_HOME, else the one on PATH. Raises `StartError`."""
    home = os.environ.get("JAVA_HOME")
    if home and program(home).is_file():
        return str(program(home))
    found = shutil.which("java")
    if found is None:
        raise StartError("there is no java in JAVA_HOME or on PATH: install a JDK")
    return found


def choose_java(home: str | None, allowed: JdkList) -> tuple[str, str]:
    """Return the `java` of the JDK that a bundle names, or the default one with a warning, else an empty warning.

    Raises `StartError`.
    """
    if home is None:
        return find_java(), ""
    reason = allowed.why_not(home)
    if not reason:
        return str(program(home)), ""
    default = find_java()
    if os.path.realpath(program(home)) == os.path.realpath(default):
        return default, ""
    return default, f"the build's tests use the JDK {home}, but {reason}: they ran on {default}, and the figures apply to that"


def java_version(java: str) -> int | None:
    """Return the major version of a JDK's `java`, or None if the JDK has no file that says it."""
    try:
        found = _VERSION.search((Path(java).resolve().parent.parent / "release").read_text("utf-8", "replace"))
    except OSError:
        return None
    return int(found.group(1)) if found else None


def jar(name: str) -> Path:
    """Return one of Navitas' own jars. Raises `StartError`."""
    path = JARS / name
    if not path.is_file():
        raise StartError(f"{name} is missing: build Navitas, or reinstall it")
    return path


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
