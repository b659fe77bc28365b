"""The tests of tests/unit/cli/test_cli_help.py that start processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import click

from navitas.cli.main import cli

_HEAVY = {"IPython", "matplotlib", "numba", "pandas", "pyspark", "scipy", "statsmodels"}
"""Modules that take several 100 ms to import."""


_HELP = """
import json, sys
from navitas.cli.main import run
imported, known = {}, set()
for way in json.load(sys.stdin):
    assert run([*way, "--help"]) == 0
    imported[" ".join(way)] = sorted({name.partition(".")[0] for name in set(sys.modules) - known})
    known = set(sys.modules)
print("imported:", json.dumps(imported))
"""


def _commands(group: click.Command, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield way
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*way, name))


def test_help_imports_nothing_heavy() -> None:
    """One process shows the help of all commands, one after the other."""
    ways = [*_commands(cli)]
    done = subprocess.run([sys.executable, "-c", _HELP], input=json.dumps(ways), capture_output=True, text=True, check=True)
    help_texts, _, imported = done.stdout.rpartition("imported:")
    assert help_texts.count("Usage: navitas") == len(ways)
    heavy = {way: set(names) & _HEAVY for way, names in json.loads(imported).items()}
    assert len(heavy) == len(ways) and not {way: names for way, names in heavy.items() if names}


def test_a_build_starts_before_slow_modules_load() -> None:
    """They load while Gradle starts. Python's modules that type annotations alone name are not needed."""
    code = "import sys, navitas.cli.profile.command; sys.exit(', '.join({'numpy', 'pydantic'} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
