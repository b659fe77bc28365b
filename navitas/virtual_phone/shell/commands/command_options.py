"""Command line options, as getopt reads them."""

from __future__ import annotations

import calendar
import contextlib
import getopt
import re
import time
from dataclasses import dataclass

from navitas.virtual_phone.shell.context import COMMANDS, Context
from navitas.virtual_phone.shell.flow import CommandError


@dataclass(frozen=True, slots=True)
class Options:
    """Options by name (`l`, `--lines`) with their values, and what is left."""

    values: dict[str, list[str]]
    rest: list[str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: str = "") -> str:
        """The last value given."""
        return self.values[name][-1] if name in self.values else default

    def number(self, name: str, default: int) -> int:
        """The last value as a whole number; raises `CommandError`."""
        return to_int(self.get(name, str(default)))


def options(context: Context, short: str, long: tuple[str, ...] = (), *, mixed: bool = True) -> Options:
    """Read options (`short` as for getopt); with `mixed` they may follow arguments. Raises `CommandError` as toybox does."""
    parse = getopt.gnu_getopt if mixed else getopt.getopt
    try:
        pairs, rest = parse(context.args, short, list(long))
    except getopt.GetoptError as error:
        what = f"Unknown option '{error.opt}'" if "not recognized" in error.msg else f"Missing argument to -{error.opt}"
        raise CommandError(what + _see_help(context)) from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name.lstrip("-"), []).append(value)
    return Options(values, rest)


def _see_help(context: Context) -> str:
    return f' (see "{context.name} --help")' if context.name in COMMANDS else ""


def too_few(context: Context, count: int) -> CommandError:
    """The error of a program that needs at least `count` arguments."""
    return CommandError(f"Needs {count} argument{'s' if count > 1 else ''}{_see_help(context)}")


def to_int(text: str) -> int:
    """A whole number; raises `CommandError`."""
    try:
        return int(text)
    except ValueError:
        raise CommandError(f"not integer: {text}") from None


def to_seconds(text: str) -> float:
    """A duration such as `2`, `0.5`, `3m`; raises `CommandError`."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    unit = units.get(text[-1:], 0.0)
    try:
        seconds = float(text[:-1] if unit else text) * (unit or 1.0)
    except ValueError:
        raise CommandError(f"Not a number '{text}'") from None
    if not 0 <= seconds < 1e9:
        raise CommandError(f"Not a number '{text}'")
    return seconds


_DATE_FORMATS = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


def parse_date(text: str, formats: tuple[str, ...] = _DATE_FORMATS) -> int:
    """Seconds since 1970 of `@SECONDS` or a date in UTC; raises `CommandError`."""
    if re.fullmatch(r"@\d{1,11}", text):
        return int(text[1:])
    for form in formats:
        with contextlib.suppress(ValueError):
            return calendar.timegm(time.strptime(text, form))
    raise CommandError(f"bad date '{text}'")
