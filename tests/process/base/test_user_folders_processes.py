"""The tests of tests/unit/base/test_user_folders.py that start processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.capture import Capture
from test_user_folders import give_away, shared

from navitas.base.errors import UsageError
from navitas.base.user_folders import cache_folder, state_folder
from navitas.cli.main import run


def test_a_folder_that_another_user_created_is_refused(shared: Path, capsys: Capture) -> None:
    folder = shared / f"navitas-{os.getuid()}"
    folder.mkdir()
    give_away(folder)
    for folder_of in (cache_folder, state_folder):
        with pytest.raises(UsageError, match=f"{folder} belongs to another user") as caught:
            folder_of()
        assert "_HOME" in caught.value.remedy
    assert run(["doctor", "--device", "virtual", "--restore"]) == 2
    assert f"{folder} belongs to another user" in capsys.readouterr().err
