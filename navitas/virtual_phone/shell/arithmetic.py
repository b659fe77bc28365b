"""Integer arithmetic of `$((…))`: 32 bits as in mksh, C's operators and precedence, variables by name. It assigns nothing."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(?:0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|!~()])")


class ArithmeticFault(Exception):
    """The expression cannot be evaluated. The message is the text after the expression in mksh's error."""


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise ArithmeticFault("zero divisor")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    {"<<": lambda a, b: a << (b & 31), ">>": lambda a, b: a >> (b & 31)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": _quotient, "%": lambda a, b: a - b * _quotient(a, b)},
)
"""The binary operators, from the weakest to the strongest."""
_UNARY: dict[str, Callable[[int], int]] = {"-": lambda a: -a, "+": lambda a: a, "!": lambda a: int(not a), "~": lambda a: ~a}
_MAX_NESTING = 50
_HALF_RANGE = 2**31


def evaluate(expression: str, variable: Callable[[str], str]) -> int:
    """Return the value of an expression. Unset and empty variables are 0. Raises `ArithmeticFault`."""
    return _Evaluator(expression, variable).value()


def _wrap(value: int) -> int:
    return (value + _HALF_RANGE) % (2 * _HALF_RANGE) - _HALF_RANGE


class _Evaluator:
    def __init__(self, expression: str, variable: Callable[[str], str], depth: int = 0) -> None:
        self._variable = variable
        self._depth = depth
        self._skipping = 0
        self._tokens: list[str] = []
        at = 0
        end = len(expression.rstrip())
        while at < end:
            match = _TOKEN.match(expression, at)
            if match is None:
                raise ArithmeticFault(f"unexpected '{expression[at:].strip()[0]}'")
            self._tokens.append(match.group().strip())
            at = match.end()
        self._at = 0

    def value(self) -> int:
        if not self._tokens:
            return 0
        result = self._binary(0)
        if self._at < len(self._tokens):
            raise ArithmeticFault(f"unexpected '{self._tokens[self._at]}'")
        return result

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while (sign := self._peek()) in _LEVELS[level]:
            self._at += 1
            is_decided = (sign == "||" and left != 0) or (sign == "&&" and left == 0)
            self._skipping += is_decided
            right = self._binary(level + 1)
            self._skipping -= is_decided
            is_ignored = self._skipping > 0 and right == 0 and sign in "/%"
            left = 0 if is_ignored else _wrap(_LEVELS[level][sign](left, right))
        return left

    def _unary(self) -> int:
        token = self._peek()
        self._at += 1
        if token in _UNARY:
            return _wrap(_UNARY[token](self._deeper(self._unary)))
        if token == "(":
            value = self._deeper(lambda: self._binary(0))
            if self._peek() != ")":
                raise ArithmeticFault(f"unexpected '{self._peek() or 'end of expression'}'")
            self._at += 1
            return value
        if token[:1].isdigit():
            return _wrap(int(token, 16 if token[:2] in ("0x", "0X") else 10))
        if token[:1].isalpha() or token[:1] == "_":
            return self._number_of(token)
        raise ArithmeticFault(f"unexpected '{token or 'end of expression'}'")

    def _deeper(self, part: Callable[[], int]) -> int:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ArithmeticFault("expression recurses")
        value = part()
        self._depth -= 1
        return value

    def _number_of(self, name: str) -> int:
        """Return a variable's value, which may itself be an expression."""
        text = self._variable(name).strip() or "0"
        if re.fullmatch(r"[-+]?\d+", text):
            return _wrap(int(text))
        return self._deeper(lambda: _Evaluator(text, self._variable, self._depth).value())
