"""test and [."""

from __future__ import annotations

from collections.abc import Callable

from navitas.virtual_phone.shell.context import Context, builtin
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.primaries import FILE_PAIRS, NUMBERS, WRONG_USE, file_test, integer, is_unary

_STRINGS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}


@builtin("test", "[")
async def test(context: Context) -> int:
    """Evaluate a condition: status 0 if it is true, 2 for an invalid expression."""
    args = list(context.args)
    if context.name == "[" and (not args or args.pop() != "]"):
        raise CommandError("missing ]", WRONG_USE)
    parser = _Condition(context, args)
    result = parser.any_of() if args else False
    if not parser.at_end:
        raise CommandError(f"{args[parser.at]}: unexpected operator/operand", WRONG_USE)
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
            raise CommandError("missing argument", WRONG_USE)
        self.at += 1
        return self._args[self.at - 1]

    def _primary(self) -> bool:
        operator = self._peek(1)
        if operator is not None and self._peek(2) is not None and self._is_binary(operator):
            left, _, right = self._take(), self._take(), self._take()
            return self._compare(left, operator, right)
        first = self._take()
        if first == "!" and not self.at_end:
            return not self._primary()
        if first == "(" and not self.at_end:
            result = self.any_of()
            if self._take() != ")":
                raise CommandError("missing )", WRONG_USE)
            return result
        if is_unary(first) and not self.at_end and self._peek() not in ("-a", "-o", ")"):
            return file_test(self._context.shell, first, self._take())
        return bool(first)

    @staticmethod
    def _is_binary(operator: str) -> bool:
        return operator in NUMBERS or operator in _STRINGS or operator in FILE_PAIRS

    def _compare(self, left: str, operator: str, right: str) -> bool:
        if operator in _STRINGS:
            return _STRINGS[operator](left, right)
        if operator in NUMBERS:
            return NUMBERS[operator](integer(left), integer(right))
        return file_test(self._context.shell, operator, left, right)
