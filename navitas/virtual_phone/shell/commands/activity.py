"""am: instrument, start, startservice, stopservice, broadcast, force-stop, kill."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from navitas.virtual_phone.am_instrument import PrettyPrinter, make_launch, run_tests
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.package import InstrumentationRunner, Package
from navitas.virtual_phone.shell.commands.app_start import broadcast, running_users_package, start, start_service, stop_service
from navitas.virtual_phone.shell.commands.command_options import find_user, options, user_option
from navitas.virtual_phone.shell.commands.package_commands import current_user, start_user, user_state
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError

_UNKNOWN_COMMAND = 255
_USAGE = "usage: am instrument [-r] [-e NAME VALUE]... [-p FILE] [-w] [--user USER] [--no-window-animation] COMPONENT\n"
_FLAGS_WITH_VALUE = ("--abi", "-p")
_FLAGS = (
    "--no-window-animation", "--no_window_animation", "--no-hidden-api-checks", "--no-test-api-access", "--no-isolated-storage",
    "--no-restart",
)  # fmt: skip


@command("am")
async def am(context: Context) -> int | None:
    """instrument, start, startservice, stopservice, broadcast, force-stop, kill, start-user, and the states of users."""
    action, *args = context.args or [""]
    starts: dict[str, Callable[[Context, list[str]], Awaitable[int | None]]] = {
        "instrument": _instrument,
        "start": start, "start-activity": start,
        "startservice": start_service, "start-service": start_service,
        "startforegroundservice": start_service, "start-foreground-service": start_service,
        "stopservice": stop_service, "stop-service": stop_service,
        "broadcast": broadcast,
        "start-user": start_user, "get-current-user": current_user, "get-started-user-state": user_state,
    }  # fmt: skip
    if action in starts:
        return await starts[action](context, args)
    if action in ("force-stop", "kill"):
        found = options(context.with_args(["am", *args]), "", ("user=",))
        if not found.rest:
            raise CommandError('Error: Argument expected after "' + action + '"', _UNKNOWN_COMMAND)
        context.phone.packages.kill(found.rest[0], user_option(context, found))
        return 0
    raise CommandError(f"Unknown command: {action}", _UNKNOWN_COMMAND)


async def _instrument(context: Context, args: list[str]) -> int:
    """Handle options and errors as AOSP's Am.java, Instrument.java and BaseCommand.java do."""
    try:
        run = _parse(args)
        user = find_user(context, run.user) or FIRST_USER
        component = _component(context, run.component, user)
    except _WrongArgument as error:
        if error.is_option:
            await context.err(f"Error: Unknown option: {error.message}\n")
        else:
            await context.out(_on_error(error.message, raw="-r" in args) if "-w" in args and error.from_run else "")
            await context.err(f"{_USAGE}\nError: {error.message}\n")
        return 0
    package = running_users_package(context, component.partition("/")[0], user)
    runner = package.runner(component) if package else None
    if package is None or runner is None:
        return await _refuse(context, component, run, f"Unable to find instrumentation info for: ComponentInfo{{{component}}}")
    target = context.phone.packages.get(runner.target, user)
    if target is None:
        return await _refuse(context, component, run, f"Unable to find instrumentation target package: {runner.target}")
    if not _may_test(package, target):
        return await _deny(context, component, run, runner)
    if not run.waits:
        context.phone.jobs.start(("am",), context.shell.who, _run(context, package, runner, run.extras, _discard))
        return 0
    write: Callable[[bytes], Awaitable[None]] = context.out if run.raw else PrettyPrinter(context.out).take
    return await _run(context, package, runner, run.extras, write)


@dataclass(slots=True)
class _Run:
    """The parsed arguments of `am instrument`."""

    component: str = ""
    waits: bool = False
    raw: bool = False
    user: str = "current"
    extras: list[tuple[str, str]] = field(default_factory=list)


