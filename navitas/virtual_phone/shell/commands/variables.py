"""Builtins for variables, options and positional parameters."""

from __future__ import annotations

import re

from navitas.virtual_phone.shell.commands.command_options import options, to_int
from navitas.virtual_phone.shell.context import Context, builtin
from navitas.virtual_phone.shell.flow import CommandError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPTION_LETTERS = {"errexit": "e", "nounset": "u", "xtrace": "x", "noglob": "f", "noclobber": "C", "noexec": "n"}
_MAX_MASK = 0o777


@builtin("export", "readonly", "local", "typeset")
async def export(context: Context) -> int:
    """Set variables. `export` passes them to commands, and prints them without arguments."""
    shell = context.shell
    for argument in context.args:
        name, assigned, value = argument.partition("=")
        if argument.startswith("-"):
            continue
        if not _NAME.fullmatch(name):
            raise CommandError(f"{argument}: not an identifier", fatal=True)
        if context.name in ("local", "typeset"):
            shell.make_local(name)
        if assigned:
            shell.assign(name, value)
        if context.name == "export":
            shell.exported.add(name)
        if context.name == "readonly":
            shell.read_only.add(name)
    if not context.args and context.name == "export":
        await context.out("".join(f"export {name}={value}\n" for name, value in shell.environment.items()))
    return 0


@builtin("unset")
async def unset(context: Context) -> int:
    """Remove variables or functions."""
    shell = context.shell
    found = options(context, "fv")
    for name in found.rest:
        if name in shell.read_only:
            raise CommandError(f"read-only: {name}")
        if "f" not in found:
            shell.variables.pop(name, None)
            shell.exported.discard(name)
        shell.functions.pop(name, None)
    return 0


@builtin("set")
async def set_options(context: Context) -> int:
    """Set options (-e -u -x -f -C, pipefail; others have no effect) and positional parameters; alone, print variables."""
    shell = context.shell
    args = list(context.args)
    if not args:
        await context.out("".join(f"{name}={value}\n" for name, value in sorted(shell.variables.items())))
    while args and args[0][:1] in ("-", "+") and len(args[0]) > 1:
        option = args.pop(0)
        if option == "--":
            shell.arguments = args
            return 0
        named = option[1:] == "o" and args
        names = [_OPTION_LETTERS.get(args[0], args[0])] if named else list(option[1:])
        del args[: 1 if named else 0]
        for name in names:
            (shell.options.add if option[0] == "-" else shell.options.discard)(name)
    if args:
        shell.arguments = args
    return 0


@builtin("shift")
async def shift(context: Context) -> int:
    """Remove positional parameters."""
    count = to_int(context.args[0]) if context.args else 1
    if not 0 <= count <= len(context.shell.arguments):
        raise CommandError("nothing to shift", fatal=True)
    # Assign a new list: a function's caller keeps its own.
    context.shell.arguments = context.shell.arguments[count:]
    return 0


@builtin("getopts")
async def getopts(context: Context) -> int:
    """Parse the next option of the arguments into a variable; OPTARG, OPTIND (POSIX, getopts)."""
    shell = context.shell
    if len(context.args) < 2:
        raise CommandError("usage: getopts OPTSTRING NAME [ARG ...]")
    known, name, *given = context.args
    args = given or shell.arguments
    index = max(1, int(shell.get("OPTIND") or 1))
    offset = shell.option_offset if shell.option_index == index else 0
    word = args[index - 1] if index <= len(args) else ""
    if not offset and (word in ("", "-", "--") or not word.startswith("-")):
        shell.assign(name, "?")
        shell.assign("OPTIND", str(index + (word == "--")))
        return 1
    offset = offset or 1
    letter, offset = word[offset], offset + 1
    value = ""
    place = known.lstrip(":").find(letter)
    takes_value = place >= 0 and known.lstrip(":")[place + 1 : place + 2] == ":"
    if takes_value and offset < len(word):
        value, offset = word[offset:], len(word)
    elif takes_value:
        value = args[index] if index < len(args) else ""
        index += 1
    if place < 0 or letter == ":":
        value = letter if known.startswith(":") else ""
        if not value:
            await context.err(f"/system/bin/sh: -{letter}: unknown option\n")
        letter = "?"
    done = offset >= len(word)
    shell.option_index, shell.option_offset = index + done, 0 if done else offset
    shell.assign(name, letter)
    shell.assign("OPTARG", value)
    shell.assign("OPTIND", str(index + done))
    return 0


@builtin("umask")
async def umask(context: Context) -> int:
    """Print or set the mask of new files' permissions (octal)."""
    if not context.args:
        await context.out(f"{context.shell.umask:03o}\n")
        return 0
    if not re.fullmatch(r"[0-7]{1,4}", context.args[0]):
        raise CommandError(f"bad mask: {context.args[0]}")
    context.shell.umask = int(context.args[0], 8) & _MAX_MASK
    return 0


@builtin("ulimit", "alias", "unalias")
async def ignored(context: Context) -> int:
    """Do nothing: shells of this phone have no limits and no aliases."""
    return 0
