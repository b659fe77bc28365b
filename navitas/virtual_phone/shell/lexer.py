"""Split shell text into operators and words. Quoting and `$` constructs become parts of words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from navitas.virtual_phone.shell.syntax import Arithmetic, Literal, Parameter, Part, ShellSyntaxError, Substitution, Word

_OPERATORS = (
    "<<-", "&&", "||", ";;", ">>", "<<", ">&", "<&", "&>", "&", "|", ";", "<", ">", "(", ")", "\n",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!-]")
_PARAMETER_OP = re.compile(r":[-=+?]|##|%%|[-=+?#%]")
_IO_NUMBER = re.compile(r"[0-9](?=[<>])")
_END_OF_WORD = frozenset(" \t\n&|;<>()")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./:=,@%+-]+")
_QUOTED_RUNS = {'"': re.compile(r'[^"\\$`]+'), "": re.compile(r"[^\\$`]+")}
"""Text in double quotes and in here documents, without characters that have a meaning there."""
_SKIPPED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`""", re.DOTALL)
_MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator, a newline, or the digit before a redirection (`io_number`)."""

    text: str
    io_number: bool = False


Token = Operator | Word


def tokenize(text: str) -> list[Token]:
    """Return all tokens of a script. Raises `ShellSyntaxError` for unfinished quotes, substitutions and here documents."""
    return _Lexer(text).tokens()


class _Lexer:
    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > _MAX_NESTING:
            raise ShellSyntaxError("syntax error: nested too deeply")
        self._text = text
        self._depth = depth
        self._at = 0
        self._tokens: list[Token] = []
        self._documents: list[tuple[int, bool]] = []
        """Here documents whose text begins after this line: the position of their delimiter, and whether to strip tabs."""

    def tokens(self, *, closing: bool = False) -> list[Token]:
        """Return the tokens up to the end, or with `closing` up to the matching closing parenthesis."""
        tokens = self._tokens
        open_count = 0
        while self._skip_blanks():
            number = _IO_NUMBER.match(self._text, self._at)
            operator = next((op for op in _OPERATORS if self._text.startswith(op, self._at)), None)
            if number:
                tokens.append(Operator(number.group(), io_number=True))
                self._at += 1
            elif operator:
                if closing and operator == ")" and not open_count:
                    return tokens
                open_count += (operator == "(") - (operator == ")")
                tokens.append(Operator(operator))
                self._at += len(operator)
                if operator == "\n":
                    self._read_documents()
            else:
                word = self._word(_END_OF_WORD)
                last = tokens[-1] if tokens else None
                if isinstance(last, Operator) and last.text in ("<<", "<<-"):
                    self._documents.append((len(tokens), last.text == "<<-"))
                tokens.append(word)
        if self._documents:
            delimiter = _text_of(tokens[self._documents[0][0]])
            raise ShellSyntaxError(f"here document '{delimiter}' unclosed", incomplete=True)
        if closing:
            raise ShellSyntaxError("syntax error: unmatched '('", incomplete=True)
        return tokens

    def _read_documents(self) -> None:
        for index, strips_tabs in self._documents:
            word = self._tokens[index]
            assert not isinstance(word, Operator)
            lines, end = self._lines_until(_text_of(word), strips_tabs=strips_tabs)
            text = "".join(lines)
            parts: list[Part] = [Literal(text, quoted=True)]
            if not any(part.quoted for part in word):
                parts.clear()
                _Lexer(text, self._depth + 1)._quoted(parts, end="")
            self._tokens[index] = tuple(parts)
            self._at = end
        self._documents.clear()

    def _lines_until(self, delimiter: str, *, strips_tabs: bool) -> tuple[list[str], int]:
        lines: list[str] = []
        at = self._at
        while at < len(self._text):
            end = self._text.find("\n", at) + 1 or len(self._text)
            line = self._text[at:end]
            line = line.lstrip("\t") if strips_tabs else line
            at = end
            if line.removesuffix("\n") == delimiter:
                return lines, at
            lines.append(line)
        raise ShellSyntaxError(f"here document '{delimiter}' unclosed", incomplete=True)

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
                self._quoted(parts, end='"')
            elif char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                if escaped != "\n":
                    _add(parts, escaped or "\\", quoted=True)
                self._at += 2
            elif char in "$`":
                self._dollar(parts, quoted=False)
            else:
                run = _PLAIN_RUN.match(self._text, self._at) if ends is _END_OF_WORD else None
                _add(parts, run.group() if run else char, quoted=False)
                self._at = run.end() if run else self._at + 1
        return tuple(parts)

    def _quoted(self, parts: list[Part], *, end: str) -> None:
        """Take text in double quotes up to `end`, or the whole text of a here document, in which quotes are literal."""
        _add(parts, "", quoted=True)
        while (char := self._text[self._at : self._at + 1]) != end:
            escaped = self._text[self._at + 1 : self._at + 2]
            if not char:
                raise ShellSyntaxError("no closing quote", incomplete=True)
            if char == "\\" and escaped and escaped in "$`\\\n" + end:
                _add(parts, "" if escaped == "\n" else escaped, quoted=True)
                self._at += 2
            elif char in "$`":
                self._dollar(parts, quoted=True)
            elif run := _QUOTED_RUNS[end].match(self._text, self._at):
                _add(parts, run.group(), quoted=True)
                self._at = run.end()
            else:
                _add(parts, char, quoted=True)
                self._at += 1
        self._at += len(end)

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        text, at = self._text, self._at
        if text[at] == "`":
            tick = self._find_backtick(at + 1)
            escapable = r'\\([`$\\"])' if quoted else r"\\([`$\\])"
            parts.append(Substitution(re.sub(escapable, r"\1", text[at + 1 : tick]), quoted))
            self._at = tick + 1
        elif text.startswith("$((", at) and text.startswith("))", end := self._closing(at + 3)):
            parts.append(Arithmetic(_Lexer(text[at + 3 : end], self._depth + 1)._word(frozenset()), quoted))
            self._at = end + 2
        elif text.startswith("$(", at):
            inner = _Lexer(text, self._depth + 1)
            inner._at = at + 2
            inner.tokens(closing=True)
            parts.append(Substitution(text[at + 2 : inner._at], quoted))
            self._at = inner._at + 1
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
        name = _BRACED_NAME.match(self._text, self._at + length)
        if name is None:
            self._require_more()
            raise ShellSyntaxError("bad substitution")
        self._at = name.end()
        op = _PARAMETER_OP.match(self._text, self._at)
        if length or op is None:
            parameter = Parameter(name.group(), quoted, "length" if length else "")
        else:
            self._at = op.end()
            parameter = Parameter(name.group(), quoted, op.group(), self._argument())
        self._require_more()
        if not self._text.startswith("}", self._at):
            raise ShellSyntaxError("bad substitution")
        self._at += 1
        return parameter

    def _argument(self) -> Word:
        inner = _Lexer(self._text, self._depth + 1)
        inner._at = self._at
        word = inner._word(frozenset("}"))
        self._at = inner._at
        return word

    def _require_more(self) -> None:
        if self._at >= len(self._text):
            raise ShellSyntaxError("no closing quote", incomplete=True)

    def _closing(self, start: int) -> int:
        """Return the position of the parenthesis that closes arithmetic. Skips quotes, and reads nothing twice."""
        at = start
        open_count = 0
        while at < len(self._text):
            char = self._text[at]
            if char == ")" and open_count == 0:
                return at
            if skipped := _SKIPPED.match(self._text, at):
                at = skipped.end()
                continue
            open_count += (char == "(") - (char == ")")
            at += 1
        raise ShellSyntaxError("no closing quote", incomplete=True)

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
    """Append text, and merge it with a preceding literal of the same quoting."""
    if parts and isinstance(parts[-1], Literal) and parts[-1].quoted == quoted:
        text = parts.pop().text + text  # type: ignore[union-attr]
    parts.append(Literal(text, quoted))


def _text_of(word: Token) -> str:
    """Return a here document's delimiter: the word without its quoting, never expanded."""
    return "".join(part.text for part in word if isinstance(part, Literal)) if not isinstance(word, Operator) else word.text