@dataclass(eq=False)
class _WrongArgument(Exception):
    """An argument is missing, unknown or without a match. `from_run`: the start detects it, not the parser."""

    message: str
    is_option: bool = False
    from_run: bool = False


def _parse(args: list[str]) -> _Run:
    run = _Run()
    left = list(args)

    def value(option: str) -> str:
        if not left:
            raise _WrongArgument(f'Argument expected after "{option}"')
        return left.pop(0)

    while left and left[0].startswith("-"):
        option = left.pop(0)
        if option == "-e":
            run.extras.append((value("-e"), value("-e")))
        elif option == "--user":
            run.user = value(option)
        elif option in _FLAGS_WITH_VALUE:
            value(option)
        elif option in ("-w", "-r"):
            run.waits, run.raw = run.waits or option == "-w", run.raw or option == "-r"
        elif option not in _FLAGS:
            raise _WrongArgument(option, is_option=True)
    run.component = value(args[-1] if args else "instrument")
    return run


def _component(context: Context, text: str, user: int) -> str:
    """Return PACKAGE/RUNNER with the runner's full name. A package alone means its only instrumentation."""
    name, slash, runner = text.partition("/")
    if not slash:
        package = context.phone.packages.get(name, user)
        if package is None or len(package.runners) != 1:
            raise _WrongArgument(f"No instrumentation found for: {text}", from_run=True)
        return package.runners[0].component
    if not name or not runner:
        raise _WrongArgument(f"Bad component name: {text}", from_run=True)
    return f"{name}/{name if runner.startswith('.') else ''}{runner}"


def _may_test(package: Package, target: Package) -> bool:
    """Return whether both are signed with the same keys, because tests run inside their target."""
    if package.apk is None or target.apk is None:
        return package == target
    return package.apk.signing.signers == target.apk.signing.signers


async def _discard(data: bytes) -> None:
    """Drop the data: the caller does not wait for the result."""


async def _run(
    context: Context,
    package: Package,
    runner: InstrumentationRunner,
    extras: list[tuple[str, str]],
    write: Callable[[bytes], Awaitable[None]],
) -> int:
    try:
        phone = context.phone
        launch = await make_launch(phone.app_host, package, runner, extras)
        await run_tests(phone.app_host, launch, write, phone.apps.hearing)
    except StartError as error:
        await write(f"INSTRUMENTATION_RESULT: shortMsg={error}\n".encode())
        await write(b"INSTRUMENTATION_CODE: 0\n")
    return 0


async def _refuse(context: Context, component: str, run: _Run, why: str) -> int:
    """Report that the activity manager cannot start it: a status if the caller waits, and an exception."""
    return await _fail(context, run, why, f"android.util.AndroidException: INSTRUMENTATION_FAILED: {component}")


async def _deny(context: Context, component: str, run: _Run, runner: InstrumentationRunner) -> int:
    name = component.partition("/")[0]
    why = (
        f"Permission Denial: starting instrumentation ComponentInfo{{{component}}} from pid={context.shell.pid}, "
        f"uid={context.shell.who.uid} not allowed because package {name} does not have a signature matching the target "
        f"{runner.target}"
    )
    return await _fail(context, run, why, f"java.lang.SecurityException: {why}")


async def _fail(context: Context, run: _Run, why: str, thrown: str) -> int:
    lines = [
        f"INSTRUMENTATION_STATUS: Error={why}",
        "INSTRUMENTATION_STATUS: id=ActivityManagerService",
        "INSTRUMENTATION_STATUS_CODE: -1",
    ]
    if run.waits:
        await context.out("\n".join(lines) + "\n" + _on_error(thrown.partition(": ")[2], raw=run.raw))
    await context.err(f"{thrown}\n\tat com.android.commands.am.Instrument.run(Instrument.java)\n")
    return 1


def _on_error(message: str, *, raw: bool) -> str:
    return f"onError: commandError=true message={message}\n" if raw else ""
