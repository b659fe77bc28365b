"""pm create-user and remove-user, am start-user, get-current-user and get-started-user-state."""

from __future__ import annotations

from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.shell.commands.command_options import find_user, options
from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.shell.flow import CommandError


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


async def start_user(context: Context, args: list[str]) -> int:
    """`[-w] USER`."""
    user = context.phone.packages.users.get(_number(context, args))
    if user is not None:
        user.is_running = True
    await context.out("Success: user started\n")
    return 0


async def user_state(context: Context, args: list[str]) -> int:
    """`USER`."""
    number = _number(context, args)
    user = context.phone.packages.users.get(number)
    await context.out("RUNNING_UNLOCKED\n" if user and user.is_running else f"User is not started: {number}\n")
    return 0


async def current_user(context: Context, args: list[str]) -> int:
    """The user in the foreground, always the first one: this phone cannot switch."""
    await context.out(f"{FIRST_USER}\n")
    return 0


def _number(context: Context, args: list[str]) -> int:
    words = [word for word in args if word != "-w"]
    user = find_user(context, words[0]) if words else None
    if user is None:
        raise CommandError("Error: Argument expected: a user", 255)
    return user
