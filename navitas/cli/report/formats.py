"""Pairs the formats and files of `--format`, `-o` and their short forms."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import NavitasError, UsageError
from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.paths import WRITE_ANY_NAME
from navitas.report.format import Format
from navitas.report.registry import FormatSource, find_format, format_for_file, list_formats


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report file to write. `option` is the option that requested it, as typed."""

    format: str
    path: Path
    option: str


class FormatType(click.ParamType):  # type: ignore[type-arg]  # click has type arguments from 8.2 on
    """The name of a report format (`NAME`), or `NAME=FILE`."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path | None]:
        name, has_file, file = str(value).partition("=")
        find_format(name)
        if has_file and not file:
            raise UsageError(f"--format {value}: '' is not a file name", "name a file, or - for standard output")
        return name, WRITE_ANY_NAME.convert(file, param, ctx) if has_file else None


class FormatsCommand(NavitasCommand):
    """A command whose help ends with the list of formats."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        rows = [(printable(name), _about(found)) for name, found in list_formats()]
        with formatter.section("Formats"):
            formatter.write_dl(rows)


def _about(found: Format | FormatSource | NavitasError) -> str:
    match found:
        case Format():
            text = f"{found.about} ({found.extension})"
        case FormatSource():
            text = f"from the package {found.package}" if found.package else f"from the module {found.module}"
        case _:
            text = f"{found.message}: {found.remedy}"
    return printable_line(text, 1000)


def report_files(formats: Sequence[tuple[str, Path | None]], outputs: Sequence[Path]) -> list[ReportFile]:
    """Pair formats with files.

    `NAME=FILE` is a pair. Formats without a file are paired with `outputs` in order, or with standard output if there are none.
    If all formats have files, `outputs` get the format of their extension.
    Raises `UsageError` if the pairs are ambiguous, or if a binary format would go to a terminal.
    """
    names = [name for name, path in formats if path is None]
    files = [ReportFile(name, path, f"--format {name}") for name, path in formats if path is not None]
    if outputs and names and len(names) != len(outputs):
        raise UsageError(
            f"--format names {len(names)} formats without a file, and -o {len(outputs)} files",
            "give each format its own file: --format NAME=FILE",
        )
    if not names:
        files += map(_by_extension, outputs)
    elif outputs:
        files += [ReportFile(name, path, f"--format {name}") for name, path in zip(names, outputs, strict=True)]
    else:
        files += map(_to_stdout, names)
    for file in files:
        if find_format(file.format).binary and _is_terminal(file.path):
            raise UsageError(f"{file.format} is a binary format and cannot go to a terminal", "name a file, or pipe the output")
    return files


def _by_extension(path: Path) -> ReportFile:
    if path == STDOUT:
        raise UsageError("-o - has no extension, so the format is unknown", "name its format: --format NAME -o -")
    name = format_for_file(path.name)
    find_format(name)  # Checks that the packages it needs are installed.
    return ReportFile(name, path, f"-o {path}")


def _to_stdout(name: str) -> ReportFile:
    found = find_format(name)
    if found.binary:
        example = f"--format {name}=report{found.extension}"
        raise UsageError(f"{name} is a binary format and needs a file", f"name one, such as {example}")
    return ReportFile(name, STDOUT, f"--format {name}")


def _is_terminal(path: Path) -> bool:
    if path == STDOUT:
        return sys.stdout is not None and sys.stdout.isatty()
    try:
        if not stat.S_ISCHR(path.stat().st_mode):
            return False
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.isatty(handle)
    finally:
        os.close(handle)
