"""Build the syntax tree of a script from its tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from navitas.virtual_phone.shell.lexer import Operator, Token, tokenize
from navitas.virtual_phone.shell.syntax import (
    RESERVED_WORDS,
    AndOr,
    Case,
    Command,
    CommandGroup,
    Conditional,
    For,
    Function,
    If,
    Literal,
    Loop,
    Pipeline,
    Redirect,
    Script,
    ShellSyntaxError,
    Simple,
    Word,
)

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REDIRECTS = (">>", ">&", "<&", "<", ">", "&>", "<<", "<<-")
_MAX_NESTING = 100


@lru_cache(maxsize=256)
def parse(text: str) -> Script:
    """Return the syntax tree of a script. Raises `ShellSyntaxError` with mksh's message."""
    parser = _Parser(tokenize(text))
    script = parser.script(())
    parser.expect_end()
    return script


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._open: list[str] = []
        """Keywords without their end so far, for the message."""

    def script(self, ends: tuple[str, ...]) -> Script:
        items = []
        self._skip_newlines()
        while not self._at_end() and self._peek_text() not in (*ends, ")", ";;"):
            pipelines = [("&&", self._pipeline())]
            while operator := self._take("&&", "||"):
                self._skip_newlines()
                pipelines.append((operator, self._pipeline()))
            separator = self._take(";", "&", "\n")
            items.append(AndOr(tuple(pipelines), background=separator == "&"))
            if not separator:
                break
            self._skip_newlines()
        return Script(tuple(items))

    def expect_end(self) -> None:
        if not self._at_end():
            raise self._unexpected()

    def _pipeline(self) -> Pipeline:
        negated = bool(self._take("!"))
        commands = [self._command()]
        while self._take("|"):
            self._skip_newlines()
            commands.append(self._command())
        return Pipeline(tuple(commands), negated)

    def _command(self) -> Command:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ShellSyntaxError("syntax error: nested too deeply")
        keyword = self._peek_text()
        opens = keyword in ("(", "{", "if", "while", "until", "for", "case", "[[")
        if opens and keyword is not None:
            self._open.append(keyword)
        command = self._compound(keyword) or self._simple()
        if opens:
            self._open.pop()
        self._depth -= 1
        return command

    def _compound(self, keyword: str | None) -> Command | None:
        parts: dict[str | None, Callable[[], Command]] = {
            "(": self._block,
            "{": self._block,
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
            "for": self._for,
            "case": self._case,
            "[[": self._condition,
        }
        return parts[keyword]() if keyword in parts else None

    def _block(self) -> CommandGroup:
        subshell = self._take("(", "{") == "("
        return CommandGroup(self._body(")" if subshell else "}"), subshell, self._redirects())

    def _loop(self) -> Loop:
        until = self._take("while", "until") == "until"
        condition = self._body("do")
        return Loop(condition, self._body("done"), until, self._redirects())

    def _condition(self) -> Conditional:
        self._at += 1
        tokens: list[Word | str] = []
        while self._plain_word() != "]]":
            if self._at_end():
                raise self._unexpected()
            token = self._tokens[self._at]
            if isinstance(token, Operator):
                if token.text not in ("&&", "||", "(", ")", "<", ">", "\n"):
                    raise self._unexpected()
                tokens += [token.text] if token.text != "\n" else []
            else:
                tokens.append(token)
            self._at += 1
        self._at += 1
        return Conditional(tuple(tokens), self._redirects())

    def _if(self) -> If:
        branches = []
        otherwise = None
        keyword = "if"
        while keyword in ("if", "elif"):
            self._at += 1
            condition = self._body("then")
            body = self.script(("elif", "else", "fi"))
            if not body.items:
                raise self._unexpected()
            branches.append((condition, body))
            keyword = self._peek_text() or ""
        if keyword == "else":
            self._at += 1
            otherwise = self._body("fi")
        else:
            self._expect("fi")
        return If(tuple(branches), otherwise, self._redirects())

    def _for(self) -> For:
        self._at += 1
        name = self._plain_word()
        if name is None or not _NAME.fullmatch(name):
            raise self._unexpected()
        self._at += 1
        self._skip_newlines()
        words = None
        if self._plain_word() == "in":
            self._at += 1
            words = self._words()
        self._take(";")
        self._skip_newlines()
        self._expect("do")
        return For(name, words, self._body("done"), self._redirects())

    def _case(self) -> Case:
        self._at += 1
        subject = self._word()
        self._skip_newlines()
        self._expect("in")
        self._skip_newlines()
        branches = []
        while not self._take("esac"):
            self._take("(")
            patterns = [self._word()]
            while self._take("|"):
                patterns.append(self._word())
            self._expect(")")
            branches.append((tuple(patterns), self.script(("esac",))))
            self._take(";;")
            self._skip_newlines()
        return Case(subject, tuple(branches), self._redirects())

    def _simple(self) -> Command:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while not self._at_end():
            token = self._tokens[self._at]
            if isinstance(token, Operator):
                redirect = self._redirect()
                if redirect is None:
                    break
                redirects.append(redirect)
                continue
            if not words and not assignments and not redirects and self._peek_text() in RESERVED_WORDS:
                raise self._unexpected()
            assignment = _assignment(token) if not words else None
            if assignment:
                assignments.append(assignment)
            else:
                words.append(token)
            self._at += 1
            if len(words) == 1 and not assignments and self._take("("):
                return self._function(words[0])
        if not (assignments or words or redirects):
            raise self._unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _function(self, word: Word) -> Function:
        if len(word) != 1 or not isinstance(word[0], Literal) or not _NAME.fullmatch(word[0].text):
            raise self._unexpected()
        self._expect(")")
        self._skip_newlines()
        return Function(word[0].text, self._command())

    def _redirects(self) -> tuple[Redirect, ...]:
        redirects = []
        while (redirect := self._redirect()) is not None:
            redirects.append(redirect)
        return tuple(redirects)

    def _redirect(self) -> Redirect | None:
        if self._at_end():
            return None
        token = self._tokens[self._at]
        if not isinstance(token, Operator):
            return None
        fd = None
        if token.io_number:
            fd = int(token.text)
            self._at += 1
            token = self._tokens[self._at]
        if not isinstance(token, Operator) or token.text not in _REDIRECTS:
            return None
        self._at += 1
        default_fd = 0 if token.text.startswith("<") else 1
        return Redirect(default_fd if fd is None else fd, token.text.removesuffix("-"), self._word())

    def _body(self, end: str) -> Script:
        body = self.script((end,))
        if not body.items:
            raise self._unexpected()
        self._expect(end)
        return body

    def _words(self) -> tuple[Word, ...]:
        words: list[Word] = []
        while not self._at_end() and not isinstance(token := self._tokens[self._at], Operator):
            words.append(token)
            self._at += 1
        return tuple(words)

    def _word(self) -> Word:
        if self._at_end() or isinstance(token := self._tokens[self._at], Operator):
            raise self._unexpected()
        self._at += 1
        return token

    def _plain_word(self) -> str | None:
        """Return the next token if it is a word without quoting."""
        if self._at_end() or isinstance(token := self._tokens[self._at], Operator):
            return None
        return token[0].text if len(token) == 1 and isinstance(token[0], Literal) and not token[0].quoted else None

    def _peek_text(self) -> str | None:
        if self._at_end():
            return None
        token = self._tokens[self._at]
        return token.text if isinstance(token, Operator) else self._plain_word()

    def _take(self, *texts: str) -> str:
        """Take the next token if it is one of these; return it, or else an empty string."""
        text = self._peek_text() or ""
        if text not in texts:
            return ""
        self._at += 1
        return text

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected()

    def _skip_newlines(self) -> None:
        while self._take("\n"):
            pass

    def _at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def _unexpected(self) -> ShellSyntaxError:
        if self._at_end():
            what = f"unmatched '{self._open[-1]}'" if self._open else "unexpected EOF"
            return ShellSyntaxError(f"syntax error: {what}", incomplete=True)
        text = (self._peek_text() or "word").replace("\n", "newline")
        return ShellSyntaxError(f"syntax error: unexpected '{text}'")


def _assignment(word: Word) -> tuple[str, Word] | None:
    first = word[0] if word else None
    if not isinstance(first, Literal) or first.quoted:
        return None
    match = _ASSIGNMENT.match(first.text)
    if match is None:
        return None
    rest = first.text[match.end() :]
    return match.group(1), ((Literal(rest, quoted=False),) if rest else ()) + word[1:]
