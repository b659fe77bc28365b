"""Helpers for the machine that runs the tests: find processes by arguments, mount small disks, make read-only folders."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.command_line import eventually


def processes(*words: str) -> dict[int, str]:
    """Return the processes whose command line contains all the words. Its arguments end with NUL bytes."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if line and int(process.name) != os.getpid() and all(word in line for word in words):
            found[int(process.name)] = line
    return found


def has_ended(pid: int) -> bool:
    """Whether a process does not run any more. Its parent may not have read its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def check_gone(*words: str) -> None:
    """Assert that no such process is running."""
    assert eventually(lambda: not processes(*words)), processes(*words)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """Mount something at a folder. Skips the test if this user may not mount."""
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not possible here: {done.stderr.decode('utf-8', 'replace').strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Create a folder and mount a disk of that size there."""
    folder.mkdir(parents=True, exist_ok=True)
    with mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "none"):
        yield folder


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Create a folder in which even root cannot write."""
    folder.mkdir(parents=True, exist_ok=True)
    with mounted(folder, "--bind", "-o", "ro", str(folder)):
        yield folder
