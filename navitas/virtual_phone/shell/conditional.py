"""`[[ … ]]`: words are neither split nor globbed; the right side of `=` and `!=` is a pattern."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.virtual_phone.shell.expansion import Expander
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.glob_patterns import matches
from navitas.virtual_phone.shell.primaries import NUMBERS, file_test, integer
from navitas.virtual_phone.shell.state import ShellState
from navitas.virtual_phone.shell.syntax import Literal, Word

_WRONG_USE = 2


async def holds(shell: ShellState, tokens: Sequence[Word | str], expander: Expander) -> bool:
    """Return whether the condition is true. Raises `CommandError` for an invalid expression."""
    parser = _Condition(shell, tokens, expander)
    result = await parser.any_of(evaluate=True)
    if parser.at < len(tokens):
        raise CommandError("unexpected operator/operand", _WRONG_USE)
    return result


class _Condition:
    def __init__(self, shell: ShellState, tokens: Sequence[Word | str], expander: Expander) -> None:
        self._shell = shell
        self._tokens = tokens
        self._expander = expander
        self.at = 0

    def _peek(self, ahead: int = 0) -> str:
        """Return the operator, or the text of a plain word, at a position; empty for other words and at the end."""
        if self.at + ahead >= len(self._tokens):
            return ""
        token = self._tokens[self.at + ahead]
        if isinstance(token, str):
            return token
        return token[0].text if len(token) == 1 and isinstance(token[0], Literal) and not token[0].quoted else ""

    def _word(self) -> Word:
        token = self._tokens[self.at] if self.at < len(self._tokens) else ""
        if isinstance(token, str):
            raise CommandError("missing expression", _WRONG_USE)
        self.at += 1
        return token

    async def any_of(self, *, evaluate: bool) -> bool:
        result = await self._all_of(evaluate=evaluate)
        while self._peek() == "||":
            self.at += 1
            result = await self._all_of(evaluate=evaluate and not result) or result
        return result

    async def _all_of(self, *, evaluate: bool) -> bool:
        result = await self._primary(evaluate=evaluate)
        while self._peek() == "&&":
            self.at += 1
            result = await self._primary(evaluate=evaluate and result) and result
        return result

    async def _primary(self, *, evaluate: bool) -> bool:
        if self._peek() == "!":
            self.at += 1
            return not await self._primary(evaluate=evaluate)
        if self._peek() == "(":
            self.at += 1
            result = await self.any_of(evaluate=evaluate)
            if self._peek() != ")":
                raise CommandError("missing )", _WRONG_USE)
            self.at += 1
            return result
        left = self._word()
        operator = self._peek()
        if operator in ("=", "==", "!=", "<", ">") or operator in NUMBERS or operator in ("-nt", "-ot", "-ef"):
            self.at += 1
            right = self._word()
            return evaluate and await self._compare(left, operator, right)
        flag = left[0].text if len(left) == 1 and isinstance(left[0], Literal) and not left[0].quoted else ""
        if flag.startswith("-") and operator not in ("&&", "||", ")") and self.at < len(self._tokens):
            operand = self._word()
            return evaluate and file_test(self._shell, flag, await self._expander.text(operand))
        return evaluate and bool(await self._expander.text(left))

    async def _compare(self, left: Word, operator: str, right: Word) -> bool:
        text = await self._expander.text(left)
        if operator in ("=", "==", "!="):
            return matches(await self._expander.runs(right), text) == (operator != "!=")
        other = await self._expander.text(right)
        if operator in NUMBERS:
            return NUMBERS[operator](integer(text), integer(other))
        if operator in ("<", ">"):
            return text < other if operator == "<" else text > other
        return file_test(self._shell, operator, text, other)
