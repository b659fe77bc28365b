"""am start, startservice and stopservice: an app without tests, in a process that stays until it is stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from navitas.apk.manifest import AppComponent
from navitas.virtual_phone.apps import AppEnded, AppProcess
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.package import Package, short_name
from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.shell.flow import CommandError

_WITH_VALUE = ("-a", "-c", "-d", "-t", "-f", "-i", "--user", "--display", "--windowingMode", "--activityType", "--task", "-P")
_WITH_TWO = ("-e", "--es", "--ez", "--ei", "--el", "--ef", "--eu", "--ecn", "--esa", "--eia")
_UNKNOWN = 255


@dataclass(slots=True)
class _Intent:
    action: str = ""
    categories: list[str] = field(default_factory=list)
    component: str = ""
    package: str = ""
    waits: bool = False
    stops: bool = False

    def __str__(self) -> str:
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={self.component}" if self.component else "",
        ]
        return f"Intent {{ {' '.join(filter(None, parts))} }}"


async def start(context: Context, args: list[str]) -> int:
    """`am start [-W] [-S] (-n PACKAGE/CLASS | [-a ACTION] [-c CATEGORY] PACKAGE)`, as AOSP's ActivityManagerShellCommand."""
    intent = _parse(args)
    package, activity = _find_activity(context, intent)
    await context.out(f"Starting: {intent}\n")
    if package is None or activity is None:
        if intent.component:
            await context.err(f"Error type 3\nError: Activity class {{{_full(intent.component)}}} does not exist.\n")
        else:
            await context.err(f"Error: Activity not started, unable to resolve {intent}\n")
        return 1
    if intent.stops:
        context.phone.packages.kill(package.name)
    begun = time.monotonic()
    try:
        was_running, app = await running(context, package)
        if intent.waits or was_running:
            async for _ in app.send(f"activity {activity.name}"):
                pass
        else:
            context.phone.jobs.start(("am",), context.shell.who, _request(app, f"activity {activity.name}"))
    except (StartError, AppEnded) as error:
        await context.err(f"Error: {error or 'the process ended'}\n")
        return 1
    if intent.waits:
        took = round(1000 * (time.monotonic() - begun))
        state = "HOT" if was_running else "COLD"
        place = f"{package.name}/{short_name(activity.name, package.name)}"
        await context.out(f"Status: ok\nLaunchState: {state}\nActivity: {place}\nTotalTime: {took}\nWaitTime: {took}\nComplete\n")
    return 0


async def start_service(context: Context, args: list[str]) -> int:
    """`am startservice [-n] PACKAGE/CLASS`."""
    return await _service(context, args, "service", "Starting service")


async def stop_service(context: Context, args: list[str]) -> int:
    """`am stopservice [-n] PACKAGE/CLASS`."""
    return await _service(context, args, "stopservice", "Stopping service")


async def running(context: Context, package: Package) -> tuple[bool, AppProcess]:
    """Return whether the app was running, and its process, which is started if necessary. Raises `StartError`."""
    app = context.phone.apps.get(package)
    return (True, app) if app else (False, await context.phone.apps.start(package))


async def _request(app: AppProcess, request: str) -> int:
    """Send a request without waiting; errors go to the log."""
    try:
        async for _ in app.send(request):
            pass
    except (StartError, AppEnded):
        return 1
    return 0


async def _service(context: Context, args: list[str], request: str, doing: str) -> int:
    intent = _parse(args)
    name, slash, short = (intent.component or intent.package).partition("/")
    package = context.phone.packages.get(name)
    service = _named(package.apk.manifest.services if package and package.apk else (), name, short) if slash else None
    await context.out(f"{doing}: {intent}\n")
    if package is None or service is None:
        await context.err("Error: Not found; no service started.\n" if request == "service" else "Error stopping service\n")
        return 255
    try:
        _, app = await running(context, package)
        async for _ in app.send(f"{request} {service.name}"):
            pass
    except (StartError, AppEnded) as error:
        await context.err(f"Error: {error or 'the process ended'}\n")
        return 1
    return 0


def _parse(args: list[str]) -> _Intent:
    intent, left = _Intent(), list(args)

    def value(option: str) -> str:
        if not left:
            raise CommandError(f'Error: Argument expected after "{option}"', _UNKNOWN)
        return left.pop(0)

    while left:
        word = left.pop(0)
        if word == "-n":
            intent.component = value(word)
        elif word == "-W":
            intent.waits = True
        elif word == "-S":
            intent.stops = True
        elif word in _WITH_TWO:
            value(word)
            value(word)
        elif word in _WITH_VALUE:
            text = value(word)
            intent.action = text if word == "-a" else intent.action
            intent.categories += [text] if word == "-c" else []
        elif not word.startswith("-"):
            intent.component, intent.package = (word, "") if "/" in word else (intent.component, word)
    return intent


def _find_activity(context: Context, intent: _Intent) -> tuple[Package | None, AppComponent | None]:
    name, _, short = intent.component.partition("/")
    package = context.phone.packages.get(name or intent.package)
    if package is None or package.apk is None:
        return None, None
    manifest = package.apk.manifest
    return package, _named(manifest.activities, name, short) if name else manifest.launcher


def _named(parts: tuple[AppComponent, ...], package: str, short: str) -> AppComponent | None:
    name = package + short if short.startswith(".") else short
    return next((part for part in parts if part.name == name), None)


def _full(component: str) -> str:
    name, _, short = component.partition("/")
    return f"{name}/{name if short.startswith('.') else ''}{short}"
