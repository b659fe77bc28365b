"""Settings of a project: `navitas.toml`, or `[tool.navitas]` in `pyproject.toml`, as defaults of commands' options.

The project can be from an untrusted author. The file can't set programs, outputs, paths outside the project, or when a check
fails and what it judges. It can set limits that a command names in its output (`warn_about_settings`), and the budgets and
waivers of `navitas check` (navitas/insight/check/budgets.py), which names those that a version changed.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import UsageError
from navitas.base.near_names import nearest
from navitas.base.regular_files import as_utf8, open_regular
from navitas.base.untrusted_text import preview
from navitas.cli.habits.messages import warning
from navitas.cli.habits.option import RENAMED_COMMANDS, Option, RenamedOption
from navitas.cli.habits.paths import NameOrFile, PathType

_NAME, _PYPROJECT = "navitas.toml", "pyproject.toml"
_MAX_BYTES = 1 << 20
_TABLE = re.compile(r"\s*\[(?P<list>\[?)\s*(?P<name>[^\]]+?)\s*\]")
_KEY = re.compile(r"\s*(?P<name>[\w\"'. -]+?)\s*=")
_LISTS = ("check", "waiver")
"""Lists of tables, which set no options."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A settings file: its tables by command, and the lines of its keys."""

    path: Path
    prefix: tuple[str, ...]
    """The keys that lead to the settings in the file: `tool`, `navitas`."""
    content: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]

    def location(self, *keys: str) -> str:
        """Return `FILE:LINE` of a key; a number is the place in a list of tables.

        If the key has an unusual syntax, the line is that of the table around it, or missing.
        """
        path = (*self.prefix, *keys)
        ends = range(len(path), len(self.prefix), -1)
        line = next((self.lines[path[:end]] for end in ends if path[:end] in self.lines), None)
        return f"{self.path}:{line}" if line else str(self.path)

    def origin(self, option: Option, ctx: click.Context) -> str | None:
        """Return the location of the key that sets an option, or None."""
        for table in (_table_of(ctx), ()):
            if option.long_name in _descend(self.content, table):
                return self.location(*table, option.long_name)
        return None


def find_settings(project: str) -> Settings | None:
    """Find the nearest settings file, from the project's folder up to the root of its repository.

    Outside a repository, only the project's folder is searched, since a parent such as /tmp can belong to other users.
    Raises `UsageError` for a file that can't be read.
    """
    folder = Path(os.path.realpath(project))
    if not os.path.isdir(folder):  # noqa: PTH112  # Unlike Path.is_dir, returns False without search permission.
        return None
    for one in _up_to_root(folder):
        found = _read(one / _NAME, ())
        other = _read(one / _PYPROJECT, ("tool", "navitas"))
        if found is not None and other is not None:
            warning(f"{other.path}: [tool.navitas] is ignored, since {found.path} exists")
        if settings := found or other:
            return settings
    return None


def repository_of(folder: Path) -> Path:
    """Return the root of the repository around a folder; the folder itself outside of one."""
    return _up_to_root(Path(os.path.realpath(folder)))[-1]


def _up_to_root(folder: Path) -> list[Path]:
    folders = [folder, *folder.parents]
    roots = [number for number, one in enumerate(folders) if os.path.lexists(one / ".git")]
    return folders[: roots[0] + 1] if roots else folders[:1]


def _read(path: Path, prefix: tuple[str, ...]) -> Settings | None:
    if not os.path.lexists(path):
        return None
    import tomllib  # noqa: PLC0415  # Most folders have no settings.

    try:
        with open_regular(path) as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UsageError(f"{path}: larger than {_MAX_BYTES >> 20} MiB", "keep only settings in this file")
        text = as_utf8(data).decode("utf-8")
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
        raise UsageError(f"{settings.location()}: [tool.navitas] is not a table", "write settings in [tool.navitas.COMMAND]")
    return settings


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line of each table and key. Keys with an unusual syntax are missing."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: Counter[tuple[str, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.match(line):
            table = _key_parts(found["name"])
            lines.setdefault(table, number)
            if found["list"]:
                counts[table] += 1
                table = (*table, str(counts[table] - 1))
                lines[table] = number
        elif found := _KEY.match(line):
            lines.setdefault((*table, *_key_parts(found["name"])), number)
    return lines


def _key_parts(name: str) -> tuple[str, ...]:
    return tuple(word.strip().strip("\"'") for word in name.split("."))


