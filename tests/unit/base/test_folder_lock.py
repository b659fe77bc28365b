"""The lock on a folder. Tests of the locked folders cover several processes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from support.raising import raising

from navitas.base.folder_lock import FolderLock


def test_a_full_disk_does_not_prevent_locking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (FolderLock(tmp_path / ".lock") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", raising(OSError(errno.ENOSPC, "No space left on device")))
        assert first.acquire()
    assert not second.acquire() and second.holder() == ""
    first.release()
    assert second.acquire()
    second.release()
