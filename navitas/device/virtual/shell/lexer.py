"""Cuts shell text into operators and words; quoting and `$` constructs become parts of words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from navitas.device.virtual.shell.syntax import Arithmetic, Literal, Parameter, Part, ShellSyntaxError, Substitution, Word

_OPERATORS = ("&&", "||", ";;", ">>", "<<", ">&", "<&", "&", "|", ";", "<", ">", "(", ")", "\n")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_PARAMETER_OP = re.compile(r":[-=+?]|##|%%|[-=+?#%]")
_IO_NUMBER = re.compile(r"[0-9](?=[<>])")
_END_OF_WORD = frozenset(" \t\n&|;<>()")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./:=,@%+-]+")
_QUOTED_RUN = re.compile(r'[^"\\$`]+')
_MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator, a newline, or the digit before a redirection (`io_number`)."""

    text: str
    io_number: bool = False


Token = Operator | Word


def tokenize(text: str) -> list[Token]:
    """All tokens of a script; raises `ShellSyntaxError` for unfinished quotes and substitutions."""
    return _Lexer(text).tokens()


class _Lexer:
    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > _MAX_NESTING:
            raise ShellSyntaxError("syntax error: nested too deeply")
        self._text = text
        self._depth = depth
        self._at = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while self._skip_blanks():
            number = _IO_NUMBER.match(self._text, self._at)
            operator = next((op for op in _OPERATORS if self._text.startswith(op, self._at)), None)
            if number:
                found.append(Operator(number.group(), io_number=True))
                self._at += 1
            elif operator:
                found.append(Operator(operator))
                self._at += len(operator)
            else:
                found.append(self._word(_END_OF_WORD))
        return found

    def _skip_blanks(self) -> bool:
        while self._at < len(self._text):
            if self._text[self._at] in " \t":
                self._at += 1
            elif self._text.startswith("\\\n", self._at):
                self._at += 2
            elif self._text[self._at] == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                return True
        return False

    def _word(self, ends: frozenset[str]) -> Word:
        parts: list[Part] = []
        while self._at < len(self._text) and self._text[self._at] not in ends:
            char = self._text[self._at]
            if char == "'":
                end = self._find("'", self._at + 1)
                _add(parts, self._text[self._at + 1 : end], quoted=True)
                self._at = end + 1
            elif char == '"':
                self._at += 1
                self._double_quoted(parts)
            elif char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                if escaped != "\n":
                    _add(parts, escaped or "\\", quoted=True)
                self._at += 2
            elif char in "$`":
                self._dollar(parts, quoted=False)
            else:
                run = _PLAIN_RUN.match(self._text, self._at)
                _add(parts, run.group() if run else char, quoted=False)
                self._at = run.end() if run else self._at + 1
        return tuple(parts)

    def _double_quoted(self, parts: list[Part]) -> None:
        _add(parts, "", quoted=True)
        while True:
            char = self._text[self._at : self._at + 1]
            if not char:
                raise ShellSyntaxError("no closing quote", incomplete=True)
            if char == '"':
                self._at += 1
                return
            if char == "\\" and self._text[self._at + 1 : self._at + 2] in ("$", "`", '"', "\\", "\n"):
                if self._text[self._at + 1] != "\n":
                    _add(parts, self._text[self._at + 1], quoted=True)
                self._at += 2
            elif char in "$`":
                self._dollar(parts, quoted=True)
            elif run := _QUOTED_RUN.match(self._text, self._at):
                _add(parts, run.group(), quoted=True)
                self._at = run.end()
            else:
                _add(parts, char, quoted=True)
                self._at += 1

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        text, at = self._text, self._at
        if text[at] == "`":
            tick = self._find_backtick(at + 1)
            parts.append(Substitution(re.sub(r"\\([`$\\])", r"\1", text[at + 1 : tick]), quoted))
            self._at = tick + 1
        elif text.startswith("$((", at) and (end := self._closing(at + 3)) is not None and text.startswith("))", end):
            inner = _Lexer(text[at + 3 : end], self._depth + 1)
            parts.append(Arithmetic(inner._word(frozenset()), quoted))
            self._at = end + 2
        elif text.startswith("$(", at):
            closing = self._closing(at + 2)
            if closing is None:
                raise ShellSyntaxError("syntax error: unmatched '('", incomplete=True)
            parts.append(Substitution(text[at + 2 : closing], quoted))
            self._at = closing + 1
        elif text.startswith("${", at):
            self._at += 2
            parts.append(self._braced(quoted=quoted))
        elif name := _NAME.match(text, at + 1):
            parts.append(Parameter(name.group(), quoted))
            self._at = name.end()
        else:
            _add(parts, "$", quoted=quoted)
            self._at += 1

    def _braced(self, *, quoted: bool) -> Parameter:
        length = self._text.startswith("#", self._at) and not self._text.startswith("#}", self._at)
        name = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!-]").match(self._text, self._at + length)
        if name is None:
            raise ShellSyntaxError("bad substitution")
        self._at = name.end()
        op = _PARAMETER_OP.match(self._text, self._at)
        if length or op is None:
            parameter = Parameter(name.group(), quoted, "length" if length else "")
        else:
            inner = _Lexer(self._text, self._depth + 1)
            inner._at = op.end()
            parameter = Parameter(name.group(), quoted, op.group(), inner._word(frozenset("}")))
            self._at = inner._at
        if not self._text.startswith("}", self._at):
            raise ShellSyntaxError("bad substitution")
        self._at += 1
        return parameter

    def _closing(self, start: int) -> int | None:
        """Where the parenthesis opened before `start` closes; quotes and nested ones are skipped."""
        scan = _Lexer(self._text, self._depth + 1)
        scan._at = start
        open_count = 0
        while scan._at < len(self._text):
            char = self._text[scan._at]
            if char == ")" and open_count == 0:
                return scan._at
            if char in "'\"\\`$":
                scan._skip_construct()
                continue
            open_count += (char == "(") - (char == ")")
            scan._at += 1
        return None

    def _skip_construct(self) -> None:
        char = self._text[self._at]
        if char == "'":
            self._at = self._find("'", self._at + 1) + 1
        elif char == '"':
            self._at += 1
            self._double_quoted([])
        elif char == "\\":
            self._at += 2
        else:
            self._dollar([], quoted=False)

    def _find(self, char: str, start: int) -> int:
        end = self._text.find(char, start)
        if end < 0:
            raise ShellSyntaxError("no closing quote", incomplete=True)
        return end

    def _find_backtick(self, start: int) -> int:
        at = start
        while at < len(self._text) and self._text[at] != "`":
            at += 2 if self._text[at] == "\\" else 1
        if at >= len(self._text):
            raise ShellSyntaxError("no closing quote", incomplete=True)
        return at


def _add(parts: list[Part], text: str, *, quoted: bool) -> None:
    """Append text, joined with a literal of the same quoting before it."""
    if parts and isinstance(parts[-1], Literal) and parts[-1].quoted == quoted:
        text = parts.pop().text + text  # type: ignore[union-attr]
    parts.append(Literal(text, quoted))
