"""Expansion of words: parameters, command substitution, arithmetic, field splitting and globs (POSIX shell, 2.6)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Protocol

from navitas.device.virtual.shell.arithmetic import ArithmeticFault, evaluate
from navitas.device.virtual.shell.patterns import Runs, expand_glob, has_magic, matches, plain, to_regex
from navitas.device.virtual.shell.syntax import Arithmetic, Literal, Parameter, Part, Substitution, Word


class ExpansionError(Exception):
    """A word cannot be expanded (`${name?message}`, bad arithmetic, an unset variable under `set -u`): the shell ends."""


class Environment(Protocol):
    """What expansion needs of a shell."""

    cwd: str

    def get(self, name: str) -> str | None:
        """Value of a variable or special parameter; None when unset."""
        ...

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        ...

    @property
    def positional(self) -> list[str]: ...

    @property
    def fails_on_unset(self) -> bool: ...

    def listdir(self, path: str) -> list[str]:
        """Names in a folder of the phone."""
        ...


class _Fields:
    """Fields under construction: text is added to the last one."""

    def __init__(self) -> None:
        self._fields: list[Runs] = []
        self._open = False

    def add(self, text: str, *, quoted: bool) -> None:
        if not text and not quoted:
            return
        if not self._open:
            self._fields.append([])
            self._open = True
        self._fields[-1].append((text, quoted))

    def add_split(self, text: str, separators: str) -> None:
        if not separators:
            self.add(text, quoted=False)
            return
        blank = "[" + re.escape(separators) + "]"
        for index, piece in enumerate(re.split(f"{blank}+", text)):
            if index:
                self._open = False
            self.add(piece, quoted=False)

    def end_field(self) -> None:
        self._open = False

    def result(self) -> list[Runs]:
        return self._fields


class Expander:
    """Expands words for one shell; `substitute` runs the script of `$(…)` and returns its output."""

    def __init__(self, environment: Environment, substitute: Callable[[str], Awaitable[str]]) -> None:
        self._environment = environment
        self._substitute = substitute

    async def fields(self, words: tuple[Word, ...]) -> list[str]:
        """Arguments of a command: all expansions, field splitting and globs."""
        found: list[str] = []
        for word in words:
            for runs in await self._split(word):
                paths = expand_glob(runs, self._environment.cwd, self._environment.listdir) if has_magic(runs) else []
                found += paths or [plain(runs)]
        return found

    async def text(self, word: Word) -> str:
        """One string: for assignments, redirections and the like, without splitting or globs."""
        return plain(await self.runs(word))

    async def runs(self, word: Word) -> Runs:
        """The expanded text with its quoting: for patterns."""
        pieces: Runs = []
        for part in word:
            value = " ".join(self._environment.positional) if _is_all_arguments(part) else await self._value(part)
            pieces.append((value, part.quoted))
        return pieces

    async def _split(self, word: Word) -> list[Runs]:
        fields = _Fields()
        for part in word:
            if _is_all_arguments(part):
                self._add_arguments(fields, part)
                continue
            value = await self._value(part)
            if part.quoted or isinstance(part, Literal):
                fields.add(value, quoted=part.quoted)
            else:
                separators = self._environment.get("IFS")
                fields.add_split(value, " \t\n" if separators is None else separators)
        return fields.result()

    def _add_arguments(self, fields: _Fields, part: Part) -> None:
        assert isinstance(part, Parameter)
        if part.quoted and part.name == "*":
            fields.add(" ".join(self._environment.positional), quoted=True)
            return
        for index, argument in enumerate(self._environment.positional):
            if index:
                fields.end_field()
            if part.quoted:
                fields.add(argument, quoted=True)
            else:
                fields.add_split(argument, " \t\n")

    async def _value(self, part: Part) -> str:
        if isinstance(part, Literal):
            return part.text
        if isinstance(part, Substitution):
            return (await self._substitute(part.source)).rstrip("\n")
        if isinstance(part, Arithmetic):
            expression = await self.text(part.expression)
            try:
                return str(evaluate(expression, lambda name: self._environment.get(name) or ""))
            except ArithmeticFault as fault:
                raise ExpansionError(f"{expression}: {fault}") from None
        return await self._parameter(part)

    async def _parameter(self, part: Parameter) -> str:
        value = " ".join(self._environment.positional) if part.name in "@*" else self._environment.get(part.name)
        op = part.op.removeprefix(":")
        missing = value is None or (part.op.startswith(":") and not value)
        if op in ("-", "="):
            if missing:
                value = await self.text(part.argument)
                if op == "=":
                    self._environment.assign(part.name, value)
        elif op == "+":
            value = "" if missing else await self.text(part.argument)
        elif op == "?":
            if missing:
                message = await self.text(part.argument)
                raise ExpansionError(f"{part.name}: {message or 'parameter null or not set'}")
        elif value is None and self._environment.fails_on_unset:
            raise ExpansionError(f"{part.name}: parameter not set")
        value = value or ""
        if op == "length":
            return str(len(self._environment.positional) if part.name in "@*" else len(value))
        if op in ("#", "##", "%", "%%"):
            return _trim(value, op, await self.runs(part.argument))
        return value


def _is_all_arguments(part: Part) -> bool:
    return isinstance(part, Parameter) and part.name in "@*" and not part.op


def _trim(value: str, op: str, pattern: Runs) -> str:
    """Remove the shortest (`#`, `%`) or longest (`##`, `%%`) match at the start or end."""
    if op.startswith("#"):
        match = re.match(to_regex(pattern, lazy=op == "#"), value, re.DOTALL)
        return value[match.end() :] if match else value
    starts = range(len(value), -1, -1) if op == "%" else range(len(value) + 1)
    return next((value[:start] for start in starts if matches(pattern, value[start:])), value)
