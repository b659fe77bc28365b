"""Run the command line in a separate process with limits on time and memory. Forking takes a tenth of the time of a new start."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.cli import main
from navitas.cli.fleet.group import COMMANDS as FLEET
from navitas.cli.habits import files
from navitas.cli.main import COMMANDS
from support.file_modes import obey_file_modes

_CONTEXT = multiprocessing.get_context("forkserver")
_LIBRARIES = ("duckdb", "pyarrow.csv", "pyarrow.json", "pyarrow.parquet", "pandas", "ruptures", "scipy.optimize", "scipy.stats")
# What commands import when they need it. The server can import only installed packages at this point.
_CONTEXT.set_forkserver_preload(
    [*_LIBRARIES, "navitas.cli.main", *(module.partition(":")[0] for module, _ in (*COMMANDS.values(), *FLEET.values()))]
)
_MOST_BYTES = 8 << 30
_KILLED = 128
# A waiting call uses no CPU time, so there is also a limit on wall time: this many times the limit on CPU time.
_WALL_FACTOR = 10


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a call: its exit code (above 128: killed by a signal), its output, and its peak memory."""

    code: int
    out: str
    err: str
    peak_bytes: int


def run_forked(arguments: Sequence[str], folder: Path, *, seconds: int = 60) -> Ran:
    """Run `navitas` with these arguments in a folder, with a limit on its CPU time. File modes apply to it, even for root."""
    out, err, peak = (folder / f".{name}" for name in ("out", "err", "peak"))
    child = _CONTEXT.Process(target=_child, args=(list(arguments), folder, (out, err, peak), seconds))
    child.start()
    child.join(_WALL_FACTOR * seconds + 30)
    code = child.exitcode if child.exitcode is not None else _KILLED
    child.kill()
    child.join()
    texts = [path.read_text("utf-8", "replace") if path.exists() else "" for path in (out, err, peak)]
    return Ran(_KILLED - code if code < 0 else code, texts[0], texts[1], int(texts[2] or 0))


def _child(arguments: list[str], folder: Path, places: tuple[Path, Path, Path], seconds: int) -> None:
    out, err, peak = places
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
    obey_file_modes()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_WALL_FACTOR * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    files._READER_TIMEOUT_S = 0.1
    with out.open("w", errors="backslashreplace") as one, err.open("w", errors="backslashreplace") as two:
        os.dup2(one.fileno(), 1)
        os.dup2(two.fileno(), 2)
        sys.stdout, sys.stderr = one, two
        try:
            code = main.run(arguments)
        except BaseException:
            traceback.print_exc()
            code = 70
        peak.write_text(str(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
    os._exit(code)