def defaults(settings: Settings, ctx: click.Context) -> dict[str, Any]:
    """Return the checked values of a command's options by parameter name. Raises `UsageError` with file and line."""
    _check_tables(settings, ctx)
    options = [param for param in ctx.command.params if isinstance(param, Option) and not isinstance(param, RenamedOption)]
    renamed = {param.long_name: param.new for param in ctx.command.params if isinstance(param, RenamedOption)}
    found: dict[str, Any] = {}
    for table in ((), _table_of(ctx)):
        values = _descend(settings.content, table)
        common = {one.long_name: one for one in options if not table and not one.expose_value}
        by_name = common or {one.long_name: one for one in options}
        for key, value in values.items():
            if table and table != _name_of(ctx) and key not in by_name:
                continue  # An option of the command whose table it is.
            if not table and (isinstance(value, dict) or (key in _LISTS and isinstance(value, list))):
                continue
            where = settings.location(*table, key)
            option = by_name.get(key)
            if option is None and table and key in renamed:
                raise UsageError(f"{where}: --{key} is now {renamed[key]}", "Write the new name.")
            if option is None:
                what = f"an option of navitas {' '.join(table)}" if table else "a setting"
                remedy = f"The options are: {', '.join(sorted(by_name))}."
                raise UsageError(f"{where}: {key!a} is not {what}{nearest(key, by_name)}", remedy)
            found[str(option.name)] = _value(option, value, where, settings, ctx)
    return found


def _table_of(ctx: click.Context) -> tuple[str, ...]:
    """Return the table of a command: `("fleet", "hogs")` for `navitas fleet hogs`."""
    table: str | None = getattr(ctx.command, "table", None)
    return (table,) if table else _name_of(ctx)


def _name_of(ctx: click.Context) -> tuple[str, ...]:
    return tuple(ctx.command_path.split()[1:])


def _descend(content: Mapping[str, Any], table: Iterable[str]) -> Mapping[str, Any]:
    inside: Any = content
    for name in table:
        inside = inside.get(name, {}) if isinstance(inside, Mapping) else {}
    return inside if isinstance(inside, Mapping) else {}


def _check_tables(settings: Settings, ctx: click.Context) -> None:
    """Raise `UsageError` for a table of an unknown command, in the groups that contain this command."""
    group = ctx.parent
    while group is not None and isinstance(group.command, click.Group):
        table = _table_of(group)
        known = group.command.list_commands(group)
        for key, value in _descend(settings.content, table).items():
            if key not in known and (table or isinstance(value, dict)):
                now = RENAMED_COMMANDS.get(key) if not table else None
                raise UsageError(
                    f"{settings.location(*table, key)}: there is no command {' '.join((*table, key))!a}{nearest(key, known)}",
                    f"It is now {now}." if now else f"The commands are: {', '.join(known)}.",
                )
        group = group.parent


def _value(option: Option, value: Any, where: str, settings: Settings, ctx: click.Context) -> Any:
    """Check and convert the value of an option. Raises `UsageError`."""
    what = f"{where}: {option.long_name}"
    if not _may_be_set(option):
        raise UsageError(
            f"{what}: a project's settings file cannot set programs, code to run, output files, clients, or what a check judges",
            f"Remove this line, and give --{option.long_name} on the command line, or set {option.variable(ctx)}.",
        )
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{what}: {value!a} is neither true nor false", f"Write {option.long_name} = true.")
        return value
    if option.multiple != isinstance(value, list):
        kind = 'a list, such as ["a", "b"]' if option.multiple else "one value"
        example = "[…]" if option.multiple else "…"
        raise UsageError(f"{what}: {preview(value)} is not {kind}", f"Write {option.long_name} = {example}.")
    values = [_single_value(option, one, what, settings, ctx) for one in (value if option.multiple else [value])]
    return values if option.multiple else values[0]


def _may_be_set(option: Option) -> bool:
    writes = isinstance(option.type, PathType) and option.type.role != "read"
    runs = isinstance(option.type, NameOrFile) and option.type.is_program
    return option.from_project and not writes and not runs


def _single_value(option: Option, value: Any, what: str, settings: Settings, ctx: click.Context) -> Any:
    """Check a single value. A file must be in the project. Raises `UsageError`."""
    kinds = (
        (click.types.IntParamType, int, "a whole number"),
        (click.types.FloatParamType, int | float, "a number"),
        (click.ParamType, str, "a text"),
    )
    python, kind = next((python, kind) for type_, python, kind in kinds if isinstance(option.type, type_))
    if not isinstance(value, python) or isinstance(value, bool):
        raise UsageError(f"{what}: {preview(value)} is not {kind}", f"See navitas {' '.join(_table_of(ctx))} --help.")
    if isinstance(option.type, PathType | NameOrFile) and isinstance(value, str):
        value = _project_path(value, what, settings, must_be=isinstance(option.type, PathType))
    try:
        option.type.convert(value, None, None)
    except (click.BadParameter, UsageError) as error:
        raise UsageError(f"{what}: {error.message}", f"See navitas {' '.join(_table_of(ctx))} --help.") from error
    return value


def _project_path(value: str, what: str, settings: Settings, *, must_be: bool) -> str:
    """Resolve a path relative to the file's folder. Raises `UsageError` if it leads out of this folder."""
    folder = settings.path.parent
    if "\0" in value:
        raise UsageError(f"{what}: {value!a} is not a path", "Name a file of the project.")
    path = folder / value
    if not must_be and not os.path.lexists(path) and not set(value) & {"/", os.sep}:
        return value  # The name of a built-in resource.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{what}: {value!a} leads out of {folder}", "Name a file of the project, or use the command line.")
    return str(path)
