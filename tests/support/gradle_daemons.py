"""Gradle daemons that all processes of a test run share, and that end with the run."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from navitas.base.folder_lock import share_lock, try_lock
from support.android_projects import sdk
from support.command_line import NAVITAS, eventually
from support.quick_jvm import QUICK_JVM

# Gradle 4.4 and the Android Gradle Plugin 3.1 read private fields of Java's classes.
_OPENED = ("lang", "lang.invoke", "util", "io", "net")
# All builds use one heap size and the same options, so that one daemon can serve them all.
DAEMON_JVM = ("-Xmx2g", *QUICK_JVM, *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED))
_OPTIONS = "navitas-daemon.options"
_DAEMON = re.compile(rf"\0-XX:VMOptionsFile=([^\0]+)/{re.escape(_OPTIONS)}\0".encode())
_LOCK = "in-use"
_IDLE_MS = 600_000


def run_folder(factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of this test run, which is the same for all its processes."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def gradle_opts(registry: Path) -> str:
    """A value of GRADLE_OPTS: daemons are found in `registry` only, and start quickly.

    The daemon's options are in a file: some launcher scripts split the variable at each space, quoted or not.
    """
    options = registry / _OPTIONS
    if not options.exists():
        part = registry / f"part-{os.getpid()}"
        part.write_text("\n".join(DAEMON_JVM) + "\n", "utf-8")
        part.rename(options)  # another process may start a daemon now
    properties = {"daemon.registry.base": registry, "daemon.idletimeout": _IDLE_MS, "jvmargs": f"-XX:VMOptionsFile={options}"}
    return " ".join([*QUICK_JVM, *(f"-Dorg.gradle.{name}={value}" for name, value in properties.items())])


@contextmanager
def shared_daemons(registry: Path) -> Iterator[None]:
    """Set the environment of all builds of this process. Their daemons end with the last process that uses the registry.

    Daemons of runs that were killed end, too.
    """
    registry.mkdir(exist_ok=True)
    end_unused_daemons()
    with pytest.MonkeyPatch.context() as patch, (registry / _LOCK).open("w") as lock:
        share_lock(lock.fileno())
        patch.setenv("GRADLE_OPTS", gradle_opts(registry))
        # In the C locale, a JVM cannot use file names outside of ASCII.
        patch.setenv("LC_ALL", "C.UTF-8")
        # A daemon of Gradle 4.4 keeps the environment in which it was started, whatever build that was for.
        patch.setenv("PATH", str(NAVITAS.parent), prepend=os.pathsep)
        if (home := sdk()) is not None:
            patch.setenv("ANDROID_HOME", str(home))
        yield
    end_unused_daemons()


def end_unused_daemons() -> None:
    """End the daemons of all registries that no test process uses."""
    for registry in set(_daemons().values()):
        with contextlib.ExitStack() as stack:
            if registry.is_dir():
                # Held until they have ended: no process begins to use a registry with daemons that end.
                lock = stack.enter_context((registry / _LOCK).open("a"))
                if not try_lock(lock.fileno()):
                    continue
            _end(registry)


def _end(registry: Path) -> None:
    def running() -> list[int]:
        return [pid for pid, place in _daemons().items() if place == registry]

    for pid in running():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: not running()), registry


def _daemons() -> dict[int, Path]:
    """Return the process ids of the running daemons of tests, and the registry of each, which has the file of their options."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid == os.getuid() and (match := _DAEMON.search((process / "cmdline").read_bytes())):
                found[int(process.name)] = Path(os.fsdecode(match[1]))
    return found
