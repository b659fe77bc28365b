"""cmd alarm and cmd jobscheduler: alarms and jobs of running apps."""

from __future__ import annotations

import re
from contextlib import suppress

from navitas.virtual_phone.apps import AppEnded
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.shell.flow import CommandError

_ALARM_USAGE = (
    "Alarm manager service (alarm) commands:\n  advance SECONDS\n    Advance the clock of alarms and jobs (virtual phone only)\n"
)
_JOB_USAGE = "Job scheduler (jobscheduler) commands:\n  run [-f | --force] PACKAGE JOB_ID\n"
_SECONDS = re.compile(r"\d{1,8}(\.\d{1,3})?", re.ASCII)
_NO_PACKAGE, _NO_JOB = -1000 & 0xFF, -1001 & 0xFF
"""JobSchedulerShellCommand's exit codes."""


async def alarm(context: Context, args: list[str]) -> int:
    """`cmd alarm advance SECONDS`: deliver all alarms and jobs that come due in this time, in their order."""
    if len(args) != 2 or args[0] != "advance" or not _SECONDS.fullmatch(args[1]):
        raise CommandError(_ALARM_USAGE, 255)
    count = 0
    for app in context.phone.apps.all():
        with suppress(AppEnded, StartError):
            count += int((await app.ask(f"advance {round(float(args[1]) * 1000)}"))[0])
    await context.out(f"Advanced by {args[1]} s: {count} alarms and jobs\n")
    return 0


async def job_scheduler(context: Context, args: list[str]) -> int:
    """`cmd jobscheduler run [-f] PACKAGE JOB_ID`, as AOSP's JobSchedulerShellCommand."""
    action, *rest = args or [""]
    is_forced = any(word in ("-f", "--force") for word in rest)
    words = [word for word in rest if not word.startswith("-")]
    if action != "run" or len(words) != 2 or not words[1].isdecimal():
        raise CommandError(_JOB_USAGE, 255)
    name, number = words
    package = context.phone.packages.get(name)
    if package is None:
        await context.out(f"Package not found: {name} / user 0\n")
        return _NO_PACKAGE
    app = context.phone.apps.get(package)
    answer = ["false"]
    with suppress(AppEnded, StartError):
        answer = await app.ask(f"job {number}") if app else answer
    if answer != ["true"]:
        await context.out(f"Could not find job {number} in package {name} / user 0\n")
        return _NO_JOB
    await context.out(f"Running job{' [FORCED]' if is_forced else ''}\n")
    return 0
