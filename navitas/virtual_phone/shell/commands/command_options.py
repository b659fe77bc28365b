"""Parse command line options as getopt does."""

from __future__ import annotations

import getopt
from dataclasses import dataclass

from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.shell.context import COMMANDS, Context
from navitas.virtual_phone.shell.state import CommandError

_LONGEST_NUMBER = 18


@dataclass(frozen=True, slots=True)
class Options:
    """Options by name (`l`, `--lines`) with their values, and the remaining arguments."""

    values: dict[str, list[str]]
    rest: list[str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: str = "") -> str:
        """Return the last value."""
        return self.values[name][-1] if name in self.values else default

    def number(self, name: str, default: int) -> int:
        """Return the last value as an integer. Raises `CommandError`."""
        return to_int(self.get(name, str(default)))


def options(context: Context, short: str, long: tuple[str, ...] = (), *, mixed: bool = True) -> Options:
    """Parse options (`short` as for getopt). With `mixed`, they may follow arguments. Raises `CommandError` as toybox does."""
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


def user_option(context: Context, found: Options) -> int | None:
    """Return the number of the user in `--user`; None without it, and for `all`. Raises `CommandError` if there is none."""
    return find_user(context, found.get("user", "all"))


def find_user(context: Context, text: str) -> int | None:
    """Return the number of a user as commands take it: a number, `current`, or `all` (None). Raises `CommandError`."""
    if text in ("all", "-1"):
        return None
    user = FIRST_USER if text in ("current", "cur", "-2") else to_int(text)
    if context.phone.packages.users.get(user) is None:
        raise CommandError(f"java.lang.IllegalArgumentException: Invalid user: {user}", 255)
    return user


def too_few(context: Context, count: int) -> CommandError:
    """Return the error of a program that needs at least `count` arguments."""
    return CommandError(f"Needs {count} argument{'s' if count > 1 else ''}{_see_help(context)}")


def aligned(cell: str, width: int) -> str:
    """Return a table's cell: numbers at the right."""
    return cell.rjust(width) if cell.isdecimal() else cell.ljust(width)


def to_int(text: str) -> int:
    """Parse an integer. Raises `CommandError`."""
    sign = text[:1] if text[:1] in ("-", "+") else ""
    number = whole_number(text.removeprefix(sign))
    if number is None:
        raise CommandError(f"not integer: {text}")
    return -number if sign == "-" else number


def whole_number(text: str) -> int | None:
    """Return the number of 1 to 18 decimal digits, which a `long` of C and Java can hold; None for other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def to_seconds(text: str) -> float:
    """Parse a duration such as `2`, `0.5` or `3m`. Raises `CommandError`."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    unit = units.get(text[-1:], 0.0)
    try:
        seconds = float(text[:-1] if unit else text) * (unit or 1.0)
    except ValueError:
        raise CommandError(f"Not a number '{text}'") from None
    if not 0 <= seconds < 1e9:
        raise CommandError(f"Not a number '{text}'")
    return seconds
