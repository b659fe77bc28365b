"""am: instrument, force-stop, kill."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from navitas.device.virtual.instrument import CannotStart, PrettyPrinter, run_tests
from navitas.device.virtual.packages import Package
from navitas.device.virtual.shell.commands.options import options
from navitas.device.virtual.shell.context import CommandError, Context, command

_UNKNOWN_COMMAND = 255
_USAGE = "usage: am instrument [-r] [-e NAME VALUE]... [-p FILE] [-w] [--user USER] [--no-window-animation] COMPONENT\n"
_FLAGS_WITH_VALUE = ("--user", "--abi", "-p")
_FLAGS = (
    "--no-window-animation", "--no_window_animation", "--no-hidden-api-checks", "--no-test-api-access", "--no-isolated-storage",
    "--no-restart",
)  # fmt: skip


@command("am")
async def am(context: Context) -> int:
    """instrument, force-stop, kill, get-current-user; activities are not started on this phone."""
    action, *args = context.args or [""]
    if action == "instrument":
        return await _instrument(context, args)
    if action in ("force-stop", "kill"):
        found = options(context.with_args(["am", *args]), "", ("user=",))
        if not found.rest:
            raise CommandError('Error: Argument expected after "' + action + '"', _UNKNOWN_COMMAND)
        context.phone.packages.kill(found.rest[0])
        return 0
    if action == "get-current-user":
        await context.out("0\n")
        return 0
    raise CommandError(f"Unknown command: {action}", _UNKNOWN_COMMAND)


async def _instrument(context: Context, args: list[str]) -> int:
    """Options and errors of AOSP's Am.java, Instrument.java and BaseCommand.java."""
    try:
        run = _parse(args)
        component = _component(context, run.component)
    except _WrongArgument as error:
        if error.is_option:
            await context.err(f"Error: Unknown option: {error}\n")
        else:
            await context.out(_on_error(error, raw="-r" in args) if "-w" in args and error.from_run else "")
            await context.err(f"{_USAGE}\nError: {error}\n")
        return 0
    package = _find(context, component)
    if package is None:
        return await _refuse(context, component, run)
    if not run.waits:
        context.phone.jobs.start(("am",), context.shell.who, _run(context, package, run.extras, _discard))
        return 0
    write: Callable[[bytes], Awaitable[None]] = context.out if run.raw else PrettyPrinter(context.out).take
    return await _run(context, package, run.extras, write)


@dataclass(slots=True)
class _Run:
    """What the arguments of `am instrument` ask for."""

    component: str = ""
    waits: bool = False
    raw: bool = False
    extras: list[tuple[str, str]] = field(default_factory=list)


class _WrongArgument(Exception):
    """An argument is missing, unknown, or names nothing; `from_run` when it is found only on starting."""

    def __init__(self, message: str, *, is_option: bool = False, from_run: bool = False) -> None:
        super().__init__(message)
        self.is_option = is_option
        self.from_run = from_run


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
        elif option in _FLAGS_WITH_VALUE:
            value(option)
        elif option in ("-w", "-r"):
            run.waits, run.raw = run.waits or option == "-w", run.raw or option == "-r"
        elif option not in _FLAGS:
            raise _WrongArgument(option, is_option=True)
    run.component = value(args[-1] if args else "instrument")
    return run


def _component(context: Context, text: str) -> str:
    """PACKAGE/RUNNER with the runner's full name; a package alone stands for its only instrumentation."""
    name, slash, runner = text.partition("/")
    if not slash:
        package = context.phone.packages.get(name)
        if package is None:
            raise _WrongArgument(f"No instrumentation found for: {text}", from_run=True)
        return package.instrumentation
    if not name or not runner:
        raise _WrongArgument(f"Bad component name: {text}", from_run=True)
    return f"{name}/{name if runner.startswith('.') else ''}{runner}"


def _find(context: Context, component: str) -> Package | None:
    package = context.phone.packages.get(component.partition("/")[0])
    return package if package is not None and component == package.instrumentation else None


async def _discard(data: bytes) -> None:
    """Nobody waits for the result."""


async def _run(
    context: Context, package: Package, extras: list[tuple[str, str]], write: Callable[[bytes], Awaitable[None]]
) -> int:
    try:
        await run_tests(context.phone, package, extras, write)
    except CannotStart as error:
        await write(f"INSTRUMENTATION_RESULT: shortMsg={error}\n".encode())
        await write(b"INSTRUMENTATION_CODE: 0\n")
    return 0


async def _refuse(context: Context, component: str, run: _Run) -> int:
    """The activity manager knows no such instrumentation: a status for whoever waits, and an exception."""
    failed = f"INSTRUMENTATION_FAILED: {component}"
    lines = [
        f"INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{component}}}",
        "INSTRUMENTATION_STATUS: id=ActivityManagerService",
        "INSTRUMENTATION_STATUS_CODE: -1",
    ]
    if run.waits:
        await context.out("\n".join(lines) + "\n" + _on_error(failed, raw=run.raw))
    await context.err(f"android.util.AndroidException: {failed}\n\tat com.android.commands.am.Instrument.run(Instrument.java)\n")
    return 1


def _on_error(message: object, *, raw: bool) -> str:
    return f"onError: commandError=true message={message}\n" if raw else ""
