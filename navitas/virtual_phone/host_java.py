"""This machine's Java, which runs apps and the phone's own tools: class paths of any length, and the JDKs that the phone may
run: those that its owner's process has allowed. A bundle cannot allow one.

The list of JDKs is a file outside of the phone's root, so nothing that arrives over adb can change it.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from navitas.base.errors import NavitasError
from navitas.base.trusted_paths import change_fault, owner_fault, replace_fault, resolved_steps
from navitas.capture.build import async_profiler
from navitas.capture.build.java import find_java, java_version

LIST_NAME = "jdks"
"""The name of the list's file in a phone's state folder."""
_RELEASE = re.compile(r"(?:1\.)?(\d{1,9})")
# Linux limits an argument to less than 128 KiB (MAX_ARG_STRLEN).
_LONGEST_ARGUMENT = (128 << 10) - 1
_LINE_BYTES = 72


def program(home: str) -> Path:
    """Return the path of a JDK's `java`."""
    return Path(home) / "bin" / "java"


def why_not(home: str) -> str:
    """Return why a JDK's `java` must not run; empty if it exists and no other user can have put it there.

    Every part of its path, including links and their targets, must be trusted (`trusted_paths`).
    """
    path = program(home)
    try:
        if not path.is_file():
            return "there is no such JDK on this machine"
        faults = (owner_fault(part) or replace_fault(part) for part in resolved_steps(path))
        return next(filter(None, faults), "") or change_fault(path.resolve(strict=True))
    except OSError as error:
        return f"{error.filename}: {error.strerror}"


class JdkList:
    """The JDKs that a phone may run, in a file (None: only the default one)."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def allow(self, home: str) -> None:
        """Add a JDK, unless `why_not` gives a reason. The phone reports the reason if it needs that JDK."""
        if self._file is not None and "\n" not in home and not why_not(home):
            with self._file.open("a", encoding="utf-8", errors="surrogateescape") as out:
                out.write(f"{home}\n")

    def why_not(self, home: str) -> str:
        """Return why a phone must not run a JDK now; empty if it may."""
        reason = why_not(home)
        if reason or self._is_listed(home):
            return reason
        return "this phone's owner has not allowed it"

    def _is_listed(self, home: str) -> bool:
        try:
            text = self._file.read_text("utf-8", "surrogateescape") if self._file is not None else ""
        except FileNotFoundError:
            return False
        return home in text.split("\n")


class StartError(Exception):
    """A prerequisite of a process is missing. The message names it, and the remedy."""


@contextmanager
def start_errors() -> Iterator[None]:
    """Raise an error of the block as a `StartError`: this machine lacks Java, a jar or the framework."""
    try:
        yield
    except NavitasError as error:
        raise StartError(f"{error.message}: {error.remedy}") from None


def choose_java(home: str | None, allowed: JdkList) -> tuple[str, str]:
    """Return the `java` of the JDK that a bundle names, or the default one with a warning, else an empty warning.

    Raises `BuildError`.
    """
    if home is None:
        return str(find_java()), ""
    reason = allowed.why_not(home)
    if not reason:
        return str(program(home)), ""
    default = str(find_java())
    if os.path.realpath(program(home)) == os.path.realpath(default):
        return default, ""
    return default, f"the build's tests use the JDK {home}, but {reason}: they ran on {default}, and the figures apply to that"


def java_release(java: str) -> int | None:
    """Return the major version of a JDK's `java`; None if unknown."""
    found = _RELEASE.match(java_version(Path(java)) or "")
    return int(found[1]) if found else None


def sampling_agent(data: Path, arguments: Sequence[tuple[str, str]]) -> list[str]:
    """Return the argument of `java` that samples a process's stacks into its app's data, if the arguments ask for it.

    Raises `BuildError` if async-profiler is missing.
    """
    given = dict(arguments)
    if given.get(async_profiler.SAMPLING) != "true" or given.get("log") == "true":  # the latter only lists tests
        return []
    return [async_profiler.agent_argument(async_profiler.find(), str(data / async_profiler.APP_FILE))]


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
