"""Another, unprivileged user of this machine. Only root can become that user."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

STRANGER_UID = 65534


def become_stranger() -> None:
    """Switch this process permanently to the user `nobody`."""
    os.setgroups([])
    os.setgid(STRANGER_UID)
    os.setuid(STRANGER_UID)


def as_stranger(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python script as the user `nobody`. Skips the test if this user cannot do that."""
    if os.getuid() != 0:
        pytest.skip("only root can run a program as another user")
    # Other users may have no access to the folder of this test's Python.
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
        check=False,
    )
