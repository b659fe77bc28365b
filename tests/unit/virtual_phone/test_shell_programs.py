"""The phone's programs are those that docs/dev/virtual-phone.md lists, and among them is every one that Navitas sends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.device_commands import SHELL_WORDS, documented

from navitas.virtual_phone.shell import commands
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS

PAGE = Path(__file__).parents[3] / "docs/dev/virtual-phone.md"
_AS_APP = re.compile(r"run-as PACKAGE (\S+)")
_OF_ADB = {"push", "pull"}
"""adb's own services, not programs."""


@pytest.fixture(scope="module")
def there() -> set[str]:
    """The programs and builtins of the phone's shell."""
    commands.load()
    return {*COMMANDS, *BUILTINS}


def _listed() -> dict[str, list[str]]:
    """The page's programs by who sends them."""
    section = PAGE.read_text().partition("## The shell is complete\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|`]+) \| `([^|]+)` \|$", section, re.MULTILINE)
    return {who.partition(" (")[0].partition(" [")[0]: programs.split("` `") for who, programs in rows}


def test_a_program_needs_somebody_who_sends_it(there: set[str]) -> None:
    listed = [program for programs in _listed().values() for program in programs]
    assert sorted(listed) == sorted(there)


def test_the_phone_has_every_program_that_navitas_sends(there: set[str]) -> None:
    sent = {command.split()[0] for command in documented()} - _OF_ADB
    sent |= {found[1] for command in documented() if (found := _AS_APP.match(command))}
    assert sent <= there
    assert set(_listed()["Navitas"]) == sent | (SHELL_WORDS & there)
