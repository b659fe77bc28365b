"""Expansion of words: parameters, substitutions, arithmetic, field splitting and globs (POSIX shell, 2.6; mksh)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from navitas.virtual_phone.shell.arithmetic import ArithmeticFault, evaluate
from navitas.virtual_phone.shell.glob_patterns import Runs, expand_glob, has_magic, plain, trimmed
from navitas.virtual_phone.shell.state import ShellState
from navitas.virtual_phone.shell.syntax import Arithmetic, Literal, Parameter, Part, Substitution, Word

DEFAULT_SEPARATORS = " \t\n"


class Fields:
    """Fields under construction. New text goes to the last one while it `is_open`."""

    def __init__(self, separators: str = DEFAULT_SEPARATORS) -> None:
        self._gap = _gap(separators)
        self.fields: list[Runs] = []
        self.is_open = False

    def add(self, text: str, *, quoted: bool) -> None:
        """Add text without splitting it. Quoted text begins a field even if it is empty."""
        if not text and not quoted:
            return
        if not self.is_open:
            self.fields.append([])
            self.is_open = True
        self.fields[-1].append((text, quoted))

    def add_split(self, text: str) -> None:
        """Add text whose separators end fields. A separator that is no blank ends one even if it is empty."""
        at = 0
        for gap in self._gap.finditer(text):
            self.add(text[at : gap.start()], quoted=False)
            if gap.group(1) and not self.is_open:
                self.fields.append([])
            self.is_open = False
            at = gap.end()
        self.add(text[at:], quoted=False)


def split_line(line: str, count: int, separators: str, *, raw: bool) -> list[str]:
    """Split a line for `count` variables of `read`; the last gets the rest. Unless `raw`, a backslash quotes."""
    text = line if raw else re.sub(r"\\(.)", r"\1", line, flags=re.DOTALL)
    # The same text without quoted separators, so that positions in both agree.
    marked = line if raw else re.sub(r"\\.", "\0", line, flags=re.DOTALL)
    blanks = "".join(char for char in separators if char in DEFAULT_SEPARATORS)
    at = len(marked) - len(marked.lstrip(blanks))
    fields: list[str] = []
    for gap in _gap(separators).finditer(marked, at):
        if len(fields) >= count - 1:
            break
        fields.append(text[at : gap.start()])
        at = gap.end()
    fields.append(text[at : len(marked.rstrip(blanks))])
    return fields + [""] * (count - len(fields))


def _gap(separators: str) -> re.Pattern[str]:
    """Return the pattern of what separates fields: blanks, with at most one other separator (its group)."""
    sets = ("".join(char for char in separators if (char in DEFAULT_SEPARATORS) == is_blank) for is_blank in (True, False))
    blank, mark = (f"[{re.escape(chars)}]" if chars else "(?:(?!))" for chars in sets)
    return re.compile(f"{blank}*({mark}){blank}*|{blank}+")


class ExpansionError(Exception):
    """A word cannot be expanded (`${name?message}`, bad arithmetic, an unset variable under `set -u`). The shell ends."""


class Expander:
    """Expands words for one shell. `substitute` runs the script of `$(…)` and returns its output."""

    def __init__(self, shell: ShellState, substitute: Callable[[str], Awaitable[str]]) -> None:
        self._shell = shell
        self._substitute = substitute

    async def fields(self, words: tuple[Word, ...]) -> list[str]:
        """Return a command's arguments after all expansions, field splitting and globs."""
        args: list[str] = []
        shell = self._shell
        for word in words:
            fields = Fields(self._separators())
            await self._add_word(fields, word)
            for runs in fields.fields:
                is_pattern = "f" not in shell.options and has_magic(runs)
                paths = expand_glob(runs, shell.cwd, shell.listdir, shell.is_dir) if is_pattern else []
                args += paths or [plain(runs)]
        return args

    async def text(self, word: Word) -> str:
        """Expand to one string without splitting or globs, for assignments, redirections and similar uses."""
        return plain(await self.runs(word))

    async def runs(self, word: Word) -> Runs:
        """Return the expanded text with its quoting, for patterns."""
        pieces: Runs = []
        for index, part in enumerate(word):
            if _is_all_arguments(part):
                pieces.append((self._joined_arguments(part), part.quoted))
            elif isinstance(part, Parameter) and not part.quoted and await self._takes_argument(part):
                pieces += await self.runs(part.argument)
            else:
                pieces.append((await self._value(part, first=index == 0), part.quoted))
        return pieces

    async def calculate(self, expression: Word) -> int:
        """Return the value of an arithmetic expression."""
        text = await self.text(expression)
        try:
            return evaluate(text, lambda name: self._shell.get(name) or "")
        except ArithmeticFault as fault:
            raise ExpansionError(f"{text}: {fault}") from None

    async def _add_word(self, fields: Fields, word: Word) -> None:
        for index, part in enumerate(word):
            if _is_all_arguments(part):
                self._add_arguments(fields, part)
            elif isinstance(part, Parameter) and not part.quoted and await self._takes_argument(part):
                await self._add_default(fields, part.argument)
            elif part.quoted or isinstance(part, Literal):
                fields.add(await self._value(part, first=index == 0), quoted=part.quoted)
            else:
                fields.add_split(await self._value(part))

    async def _add_default(self, fields: Fields, word: Word) -> None:
        """Add `${name:-word}`. Quoted text in the word is not split."""
        for index, part in enumerate(word):
            if isinstance(part, Literal) and not part.quoted:
                fields.add_split(await self._value(part, first=index == 0))
            else:
                await self._add_word(fields, (part,))

    async def _takes_argument(self, part: Parameter) -> bool:
        """Return whether `${name-word}` or `${name+word}` expands to its word."""
        op = part.op.removeprefix(":")
        if op not in ("-", "+"):
            return False
        value = self._joined_arguments(part) if part.name in "@*" else self._shell.get(part.name)
        missing = value is None or (part.op.startswith(":") and not value)
        return missing == (op == "-")

    def _add_arguments(self, fields: Fields, part: Part) -> None:
        assert isinstance(part, Parameter)
        if part.quoted and part.name == "*":
            fields.add(self._joined_arguments(part), quoted=True)
            return
        for index, argument in enumerate(self._shell.arguments):
            if index:
                fields.is_open = False
            if part.quoted:
                fields.add(argument, quoted=True)
            else:
                fields.add_split(argument)

    def _joined_arguments(self, part: Part) -> str:
        star = isinstance(part, Parameter) and part.name == "*"
        return (self._separators()[:1] if star else " ").join(self._shell.arguments)

    def _separators(self) -> str:
        separators = self._shell.get("IFS")
        return DEFAULT_SEPARATORS if separators is None else separators

    async def _value(self, part: Part, *, first: bool = False) -> str:
        if isinstance(part, Literal):
            return self._home(part.text) if first and not part.quoted else part.text
        if isinstance(part, Substitution):
            return (await self._substitute(part.source)).rstrip("\n")
        if isinstance(part, Arithmetic):
            return str(await self.calculate(part.expression))
        return await self._parameter(part)

    def _home(self, text: str) -> str:
        """Expand `~` and `~/path`. Homes of other users are unknown."""
        if text != "~" and not text.startswith("~/"):
            return text
        return (self._shell.get("HOME") or "~") + text[1:]

    async def _parameter(self, part: Parameter) -> str:
        value = self._joined_arguments(part) if part.name in "@*" else self._shell.get(part.name)
        op = part.op.removeprefix(":")
        missing = value is None or (part.op.startswith(":") and not value)
        if op in ("-", "="):
            if missing:
                value = await self.text(part.argument)
                if op == "=":
                    self._shell.variables[part.name] = value
        elif op == "+":
            value = "" if missing else await self.text(part.argument)
        elif op == "?":
            if missing:
                message = await self.text(part.argument)
                raise ExpansionError(f"{part.name}: {message or 'parameter null or not set'}")
        elif value is None and "u" in self._shell.options:
            raise ExpansionError(f"{part.name}: parameter not set")
        return await self._edited(part, value or "")

    async def _edited(self, part: Parameter, value: str) -> str:
        op = part.op
        if op == "length":
            return str(len(self._shell.arguments) if part.name in "@*" else len(value))
        if op in ("#", "##", "%", "%%"):
            return trimmed(value, op, await self.runs(part.argument))
        return value


def _is_all_arguments(part: Part) -> bool:
    return isinstance(part, Parameter) and part.name in "@*" and not part.op
