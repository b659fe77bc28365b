"""The state of a shell: variables, folder, functions, jobs, traps; and the exceptions that leave its scripts early."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from typing import Self

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.process_table import PhoneJob
from navitas.virtual_phone.shell.syntax import Command

SHELL_NAME = "/system/bin/sh"


@dataclass(eq=False)
class ExitShell(Exception):
    """`exit`, or an error that ends the shell."""

    status: int


@dataclass(eq=False)
class ReturnFromFunction(Exception):
    """`return`."""

    status: int


@dataclass(eq=False)
class LoopControl(Exception):
    """`break` and `continue`: leave `levels` loops; with `resume`, the last one continues."""

    levels: int
    resume: bool

    def stays(self) -> bool:
        """Return whether the innermost loop continues. Raises the control again for outer loops."""
        if self.levels > 1:
            raise LoopControl(self.levels - 1, self.resume)
        return self.resume


@dataclass(eq=False)
class CommandError(Exception):
    """A command failed. `message` goes to standard error after its name. A `fatal` error of a builtin ends the shell."""

    message: str
    status: int = 1
    _: KW_ONLY
    fatal: bool = False


class ShellState:
    """The state of one shell. A subshell is a copy."""

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
        self.affinity: frozenset[int] | None = None
        """The CPUs that programs may use; None: all."""
        self.status = 0
        self.substituted = 0
        self.pid = 0
        self.group: int | None = None
        """The group of the processes that this shell starts; None: each has its own."""
        self.hung_up = asyncio.Event()
        """Set if the host is gone: adbd has sent SIGHUP to the first shell. Programs that ignore it go on."""
        self.depth = 0
        self.last_job = 0
        self.tested = 0
        """The number of conditions around the running command. In these, `set -e` does not end the shell."""
        self.jobs: list[PhoneJob] = []
        self.holding_streams: list[PhoneJob] = []
        """Jobs of this shell and its subshells that may still write to its streams."""
        self.kept_open = ExitStack()
        """Files that `exec` opened; they are closed at the shell's end."""
        self.traps: dict[int, str] = {}
        """Scripts by signal number. 0 is the shell's end; an empty script ignores the signal."""
        self.pending: list[int] = []
        self.signalled = asyncio.Event()
        self._local_scopes: list[dict[str, str | None]] = []

    def get(self, name: str) -> str | None:
        """Return the value of a variable or special parameter."""
        if name.isdecimal():
            index = int(name)
            return self.script_name if index == 0 else self.arguments[index - 1] if index <= len(self.arguments) else None
        special = self._special(name)
        return self.variables.get(name) if special is None else str(special)

    def _special(self, name: str) -> str | int | None:
        if name == "EPOCHREALTIME":
            now_us = time.time_ns() // 1000
            return f"{now_us // 1_000_000}.{now_us % 1_000_000:06d}"
        values = {"?": self.status, "$": self.pid, "#": len(self.arguments), "!": self.last_job or "", "PPID": 1}
        return "".join(sorted(self.options)) if name == "-" else values.get(name)

    @property
    def environment(self) -> dict[str, str]:
        """The exported variables."""
        return {name: self.variables[name] for name in sorted(self.exported) if name in self.variables}

    def listdir(self, path: str) -> list[str]:
        """Return the names in a folder, as this shell's user sees it."""
        return self.phone.files.listdir(path, self.who)

    def is_dir(self, path: str) -> bool:
        """Return whether a path is a folder that this shell's user can read."""
        try:
            return self.phone.files.stat(path, self.who).is_dir
        except OSError:
            return False

    def exists(self, path: str) -> bool:
        """Return whether a path exists."""
        try:
            self.phone.files.stat(path, self.who)
        except OSError:
            return False
        return True

    def take_signal(self, number: int) -> bool:
        """Handle a signal. Returns True if a trap handles it."""
        if number not in self.traps:
            return False
        if self.traps[number]:
            self.pending.append(number)
            self.signalled.set()
        return True

    def subshell(self) -> Self:
        """Return a copy whose changes stay in it. Of the traps, it keeps only ignored signals."""
        copy = type(self)(self.phone, self.who, self.cwd, self.variables)
        copy.exported = set(self.exported)
        copy.functions = dict(self.functions)
        copy.arguments = list(self.arguments)
        copy.script_name, copy.options = self.script_name, set(self.options)
        copy.affinity = self.affinity
        copy.status, copy.pid, copy.depth, copy.last_job = self.status, self.pid, self.depth, self.last_job
        copy.tested, copy.jobs = self.tested, list(self.jobs)
        copy.traps = {number: script for number, script in self.traps.items() if not script}
        copy._local_scopes = [dict(scope) for scope in self._local_scopes]
        copy.holding_streams, copy.group, copy.hung_up = self.holding_streams, self.group, self.hung_up
        return copy

    @contextlib.contextmanager
    def in_test(self) -> Iterator[None]:
        """Run a condition, whose failure does not end the shell."""
        self.tested += 1
        try:
            yield
        finally:
            self.tested -= 1

    @contextlib.contextmanager
    def function_scope(self, arguments: list[str]) -> Iterator[None]:
        """The positional parameters and `local` variables of a function call."""
        outer, self.arguments = self.arguments, arguments
        self._local_scopes.append({})
        try:
            yield
        finally:
            self.arguments = outer
            for name, before in self._local_scopes.pop().items():
                self._restore(name, before)

    def make_local(self, name: str) -> None:
        """Restore the variable's present value at the function's end. Has no effect outside of functions."""
        if self._local_scopes:
            self._local_scopes[-1].setdefault(name, self.variables.pop(name, None))

    def _restore(self, name: str, value: str | None) -> None:
        if value is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    @contextlib.contextmanager
    def with_variables(self, values: list[tuple[str, str]]) -> Iterator[None]:
        """Set and export variables for one command."""
        before = {name: (self.variables.get(name), name in self.exported) for name, _ in values}
        for name, value in values:
            self.variables[name] = value
        self.exported.update(before)
        try:
            yield
        finally:
            for name, (old, exported) in before.items():
                self._restore(name, old)
                if not exported:
                    self.exported.discard(name)
