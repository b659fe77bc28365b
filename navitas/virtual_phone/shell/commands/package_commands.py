"""pm, run-as, and the users of pm and am."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from functools import partial
from typing import BinaryIO

from navitas.virtual_phone.apk_install import InstallError, InstallOptions
from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.package import Package, short_name
from navitas.virtual_phone.releases import FINE_POWER_MONITORS, has
from navitas.virtual_phone.shell.commands.app_start import running_users_package
from navitas.virtual_phone.shell.commands.command_options import Options, find_user, options, to_int, user_option
from navitas.virtual_phone.shell.commands.intent_arguments import parse_intent
from navitas.virtual_phone.shell.context import COMMANDS, Context, command
from navitas.virtual_phone.shell.interpreter import Interpreter
from navitas.virtual_phone.shell.state import CommandError

_UNKNOWN_COMMAND = 255
_MAX_STREAMED_BYTES = 4 << 30
_INSTALL_OPTIONS = ("user=", "abi=", "install-location=", "force-queryable", "dont-kill", "full")
_MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
_CHOOSER = (
    "priority=0 preferredOrder=0 match=0x0 specificIndex=-1 isDefault=false\nandroid/com.android.internal.app.ResolverActivity\n"
)


@command("pm")
async def pm(context: Context) -> int | None:
    """install, uninstall, list, path, clear, grant, revoke, resolve-activity, query-activities, create-user, remove-user."""
    actions: dict[str, Callable[[Context], Awaitable[int | None]]] = {
        "install": _install, "uninstall": _uninstall, "list": _list, "path": _path, "clear": _clear,
        "resolve-activity": resolve_activity, "query-activities": query_activities,
        "create-user": create_user, "remove-user": remove_user,
    }  # fmt: skip
    actions |= {name: partial(_set_permission, action=name) for name in ("grant", "revoke")}
    action = actions.get(context.args[0] if context.args else "")
    if action is None:
        await context.err(f"Unknown command: {context.args[0] if context.args else 'null'}\n")
        return _UNKNOWN_COMMAND
    return await action(context.with_args(["pm", *context.args[1:]]))


async def _install(context: Context) -> int:
    found = options(context, "rtdgRfS:i:", (*_INSTALL_OPTIONS, "bypass-low-target-sdk-block"))
    wanted = InstallOptions("t" in found, "d" in found, "R" not in found, "bypass-low-target-sdk-block" in found)
    try:
        with await _package_file(context, found) as file:
            await context.phone.packages.install(file, wanted, user_option(context, found))
    except InstallError as error:
        await context.out(f"Failure [{error}]\n")
        return 1
    await context.out("Success\n")
    return 0


async def _package_file(context: Context, found: Options) -> BinaryIO:
    """Open the named file, or read `-S` bytes of standard input."""
    if found.rest and found.rest[0] != "-":
        try:
            return context.phone.files.open_read(context.path(found.rest[0]), context.shell.who)
        except OSError as error:
            raise InstallError("INSTALL_FAILED_INVALID_URI", f"{found.rest[0]}: {error.strerror}") from None
    size = to_int(found.get("S", "0"))
    if not 0 < size <= _MAX_STREAMED_BYTES:
        raise InstallError("INSTALL_FAILED_INVALID_APK", "no file, and no size of the stream")
    buffer = io.BytesIO()
    while buffer.tell() < size and (data := await context.stdin.read()):
        buffer.write(data[: size - buffer.tell()])
    buffer.seek(0)
    return buffer


async def _uninstall(context: Context) -> int:
    found = options(context, "k", ("user=", "versionCode="))
    if not found.rest:
        raise CommandError("Error: package name not specified")
    user = user_option(context, found)
    users = None if user is None else [user]
    if not context.phone.packages.uninstall(found.rest[0], keep_data="k" in found, users=users):
        await context.out("Failure [DELETE_FAILED_INTERNAL_ERROR]\n")
        return 1
    await context.out("Success\n")
    return 0


async def _list(context: Context) -> None:
    found = options(context, "fUsd3eiu", ("user=", "show-versioncode"))
    what, *names = found.rest or [""]
    user = user_option(context, found) or FIRST_USER
    packages = context.phone.packages.all(user)
    if what in ("package", "packages"):
        if "u" in found:
            packages = sorted((*packages, *context.phone.packages.with_kept_data(user)), key=lambda package: package.name)
        chosen = (
            [] if "s" in found or "d" in found else [package for package in packages if not names or names[0] in package.name]
        )
        await context.out("".join(_line(package, found) for package in chosen))
        return
    if what == "instrumentation":
        runners = [runner for package in packages for runner in package.runners if not names or names[0] == runner.target]
        await context.out("".join(f"instrumentation:{one.short} (target={one.target})\n" for one in runners))
        return
    if what == "users":
        await context.out("Users:\n" + "".join(f"\t{user}\n" for user in context.phone.packages.users.all()))
        return
    if what in ("features", "libraries", "permissions"):
        return
    raise CommandError(f"Error: unknown list type '{what}'", _UNKNOWN_COMMAND)


def _line(package: Package, found: Options) -> str:
    path = f"{package.path}=" if "f" in found else ""
    version = f" versionCode:{package.version_code}" if "show-versioncode" in found else ""
    return f"package:{path}{package.name}{version}{f' uid:{package.uid}' if 'U' in found else ''}\n"


async def _path(context: Context) -> int:
    found = options(context, "", ("user=",))
    user = user_option(context, found) or FIRST_USER
    package = context.phone.packages.get(found.rest[0], user) if found.rest else None
    if package is None:
        return 1
    await context.out(f"package:{package.path}\n")
    return 0


async def _clear(context: Context) -> int:
    found = options(context, "", ("user=",))
    cleared = bool(found.rest) and context.phone.packages.clear(found.rest[0], user_option(context, found) or FIRST_USER)
    await context.out("Success\n" if cleared else "Failed\n")
    return 0 if cleared else 1


async def _set_permission(context: Context, *, action: str) -> int:
    """Grant or revoke a permission. The phone checks only ACCESS_FINE_POWER_MONITORS."""
    found = options(context, "", ("user=",))
    if len(found.rest) < 2:
        await context.err(f"Error: no {'permission' if found.rest else 'package'} specified\n")
        return 1
    name, permission, *_ = found.rest
    try:
        if permission == FINE_POWER_MONITORS and not has(permission, context.phone.sdk):
            raise ValueError(f"Unknown permission: {permission}")
        user = user_option(context, found) or FIRST_USER
        context.phone.packages.set_permission(name, permission, user, granted=action == "grant")
    except (ValueError, PermissionError) as error:
        kind = "SecurityException" if isinstance(error, PermissionError) else "IllegalArgumentException"
        await context.err(f"\nException occurred while executing '{action}':\njava.lang.{kind}: {error}\n")
        return _UNKNOWN_COMMAND
    return 0


# The shell's builtins that toybox also has as programs.
_BUILTIN_PROGRAMS = ("true", "false")


@command("run-as")
async def run_as(context: Context) -> int:
    """Run a program as an app, in its data folder (run-as.cpp)."""
    found = options(context, "", ("user=",), mixed=False)
    if context.shell.who.package is not None:
        raise CommandError("only 'shell' or 'root' users can run this program")
    if not found.rest:
        raise CommandError("usage: run-as <package-name> [--user <uid>] <command> [<args>]")
    name, *args = found.rest
    user = found.get("user", str(FIRST_USER))
    if args[:1] == ["--user"] and len(args) > 1:
        _, user, *args = args
    package = context.phone.packages.get(name, to_int(user))
    if package is None:
        raise CommandError(f"unknown package: {name}")
    if not package.debuggable:
        raise CommandError(f"package not debuggable: {name}")
    home = f"/data/user/{package.user}/{name}" if package.user else f"/data/data/{name}"
    shell = Interpreter(context.phone, package.identity, home, context.shell.environment)
    shell.pid, shell.depth, shell.holding_streams = context.shell.pid, context.shell.depth, context.shell.holding_streams
    program = args or ["sh"]
    if program[0].rpartition("/")[2] not in {*COMMANDS, *_BUILTIN_PROGRAMS} and "/" not in program[0]:
        raise CommandError(f"exec failed for {program[0]}: No such file or directory")
    return await shell.run_command(Context(program[0], program[1:], context.streams, shell))


async def resolve_activity(context: Context) -> None:
    """`--brief [--user USER] -a MAIN -c LAUNCHER PACKAGE`: the activity, or Android's chooser if there are several."""
    found = _launchers(context)
    await context.out("No activity found\n" if not found else f"{_MATCH}\n{found[0]}\n" if len(found) == 1 else _CHOOSER)


