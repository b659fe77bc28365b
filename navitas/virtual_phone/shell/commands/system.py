"""getprop, setprop, date, uname, id, whoami, hostname, nproc, uptime, which, clear."""

from __future__ import annotations

import re
import time

from navitas.virtual_phone.identity import user_name
from navitas.virtual_phone.shell.commands.command_options import options, parse_date, to_int
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, Context, command
from navitas.virtual_phone.shell.flow import CommandError

_RELEASE = "6.1.75-android14-11-navitas"
_SHELL_GROUPS = "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3009(readproc)"
_SHELL_LABEL, _APP_LABEL = "u:r:shell:s0", "u:r:runas_app:s0:c512,c768"


@command("getprop")
async def getprop(context: Context) -> int:
    """Print all properties, or one (with a default)."""
    if not context.args:
        lines = [f"[{name}]: [{value}]\n" for name, value in context.phone.properties.all().items()]
        await context.out("".join(lines))
        return 0
    default = context.args[1] if len(context.args) > 1 else ""
    await context.out((context.phone.properties.get(context.args[0]) or default) + "\n")
    return 0


@command("setprop")
async def setprop(context: Context) -> int:
    """Set a property; fails for read-only ones."""
    if len(context.args) != 2:
        raise CommandError("Needs 2 arguments")
    name, value = context.args
    if not context.phone.properties.set(name, value):
        raise CommandError(f"failed to set property '{name}' to '{value}'")
    return 0


@command("date")
async def date(context: Context) -> int:
    """Print the time (`+FORMAT`; %N is nanoseconds). The phone's zone is UTC. The time cannot be set."""
    found = options(context, "ud:r:D:")
    now_ns = time.time_ns()
    if "d" in found:
        now_ns = parse_date(found.get("d")) * 1_000_000_000
    if "r" in found:
        now_ns = context.phone.files.stat(context.path(found.get("r")), context.shell.who).mtime * 1_000_000_000
    if found.rest and not found.rest[0].startswith("+"):
        raise CommandError("cannot set date: Operation not permitted")
    template = found.rest[0][1:] if found.rest else "%a %b %e %H:%M:%S UTC %Y"
    nanoseconds = f"{now_ns % 1_000_000_000:09d}"
    template = re.sub(r"%(\d?)N", lambda match: nanoseconds[: int(match.group(1) or 9)], template)
    template = template.replace("%s", str(now_ns // 1_000_000_000))
    await context.out(time.strftime(template, time.gmtime(now_ns // 1_000_000_000)) + "\n")
    return 0


@command("uname")
async def uname(context: Context) -> int:
    """Print the name of the system."""
    found = options(context, "asnrvmo")
    values = {
        "s": "Linux",
        "n": "localhost",
        "r": _RELEASE,
        "v": "#1 SMP PREEMPT",
        "m": context.phone.properties.get("ro.product.cpu.abi"),
        "o": "Toybox",
    }
    chosen = list(values) if "a" in found else [letter for letter in values if letter in found] or ["s"]
    await context.out(" ".join(values[letter] for letter in chosen) + "\n")
    return 0


@command("id")
async def id_command(context: Context) -> int:
    """Print user and groups; -u -g -n -un."""
    found = options(context, "ugnGrZ")
    who = context.shell.who
    if "u" in found or "g" in found:
        await context.out((who.name if "n" in found else str(who.uid)) + "\n")
        return 0
    app = who.package is not None
    groups = f"{who.uid}({who.name})" if app else _SHELL_GROUPS
    label = _APP_LABEL if app else _SHELL_LABEL
    await context.out(f"uid={who.uid}({who.name}) gid={who.uid}({who.name}) groups={groups} context={label}\n")
    return 0


@command("whoami")
async def whoami(context: Context) -> int:
    """Print the user name."""
    await context.out(user_name(context.shell.who.uid) + "\n")
    return 0


@command("hostname")
async def hostname(context: Context) -> int:
    """Print the name of the phone."""
    await context.out("localhost\n")
    return 0


@command("nproc")
async def nproc(context: Context) -> int:
    """Print the number of virtual cores."""
    cores = re.findall(r"^cpu\d+ ", context.phone.kernel.proc_stat(), re.MULTILINE)
    await context.out(f"{max(1, len(cores))}\n")
    return 0


@command("uptime")
async def uptime(context: Context) -> int:
    """Print the time since the phone's start."""
    seconds = int(float(context.phone.kernel.uptime().split()[0]))
    await context.out(
        f" {time.strftime('%H:%M:%S', time.gmtime())} up {seconds // 60} min,  0 users,  load average: 0.00, 0.00, 0.00\n"
    )
    return 0


@command("which")
async def which(context: Context) -> int:
    """Print the paths of programs."""
    missing = [name for name in context.args if name not in COMMANDS]
    await context.out("".join(f"/system/bin/{name}\n" for name in context.args if name in COMMANDS))
    return 1 if missing or not context.args else 0


@command("toybox")
async def toybox(context: Context) -> int:
    """Run a program by name, or list them."""
    if not context.args:
        await context.out(" ".join(sorted(COMMANDS)) + "\n")
        return 0
    if context.args[0] not in COMMANDS and context.args[0] not in BUILTINS:
        raise CommandError(f"Unknown command {context.args[0]}", 127)
    return await context.shell.run_command(context.with_args(context.args))


@command("getconf")
async def getconf(context: Context) -> int:
    """Print CLK_TCK, PAGESIZE or _NPROCESSORS_CONF."""
    name = context.args[0] if context.args else ""
    values = {"CLK_TCK": "100", "PAGESIZE": "4096", "PAGE_SIZE": "4096"}
    if name not in values:
        raise CommandError(f"bad '{name}'")
    await context.out(str(to_int(values[name])) + "\n")
    return 0
