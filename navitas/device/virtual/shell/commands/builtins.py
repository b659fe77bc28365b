"""Builtins that change the shell: variables, folder, flow, jobs."""

from __future__ import annotations

import re

from navitas.device.virtual.shell.commands.options import options, to_int
from navitas.device.virtual.shell.context import BUILTINS, COMMANDS, CommandError, Context, builtin, decode
from navitas.device.virtual.shell.interpreter import ExitShell, LoopControl, ReturnFromFunction

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _status(context: Context) -> int:
    return to_int(context.args[0]) & 0xFF if context.args else context.shell.status


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
    """Leave a loop, or begin its next round."""
    raise LoopControl(max(1, to_int(context.args[0])) if context.args else 1, resume=context.name == "continue")


@builtin("cd")
async def cd(context: Context) -> int:
    """Change the folder."""
    shell = context.shell
    target = context.args[0] if context.args else shell.variables.get("HOME", "/")
    target = shell.variables.get("OLDPWD", "/") if target == "-" else target
    try:
        path = context.phone.files.real_path(context.path(target))
        if not context.phone.files.stat(path, shell.who).is_dir:
            raise NotADirectoryError(20, "Not a directory")
    except OSError as error:
        raise CommandError(f"{target}: {error.strerror}", 2) from None
    shell.variables.update({"OLDPWD": shell.cwd, "PWD": path})
    shell.cwd = path
    return 0


@builtin("pwd")
async def pwd(context: Context) -> int:
    """Print the folder."""
    await context.out(context.shell.cwd + "\n")
    return 0


@builtin("export", "readonly", "local", "typeset")
async def export(context: Context) -> int:
    """Set variables; `export` hands them on to commands and prints them without arguments."""
    shell = context.shell
    for argument in context.args:
        name, assigned, value = argument.partition("=")
        if argument.startswith("-"):
            continue
        if not _NAME.fullmatch(name):
            raise CommandError(f"{name}: is not an identifier")
        if context.name in ("local", "typeset"):
            shell.make_local(name)
        if assigned:
            shell.assign(name, value)
        if context.name == "export":
            shell.exported.add(name)
    if not context.args and context.name == "export":
        await context.out("".join(f"export {name}={value}\n" for name, value in shell.environment.items()))
    return 0


@builtin("unset")
async def unset(context: Context) -> int:
    """Forget variables or functions."""
    for name in options(context, "fv").rest:
        context.shell.variables.pop(name, None)
        context.shell.functions.pop(name, None)
        context.shell.exported.discard(name)
    return 0


@builtin("set")
async def set_options(context: Context) -> int:
    """Set options (`-e`, `-u`; others are taken and ignored) and positional parameters; alone, print variables."""
    shell = context.shell
    args = list(context.args)
    if not args:
        await context.out("".join(f"{name}={value}\n" for name, value in sorted(shell.variables.items())))
    while args and args[0][:1] in ("-", "+") and len(args[0]) > 1:
        option = args.pop(0)
        if option == "--":
            shell.arguments = args
            return 0
        letters = {"errexit": "e", "nounset": "u"}.get(args.pop(0), "") if option[1:] == "o" and args else option[1:]
        for letter in letters:
            (shell.options.add if option[0] == "-" else shell.options.discard)(letter)
    if args:
        shell.arguments = args
    return 0


@builtin("shift")
async def shift(context: Context) -> int:
    """Drop positional parameters."""
    count = to_int(context.args[0]) if context.args else 1
    if not 0 <= count <= len(context.shell.arguments):
        raise CommandError("nothing to shift")
    del context.shell.arguments[:count]
    return 0


@builtin("eval")
async def evaluate(context: Context) -> int:
    """Run arguments as a script in this shell."""
    return await context.shell.evaluate(" ".join(context.args), context.streams)


@builtin(".", "source")
async def source(context: Context) -> int:
    """Run a file in this shell."""
    if not context.args:
        raise CommandError("missing argument")
    with context.phone.files.open_read(context.path(context.args[0]), context.shell.who) as file:
        text = decode(file.read())
    try:
        return await context.shell.evaluate(text, context.streams)
    except ReturnFromFunction as result:
        return result.status


@builtin("exec")
async def exec_command(context: Context) -> int:
    """Run a command in the shell's place."""
    if not context.args:
        return 0
    raise ExitShell(await context.shell.run_command(context.with_args(context.args)))


@builtin("command")
async def command_builtin(context: Context) -> int:
    """Run a command, not a function; `-v` says what a name stands for."""
    found = options(context, "vVp", mixed=False)
    if not found.rest:
        return 0
    name = found.rest[0]
    if "v" in found or "V" in found:
        kind = name if name in BUILTINS or name in context.shell.functions else f"/system/bin/{name}" if name in COMMANDS else ""
        await context.out(f"{kind}\n" if kind else "")
        return 0 if kind else 1
    kept = context.shell.functions.pop(name, None)
    try:
        return await context.shell.run_command(context.with_args(found.rest))
    finally:
        if kept is not None:
            context.shell.functions[name] = kept


@builtin("read")
async def read(context: Context) -> int:
    """Read a line into variables; the last takes the rest."""
    found = options(context, "rp:", mixed=False)
    names = found.rest or ["REPLY"]
    line = decode(await context.stdin.readline())
    if "r" not in found:
        line = re.sub(r"\\(.)", r"\1", line)
    separators = context.shell.get("IFS")
    separators = " \t\n" if separators is None else separators
    left = line.rstrip("\n").strip(" \t")
    for index, name in enumerate(names):
        if index == len(names) - 1 or not separators:
            value, left = left, ""
        else:
            value, *rest = re.split("[" + re.escape(separators) + "]+", left, maxsplit=1)
            left = rest[0] if rest else ""
        context.shell.assign(name, value)
    return 0 if line else 1


@builtin("wait")
async def wait(context: Context) -> int:
    """Wait for background jobs: all of this shell's, or those named by pid."""
    pids = [to_int(argument) for argument in context.args]
    status = 0
    for job in list(context.shell.jobs):
        if not pids or job.pid in pids:
            result = await job.wait()
            status = result if pids else 0
            context.shell.jobs.remove(job)
    return status


@builtin("trap", "ulimit", "umask")
async def ignored(context: Context) -> int:
    """Taken and ignored: shells of this phone get no signals, and have no limits."""
    return 0
