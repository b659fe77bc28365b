"""Integer arithmetic of `$((…))`: 64-bit, C's operators and precedence, variables by name."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_]\w*)|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|!~()?:]))")
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_MAX_NESTING = 50


class ArithmeticFault(Exception):
    """The expression cannot be evaluated; the message is what follows the expression in mksh's error."""


def evaluate(expression: str, variable: Callable[[str], str]) -> int:
    """Value of an expression; unset and empty variables are 0. Raises `ArithmeticFault`."""
    return _Evaluator(expression, variable).value()


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def _apply(operator: str, a: int, b: int) -> int:
    if operator in ("/", "%"):
        if b == 0:
            raise ArithmeticFault("zero divisor")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - b * quotient
    simple: dict[str, Callable[[], int]] = {
        "||": lambda: int(bool(a) or bool(b)),
        "&&": lambda: int(bool(a) and bool(b)),
        "|": lambda: a | b,
        "^": lambda: a ^ b,
        "&": lambda: a & b,
        "==": lambda: int(a == b),
        "!=": lambda: int(a != b),
        "<": lambda: int(a < b),
        "<=": lambda: int(a <= b),
        ">": lambda: int(a > b),
        ">=": lambda: int(a >= b),
        "<<": lambda: a << (b & 63),
        ">>": lambda: a >> (b & 63),
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
    }
    return simple[operator]()


class _Evaluator:
    def __init__(self, expression: str, variable: Callable[[str], str]) -> None:
        self._variable = variable
        self._depth = 0
        self._tokens: list[str] = []
        at = 0
        while expression[at:].strip():
            match = _TOKEN.match(expression, at)
            if match is None:
                raise ArithmeticFault("unexpected '" + expression[at:].strip()[0] + "'")
            self._tokens.append(match.group().strip())
            at = match.end()
        self._at = 0

    def value(self) -> int:
        if not self._tokens:
            return 0
        result = self._ternary()
        if self._at < len(self._tokens):
            raise ArithmeticFault(f"unexpected '{self._tokens[self._at]}'")
        return result

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _expect(self, text: str) -> None:
        if self._peek() != text:
            raise ArithmeticFault("unexpected end" if not self._peek() else f"unexpected '{self._peek()}'")
        self._at += 1

    def _ternary(self) -> int:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ArithmeticFault("expression recurses")
        condition = self._binary(0)
        if self._peek() == "?":
            self._at += 1
            yes = self._ternary()
            self._expect(":")
            no = self._ternary()
            condition = yes if condition else no
        self._depth -= 1
        return condition

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._peek()
            self._at += 1
            left = _wrap(_apply(operator, left, self._binary(level + 1)))
        return left

    def _unary(self) -> int:
        token = self._peek()
        self._at += 1
        if token in ("-", "+", "!", "~"):
            self._depth += 1
            if self._depth > _MAX_NESTING:
                raise ArithmeticFault("expression recurses")
            value = self._unary()
            self._depth -= 1
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[token]
        if token == "(":
            value = self._ternary()
            self._expect(")")
            return value
        if token[:1].isdigit():
            return _wrap(int(token, 16 if token[:2] in ("0x", "0X") else 10))
        if token[:1].isalpha() or token[:1] == "_":
            return self._number_of(token)
        raise ArithmeticFault(f"unexpected '{token}'" if token else "unexpected end")

    def _number_of(self, name: str) -> int:
        text = self._variable(name).strip() or "0"
        try:
            return _wrap(int(text, 0) if text[:2] in ("0x", "0X") else int(text))
        except ValueError:
            raise ArithmeticFault(f"bad number '{text}'") from None
