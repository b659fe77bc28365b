"""Shell completion with click's protocol."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.shell_completion import BashComplete
from support.capture import Capture

from navitas.cli.main import COMMANDS, cli


def _offered(*words: str, incomplete: str = "") -> set[str]:
    found = BashComplete(cli, {}, "navitas", "_NAVITAS_COMPLETE").get_completions(list(words), incomplete)
    return {item.value for item in found}


def test_commands_and_options_are_completed() -> None:
    assert _offered() >= set(COMMANDS)
    assert _offered(incomplete="pro") == {"profile"}
    assert _offered("fleet", incomplete="ho") == {"hogs"}
    assert {"--repeat", "--replace"} <= _offered("profile", incomplete="--re")
    assert _offered("profile", "--mode") == {"events", "folded", "sample", "tick"}
    assert "--model" not in _offered("report", incomplete="--m"), "old names are not offered"


def test_command_names_are_completed_without_imports() -> None:
    code = (
        "import sys; from click.shell_completion import BashComplete; from navitas.cli.main import cli;"
        "found = BashComplete(cli, {}, 'navitas', '_NAVITAS_COMPLETE').get_completions([], 'p');"
        "assert len(found) == 3, found; assert 'navitas.cli.profile.command' not in sys.modules and 'numpy' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("_NAVITAS_COMPLETE", f"{shell}_source")
    monkeypatch.setattr("click.shell_completion.BashComplete._check_version", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        cli.main([], prog_name="navitas", standalone_mode=False)
    assert ended.value.code == 0
    assert "_NAVITAS_COMPLETE" in capsys.readouterr().out