async def query_activities(context: Context) -> None:
    """`--brief [--user USER] -a MAIN -c LAUNCHER PACKAGE`: all of them."""
    found = _launchers(context)
    lines = [f"  Activity #{number}:\n    {_MATCH}\n    {name}\n" for number, name in enumerate(found)]
    await context.out(f"{len(found)} activities found:\n{''.join(lines)}" if found else "No activities found\n")


def _launchers(context: Context) -> list[str]:
    intent = parse_intent([word for word in context.args if word != "--brief"])
    package = running_users_package(context, intent.package, intent.user)
    if package is None or package.apk is None:
        return []
    return [f"{package.name}/{short_name(one.name, package.name)}" for one in package.apk.manifest.launchers]


async def create_user(context: Context) -> int:
    """`[--profileOf USER] [--managed] NAME`, as AOSP's PackageManagerShellCommand."""
    found = options(context, "", ("profileOf=", "managed", "guest", "restricted", "ephemeral", "user-type="))
    if not found.rest:
        raise CommandError("Error: no user name specified.")
    user = context.phone.packages.users.create(found.rest[0], is_profile="managed" in found)
    if user is None:
        await context.err("Error: couldn't create User.\n")
        return 1
    await context.out(f"Success: created user id {user.id}\n")
    return 0


async def remove_user(context: Context) -> int:
    """`USER`: its packages and data go, too."""
    found = options(context, "w", ("wait", "set-ephemeral-if-in-use"))
    user = find_user(context, found.rest[0] if found.rest else "") if found.rest else None
    if user is None:
        raise CommandError("Error: no user id specified.")
    if not context.phone.packages.remove_user(user):
        await context.err(f"Error: couldn't remove user id {user}\n")
        return 1
    await context.out("Success: removed user\n")
    return 0


async def start_user(context: Context, args: list[str]) -> None:
    """`[-w] USER`."""
    user = context.phone.packages.users.get(_user_number(context, args))
    if user is not None:
        user.is_running = True
    await context.out("Success: user started\n")


async def user_state(context: Context, args: list[str]) -> None:
    """`USER`."""
    number = _user_number(context, args)
    user = context.phone.packages.users.get(number)
    await context.out("RUNNING_UNLOCKED\n" if user and user.is_running else f"User is not started: {number}\n")


async def current_user(context: Context, args: list[str]) -> None:
    """The user in the foreground, always the first one: this phone cannot switch."""
    await context.out(f"{FIRST_USER}\n")


def _user_number(context: Context, args: list[str]) -> int:
    words = [word for word in args if word != "-w"]
    user = find_user(context, words[0]) if words else None
    if user is None:
        raise CommandError("Error: Argument expected: a user", 255)
    return user
