"""No command replaces a file of a recording."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from support.capture import Capture
from support.every_command import COMMANDS
from support.golden import GOLDEN

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.habits.paths import PathType
from navitas.cli.main import run


@pytest.mark.parametrize(
    "line",
    [
        "graph REC -o FILE --format dot",
        "graph REC --json FILE",
        "graph OTHER --before REC --json FILE",
        "vitals REC --json FILE",
        "vitals OTHER/manifest.json --recording REC --json FILE",
        "report OTHER --json FILE",
        "power fit OTHER -o FILE",
    ],
)
@pytest.mark.parametrize("file", ["manifest.json", "runs/0/logcat.txt", "power_profile.xml", "link"])
def test_an_output_in_a_recording_is_refused(line: str, file: str, recording: Path, capsys: Capture) -> None:
    (recording / "link").symlink_to("manifest.json")
    path = recording / file
    before = path.read_bytes()
    names = {"REC": str(recording), "FILE": str(path)}
    words = [names.get(word, word.replace("OTHER", str(GOLDEN))) for word in line.split()]
    assert run(words) == ExitCode.USAGE
    assert "is a file of the recording" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_each_output_of_each_command_is_checked(recording: Path) -> None:
    outputs = 0
    for command in COMMANDS.values():
        for param in command.params:
            if isinstance(param.type, PathType) and param.type.role == "write":
                with pytest.raises(UsageError, match="is a file of the recording"):
                    param.type.convert(str(recording / "maps/new"), param, click.Context(command))
                outputs += 1
            assert not isinstance(param.type, click.Path) or isinstance(param.type, PathType)
    assert outputs > 10


def test_other_files_can_be_next_to_those_of_a_recording(recording: Path, tmp_path: Path) -> None:
    for name in ("report.json", "runs.json"):
        assert run(["report", str(recording), "--json", str(recording / name)]) == ExitCode.OK
    (tmp_path / "manifest.json").write_text("{}")  # Of anything else.
    assert run(["report", str(recording), "--json", str(tmp_path / "manifest.json")]) == ExitCode.OK
