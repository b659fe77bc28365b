"""Split shell text into operators and words. Quoting and `$` constructs become parts of words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from navitas.virtual_phone.shell.quoting import ansi_c
from navitas.virtual_phone.shell.syntax import Arithmetic, Literal, Parameter, Part, ShellSyntaxError, Substitution, Word

_OPERATORS = (
    "<<<", "<<-", "&&", "||", ";;", ">>", "<<", ">&", "<&", "<>", ">|", "&>", "&", "|", ";", "<", ">", "(", ")", "\n",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!-]")
_PARAMETER_OP = re.compile(r":[-=+?]|##|%%|//|[-=+?#%:/]")
_IO_NUMBER = re.compile(r"[0-9](?=[<>])")
_END_OF_WORD = frozenset(" \t\n&|;<>()")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./:=,@%+-]+")
_QUOTED_RUN = re.compile(r'[^"\\$`]+')
_DOCUMENT_RUN = re.compile(r"[^\\$`]+")
_SKIPPED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`""", re.DOTALL)
_MAX_NESTING = 20
_BEFORE_COMMAND = frozenset(("if", "then", "elif", "else", "while", "until", "do", "{", "!", "in"))


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
        self._found: list[Token] = []
        self._documents: list[tuple[int, bool]] = []
        """Here documents whose text begins after this line: the position of their delimiter, and whether to strip tabs."""

    def tokens(self, *, closing: bool = False) -> list[Token]:
        """Return the tokens up to the end, or with `closing` up to the matching closing parenthesis."""
        found = self._found
        open_blocks: list[str] = []
        while self._skip_blanks():
            before_command = self._before_command()
            number = _IO_NUMBER.match(self._text, self._at)
            operator = next((op for op in _OPERATORS if self._text.startswith(op, self._at)), None)
            if number:
                found.append(Operator(number.group(), io_number=True))
                self._at += 1
            elif operator == "(" and before_command and self._calculation():
                continue
            elif operator:
                if closing and self._closes(operator, open_blocks):
                    return found
                found.append(Operator(operator))
                self._at += len(operator)
                if operator == "\n":
                    self._read_documents()
            else:
                word = self._word(_END_OF_WORD)
                self._note_delimiter()
                found.append(word)
                if closing and before_command and _plain(word) in ("case", "esac"):
                    self._in_case(_plain(word), open_blocks)
        if self._documents:
            delimiter = _text_of(found[self._documents[0][0]])
            raise ShellSyntaxError(f"here document '{delimiter}' unclosed", incomplete=True)
        if closing:
            raise ShellSyntaxError("syntax error: unmatched '('", incomplete=True)
        return found

    @staticmethod
    def _closes(operator: str, open_blocks: list[str]) -> bool:
        """Count parentheses. A `)` after a pattern of `case` closes none."""
        if operator == "(":
            open_blocks.append("(")
        elif operator == ")" and not open_blocks:
            return True
        elif operator == ")" and open_blocks[-1] == "(":
            open_blocks.pop()
        return False

    @staticmethod
    def _in_case(word: str, open_blocks: list[str]) -> None:
        if word == "case":
            open_blocks.append("case")
        elif open_blocks and open_blocks[-1] == "case":
            open_blocks.pop()

    def _before_command(self) -> bool:
        if not self._found:
            return True
        last = self._found[-1]
        if isinstance(last, Operator):
            return not last.io_number and last.text in ("&&", "||", ";;", "&", "|", ";", "(", ")", "\n")
        return _plain(last) in _BEFORE_COMMAND

    def _calculation(self) -> bool:
        """Take `((expression))`. Returns False if it is a parenthesis inside another one."""
        if not self._text.startswith("((", self._at):
            return False
        end = self._closing(self._at + 2)
        if not self._text.startswith("))", end):
            return False
        self._found += [Operator("(("), (self._arithmetic(self._at + 2, end, quoted=True),)]
        self._at = end + 2
        return True

    def _note_delimiter(self) -> None:
        last = self._found[-1] if self._found else None
        if isinstance(last, Operator) and last.text in ("<<", "<<-"):
            self._documents.append((len(self._found), last.text == "<<-"))

    def _read_documents(self) -> None:
        for index, strips_tabs in self._documents:
            word = self._found[index]
            assert not isinstance(word, Operator)
            lines, end = self._lines_until(_text_of(word), strips_tabs=strips_tabs)
            text = "".join(lines)
            if any(part.quoted for part in word):
                self._found[index] = (Literal(text, quoted=True),)
            else:
                self._found[index] = _Lexer(text, self._depth + 1)._document()
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

    def _document(self) -> Word:
        """Return a here document's text: parameters and substitutions are expanded, quotes are literal."""
        parts: list[Part] = [Literal("", quoted=True)]
        while self._at < len(self._text):
            char = self._text[self._at]
            escaped = self._text[self._at + 1 : self._at + 2]
            if char == "\\" and escaped in ("$", "`", "\\", "\n"):
                _add(parts, "" if escaped == "\n" else escaped, quoted=True)
                self._at += 2
            elif char in "$`":
                self._dollar(parts, quoted=True)
            elif run := _DOCUMENT_RUN.match(self._text, self._at):
                _add(parts, run.group(), quoted=True)
                self._at = run.end()
            else:
                _add(parts, char, quoted=True)
                self._at += 1
        return tuple(parts)

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
                run = _PLAIN_RUN.match(self._text, self._at) if ends is _END_OF_WORD else None
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
            escapable = r'\\([`$\\"])' if quoted else r"\\([`$\\])"
            parts.append(Substitution(re.sub(escapable, r"\1", text[at + 1 : tick]), quoted))
            self._at = tick + 1
        elif text.startswith("$((", at) and text.startswith("))", end := self._closing(at + 3)):
            parts.append(self._arithmetic(at + 3, end, quoted=quoted))
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
        elif text.startswith("$'", at) and not quoted:
            value, self._at = ansi_c(text, at + 2)
            _add(parts, value, quoted=True)
        elif name := _NAME.match(text, at + 1):
            parts.append(Parameter(name.group(), quoted))
            self._at = name.end()
        else:
            _add(parts, "$", quoted=quoted)
            self._at += 1

    def _arithmetic(self, start: int, end: int, *, quoted: bool) -> Arithmetic:
        return Arithmetic(_Lexer(self._text[start:end], self._depth + 1)._word(frozenset()), quoted)

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
            separator = {":": ":", "/": "/", "//": "/"}.get(op.group(), "")
            argument = self._argument("}" + separator)
            second = None
            if separator and self._text.startswith(separator, self._at):
                self._at += 1
                second = self._argument("}")
            parameter = Parameter(name.group(), quoted, op.group(), argument, second)
        self._require_more()
        if not self._text.startswith("}", self._at):
            raise ShellSyntaxError("bad substitution")
        self._at += 1
        return parameter

    def _argument(self, ends: str) -> Word:
        inner = _Lexer(self._text, self._depth + 1)
        inner._at = self._at
        word = inner._word(frozenset(ends))
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


def _plain(word: Word) -> str:
    """Return the word if it has no quoting, else an empty string."""
    return word[0].text if len(word) == 1 and isinstance(word[0], Literal) and not word[0].quoted else ""


def _text_of(word: Token) -> str:
    """Return a here document's delimiter: the word without its quoting, never expanded."""
    return "".join(part.text for part in word if isinstance(part, Literal)) if not isinstance(word, Operator) else word.text
