"""Another user of this machine, who may do what users may: only root can become one."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

STRANGER_UID = 65534


def become_stranger() -> None:
    """Turn this process into one of the user nobody, for good."""
    os.setgroups([])
    os.setgid(STRANGER_UID)
    os.setuid(STRANGER_UID)


def as_stranger(script: str, *arguments: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
    """Run a Python script as the user nobody; skips the test where this user cannot."""
    if os.getuid() != 0:
        pytest.skip("only root can run a program as another user")
    # This test's own Python may be in a folder that others cannot enter.
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("there is no Python for all users of this machine")
    return subprocess.run(
        [python, "-c", script, *arguments],
        preexec_fn=become_stranger,
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
