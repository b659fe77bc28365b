"""Conditions of `test`, `[` and `[[`. In `[[`, words are neither split nor globbed, and the right side of `=` is a pattern."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from navitas.virtual_phone.file_tree import Stat
from navitas.virtual_phone.shell.expansion import Expander
from navitas.virtual_phone.shell.glob_patterns import matches
from navitas.virtual_phone.shell.state import CommandError, ShellState
from navitas.virtual_phone.shell.syntax import Literal, Word

_WRONG_USE = 2
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip
_STRINGS: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_FILES: dict[str, Callable[[Stat], bool]] = {
    "-a": lambda info: True,
    "-e": lambda info: True,
    "-f": lambda info: info.is_regular,
    "-d": lambda info: info.is_dir,
    "-s": lambda info: info.size > 0,
    "-r": lambda info: bool(info.mode & 0o444),
    "-w": lambda info: bool(info.mode & 0o222),
    "-x": lambda info: bool(info.mode & 0o111),
    "-L": lambda info: info.is_link,
    "-h": lambda info: info.is_link,
}


async def holds(shell: ShellState, tokens: Sequence[Word | str], expander: Expander) -> bool:
    """Return whether the condition of `[[` is true. Operators are text. Raises `CommandError` for an invalid expression."""
    condition = _Condition(shell, tokens, expander, is_double=True)
    result = await condition.any_of(evaluate=True)
    if condition.at < len(tokens):
        raise CommandError("unexpected operator/operand", _WRONG_USE)
    return result


async def test_holds(shell: ShellState, args: list[str], expander: Expander) -> bool:
    """Return whether the condition of `test` or `[` is true. Raises `CommandError` for an invalid expression."""
    condition = _Condition(shell, [(Literal(text, quoted=True),) for text in args], expander, is_double=False)
    result = bool(args) and await condition.any_of(evaluate=True)
    if condition.at < len(args):
        raise CommandError(f"{args[condition.at]}: unexpected operator/operand", _WRONG_USE)
    return result


class _Condition:
    def __init__(self, shell: ShellState, tokens: Sequence[Word | str], expander: Expander, *, is_double: bool) -> None:
        self._shell = shell
        self._tokens = tokens
        self._expander = expander
        self._is_double = is_double
        self._or, self._and = ("||", "&&") if is_double else ("-o", "-a")
        self.at = 0

    def _peek(self, ahead: int = 0) -> str | None:
        """Return the operator or the plain word at a position, empty text for other words, and None at the end."""
        return self._plain(self._tokens[self.at + ahead]) if self.at + ahead < len(self._tokens) else None

    def _plain(self, token: Word | str) -> str:
        if isinstance(token, str):
            return token
        first = token[0] if len(token) == 1 else None
        return first.text if isinstance(first, Literal) and not (first.quoted and self._is_double) else ""

    def _word(self) -> Word:
        token = self._tokens[self.at] if self.at < len(self._tokens) else ""
        if isinstance(token, str):
            raise CommandError("missing expression" if self._is_double else "missing argument", _WRONG_USE)
        self.at += 1
        return token

    async def any_of(self, *, evaluate: bool) -> bool:
        result = await self._all_of(evaluate=evaluate)
        while self._peek() == self._or:
            self.at += 1
            result = await self._all_of(evaluate=evaluate and not result) or result
        return result

    async def _all_of(self, *, evaluate: bool) -> bool:
        result = await self._primary(evaluate=evaluate)
        while self._peek() == self._and:
            self.at += 1
            result = await self._primary(evaluate=evaluate and result) and result
        return result

    async def _primary(self, *, evaluate: bool) -> bool:
        # A binary operator takes precedence in `[`, so that operands may look like operators.
        if not self._is_double and self._peek(2) is not None and _is_binary(self._peek(1)):
            return await self._comparison(self._word(), evaluate=evaluate)
        is_last = not self._is_double and self.at + 1 == len(self._tokens)
        if self._peek() == "!" and not is_last:
            self.at += 1
            return not await self._primary(evaluate=evaluate)
        if self._peek() == "(" and not is_last:
            self.at += 1
            result = await self.any_of(evaluate=evaluate)
            if self._peek() != ")":
                raise CommandError("missing )", _WRONG_USE)
            self.at += 1
            return result
        left = self._word()
        if self._is_double and _is_binary(self._peek()):
            return await self._comparison(left, evaluate=evaluate)
        flag = self._plain(left)
        is_test = flag.startswith("-") if self._is_double else flag in _FILES or flag in ("-n", "-z", "-t")
        if is_test and self._peek() not in (self._or, self._and, ")", None):
            operand = self._word()
            return evaluate and self._test(flag, await self._expander.text(operand))
        return evaluate and bool(await self._expander.text(left))

    async def _comparison(self, left: Word, *, evaluate: bool) -> bool:
        sign = self._peek() or ""
        self.at += 1
        right = self._word()
        if not evaluate:
            return False
        text = await self._expander.text(left)
        if self._is_double and sign in ("=", "==", "!="):
            return matches(await self._expander.runs(right), text) == (sign != "!=")
        other = await self._expander.text(right)
        return _NUMBERS[sign](_integer(text), _integer(other)) if sign in _NUMBERS else _STRINGS[sign](text, other)

    def _test(self, flag: str, operand: str) -> bool:
        if flag in ("-n", "-z"):
            return bool(operand) == (flag == "-n")
        if flag == "-t":
            return False
        if flag not in _FILES:
            raise CommandError(f"{flag}: unexpected operator/operand", _WRONG_USE)
        path = str(PurePosixPath(self._shell.cwd) / operand)
        try:
            info = self._shell.phone.files.stat(path, self._shell.who, follow=flag not in ("-L", "-h")) if operand else None
        except OSError:
            return False
        return info is not None and _FILES[flag](info)


def _is_binary(sign: str | None) -> bool:
    return sign in _NUMBERS or sign in _STRINGS


def _integer(text: str) -> int:
    """Return a number, or 0 for a variable's name. Raises `CommandError` for other text."""
    if re.fullmatch(r"\s*[A-Za-z_]\w*\s*", text):
        return 0
    if not re.fullmatch(r"\s*[-+]?\d{1,19}\s*", text):
        raise CommandError(f"{text}: bad number", _WRONG_USE)
    return int(text)
