"""The phone's port is for its own user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from navitas.device.virtual.peers import is_own

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def row(local: int, remote: int, uid: int) -> str:
    return f"   0: 0100007F:{local:04X} 0100007F:{remote:04X} 01 00000000:00000000 00:00000000 00000000 {uid:5} 0 1\n"


@pytest.mark.parametrize(("uid", "let_in"), [(os.getuid(), True), (0, True), (os.getuid() + 4711, False)])
def test_only_the_own_user_and_root_are_let_in(tmp_path: Path, uid: int, let_in: bool) -> None:
    table = tmp_path / "tcp"
    table.write_text(HEAD + row(5000, 6000, os.getuid() + 1) + row(40000, 5555, uid))
    assert is_own(40000, 5555, table) is let_in


def test_a_connection_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tcp").write_text(HEAD)
    assert not is_own(40000, 5555, tmp_path / "tcp")


def test_without_the_table_there_is_no_telling(tmp_path: Path) -> None:
    assert is_own(1, 2, tmp_path / "absent")
