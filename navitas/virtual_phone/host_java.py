"""Find this machine's Java, which runs apps and the phone's own tools."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import navitas
from navitas.virtual_phone.jdks import JdkList, program

_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d{1,9})', re.MULTILINE)
JARS = Path(navitas.__file__).parent / "jars"


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
