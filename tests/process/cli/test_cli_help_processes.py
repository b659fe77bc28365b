"""The tests of tests/unit/cli/test_cli_help.py that start processes."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from navitas.cli.main import cli
from navitas.cli.main import run as run_navitas

_HEAVY = {"IPython", "matplotlib", "numba", "pandas", "pyspark", "scipy", "statsmodels"}
"""Modules that take several 100 ms to import."""


_HELP = """
import sys
from navitas.cli.main import run
code = run([*sys.argv[1:], "--help"])
print("imported:", *{name.partition(".")[0] for name in sys.modules})
sys.exit(code)
"""


def _commands(group: click.Command, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield way
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*way, name))


@pytest.mark.parametrize("way", [*_commands(cli)], ids=lambda way: " ".join(("navitas", *way)))
def test_help_imports_nothing_heavy(way: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", _HELP, *way], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("Usage: navitas")
    imported = set(done.stdout.splitlines()[-1].split()[1:])
    assert "navitas" in imported and not imported & _HEAVY
