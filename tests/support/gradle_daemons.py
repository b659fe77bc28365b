"""Gradle daemons that belong to one test process and end with it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.android_projects import sdk
from support.quick_jvm import QUICK_JVM

# Gradle 4.4 and the Android Gradle Plugin 3.1 read private fields of Java's classes.
_OPENED = ("lang", "lang.invoke", "util", "io", "net")
# All builds use one heap size and the same options, so that one daemon can serve them all.
DAEMON_JVM = ("-Xmx2g", *QUICK_JVM, *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED))


def gradle_opts(registry: Path) -> str:
    """A value of GRADLE_OPTS: daemons are found in `registry` only, and start quickly.

    The daemon's options are in a file: some launcher scripts split the variable at each space, quoted or not.
    """
    options = registry / "daemon.options"
    options.write_text("\n".join(DAEMON_JVM) + "\n", "utf-8")
    return " ".join(
        [*QUICK_JVM, f"-Dorg.gradle.daemon.registry.base={registry}", f"-Dorg.gradle.jvmargs=-XX:VMOptionsFile={options}"]
    )


@contextmanager
def own_daemons(registry: Path) -> Iterator[set[str]]:
    """Set GRADLE_OPTS for all builds of this process. Yields the set of used launchers, whose daemons end with the context."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADLE_OPTS", gradle_opts(registry))
        # In the C locale, a JVM cannot use file names outside of ASCII.
        patch.setenv("LC_ALL", "C.UTF-8")
        # A daemon of Gradle 4.4 keeps the environment in which it was started, whatever build that was for.
        if (home := sdk()) is not None:
            patch.setenv("ANDROID_HOME", str(home))
        used: set[str] = set()
        yield used
        for launcher in sorted(used):
            subprocess.run([launcher, "--stop"], cwd=registry, check=True, capture_output=True)
