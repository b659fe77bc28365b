"""Integer arithmetic of `$((…))`, `((…))` and `let`: 32 bits as in mksh, C's operators and precedence, variables by name."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F]+|\d+#[0-9A-Za-z]+|\d+)|([A-Za-z_]\w*)"
    r"|(<<=|>>=|\+\+|--|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|!~()?:=,]))"
)
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
_ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
_MAX_NESTING = 50
_MAX_BASE = 36
_HALF_RANGE = 2**31


class ArithmeticFault(Exception):
    """The expression cannot be evaluated. The message is the text after the expression in mksh's error."""


def evaluate(expression: str, variable: Callable[[str], str], assign: Callable[[str, str], None] | None = None) -> int:
    """Return the value of an expression. Unset and empty variables are 0; `assign` sets one. Raises `ArithmeticFault`."""
    return _Evaluator(expression, variable, assign).value()


def _wrap(value: int) -> int:
    return (value + _HALF_RANGE) % (2 * _HALF_RANGE) - _HALF_RANGE


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
        "<<": lambda: a << (b & 31),
        ">>": lambda: a >> (b & 31),
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
    }
    return simple[operator]()


class _Evaluator:
    def __init__(
        self, expression: str, variable: Callable[[str], str], assign: Callable[[str, str], None] | None, depth: int = 0
    ) -> None:
        self._variable = variable
        self._assign = assign
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
        result = self._list()
        if self._at < len(self._tokens):
            raise ArithmeticFault(f"unexpected '{self._tokens[self._at]}'")
        return result

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""

    def _expect(self, text: str) -> None:
        if self._peek() != text:
            raise self._unexpected(self._peek())
        self._at += 1

    @staticmethod
    def _unexpected(token: str) -> ArithmeticFault:
        return ArithmeticFault(f"unexpected '{token or 'end of expression'}'")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ArithmeticFault("expression recurses")

    def _list(self) -> int:
        result = self._assignment()
        while self._peek() == ",":
            self._at += 1
            result = self._assignment()
        return result

    def _assignment(self) -> int:
        name, operator = self._peek(), self._peek(1)
        if operator not in _ASSIGNMENTS or not _is_name(name):
            return self._ternary()
        self._deeper()
        self._at += 2
        value = self._assignment()
        if operator != "=":
            value = _wrap(self._calculate(operator[:-1], self._number_of(name), value))
        self._depth -= 1
        return self._store(name, value)

    def _store(self, name: str, value: int) -> int:
        if self._assign is not None and not self._skipping:
            self._assign(name, str(value))
        return value

    def _ternary(self) -> int:
        self._deeper()
        condition = self._binary(0)
        if self._peek() == "?":
            self._at += 1
            yes = self._branch(self._list, skip=not condition)
            self._expect(":")
            no = self._branch(self._assignment, skip=bool(condition))
            condition = yes if condition else no
        self._depth -= 1
        return condition

    def _branch(self, part: Callable[[], int], *, skip: bool) -> int:
        """Parse an operand; without side effects if `skip`."""
        self._skipping += skip
        value = part()
        self._skipping -= skip
        return value

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._peek()
            self._at += 1
            decided = (operator == "||" and left != 0) or (operator == "&&" and left == 0)
            right = self._branch(lambda: self._binary(level + 1), skip=decided)
            left = _wrap(self._calculate(operator, left, right))
        return left

    def _calculate(self, operator: str, a: int, b: int) -> int:
        return 0 if self._skipping and b == 0 and operator in "/%" else _apply(operator, a, b)

    def _unary(self) -> int:
        token = self._peek()
        self._at += 1
        if token in ("-", "+", "!", "~"):
            self._deeper()
            value = self._unary()
            self._depth -= 1
            return _wrap({"-": -value, "+": value, "!": int(not value), "~": ~value}[token])
        if token in ("++", "--") and _is_name(self._peek()):
            self._at += 1
            return self._store(self._tokens[self._at - 1], _wrap(self._number_of(self._tokens[self._at - 1]) + _step(token)))
        if token == "(":
            value = self._list()
            self._expect(")")
            return value
        if token[:1].isdigit():
            return _constant(token)
        if _is_name(token):
            value = self._number_of(token)
            if self._peek() in ("++", "--"):
                self._store(token, _wrap(value + _step(self._peek())))
                self._at += 1
            return value
        raise self._unexpected(token)

    def _number_of(self, name: str) -> int:
        """Return a variable's value, which may itself be an expression."""
        text = self._variable(name).strip() or "0"
        if re.fullmatch(r"[-+]?\d+", text):
            return _wrap(int(text))
        self._deeper()
        value = _Evaluator(text, self._variable, None, self._depth).value()
        self._depth -= 1
        return value


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def _step(token: str) -> int:
    return 1 if token == "++" else -1


def _constant(token: str) -> int:
    base, sharp, digits = token.partition("#")
    try:
        if sharp:
            if not 2 <= int(base) <= _MAX_BASE:
                raise ValueError
            return _wrap(int(digits, int(base)))
        return _wrap(int(token, 16 if token[:2] in ("0x", "0X") else 10))
    except ValueError:
        raise ArithmeticFault(f"bad number '{token}'") from None
