"""async-profiler, which samples the stacks of JVMs: its library in the user's cache, and the agent's arguments.

Navitas does not ship it. Gradle fetches it once, from Maven Central or the user's mirror.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from navitas.base.errors import BuildError
from navitas.base.new_files import write_new
from navitas.base.regular_files import read_regular
from navitas.base.user_folders import cache_folder, make_folder
from navitas.base.zip_errors import UNREADABLE_ZIP
from navitas.capture.build.gradle import fetch_jar

VERSION = "4.6"
COORDINATES = f"tools.profiler:async-profiler:{VERSION}"
SAMPLING = "navitasSample"
"""The argument of `am instrument` that makes a virtual phone sample the tests' process. Android's runners ignore it."""
APP_FILE = "files/navitas/samples-%p.jfr"
"""The file with the samples of a process, in its app's data; `%p` is the process."""
INTERVAL_NS = 1_000_000
MOST_FRAMES = 2048
_JAR = f"async-profiler-{VERSION}.jar"
_LIBRARIES: Final = {
    ("Linux", "x86_64"): ("linux-x64", "1aa55af4645fafb7b70fe78b8bcc8d32a1a2fce1a278ce04318224df68694fb2"),
    ("Linux", "aarch64"): ("linux-arm64", "45895af951d172126819552f5e2762b1a71c4db2a95ab8def791becb9ce7e35d"),
}
"""The folder of each system's library in the jar, and the library's SHA-256."""
_VIRTUAL = re.compile(rb"^flags\s*:.*\bhypervisor\b", re.MULTILINE)
"""What x86 says on a virtual machine."""
_NO_FACTS = 0x1F
"""`jfropts`: no facts on the system, properties, libraries, load and heap. Properties may be secrets, and none is used."""
_MOST_BYTES = 16 << 20
_REMEDY = f"run navitas profile --mode sample once, online: Gradle then fetches {COORDINATES}"


def find() -> Path:
    """Return the path of the library, whose content is checked. Raises `BuildError` if it is not in the cache."""
    path, digest = _place()
    try:
        data = read_regular(path, _MOST_BYTES)
    except OSError:
        raise BuildError(f"async-profiler {VERSION} is not in {path.parent}", _REMEDY) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise BuildError(f"{path} is not the library of async-profiler {VERSION}", f"remove it, and {_REMEDY}")
    return path


def is_provided() -> bool:
    """Return whether the library is in the cache. Raises `BuildError` if there is none for this system."""
    _place()
    try:
        find()
    except BuildError:
        return False
    return True


def provide(jar: Path) -> None:
    """Put the library of this system into the cache, from async-profiler's jar.

    Raises `BuildError` if the jar has another one, or if there is no space.
    """
    path, digest = _place()
    try:
        with zipfile.ZipFile(jar) as archive:
            entry = archive.getinfo(f"{path.parent.name}/libasyncProfiler.so")
            data = archive.read(entry) if entry.file_size <= _MOST_BYTES else b""
        if hashlib.sha256(data).hexdigest() != digest:
            raise BuildError(f"{jar}: its library is not that of async-profiler {VERSION}", "remove this jar, and run again")
        make_folder(path.parent)
        if not is_provided():
            path.unlink(missing_ok=True)
            write_new(path, data)
    except (OSError, KeyError, *UNREADABLE_ZIP) as error:
        if not is_provided():  # another process may have been faster
            raise BuildError(
                f"async-profiler's library cannot be taken from {jar}: {error}", "free space, and run again"
            ) from None


def fetch(near: Path, *, gradle: str | None = None, on_line: Callable[[str], None] = lambda line: None) -> None:
    """Put the library into the cache: from the local Maven repository, else by Gradle. See `fetch_jar`.

    Raises `BuildError` if it cannot be fetched.
    """
    local = Path.home() / ".m2" / "repository" / "tools" / "profiler" / "async-profiler" / VERSION / _JAR
    if local.is_file():
        with suppress(BuildError):  # a damaged jar, which Gradle does not use
            provide(local)
    if not is_provided():
        fetch_jar(COORDINATES, near, provide, gradle=gradle, on_line=on_line)


def agent_argument(library: Path, output: str, interval_ns: int = INTERVAL_NS) -> str:
    """Return the argument of `java` that samples its threads by their CPU time, and writes `output` at its end.

    A `%p` in `output` is the process. Times are CLOCK_MONOTONIC. Raises `BuildError` for a path that the options cannot have.
    """
    if "=" in str(library):
        raise BuildError(f"{library}: async-profiler takes no path with '='", "set XDG_CACHE_HOME to another folder")
    return f"-agentpath:{library}={start_options(output, interval_ns)}"


def start_options(output: str, interval_ns: int = INTERVAL_NS, *, event: str | None = None) -> str:
    """Return the agent's options that start it, by `engine` or an event of async-profiler.

    Raises `BuildError` for a path that they cannot have.
    """
    if "," in output:
        raise BuildError(f"{output}: async-profiler takes no path with ','", "choose another folder")
    folder, _, name = output.rpartition("/")
    if "%" in folder or "%" in name.replace("%p", ""):
        raise BuildError(f"{output}: async-profiler replaces '%' and what follows it in a path", "choose another folder")
    clock = f"start,event={event or engine()},interval={interval_ns},clock=monotonic,jstackdepth={MOST_FRAMES}"
    return f"{clock},quiet,jfr,jfropts={_NO_FACTS},file={output}"


def engine(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the event that starts samples: `cpu` (perf events; where they are refused, timers of CPU time), or `ctimer` (these
    timers) on a virtual machine.

    There, a perf event's timer interrupts the machine's host, too: 8 % of the CPU time (tests/bench/bench_sampling.py). The
    kernel checks timers of CPU time at its ticks, so they need no interrupts of their own, and there are fewer samples.
    """
    with suppress(OSError):
        if _VIRTUAL.search(cpuinfo.read_bytes()):
            return "ctimer"
    return "cpu"


def _place() -> tuple[Path, str]:
    """Return the library's path in the cache, and its SHA-256. Raises `BuildError` if there is none for this system."""
    system = (platform.system(), {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine()))
    library = _LIBRARIES.get(system)
    if library is None or os.name != "posix":
        raise BuildError(
            f"async-profiler cannot sample on {' '.join(system)} here", "use Linux on x86-64 or ARM64, or --mode tick"
        )
    folder, digest = library
    return cache_folder() / "async-profiler" / VERSION / folder / "libasyncProfiler.so", digest
