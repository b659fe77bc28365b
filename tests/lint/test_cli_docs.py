"""Every command and option is documented, and the commands in the README exist."""

from __future__ import annotations

import importlib
import re

import click
import pytest
from source_tree import DOCS, ROOT, place, text
from support.every_command import COMMANDS as ALL_COMMANDS

from navitas.cli.main import COMMANDS

CLI_DOC = text(DOCS / "cli.md")


def _command(name: str) -> click.Command:
    command = importlib.import_module(COMMANDS[name][0]).command
    assert isinstance(command, click.Command)
    return command


def _subcommands(command: click.Command) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {}
    context = click.Context(command)
    found = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {name: sub for name, sub in found.items() if sub is not None}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_are_documented(name: str) -> None:
    assert f"## `navitas {name}" in CLI_DOC
    command = _command(name)
    subcommands = _subcommands(command)
    for called, one in {name: command, **{f"{name} {sub}": found for sub, found in subcommands.items()}}.items():
        assert f"`{called}" in CLI_DOC or f"`navitas {called}" in CLI_DOC
        for parameter in one.params:
            if isinstance(parameter, click.Option):
                for option in parameter.opts:
                    assert f"`{option}" in CLI_DOC or (" " in called and option in CLI_DOC), f"{called} {option}"


@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_the_help_names_values_without_jargon(name: str) -> None:
    """Click would show `INTEGER RANGE`."""
    ranges = (click.IntRange, click.FloatRange)
    options = [one for one in ALL_COMMANDS[name].params if isinstance(one, click.Option) and isinstance(one.type, ranges)]
    assert [one.opts for one in options if not one.metavar] == []


PAGES = [place(path) for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]]
_COMMAND = re.compile(r"(?:`|^ *|\| |-- )navitas ([a-z]+)((?: [^\s`|…]+)*)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_the_docs_exist(page: str) -> None:
    for name, rest in _COMMAND.findall(text(ROOT / page)):
        assert name in COMMANDS, (page, name, rest)
        command, words = _command(name), rest.partition(" -- ")[0].split()
        while words and (subcommands := _subcommands(command)):
            command = subcommands[words.pop(0)]
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]  # not the old names
        known = {option for parameter in shown for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known | {"--help"}, (page, name, rest)


def test_make_targets_in_the_readme_exist() -> None:
    for target in re.findall(r"make ([a-z]+)", text(ROOT / "README.md")):
        assert re.search(rf"^{target}:", text(ROOT / "Makefile"), re.MULTILINE), target
