"""Profiles open in the tools that they are for: Go's pprof, and the command line of the Firefox Profiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import navitas
from navitas.cli.main import run

GOLDEN = Path(__file__).parents[1] / "golden/recording-v1"
PPROF = "github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b"
PROFILER_CLI = "@firefox-devtools/profiler-cli@0.10.0"
NODE = "node@24"
_START_S = 600

pytestmark = pytest.mark.extended


def _output(*command: str, **changes: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **changes})
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def _install(*command: str, folder: Path, **changes: str) -> None:
    """Install a tool from a registry. Skips the test without one."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, env={**os.environ, **changes})
    if done.returncode:
        pytest.skip(f"{' '.join(command)} failed: {done.stderr[-300:]}")


def _total_uj() -> float:
    return 1e6 * navitas.load(GOLDEN).energy_j()


def test_pprof_shows_energy_by_method_and_by_label(tmp_path: Path) -> None:
    _install("go", "install", PPROF, folder=tmp_path, GOBIN=str(tmp_path), GOFLAGS="-modcacherw")
    assert run(["report", str(GOLDEN), "-o", str(tmp_path / "rec.pb.gz")]) == 0
    pprof = [str(tmp_path / "pprof"), "-symbolize=none"]
    top = _output(*pprof, "-top", "-sample_index=energy", "-unit=microjoules", str(tmp_path / "rec.pb.gz"))
    assert "Type: energy" in top and "org.example." in top and "(base)" in top
    found = re.search(r"of (\d+)microjoules total", top)
    assert found is not None and float(found[1]) == pytest.approx(_total_uj(), abs=len(navitas.load(GOLDEN).tests))
    assert "Type: calls" in _output(*pprof, "-top", "-sample_index=calls", str(tmp_path / "rec.pb.gz"))
    labels = _output(*pprof, "-tags", str(tmp_path / "rec.pb.gz"))
    assert all(f" {label}: Total " in labels for label in ("component", "repeat", "test", "thread"))
    main = _output(*pprof, "-top", "-tagfocus=thread=main", str(tmp_path / "rec.pb.gz"))
    assert "org.example." in main and "(base)" not in main
    assert re.search(r"\.java:\d+", _output(*pprof, "-traces", "-lines", str(tmp_path / "rec.pb.gz")))


@pytest.fixture
def profiler(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Install the Firefox Profiler's command line. Returns its environment, and ends its server after the test."""
    _install("npm", "install", "--no-audit", "--no-fund", NODE, PROFILER_CLI, folder=tmp_path)
    binaries = tmp_path / "node_modules/.bin"
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    path = os.pathsep.join([str(tmp_path / "node_modules/node/bin"), str(binaries), os.environ["PATH"]])
    environment = {"PATH": path, "PROFILER_CLI_SESSION_DIR": str(sessions)}
    yield environment
    subprocess.run(["profiler-cli", "stop", "--all"], check=False, capture_output=True, env={**os.environ, **environment})


def test_the_firefox_profiler_shows_threads_tests_and_energy(tmp_path: Path, profiler: dict[str, str]) -> None:
    file = tmp_path / "rec.firefox.json.gz"
    assert run(["report", str(GOLDEN), "-o", str(file)]) == 0
    subprocess.run(["profiler-cli", "load", str(file)], check=False, capture_output=True, env={**os.environ, **profiler})
    info, end_s = "", time.monotonic() + _START_S
    while "Top processes" not in info and time.monotonic() < end_s:  # It answers once its server has read the file.
        command, environment = ["profiler-cli", "profile", "info", "--all"], {**os.environ, **profiler}
        info = subprocess.run(command, check=False, capture_output=True, text=True, env=environment).stdout
    assert "no thread" in info and ": main [tid" in info and "cpu power" in info
    _output("profiler-cli", "thread", "select", "t-1", **profiler)
    samples = _output("profiler-cli", "thread", "samples", **profiler)
    assert "org.example." in samples and "Methods" in samples
    assert "µJ" in _output("profiler-cli", "thread", "markers", "--list", **profiler)
