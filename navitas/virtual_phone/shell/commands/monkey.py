"""monkey: send pseudo-random events to an app, with AOSP's messages (Monkey.java)."""

from __future__ import annotations

import signal
import time

from navitas.virtual_phone.apps import AppEnded
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.shell.commands.app_start import running
from navitas.virtual_phone.shell.commands.intent_arguments import LAUNCHER, MAIN, IntentArguments
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError

_WITH_VALUE = ("-p", "-c", "-s", "--throttle", "--pkg-blacklist-file", "--pkg-whitelist-file")
_MOST_EVENTS = 10_000_000
_NO_ACTIVITIES = 251


@command("monkey")
async def monkey(context: Context) -> int:
    """`-p PACKAGE [-c CATEGORY] [-s SEED] [--throttle MS] [-v] COUNT`; `--pct-*` and `--ignore-*` have no effect.

    It ignores SIGHUP, as AOSP's script does (`trap "" HUP`), and so outlives a host that is gone.
    """
    jobs, shell = context.phone.jobs, context.shell
    args = ("monkey", *context.args)
    job = jobs.start(args, shell.who, _run(context), group=shell.group, on_signal=lambda number: number == signal.SIGHUP)
    try:
        return await job.wait()
    finally:
        if not shell.hung_up.is_set():
            await jobs.stop([job])


async def _run(context: Context) -> int:
    values, verbose, count = _parse(context.args)
    seed, throttle = _number(values.get("-s", "0")), _number(values.get("--throttle", "0"))
    package = context.phone.packages.get(values.get("-p", ""))
    activity = package.apk.manifest.launcher if package and package.apk else None
    if verbose:
        await context.out(f":Monkey: seed={seed} count={count}\n:AllowPackage: {values.get('-p', '')}\n")
    if package is None or activity is None:
        await context.out("** No activities found to run, monkey aborted.\n")
        return _NO_ACTIVITIES
    begun, injected = time.monotonic(), 0
    try:
        _, app = await running(context, package)
        context.phone.apps.shown(package)
        if count:  # The first event starts the activity.
            launch = IntentArguments(action=MAIN, categories=[LAUNCHER], component=f"{package.name}/{activity.name}")
            await app.ask(f"activity {launch.uri()}")
            injected = 1
        async for event in app.send(f"monkey {seed} {max(count - 1, 0)} {throttle} {activity.name}"):
            injected += 1
            if verbose:
                await context.out(f":Sending {event.removeprefix('event ')}\n")
    except AppEnded:
        await context.out(f"// CRASH: {package.name}\n** Monkey aborted due to error.\nEvents injected: {injected}\n")
        await context.err(f"** System appears to have crashed at event {injected} of {count} using seed {seed}\n")
        return min(injected or 1, 255)
    except StartError as error:
        await context.err(f"** Error: {error}\n")
        return 1
    took = round(1000 * (time.monotonic() - begun))
    await context.out(f"Events injected: {injected}\n")
    await context.out(f"## Network stats: elapsed time={took}ms (0ms mobile, 0ms wifi, {took}ms not connected)\n")
    if verbose:
        await context.out("// Monkey finished\n")
    return 0


def _parse(args: list[str]) -> tuple[dict[str, str], bool, int]:
    values: dict[str, str] = {}
    verbose, count, left = False, None, list(args)
    while left:
        word = left.pop(0)
        if word in _WITH_VALUE or word.startswith("--pct-"):
            if not left:
                raise CommandError(f"** Error: option {word} needs a value", 255)
            values[word] = left.pop(0)
        elif word.startswith("-v"):
            verbose = True
        elif not word.startswith("-"):
            count = _number(word)
    if count is None or count > _MOST_EVENTS:
        raise CommandError("** Error: Count not specified", 255)
    return values, verbose, count


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise CommandError(f'** Error: "{text}" is not a number', 255)
    return int(text)
