"""Settings of a project: `navitas.toml`, or `[tool.navitas]` of `pyproject.toml`, as defaults of commands' options.

The file comes with the project, which may be somebody else's: it sets options, and no programs, outputs or paths outside of it.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from navitas.cli.messages import warning
from navitas.cli.option import Option
from navitas.cli.paths import NameOrFile, PathType
from navitas.errors import UsageError
from navitas.regular_files import open_regular

_NAME, _PYPROJECT = "navitas.toml", "pyproject.toml"
_MOST_BYTES = 1 << 20
_TABLE = re.compile(r"\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]")
_KEY = re.compile(r"\s*(?P<name>[\w\"'. -]+?)\s*=")


@dataclass(frozen=True, slots=True)
class Settings:
    """A settings file: its tables by command, and where the keys are."""

    path: Path
    prefix: tuple[str, ...]
    """Where the settings are in the file: `tool`, `navitas`."""
    content: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]

    def place(self, *keys: str) -> str:
        """`FILE:LINE` of a key; without the line where a key is written in an unusual way."""
        line = self.lines.get((*self.prefix, *keys))
        return f"{self.path}:{line}" if line else str(self.path)

    def origin(self, option: Option, ctx: click.Context) -> str | None:
        """The place of the key that sets an option, where there is one."""
        for table in (_table_of(ctx), ()):
            if option.long_name in _descend(self.content, table):
                return self.place(*table, option.long_name)
        return None


def find_settings(project: str) -> Settings | None:
    """The nearest settings file, from the project's folder up to the root of its repository.

    Outside of a repository only the folder itself counts: parents such as /tmp belong to others. Raises `UsageError` for a file
    that cannot be read.
    """
    folder = Path(os.path.realpath(project))
    if not os.path.isdir(folder):  # noqa: PTH112  # false also where a parent may not be searched
        return None
    for one in _up_to_root(folder):
        found = _read(one / _NAME, ())
        other = _read(one / _PYPROJECT, ("tool", "navitas"))
        if found is not None and other is not None:
            warning(f"{other.path}: [tool.navitas] is not used, since {found.path} is there")
        if settings := found or other:
            return settings
    return None


def _up_to_root(folder: Path) -> list[Path]:
    way = [folder, *folder.parents]
    roots = [number for number, one in enumerate(way) if os.path.lexists(one / ".git")]
    return way[: roots[0] + 1] if roots else way[:1]


def _read(path: Path, prefix: tuple[str, ...]) -> Settings | None:
    if not os.path.lexists(path):
        return None
    try:
        with open_regular(path) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UsageError(f"{path}: larger than {_MOST_BYTES >> 20} MiB", "keep other data elsewhere")
        text = data.decode("utf-8")
        content: Any = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error) or "too deeply nested"
        raise UsageError(f"{path}: {reason}", "correct the file: https://toml.io describes its format") from error
    for key in prefix:
        if not isinstance(content, dict) or key not in content:
            return None
        content = content[key]
    settings = Settings(path, prefix, content if isinstance(content, dict) else {}, _lines(text))
    if not isinstance(content, dict):
        raise UsageError(f"{settings.place()}: [tool.navitas] is no table", "write the settings below [tool.navitas.COMMAND]")
    return settings


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of each table and key, as far as they are written in the usual way."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.match(line):
            table = _words(found["name"])
            lines.setdefault(table, number)
        elif found := _KEY.match(line):
            lines.setdefault((*table, *_words(found["name"])), number)
    return lines


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.strip().strip("\"'") for word in name.split("."))


def defaults(settings: Settings, ctx: click.Context) -> dict[str, Any]:
    """Values of a command's options by the names of its parameters, checked. Raises `UsageError` with file and line."""
    _check_tables(settings, ctx)
    options = [param for param in ctx.command.params if isinstance(param, Option)]
    found: dict[str, Any] = {}
    for table in ((), _table_of(ctx)):
        values = _descend(settings.content, table)
        common = {one.long_name: one for one in options if not table and not one.expose_value}
        by_name = common or {one.long_name: one for one in options}
        for key, value in values.items():
            if not table and isinstance(value, dict):
                continue
            where = settings.place(*table, key)
            option = by_name.get(key)
            if option is None:
                what = f"option of navitas {' '.join(table)}" if table else "setting"
                remedy = f"The options are: {', '.join(sorted(by_name))}."
                raise UsageError(f"{where}: {key!a} is no {what}{nearest(key, by_name)}", remedy)
            found[str(option.name)] = _value(option, value, where, settings, ctx)
    return found


