"""Runs scripts: pipelines at once, redirections, control flow, background jobs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from navitas.device.virtual.shell.context import BUILTINS, COMMANDS, CommandError, CommandFunction, Context, Streams, decode
from navitas.device.virtual.shell.expansion import Expander, ExpansionError
from navitas.device.virtual.shell.parser import parse
from navitas.device.virtual.shell.patterns import matches
from navitas.device.virtual.shell.redirection import RedirectError, redirected
from navitas.device.virtual.shell.state import SHELL_NAME, ShellState
from navitas.device.virtual.shell.streams import BrokenPipe, BufferSink, BytesSource, Input, Pipe
from navitas.device.virtual.shell.syntax import (
    AndOr,
    Block,
    Case,
    Command,
    For,
    Function,
    If,
    Loop,
    Pipeline,
    Redirects,
    Script,
    ShellSyntaxError,
    Simple,
)

_MAX_CALLS = 60
_PIPE_STATUS = 141


class ExitShell(Exception):
    """`exit`, or an error that ends the shell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class LoopControl(Exception):
    """`break` and `continue`: `levels` loops are left, the last of them goes on with `resume`."""

    def __init__(self, levels: int, *, resume: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.resume = resume


class ReturnFromFunction(Exception):
    """`return`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Interpreter(ShellState):
    """Runs scripts in one shell."""

    async def run_text(self, text: str, streams: Streams) -> int:
        """Run a whole script; its exit status. Background jobs go on."""
        try:
            self.status = await self.evaluate(text, streams)
        except ExitShell as leave:
            self.status = leave.status
        except BrokenPipe:
            self.status = _PIPE_STATUS
        except RecursionError:
            self.status = 1
            await self._complain(streams, "the script is nested too deeply")
        except ReturnFromFunction as result:
            self.status = result.status
        except LoopControl:
            pass
        return self.status

    async def evaluate(self, text: str, streams: Streams) -> int:
        """Run a script in this shell, letting `exit`, `break` and `return` through."""
        try:
            script = parse(text)
        except ShellSyntaxError as error:
            await self._complain(streams, str(error))
            return 1
        return await self.run_script(script, streams)

    async def run_script(self, script: Script, streams: Streams) -> int:
        """Run a list of commands."""
        for item in script.items:
            if item.background:
                self._start_job(item, streams)
                self.status = 0
            else:
                self.status = await self._run_and_or(item, streams)
        return self.status

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
            return await function(context)
        except CommandError as error:
            await context.err(f"{name}: {error.message}\n")
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
        for operator, pipeline in item.pipelines:
            if (operator == "&&") == (status == 0):
                status = self.status = await self._run_pipeline(pipeline, streams)
                last = pipeline is item.pipelines[-1][1]
                if status and "e" in self.options and last and not pipeline.negated:
                    raise ExitShell(status)
        return status

    async def _run_pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        if len(pipeline.commands) == 1:
            status = await self._run(pipeline.commands[0], streams)
        else:
            status = await self._run_connected(pipeline.commands, streams)
        return int(status == 0) if pipeline.negated else status

    async def _run_connected(self, commands: tuple[Command, ...], streams: Streams) -> int:
        pipes = [Pipe() for _ in commands[1:]]
        inputs = [streams.stdin, *(Input(pipe.reader) for pipe in pipes)]
        outputs = [*pipes, streams.stdout]

        async def part(index: int) -> int:
            try:
                own = Streams(inputs[index], outputs[index], streams.stderr)
                return await self._in_subshell(commands[index], own)
            finally:
                if index:
                    inputs[index].close()
                if index < len(pipes):
                    pipes[index].close()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part(index)) for index in range(len(commands))]
        return tasks[-1].result()

    async def _in_subshell(self, command: Command, streams: Streams) -> int:
        shell = self.subshell()
        return await shell.isolated(command, streams)

    async def isolated(self, command: Command, streams: Streams) -> int:
        """Run a command as a process of its own would: nothing but its status comes out."""
        try:
            return await self._run(command, streams)
        except ExitShell as leave:
            return leave.status
        except BrokenPipe:
            return _PIPE_STATUS
        except ReturnFromFunction as result:
            return result.status
        except LoopControl:
            return self.status

    def _start_job(self, item: AndOr, streams: Streams) -> None:
        own = Streams(Input(BytesSource()), streams.stdout, streams.stderr)
        body = Block(Script((AndOr(item.pipelines),)), subshell=False)
        job = self.phone.jobs.start(("sh",), self.who, self.subshell().isolated(body, own))
        self.last_job = job.pid
        self.jobs.append(job)
        if not _redirects_output(item):
            self.holding_streams.append(job)

    async def _run(self, command: Command, streams: Streams) -> int:
        try:
            return await self._run_checked(command, streams)
        except ExpansionError as error:
            await self._complain(streams, str(error))
            raise ExitShell(1) from None

    async def _run_checked(self, command: Command, streams: Streams) -> int:
        if isinstance(command, Simple):
            return await self._run_simple(command, streams)
        if isinstance(command, Function):
            self.functions[command.name] = command.body
            return 0
        async with AsyncExitStack() as stack:
            inner = await self._redirect(command.redirects, streams, stack)
            if inner is None:
                return 1
            return await self._run_compound(command, inner)

    async def _run_compound(self, command: Block | If | Loop | For | Case, streams: Streams) -> int:
        if isinstance(command, Block):
            if command.subshell:
                return await self._in_subshell(Block(command.body, subshell=False), streams)
            return await self.run_script(command.body, streams)
        if isinstance(command, If):
            return await self._run_if(command, streams)
        if isinstance(command, Case):
            return await self._run_case(command, streams)
        if isinstance(command, For):
            words = self.arguments if command.words is None else await self._expander(streams).fields(command.words)
            return await self._run_for(command, list(words), streams)
        return await self._run_loop(command, streams)

    async def _run_if(self, command: If, streams: Streams) -> int:
        for condition, body in command.branches:
            if await self._test(condition, streams):
                return await self.run_script(body, streams)
        return await self.run_script(command.otherwise, streams) if command.otherwise else 0

    async def _run_case(self, command: Case, streams: Streams) -> int:
        subject = await self._expander(streams).text(command.word)
        for patterns, body in command.branches:
            for pattern in patterns:
                if matches(await self._expander(streams).runs(pattern), subject):
                    self.status = 0
                    return await self.run_script(body, streams)
        return 0

    async def _run_for(self, command: For, words: list[str], streams: Streams) -> int:
        status = 0
        for word in words:
            self.assign(command.name, word)
            try:
                status = await self.run_script(command.body, streams)
            except LoopControl as control:
                if not _stays(control):
                    break
        return status

    async def _run_loop(self, command: Loop, streams: Streams) -> int:
        status = 0
        while True:
            await asyncio.sleep(0)
            try:
                if await self._test(command.condition, streams) == command.until:
                    return status
                status = await self.run_script(command.body, streams)
            except LoopControl as control:
                if not _stays(control):
                    return status

    async def _test(self, condition: Script, streams: Streams) -> bool:
        """Run a condition; `set -e` does not end the shell in it."""
        kept = "e" in self.options
        self.options.discard("e")
        try:
            return await self.run_script(condition, streams) == 0
        finally:
            if kept:
                self.options.add("e")

    async def _run_simple(self, command: Simple, streams: Streams) -> int:
        expand = self._expander(streams)
        self.substituted = 0
        args = await expand.fields(command.words)
        if not args:
            return await self._assign(command, streams)
        values = [(name, await expand.text(word)) for name, word in command.assignments]
        async with AsyncExitStack() as stack:
            own = await self._redirect(command.redirects, streams, stack)
            if own is None:
                return 1
            with self.with_variables(values):
                return await self.run_command(Context(args[0], args[1:], own, self))

    async def _assign(self, command: Simple, streams: Streams) -> int:
        """Only assignments, one after another: each sees those before it."""
        async with AsyncExitStack() as stack:
            if await self._redirect(command.redirects, streams, stack) is None:
                return 1
            for name, word in command.assignments:
                self.assign(name, await self._expander(streams).text(word))
        return self.substituted

    async def _redirect(self, redirects: Redirects, streams: Streams, stack: AsyncExitStack) -> Streams | None:
        try:
            for redirect in redirects:
                target = await self._expander(streams).text(redirect.target)
                streams = redirected(redirect, target, streams, self, stack)
        except RedirectError as error:
            await self._complain(streams, str(error))
            return None
        return streams

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
        """Run a script by its path."""
        path = context.path(context.name) if "/" in context.name else ""
        try:
            info = self.phone.files.stat(path, self.who) if path else None
        except OSError:
            info = None
        if info is None:
            await self._complain(context.streams, f"{context.name}: inaccessible or not found")
            return 127
        if info.is_dir or not info.mode & 0o111:
            reason = "Is a directory" if info.is_dir else "Permission denied"
            await self._complain(context.streams, f"{context.name}: can't execute: {reason}")
            return 126
        return await self.run_script_file(context, path, context.args)

    async def run_script_file(self, context: Context, path: str, args: list[str]) -> int:
        """Run a script file in a fresh shell."""
        with self.phone.files.open_read(path, self.who) as file:
            text = decode(file.read())
        shell = Interpreter(self.phone, self.who, self.cwd, self.environment)
        shell.script_name, shell.arguments, shell.pid, shell.depth = path, args, self.pid, self.depth
        shell.holding_streams = self.holding_streams
        return await shell.run_text(text, context.streams)

    def _expander(self, streams: Streams) -> Expander:
        return Expander(self, lambda source: self._substitute(streams, source))

    async def _substitute(self, streams: Streams, source: str) -> str:
        output = BufferSink()
        shell = self.subshell()
        shell.depth += 1
        if shell.depth > _MAX_CALLS:
            raise ExpansionError("recursion is too deep")
        self.substituted = await shell.run_text(source, Streams(streams.stdin, output, streams.stderr))
        return decode(bytes(output.data).replace(b"\0", b""))

    async def _complain(self, streams: Streams, message: str) -> None:
        await streams.stderr.write(f"{SHELL_NAME}: {message}\n".encode("utf-8", "surrogateescape"))


def _stays(control: LoopControl) -> bool:
    """Whether the innermost loop goes on; control for outer loops is raised again."""
    if control.levels > 1:
        raise LoopControl(control.levels - 1, resume=control.resume)
    return control.resume


def _redirects_output(item: AndOr) -> bool:
    """Whether a job keeps neither output of its shell, so that the shell's end need not wait for it."""
    last = item.pipelines[-1][1].commands[-1]
    return {1, 2} <= {redirect.fd for redirect in last.redirects}
