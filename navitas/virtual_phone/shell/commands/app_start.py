"""am start, startservice, stopservice and broadcast, and monkey: an app without tests, in a process that stays until it is
stopped.
"""

from __future__ import annotations

import signal
import time
from functools import partial

from navitas.android.apk.manifest import AppComponent
from navitas.virtual_phone.apps import AppEnded, AppProcess
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.package import Package, short_name
from navitas.virtual_phone.shell.commands.command_options import whole_number
from navitas.virtual_phone.shell.commands.intent_arguments import LAUNCHER, MAIN, IntentArguments, parse_intent
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError

_FROM_SHELL = 0x400000
_LONGEST_S = 60.0
"""ActivityManagerConstants: the time that a receiver in the background has."""
_WITH_VALUE = ("-p", "-c", "-s", "--throttle", "--pkg-blacklist-file", "--pkg-whitelist-file")
_MOST_EVENTS = 10_000_000
_NO_ACTIVITIES = 251


async def start(context: Context, args: list[str]) -> int:
    """`am start [-W] [-S] (-n PACKAGE/CLASS | PACKAGE) [INTENT]`, as AOSP's ActivityManagerShellCommand."""
    intent = parse_intent(args)
    package, activity = _find_activity(context, intent)
    await context.out(f"Starting: {intent}\n")
    if package is None or activity is None:
        if intent.component:
            await context.err(f"Error type 3\nError: Activity class {{{intent.component}}} does not exist.\n")
        else:
            await context.err(f"Error: Activity not started, unable to resolve {intent}\n")
        return 1
    if intent.stops:
        context.phone.packages.kill(package.name, package.user)
    begun = time.monotonic()
    try:
        was_running, app = await running(context, package)
        context.phone.apps.shown(package)
        request = f"activity {intent.uri(f'{package.name}/{activity.name}')}"
        if intent.waits or was_running:
            await app.ask(request)
        else:
            context.phone.jobs.start(("am",), context.shell.who, _request(app, request))
    except (StartError, AppEnded) as error:
        await context.err(f"Error: {error or 'the process ended'}\n")
        return 1
    if intent.waits:
        took = round(1000 * (time.monotonic() - begun))
        state = "HOT" if was_running else "COLD"
        place = f"{package.name}/{short_name(activity.name, package.name)}"
        await context.out(f"Status: ok\nLaunchState: {state}\nActivity: {place}\nTotalTime: {took}\nWaitTime: {took}\nComplete\n")
    return 0


async def running(context: Context, package: Package) -> tuple[bool, AppProcess]:
    """Return whether the app was running, and its process, which is started if necessary. Raises `StartError`."""
    app = context.phone.apps.get(package)
    return (True, app) if app else (False, await context.phone.apps.start(package))


def running_users_package(context: Context, name: str, user: int) -> Package | None:
    """Return a package as one of the phone's users has it. The components of users that are not started are not found."""
    packages = context.phone.packages
    found = packages.users.get(user)
    return packages.get(name, user) if found is not None and found.is_running else None


async def _request(app: AppProcess, request: str) -> int:
    """Send a request without waiting; errors go to the log."""
    try:
        await app.ask(request)
    except (StartError, AppEnded):
        return 1
    return 0


async def _service(context: Context, args: list[str], request: str, doing: str) -> int:
    intent = parse_intent(args)
    name, slash, short = (intent.component or intent.package).partition("/")
    package = running_users_package(context, name, intent.user)
    service = _named(package.apk.manifest.services if package and package.apk else (), name, short) if slash else None
    await context.out(f"{doing}: {intent}\n")
    if package is None or service is None:
        await context.err("Error: Not found; no service started.\n" if request == "service" else "Error stopping service\n")
        return 255
    try:
        _, app = await running(context, package)
        await app.ask(f"{request} {intent.uri(f'{package.name}/{service.name}')}")
    except (StartError, AppEnded) as error:
        await context.err(f"Error: {error or 'the process ended'}\n")
        return 1
    return 0


start_service = partial(_service, request="service", doing="Starting service")
"""`am startservice [-n] PACKAGE/CLASS`."""
stop_service = partial(_service, request="stopservice", doing="Stopping service")
"""`am stopservice [-n] PACKAGE/CLASS`."""


def _find_activity(context: Context, intent: IntentArguments) -> tuple[Package | None, AppComponent | None]:
    name, _, short = intent.component.partition("/")
    package = running_users_package(context, name or intent.package, intent.user)
    if package is None or package.apk is None:
        return None, None
    manifest = package.apk.manifest
    return package, _named(manifest.activities, name, short) if name else manifest.launcher


def _named(parts: tuple[AppComponent, ...], package: str, short: str) -> AppComponent | None:
    name = package + short if short.startswith(".") else short
    return next((part for part in parts if part.name == name), None)


async def broadcast(context: Context, args: list[str]) -> None:
    """`am broadcast INTENT`: returns when all receivers have handled it. It may have actions that only the system sends."""
    intent = parse_intent(args)
    intent.flags |= _FROM_SHELL
    await context.out(f"Broadcasting: {intent}\n")
    name = intent.component.partition("/")[0] or intent.package
    package = context.phone.packages.get(name) if name else None
    named = context.phone.apps.get(package) if package else None
    for app in context.phone.apps.all() if not name else filter(None, [named]):
        await context.phone.apps.tell(app, f"broadcast {intent.uri()}", _LONGEST_S)
    await context.out("Broadcast completed: result=0\n")


@command("monkey")
async def monkey(context: Context) -> int:
    """`-p PACKAGE [-c CATEGORY] [-s SEED] [--throttle MS] [-v] COUNT`; `--pct-*` and `--ignore-*` have no effect.

    It ignores SIGHUP, as AOSP's script does (`trap "" HUP`), and so outlives a host that is gone.
    """
    jobs, shell = context.phone.jobs, context.shell
    args = ("monkey", *context.args)
    job = jobs.start(args, shell.who, _run_monkey(context), group=shell.group, on_signal=lambda number: number == signal.SIGHUP)
    try:
        return await job.wait()
    finally:
        if not shell.hung_up.is_set():
            await jobs.stop([job])


async def _run_monkey(context: Context) -> int:
    values, verbose, count = _parse_monkey(context.args)
    seed, throttle = _monkey_number(values.get("-s", "0")), _monkey_number(values.get("--throttle", "0"))
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


def _parse_monkey(args: list[str]) -> tuple[dict[str, str], bool, int]:
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
            count = _monkey_number(word)
    if count is None or count > _MOST_EVENTS:
        raise CommandError("** Error: Count not specified", 255)
    return values, verbose, count


def _monkey_number(text: str) -> int:
    if (number := whole_number(text)) is None:
        raise CommandError(f'** Error: "{text}" is not a number', 255)
    return number
