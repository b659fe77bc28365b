"""Java of this machine, on which the phone runs apps and its own tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import navitas
from navitas.virtual_phone.jdks import JdkList, program

JARS = Path(navitas.__file__).parent / "jars"


class CannotStart(Exception):
    """Something that a process needs is missing; the message says what, and what to do."""


def find_java() -> str:
    """The `java` of JAVA_HOME, else on PATH. Raises `CannotStart`."""
    home = os.environ.get("JAVA_HOME")
    if home and program(home).is_file():
        return str(program(home))
    found = shutil.which("java")
    if found is None:
        raise CannotStart("there is no java in JAVA_HOME or on PATH: install a JDK")
    return found


def choose_java(home: str | None, allowed: JdkList) -> tuple[str, str]:
    """The `java` of the JDK that a bundle names, else the default one; with a warning, which is empty for the right one.

    Raises `CannotStart`.
    """
    if home is None:
        return find_java(), ""
    reason = allowed.why_not(home)
    if not reason:
        return str(program(home)), ""
    default = find_java()
    if os.path.realpath(program(home)) == os.path.realpath(default):
        return default, ""
    return default, f"the build's tests run on the JDK {home}, but {reason}: they ran on {default}, and the figures hold for that"


def jar(name: str) -> Path:
    """One of Navitas' own jars. Raises `CannotStart`."""
    path = JARS / name
    if not path.is_file():
        raise CannotStart(f"{name} is missing: build Navitas, or install it anew")
    return path
