"""test and [."""

from __future__ import annotations

import re
from collections.abc import Callable

from navitas.device.virtual.files import Stat
from navitas.device.virtual.shell.context import CommandError, Context, builtin

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_STRINGS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}
_FILES: dict[str, Callable[[Stat], bool]] = {
    "-e": lambda info: True,
    "-f": lambda info: not info.is_dir and not info.is_link,
    "-d": lambda info: info.is_dir,
    "-s": lambda info: info.size > 0,
    "-r": lambda info: bool(info.mode & 0o444),
    "-w": lambda info: bool(info.mode & 0o222),
    "-x": lambda info: bool(info.mode & 0o111),
}
_WRONG_USE = 2


@builtin("test", "[")
async def test(context: Context) -> int:
    """Evaluate a condition: status 0 when it holds, 2 for a wrong expression."""
    args = list(context.args)
    if context.name == "[" and (not args or args.pop() != "]"):
        raise CommandError("missing ]", _WRONG_USE)
    parser = _Condition(context, args)
    result = parser.any_of() if args else False
    if not parser.at_end:
        raise CommandError(f"{args[parser.at]}: unexpected operator/operand", _WRONG_USE)
    return 0 if result else 1


class _Condition:
    def __init__(self, context: Context, args: list[str]) -> None:
        self._context = context
        self._args = args
        self.at = 0

    @property
    def at_end(self) -> bool:
        return self.at >= len(self._args)

    def any_of(self) -> bool:
        result = self._all_of()
        while self._peek() == "-o":
            self.at += 1
            result = self._all_of() or result
        return result

    def _all_of(self) -> bool:
        result = self._primary()
        while self._peek() == "-a":
            self.at += 1
            result = self._primary() and result
        return result

    def _peek(self, ahead: int = 0) -> str | None:
        position = self.at + ahead
        return self._args[position] if position < len(self._args) else None

    def _take(self) -> str:
        if self.at_end:
            raise CommandError("missing argument", _WRONG_USE)
        self.at += 1
        return self._args[self.at - 1]

    def _primary(self) -> bool:
        operator = self._peek(1)
        if operator is not None and (operator in _NUMBERS or operator in _STRINGS) and self._peek(2) is not None:
            left, _, right = self._take(), self._take(), self._take()
            return (
                _STRINGS[operator](left, right) if operator in _STRINGS else _NUMBERS[operator](_integer(left), _integer(right))
            )
        first = self._take()
        if first == "!" and not self.at_end:
            return not self._primary()
        if first == "(" and not self.at_end:
            result = self.any_of()
            if self._take() != ")":
                raise CommandError("missing )", _WRONG_USE)
            return result
        if not self.at_end and self._peek() not in ("-a", "-o", ")"):
            return self._unary(first, self._take())
        return bool(first)

    def _unary(self, operator: str, operand: str) -> bool:
        if operator in ("-n", "-z"):
            return bool(operand) == (operator == "-n")
        if operator == "-t":
            return False
        is_link_test = operator in ("-L", "-h")
        if operator not in _FILES and not is_link_test:
            raise CommandError(f"{operator}: unexpected operator/operand", _WRONG_USE)
        try:
            path = self._context.path(operand)
            info = self._context.phone.files.stat(path, self._context.shell.who, follow=not is_link_test)
        except OSError:
            return False
        return info.is_link if is_link_test else _FILES[operator](info)


def _integer(text: str) -> int:
    if not re.fullmatch(r"\s*[-+]?\d{1,19}\s*", text):
        raise CommandError(f"{text}: bad number", _WRONG_USE)
    return int(text)
