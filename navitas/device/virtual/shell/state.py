"""What a shell remembers: variables, folder, functions, jobs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from navitas.device.virtual.identity import Identity
from navitas.device.virtual.jobs import Job
from navitas.device.virtual.shell.syntax import Command

if TYPE_CHECKING:
    from navitas.device.virtual.phone import Phone

SHELL_NAME = "/system/bin/sh"


class ShellState:
    """State of one shell; a subshell is a copy."""

    def __init__(self, phone: Phone, who: Identity, cwd: str = "/", environment: dict[str, str] | None = None) -> None:
        self.phone = phone
        self.who = who
        self.cwd = cwd
        self.variables = dict(phone.environment(who) if environment is None else environment)
        self.exported = set(self.variables)
        self.functions: dict[str, Command] = {}
        self.arguments: list[str] = []
        self.script_name = SHELL_NAME
        self.options: set[str] = set()
        self.status = 0
        self.substituted = 0
        self.pid = 0
        self.depth = 0
        self.last_job = 0
        self.jobs: list[Job] = []
        self._local_scopes: list[dict[str, str | None]] = []
        self.holding_streams: list[Job] = []
        """Jobs of this shell and its subshells that may still write to its streams."""

    def get(self, name: str) -> str | None:
        """Value of a variable or special parameter."""
        if name.isdecimal():
            index = int(name)
            return self.script_name if index == 0 else self.arguments[index - 1] if index <= len(self.arguments) else None
        if name == "EPOCHREALTIME":
            now_us = time.time_ns() // 1000
            return f"{now_us // 1_000_000}.{now_us % 1_000_000:06d}"
        if name == "-":
            return "".join(sorted(self.options))
        special = {"?": self.status, "$": self.pid, "#": len(self.arguments), "!": self.last_job or ""}.get(name)
        return self.variables.get(name) if special is None else str(special)

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        self.variables[name] = value

    @property
    def positional(self) -> list[str]:
        return self.arguments

    @property
    def fails_on_unset(self) -> bool:
        return "u" in self.options

    @property
    def environment(self) -> dict[str, str]:
        """Exported variables."""
        return {name: self.variables[name] for name in sorted(self.exported) if name in self.variables}

    def listdir(self, path: str) -> list[str]:
        """Names in a folder, as this shell's user sees it."""
        return self.phone.files.listdir(path, self.who)

    def subshell(self) -> Self:
        """A copy whose changes do not come back."""
        copy = type(self)(self.phone, self.who, self.cwd, self.variables)
        copy.exported = set(self.exported)
        copy.functions = dict(self.functions)
        copy.arguments = list(self.arguments)
        copy.script_name, copy.options = self.script_name, set(self.options)
        copy.status, copy.pid, copy.depth, copy.last_job = self.status, self.pid, self.depth, self.last_job
        copy._local_scopes = [dict(scope) for scope in self._local_scopes]
        copy.holding_streams = self.holding_streams
        return copy

    @contextlib.contextmanager
    def function_scope(self, arguments: list[str]) -> Iterator[None]:
        """Positional parameters and `local` variables of a function call."""
        outer, self.arguments = self.arguments, arguments
        self._local_scopes.append({})
        try:
            yield
        finally:
            self.arguments = outer
            for name, value in self._local_scopes.pop().items():
                self._restore(name, value)

    def make_local(self, name: str) -> None:
        """The function's end gives the variable its value of now back; outside of functions nothing happens."""
        if self._local_scopes:
            self._local_scopes[-1].setdefault(name, self.variables.get(name))

    def _restore(self, name: str, value: str | None) -> None:
        if value is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    @contextlib.contextmanager
    def with_variables(self, values: list[tuple[str, str]]) -> Iterator[None]:
        """Set and export variables for one command."""
        before = {name: (self.variables.get(name), name in self.exported) for name, _ in values}
        self.variables.update(values)
        self.exported.update(before)
        try:
            yield
        finally:
            for name, (value, exported) in before.items():
                self._restore(name, value)
                if not exported:
                    self.exported.discard(name)
