"""getprop, setprop, date, id, whoami, which."""

from __future__ import annotations

import re
import time

from navitas.virtual_phone.shell.commands.command_options import options
from navitas.virtual_phone.shell.context import COMMANDS, Context, command
from navitas.virtual_phone.shell.state import CommandError

_SHELL_GROUPS = "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3009(readproc)"
_SHELL_LABEL, _APP_LABEL = "u:r:shell:s0", "u:r:runas_app:s0:c512,c768"


@command("getprop")
async def getprop(context: Context) -> None:
    """Print all properties, or one (with a default)."""
    if not context.args:
        lines = [f"[{name}]: [{value}]\n" for name, value in context.phone.properties.all().items()]
        await context.out("".join(lines))
        return
    default = context.args[1] if len(context.args) > 1 else ""
    await context.out((context.phone.properties.get(context.args[0]) or default) + "\n")


@command("setprop")
async def setprop(context: Context) -> None:
    """Set a property; fails for read-only ones."""
    if len(context.args) != 2:
        raise CommandError("Needs 2 arguments")
    name, value = context.args
    if not context.phone.properties.set(name, value):
        raise CommandError(f"failed to set property '{name}' to '{value}'")


@command("date")
async def date(context: Context) -> None:
    """Print the time (`+FORMAT`; %N is nanoseconds). The phone's zone is UTC. The time cannot be set."""
    found = options(context, "u")
    now_ns = time.time_ns()
    if found.rest and not found.rest[0].startswith("+"):
        raise CommandError("cannot set date: Operation not permitted")
    template = found.rest[0][1:] if found.rest else "%a %b %e %H:%M:%S UTC %Y"
    nanoseconds = f"{now_ns % 1_000_000_000:09d}"
    template = re.sub(r"%(\d?)N", lambda match: nanoseconds[: int(match.group(1) or 9)], template)
    template = template.replace("%s", str(now_ns // 1_000_000_000))
    await context.out(time.strftime(template, time.gmtime(now_ns // 1_000_000_000)) + "\n")


@command("id")
async def id_command(context: Context) -> None:
    """Print user and groups; -u -g -n -un."""
    found = options(context, "ugn")
    who = context.shell.who
    if "u" in found or "g" in found:
        await context.out((who.name if "n" in found else str(who.uid)) + "\n")
        return
    app = who.package is not None
    groups = f"{who.uid}({who.name})" if app else _SHELL_GROUPS
    label = _APP_LABEL if app else _SHELL_LABEL
    await context.out(f"uid={who.uid}({who.name}) gid={who.uid}({who.name}) groups={groups} context={label}\n")


@command("whoami")
async def whoami(context: Context) -> None:
    """Print the user name."""
    await context.out(context.shell.who.name + "\n")


@command("which")
async def which(context: Context) -> int:
    """Print the paths of programs."""
    missing = [name for name in context.args if name not in COMMANDS]
    await context.out("".join(f"/system/bin/{name}\n" for name in context.args if name in COMMANDS))
    return 1 if missing or not context.args else 0
