"""Run scripts: parallel pipelines, redirections, functions, background jobs, traps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Coroutine
from contextlib import ExitStack
from typing import Any

from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, CommandFunction, Context, Runner, Shell
from navitas.virtual_phone.shell.descriptors import RedirectError, Streams, redirect
from navitas.virtual_phone.shell.expansion import Expander, ExpansionError
from navitas.virtual_phone.shell.parser import parse
from navitas.virtual_phone.shell.state import SHELL_NAME, CommandError, ExitShell, LoopControl, ReturnFromFunction
from navitas.virtual_phone.shell.streams import BrokenPipe, Input, OutputBuffer, Pipe, decode
from navitas.virtual_phone.shell.syntax import (
    AndOr,
    Command,
    CommandGroup,
    Function,
    Pipeline,
    Redirects,
    Script,
    ShellSyntaxError,
    Simple,
)

_MAX_CALLS = 60
_PIPE_STATUS = 141
_KEEPS_ASSIGNMENTS = frozenset((".", ":", "eval", "export", "return", "set", "shift", "trap", "unset"))
"""POSIX's special builtins: assignments before them stay in force."""
_JUST_FILE = re.compile(r"\s*<\s*([^\s<>&|;()$`\"'\\]+)\s*")
_EXIT = 0


class Interpreter(Shell):
    """Runs scripts in one shell."""

    async def run_text(self, text: str, streams: Streams) -> int:
        """Run a whole script and the EXIT trap. Returns the exit status. Background jobs continue."""
        self.status = await self.to_the_end(self.evaluate(text, streams), streams)
        return self.status

    async def to_the_end(self, script: Awaitable[int], streams: Streams) -> int:
        """Await a script of this shell, run the EXIT trap, and close files of `exec`. Returns the exit status."""
        with self.kept_open:
            status = await self._caught(script, streams)
            at_exit = self.traps.pop(_EXIT, "")
            if at_exit:
                self.status = status
                try:
                    await self.evaluate(at_exit, streams)
                except ExitShell as leave:
                    return leave.status
                except (LoopControl, ReturnFromFunction, BrokenPipe):
                    return status
        return status

    async def _caught(self, script: Awaitable[int], streams: Streams) -> int:
        try:
            return await script
        except ExitShell as leave:
            return leave.status
        except BrokenPipe:
            return _PIPE_STATUS
        except RecursionError:
            await self.complain(streams, "the script is nested too deeply")
            return 1
        except ReturnFromFunction as result:
            return result.status
        except LoopControl:
            return self.status

    async def evaluate(self, text: str, streams: Streams) -> int:
        """Run a script in this shell. `exit`, `break` and `return` propagate."""
        try:
            script = parse(text)
        except ShellSyntaxError as error:
            return await self._run_up_to_error(text, error, streams)
        return await self.run_script(script, streams)

    async def run_lines(self, lines: Input, streams: Streams, run: Runner | None = None) -> int:
        """Run each command as soon as it is complete, until `exit` or the end of the lines. Returns the exit status.

        `run` runs one command, for example so that it can be interrupted.
        """

        async def run_each() -> int:
            text = ""
            while line := decode(await lines.readline()):
                text += line
                if not line.endswith("\n") or _is_complete(text):
                    command = self.evaluate(text, streams)
                    text = ""
                    self.status = await (command if run is None else run(command))
            return self.status

        return await self.to_the_end(run_each(), streams)

    async def _run_up_to_error(self, text: str, error: ShellSyntaxError, streams: Streams) -> int:
        """Run the lines before the invalid one, because a shell reads line by line."""
        pending = ""
        for line in text.splitlines(keepends=True):
            pending += line
            try:
                script = parse(pending)
            except ShellSyntaxError as fault:
                if not fault.incomplete:
                    break
                continue
            pending = ""
            await self.run_script(script, streams)
        await self.complain(streams, str(error))
        return 1

    async def run_script(self, script: Script, streams: Streams) -> int:
        """Run a list of commands, and traps between them."""
        for item in script.items:
            if item.background:
                self._start_job(item, streams)
                self.status = 0
            else:
                self.status = await self._run_and_or(item, streams)
            if self.pending:
                await self.run_traps(streams)
        return self.status

    async def run_traps(self, streams: Streams) -> None:
        """Run the scripts of received signals. The status does not change."""
        while self.pending:
            number = self.pending.pop(0)
            status = self.status
            await self.evaluate(self.traps.get(number, ""), streams)
            self.status = status
        self.signalled.clear()

    async def run_command(self, context: Context) -> int:
        """Run a function, builtin or program by its name."""
        name = context.name
        self.depth += 1
        try:
            if self.depth > _MAX_CALLS:
                raise CommandError("recursion is too deep")
            if name in self.functions:
                return await self._run_function(context)
            function = self._find(name)
            if function is None:
                return await self._run_file(context)
            async with self.phone.apps.heard():
                return await function(context) or 0
        except CommandError as error:
            prefix = f"{SHELL_NAME}: " if name in BUILTINS and name not in self.functions else ""
            await context.err(f"{prefix}{name}: {error.message}\n")
            if error.fatal:
                raise ExitShell(error.status) from None
            return error.status
        except OSError as error:
            await context.err(
                f"{name}: {error.filename}: {error.strerror}\n" if error.filename else f"{name}: {error.strerror}\n"
            )
            return 1
        finally:
            self.depth -= 1

    async def _run_and_or(self, item: AndOr, streams: Streams) -> int:
        status = 0
        last = item.pipelines[-1][1]
        for operator, pipeline in item.pipelines:
            if (operator == "&&") != (status == 0):
                continue
            if pipeline is last and not pipeline.negated:
                status = self.status = await self._run_pipeline(pipeline, streams)
                if status and not self.tested and "e" in self.options:
                    raise ExitShell(status)
            else:
                with self.in_test():
                    status = self.status = await self._run_pipeline(pipeline, streams)
        return status

    async def _run_pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        if len(pipeline.commands) == 1:
            status = await self._run(pipeline.commands[0], streams)
        else:
            status = await self._run_connected(pipeline.commands, streams)
        return int(status == 0) if pipeline.negated else status

    async def _run_connected(self, commands: tuple[Command, ...], streams: Streams) -> int:
        pipes = [Pipe() for _ in commands[1:]]
        inputs = [streams.stdin, *(pipe.reader for pipe in pipes)]
        outputs = [*(pipe.write for pipe in pipes), streams.stdout]

        async def part(index: int) -> int:
            try:
                return await self.in_subshell(commands[index], streams.copy(stdin=inputs[index], stdout=outputs[index]))
            finally:
                if index:
                    inputs[index].close()
                if index < len(pipes):
                    pipes[index].close()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part(index)) for index in range(len(commands))]
        statuses = [task.result() for task in tasks]
        if "pipefail" in self.options:
            return next((status for status in reversed(statuses) if status), 0)
        return statuses[-1]

    async def in_subshell(self, command: Command, streams: Streams) -> int:
        """Run a command as a separate process would: only its status has an effect here."""
        shell = self.subshell()
        return await shell.isolated(command, streams.copy())

    async def isolated(self, command: Command, streams: Streams) -> int:
        """Run a command in this shell, which is a copy for this command."""
        return await self.to_the_end(self._run(command, streams), streams)

    def _start_job(self, item: AndOr, streams: Streams) -> None:
        body = CommandGroup(Script((AndOr(item.pipelines),)), subshell=False)
        shell = self.subshell()
        own = streams.copy(stdin=Input.of_bytes())
        job = self.phone.jobs.start(("sh",), self.who, shell.isolated(body, own), group=self.group, on_signal=shell.take_signal)
        self.last_job = job.pid
        self.jobs.append(job)
        if not _redirects_output(item):
            self.holding_streams.append(job)

    async def _run(self, command: Command, streams: Streams) -> int:
        try:
            if isinstance(command, Simple):
                return await self._run_simple(command, streams)
            if isinstance(command, Function):
                self.functions[command.name] = command.body
                return 0
            with ExitStack() as stack:
                inner = await self._redirected(command.redirects, streams, stack)
                return 1 if inner is None else await self.run_compound(command, inner)
        except ExpansionError as error:
            await self.complain(streams, str(error))
            raise ExitShell(1) from None
        except CommandError as error:
            await self.complain(streams, error.message)
            if error.fatal:
                raise ExitShell(error.status) from None
            return error.status

    async def _run_simple(self, command: Simple, streams: Streams) -> int:
        expand = self.expander(streams)
        self.substituted = 0
        args = await expand.fields(command.words)
        if not args:
            return await self._assign(command, streams)
        if args == ["exec"]:
            return 0 if await self._redirect(command.redirects, streams, self.kept_open) else 1
        values = [(name, await expand.text(word)) for name, word in command.assignments]
        with ExitStack() as stack:
            own = await self._redirected(command.redirects, streams, stack)
            if own is None:
                return 1
            context = Context(args[0], args[1:], own, self)
            if args[0] in _KEEPS_ASSIGNMENTS:
                for name, value in values:
                    self.variables[name] = value
                return await self.run_command(context)
            with self.with_variables(values):
                return await self.run_command(context)

    async def _assign(self, command: Simple, streams: Streams) -> int:
        """Carry out assignments without a command, in sequence: each sees the earlier ones."""
        with ExitStack() as stack:
            if await self._redirected(command.redirects, streams, stack) is None:
                return 1
            for name, word in command.assignments:
                self.variables[name] = await self.expander(streams).text(word)
        return self.substituted

    async def _redirected(self, redirects: Redirects, streams: Streams, stack: ExitStack) -> Streams | None:
        """Return the streams of a command with redirections; None if one of them fails."""
        if not redirects:
            return streams
        own = streams.copy()
        return own if await self._redirect(redirects, own, stack) else None

    async def _redirect(self, redirects: Redirects, streams: Streams, stack: ExitStack) -> bool:
        try:
            for redirection in redirects:
                target = await self.expander(streams).text(redirection.target)
                redirect(redirection, target, streams, self, stack)
        except RedirectError as error:
            await self.complain(streams, str(error))
            return False
        return True

    async def _run_function(self, context: Context) -> int:
        with self.function_scope(context.args):
            try:
                return await self._run(self.functions[context.name], context.streams)
            except ReturnFromFunction as result:
                return result.status

    def _find(self, name: str) -> CommandFunction | None:
        folder, _, base = name.rpartition("/")
        if folder in ("/system/bin", "/system/xbin", "/vendor/bin"):
            return COMMANDS.get(base)
        return None if folder else BUILTINS.get(name) or COMMANDS.get(name)

    async def _run_file(self, context: Context) -> int:
        """Run a script by its path, in a new shell."""
        path = context.path(context.name) if "/" in context.name else ""
        try:
            info = self.phone.files.stat(path, self.who) if path else None
        except OSError:
            info = None
        if info is None and context.name:
            await self.complain(context.streams, f"{context.name}: inaccessible or not found")
            return 127
        if info is None or info.is_dir or not info.mode & 0o111:
            reason = "Permission denied" if info is not None and not info.is_dir else "Is a directory"
            await self.complain(context.streams, f"{context.name}: can't execute: {reason}")
            return 126
        with self.phone.files.open_read(path, self.who) as file:
            text = decode(file.read())
        shell = self.fresh()
        shell.script_name, shell.arguments = context.name, context.args
        return await shell.as_process((context.name, *context.args), shell.run_text(text, context.streams.copy()))

    def fresh(self) -> Interpreter:
        """Return a new shell that inherits only folder and environment."""
        shell = Interpreter(self.phone, self.who, self.cwd, self.environment)
        shell.depth, shell.affinity = self.depth, self.affinity
        shell.traps = {number: script for number, script in self.traps.items() if not script}
        shell.holding_streams, shell.group, shell.hung_up = self.holding_streams, self.group, self.hung_up
        return shell

    async def as_process(self, args: tuple[str, ...], script: Coroutine[Any, Any, int]) -> int:
        """Await a script of this shell, which has a pid of its own."""
        job = self.phone.jobs.start(args, self.who, script, group=self.group, on_signal=self.take_signal)
        self.pid = job.pid
        return await self.phone.jobs.finish(job)

    def expander(self, streams: Streams) -> Expander:
        """Return an expander with this shell's variables."""
        return Expander(self, lambda source: self._substitute(streams, source))

    async def _substitute(self, streams: Streams, source: str) -> str:
        output = OutputBuffer()
        shell = self.subshell()
        shell.depth += 1
        if shell.depth > _MAX_CALLS:
            raise ExpansionError("recursion is too deep")
        just_file = _JUST_FILE.fullmatch(source)
        script = f"cat <{just_file.group(1)}" if just_file else source
        self.substituted = await shell.run_text(script, streams.copy(stdout=output.write))
        return decode(bytes(output.data).replace(b"\0", b""))

    async def complain(self, streams: Streams, message: str) -> None:
        """Write an error as the shell does."""
        await streams.stderr(f"{SHELL_NAME}: {message}\n".encode("utf-8", "surrogateescape"))


def _redirects_output(item: AndOr) -> bool:
    """Return whether a job redirects both outputs, so that the shell's end need not wait for it."""
    last = item.pipelines[-1][1].commands[-1]
    return {1, 2} <= {redirection.fd for redirection in last.redirects} or any(found.op == "&>" for found in last.redirects)


def _is_complete(text: str) -> bool:
    try:
        parse(text)
    except ShellSyntaxError as error:
        return not error.incomplete
    return True
