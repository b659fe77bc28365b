"""navitas-watch: a process of this computer runs on the phone's cores."""

from __future__ import annotations

import asyncio
import os
import re

from navitas.virtual_phone.identity import FIRST_APP_UID, Identity, app_user_name
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError

_UID = FIRST_APP_UID + 9999
"""The last uid of apps, which no installed app gets."""
_PID = re.compile(r"[1-9]\d{0,9}", re.ASCII)


@command("navitas-watch")
async def navitas_watch(context: Context) -> int:
    """PID NAME: count a process of this computer as that of an app, until it or this command ends. Nothing can signal it."""
    if len(context.args) != 2 or not _PID.fullmatch(context.args[0]):
        raise CommandError("usage: navitas-watch PID NAME")
    pid, name = int(context.args[0]), context.args[1]
    processes = context.phone.processes
    if processes.get(pid) is not None:
        raise CommandError(f"{pid} is a process of this phone already")
    try:
        handle = os.pidfd_open(pid)
    except OSError as error:
        raise CommandError(f"{pid}: {error.strerror}") from None
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(handle, ended.set)
        processes.add_host(pid, name, (name,), Identity(_UID, app_user_name(_UID)), lambda number: None)
        try:
            await context.out("watching\n")
            await ended.wait()
        finally:
            processes.remove(pid)
    finally:
        loop.remove_reader(handle)
        os.close(handle)
    return 0