def _table_of(ctx: click.Context) -> tuple[str, ...]:
    """`fleet`, `hogs` of the command `navitas fleet hogs`."""
    return tuple(ctx.command_path.split()[1:])


def _descend(content: Mapping[str, Any], table: Iterable[str]) -> Mapping[str, Any]:
    inside: Any = content
    for name in table:
        inside = inside.get(name, {}) if isinstance(inside, Mapping) else {}
    return inside if isinstance(inside, Mapping) else {}


def _check_tables(settings: Settings, ctx: click.Context) -> None:
    """Refuse tables of commands that do not exist, on the way to this command. Raises `UsageError`."""
    group = ctx.parent
    while group is not None and isinstance(group.command, click.Group):
        table = _table_of(group)
        known = group.command.list_commands(group)
        for key, value in _descend(settings.content, table).items():
            if key not in known and (table or isinstance(value, dict)):
                raise UsageError(
                    f"{settings.place(*table, key)}: there is no command {' '.join((*table, key))!a}{nearest(key, known)}",
                    f"The commands are: {', '.join(known)}.",
                )
        group = group.parent


def nearest(word: str, known: Iterable[str]) -> str:
    """` (nearest: …)`, or nothing where no known word is near."""
    found = difflib.get_close_matches(word, known, 1)
    return f" (nearest: {found[0]})" if found else ""


def _value(option: Option, value: Any, where: str, settings: Settings, ctx: click.Context) -> Any:
    """The value of an option, as its parameter takes it. Raises `UsageError`."""
    what = f"{where}: {option.long_name}"
    if not _may_be_set(option):
        raise UsageError(
            f"{what}: a project's settings file cannot set programs, code that is run, or what is written",
            f"Give --{option.long_name} on the command line, or set {option.variable(ctx)}.",
        )
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{what}: {value!a} is neither true nor false", f"Write {option.long_name} = true.")
        return value
    if option.multiple != isinstance(value, list):
        kind = 'a list, such as ["a", "b"]' if option.multiple else "one value"
        example = "[…]" if option.multiple else "…"
        raise UsageError(f"{what}: {_shown(value)} is not {kind}", f"Write {option.long_name} = {example}.")
    values = [_one(option, one, what, settings, ctx) for one in (value if option.multiple else [value])]
    return values if option.multiple else values[0]


def _may_be_set(option: Option) -> bool:
    writes = isinstance(option.type, PathType) and option.type.role != "read"
    runs = isinstance(option.type, NameOrFile) and option.type.is_program
    return option.from_project and not writes and not runs


def _one(option: Option, value: Any, what: str, settings: Settings, ctx: click.Context) -> Any:
    """One value, which the option's type takes; a file is one of the project. Raises `UsageError`."""
    kinds = (
        (click.types.IntParamType, int, "a whole number"),
        (click.types.FloatParamType, int | float, "a number"),
        (click.ParamType, str, "a text"),
    )
    python, kind = next((python, kind) for type_, python, kind in kinds if isinstance(option.type, type_))
    if not isinstance(value, python) or isinstance(value, bool):
        raise UsageError(f"{what}: {_shown(value)} is not {kind}", f"See navitas {' '.join(_table_of(ctx))} --help.")
    if isinstance(option.type, PathType | NameOrFile) and isinstance(value, str):
        value = _inside(value, what, settings, must_be=isinstance(option.type, PathType))
    try:
        option.type.convert(value, None, None)
    except (click.BadParameter, UsageError) as error:
        raise UsageError(f"{what}: {error.message}", f"See navitas {' '.join(_table_of(ctx))} --help.") from error
    return value


def _inside(value: str, what: str, settings: Settings, *, must_be: bool) -> str:
    """A path relative to the file's folder. Raises `UsageError` for one that leads out of it."""
    folder = settings.path.parent
    if "\0" in value:
        raise UsageError(f"{what}: {value!a} is no path", "Name a file of the project.")
    path = folder / value
    if not must_be and not os.path.lexists(path) and not set(value) & {"/", os.sep}:
        return value  # a name of something that Navitas has
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{what}: {value!a} leads out of {folder}", "Name a file of the project, or use the command line.")
    return str(path)


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
