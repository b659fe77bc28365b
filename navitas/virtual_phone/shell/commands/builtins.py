"""Builtins that control the shell: flow, folder, reading, running text and other commands."""

from __future__ import annotations

from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import options, to_int
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, Context, builtin
from navitas.virtual_phone.shell.fields import DEFAULT_SEPARATORS, split_line
from navitas.virtual_phone.shell.flow import CommandError, ExitShell, LoopControl, ReturnFromFunction
from navitas.virtual_phone.shell.streams import Input, decode
from navitas.virtual_phone.shell.syntax import RESERVED_WORDS, Literal

_MANY_BYTES = 1 << 30


def _status(context: Context) -> int:
    if not context.args:
        return context.shell.status
    if not context.args[0].lstrip("-").isdecimal():
        raise CommandError(f"bad number: {context.args[0]}", fatal=True)
    return int(context.args[0]) & 0xFF


@builtin(":", "true")
async def true(context: Context) -> int:
    """Succeed."""
    return 0


@builtin("false")
async def false(context: Context) -> int:
    """Fail."""
    return 1


@builtin("exit")
async def exit_shell(context: Context) -> int:
    """End the shell."""
    raise ExitShell(_status(context))


@builtin("return")
async def return_from(context: Context) -> int:
    """End a function or a script read by `.`."""
    raise ReturnFromFunction(_status(context))


@builtin("break", "continue")
async def loop_control(context: Context) -> int:
    """Leave a loop, or continue with its next iteration."""
    levels = max(1, to_int(context.args[0])) if context.args else 1
    if not context.shell.loops:
        await context.err(f"/system/bin/sh: {context.name}: can't {context.name}\n")
        return 0
    raise LoopControl(levels, resume=context.name == "continue")


@builtin("cd")
async def cd(context: Context) -> int:
    """Change the current folder."""
    shell = context.shell
    target = context.args[0] if context.args else shell.variables.get("HOME", "/")
    back = target == "-"
    target = shell.variables.get("OLDPWD", "/") if back else target
    try:
        # As in mksh: `..` after a symlink leads back to the symlink's folder.
        path = context.phone.files.real_path(str(_logical(context.path(target))))
        if not context.phone.files.stat(path, shell.who).is_dir:
            raise NotADirectoryError(20, "Not a directory")
    except OSError as error:
        raise CommandError(f"{target}: {error.strerror}", 2) from None
    shell.variables.update({"OLDPWD": shell.cwd, "PWD": path})
    shell.cwd = path
    if back:
        await context.out(path + "\n")
    return 0


def _logical(path: str) -> PurePosixPath:
    parts: list[str] = []
    for part in PurePosixPath(path).parts[1:]:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return PurePosixPath("/", *parts)


@builtin("pwd")
async def pwd(context: Context) -> int:
    """Print the current folder."""
    await context.out(context.shell.cwd + "\n")
    return 0


@builtin("eval")
async def evaluate(context: Context) -> int:
    """Run arguments as a script in this shell."""
    return await context.shell.evaluate(" ".join(context.args), context.streams)


@builtin(".", "source")
async def source(context: Context) -> int:
    """Run a file in this shell, with positional parameters if there are any."""
    if not context.args:
        raise CommandError("missing argument", fatal=True)
    shell = context.shell
    name, *args = context.args
    try:
        with context.phone.files.open_read(context.path(name), shell.who) as file:
            text = decode(file.read())
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}", fatal=True) from None
    outer = shell.arguments
    shell.arguments = args or outer
    try:
        return await shell.evaluate(text, context.streams)
    except ReturnFromFunction as result:
        return result.status
    finally:
        shell.arguments = outer


@builtin("exec")
async def exec_command(context: Context) -> int:
    """Run a command in place of the shell."""
    if not context.args:
        return 0
    raise ExitShell(await context.shell.run_command(context.with_args(context.args)))


@builtin("command")
async def command_builtin(context: Context) -> int:
    """Run a command, not a function; `-v` prints the meaning of a name."""
    found = options(context, "vVp", mixed=False)
    if "v" not in found and "V" not in found:
        return await _not_as_function(context.with_args(found.rest)) if found.rest else 0
    status = 0
    for name in found.rest:
        kind = _kind(context, name)
        shown = f"/system/bin/{name}" if kind.endswith(f"/{name}") else name
        await context.out((f"{name} {kind}\n" if "V" in found else f"{shown}\n") if kind else "")
        status = status if kind else 1
    return status


@builtin("builtin")
async def builtin_only(context: Context) -> int:
    """Run a builtin, not a function."""
    if not context.args or context.args[0] not in BUILTINS:
        raise CommandError(f"{context.args[0] if context.args else ''}: not found")
    return await _not_as_function(context.with_args(context.args))


async def _not_as_function(context: Context) -> int:
    kept = context.shell.functions.pop(context.name, None)
    try:
        return await context.shell.run_command(context)
    finally:
        if kept is not None:
            context.shell.functions[context.name] = kept


@builtin("type", "whence")
async def type_of(context: Context) -> int:
    """Print the meaning of names."""
    status = 0
    for name in options(context, "vpa", mixed=False).rest:
        kind = _kind(context, name)
        await context.out(f"{name} {kind or 'not found'}\n")
        status = status if kind else 1
    return status


def _kind(context: Context, name: str) -> str:
    if name in RESERVED_WORDS:
        return "is a reserved word"
    if name in context.shell.functions:
        return "is a function"
    if name in BUILTINS:
        return "is a shell builtin"
    return f"is a tracked alias for /system/bin/{name}" if name in COMMANDS else ""


@builtin("read")
async def read(context: Context) -> int:
    """Read a line into variables; the last one gets the rest. -r raw, -n N at most N bytes, -u FD, -p ignored."""
    found = options(context, "rp:n:N:u:", mixed=False)
    names = found.rest or ["REPLY"]
    stdin = context.streams.input(found.number("u", 0))
    if stdin is None:
        raise CommandError(f"-u: {found.get('u')}: bad file descriptor")
    raw = "r" in found
    count = found.number("n" if "n" in found else "N", _MANY_BYTES)
    line = await _logical_line(stdin, count, raw=raw)
    separators = context.shell.get("IFS")
    fields = split_line(line.rstrip("\n"), len(names), DEFAULT_SEPARATORS if separators is None else separators, raw=raw)
    for name, value in zip(names, fields, strict=True):
        context.shell.assign(name, value)
    return 0 if line.endswith("\n") or (line and count < _MANY_BYTES) else 1


async def _logical_line(stdin: Input, count: int, *, raw: bool) -> str:
    """Return a line, joined with the next ones while it ends with a backslash."""
    line = decode(await stdin.read_up_to(count))
    while not raw and line.endswith("\\\n") and (more := decode(await stdin.read_up_to(count))):
        line = line[:-2] + more
    return line


@builtin("let")
async def let(context: Context) -> int:
    """Evaluate arithmetic; status 0 if the last value is not 0."""
    value = 0
    for expression in context.args:
        value = await context.shell.expander(context.streams).calculate((Literal(expression, quoted=True),))
    return 0 if value else 1
