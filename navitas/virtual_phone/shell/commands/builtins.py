"""Builtins that control the shell: flow, folder, variables, options, reading, running text and other commands."""

from __future__ import annotations

import posixpath
import re

from navitas.virtual_phone.shell.commands.command_options import options, to_int, whole_number
from navitas.virtual_phone.shell.conditions import test_holds
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, Context, builtin
from navitas.virtual_phone.shell.expansion import DEFAULT_SEPARATORS, split_line
from navitas.virtual_phone.shell.state import CommandError, ExitShell, LoopControl, ReturnFromFunction
from navitas.virtual_phone.shell.streams import Input, decode
from navitas.virtual_phone.shell.syntax import RESERVED_WORDS

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPTION_LETTERS = {"errexit": "e", "nounset": "u", "noglob": "f"}


def _status(context: Context) -> int:
    if not context.args:
        return context.shell.status
    number = whole_number(context.args[0].removeprefix("-"))
    if number is None:
        raise CommandError(f"bad number: {context.args[0]}", fatal=True)
    return (-number if context.args[0].startswith("-") else number) & 0xFF


@builtin(":", "true")
async def true(context: Context) -> None:
    """Succeed."""


@builtin("false")
async def false(context: Context) -> int:
    """Fail."""
    return 1


@builtin("test", "[")
async def test(context: Context) -> int:
    """Evaluate a condition: status 0 if it is true, 2 for an invalid expression."""
    args = list(context.args)
    if context.name == "[" and (not args or args.pop() != "]"):
        raise CommandError("missing ]", 2)
    return 0 if await test_holds(context.shell, args, context.shell.expander(context.streams)) else 1


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
    raise LoopControl(levels, context.name == "continue")


@builtin("cd")
async def cd(context: Context) -> None:
    """Change the current folder."""
    shell = context.shell
    target = context.args[0] if context.args else shell.variables.get("HOME", "/")
    back = target == "-"
    target = shell.variables.get("OLDPWD", "/") if back else target
    try:
        # As in mksh: `..` after a symlink leads back to the symlink's folder.
        path = context.phone.files.real_path("/" + posixpath.normpath(context.path(target)).lstrip("/"))
        if not context.phone.files.stat(path, shell.who).is_dir:
            raise NotADirectoryError(20, "Not a directory")
    except OSError as error:
        raise CommandError(f"{target}: {error.strerror}", 2) from None
    shell.variables.update({"OLDPWD": shell.cwd, "PWD": path})
    shell.cwd = path
    if back:
        await context.out(path + "\n")


@builtin("pwd")
async def pwd(context: Context) -> None:
    """Print the current folder."""
    await context.out(context.shell.cwd + "\n")


@builtin("eval")
async def evaluate(context: Context) -> int:
    """Run arguments as a script in this shell."""
    return await context.shell.evaluate(" ".join(context.args), context.streams)


@builtin(".")
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
    """Run a command, not a function; `-v` prints how the shell finds a name."""
    found = options(context, "v", mixed=False)
    if "v" not in found:
        return await _not_as_function(context.with_args(found.rest)) if found.rest else 0
    status = 0
    for name in found.rest:
        if name in RESERVED_WORDS or name in context.shell.functions or name in BUILTINS:
            await context.out(f"{name}\n")
        elif name in COMMANDS:
            await context.out(f"/system/bin/{name}\n")
        else:
            status = 1
    return status


async def _not_as_function(context: Context) -> int:
    kept = context.shell.functions.pop(context.name, None)
    try:
        return await context.shell.run_command(context)
    finally:
        if kept is not None:
            context.shell.functions[context.name] = kept


@builtin("read")
async def read(context: Context) -> int:
    """Read a line into variables; the last one gets the rest. -r: backslashes are ordinary characters."""
    found = options(context, "r", mixed=False)
    names = found.rest or ["REPLY"]
    raw = "r" in found
    line = await _logical_line(context.stdin, raw=raw)
    separators = context.shell.get("IFS")
    fields = split_line(line.rstrip("\n"), len(names), DEFAULT_SEPARATORS if separators is None else separators, raw=raw)
    for name, value in zip(names, fields, strict=True):
        context.shell.variables[name] = value
    return 0 if line.endswith("\n") else 1


async def _logical_line(stdin: Input, *, raw: bool) -> str:
    """Return a line, joined with the next ones while it ends with a backslash."""
    line = decode(await stdin.readline())
    while not raw and line.endswith("\\\n") and (more := decode(await stdin.readline())):
        line = line[:-2] + more
    return line


@builtin("export", "local")
async def export(context: Context) -> None:
    """Set variables. `export` passes them to commands, and prints them without arguments."""
    shell = context.shell
    for argument in context.args:
        name, assigned, value = argument.partition("=")
        if argument.startswith("-"):
            continue
        if not _NAME.fullmatch(name):
            raise CommandError(f"{argument}: not an identifier", fatal=True)
        if context.name == "local":
            shell.make_local(name)
        if assigned:
            shell.variables[name] = value
        if context.name == "export":
            shell.exported.add(name)
    if not context.args and context.name == "export":
        await context.out("".join(f"export {name}={value}\n" for name, value in shell.environment.items()))


@builtin("unset")
async def unset(context: Context) -> None:
    """Remove variables or functions."""
    shell = context.shell
    found = options(context, "fv")
    for name in found.rest:
        if "f" not in found:
            shell.variables.pop(name, None)
            shell.exported.discard(name)
        shell.functions.pop(name, None)


@builtin("set")
async def set_options(context: Context) -> None:
    """Set options (-e -u -f, pipefail; others have no effect) and positional parameters; alone, print variables."""
    shell = context.shell
    args = list(context.args)
    if not args:
        await context.out("".join(f"{name}={value}\n" for name, value in sorted(shell.variables.items())))
    while args and args[0][:1] in ("-", "+") and len(args[0]) > 1:
        option = args.pop(0)
        if option == "--":
            shell.arguments = args
            return
        named = option[1:] == "o" and args
        names = [_OPTION_LETTERS.get(args[0], args[0])] if named else list(option[1:])
        del args[: 1 if named else 0]
        for name in names:
            (shell.options.add if option[0] == "-" else shell.options.discard)(name)
    if args:
        shell.arguments = args


@builtin("shift")
async def shift(context: Context) -> None:
    """Remove positional parameters."""
    count = to_int(context.args[0]) if context.args else 1
    if not 0 <= count <= len(context.shell.arguments):
        raise CommandError("nothing to shift", fatal=True)
    # Assign a new list: a function's caller keeps its own.
    context.shell.arguments = context.shell.arguments[count:]
