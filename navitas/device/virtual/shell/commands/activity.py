"""am: instrument, force-stop, kill."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from navitas.device.virtual.instrument import CannotStart, PrettyPrinter, run_tests
from navitas.device.virtual.packages import Package
from navitas.device.virtual.shell.commands.options import options
from navitas.device.virtual.shell.context import CommandError, Context, command

_UNKNOWN_COMMAND = 255
_FLAGS_WITH_VALUE = ("--user", "--abi", "-p", "-f")
_FLAGS = ("--no-window-animation", "--no-hidden-api-checks", "--no-test-api-access", "--no-isolated-storage", "--no-restart")


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
    flags: set[str] = set()
    extras: list[tuple[str, str]] = []
    components: list[str] = []
    left = list(args)
    while left:
        argument = left.pop(0)
        if argument == "-e" and len(left) >= 2:
            extras.append((left.pop(0), left.pop(0)))
        elif argument in _FLAGS_WITH_VALUE and left:
            left.pop(0)
        elif argument in ("-w", "-r", "-wr", "-rw"):
            flags |= set(argument[1:])
        elif argument in _FLAGS:
            continue
        elif argument.startswith("-"):
            raise CommandError(f"Error: Unknown option: {argument}", 1)
        else:
            components.append(argument)
    if len(components) != 1:
        raise CommandError("Error: one component of the form PACKAGE/RUNNER is expected", 1)
    package = _find(context, components[0])
    if package is None:
        return await _refuse(context, components[0], raw="r" in flags)
    if "w" not in flags:
        context.phone.jobs.start(("am",), context.shell.who, _run(context, package, extras, _discard))
        return 0
    write: Callable[[bytes], Awaitable[None]] = context.out if "r" in flags else PrettyPrinter(context.out).take
    return await _run(context, package, extras, write)


def _find(context: Context, component: str) -> Package | None:
    name, slash, runner = component.partition("/")
    package = context.phone.packages.get(name)
    full = name + runner if runner.startswith(".") else runner
    return package if package is not None and slash and f"{name}/{full}" == package.instrumentation else None


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


async def _refuse(context: Context, component: str, *, raw: bool) -> int:
    name, _, runner = component.partition("/")
    failed = f"INSTRUMENTATION_FAILED: {component}"
    lines = [
        f"INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{name}/{runner}}}",
        "INSTRUMENTATION_STATUS: id=ActivityManagerService",
        "INSTRUMENTATION_STATUS_CODE: -1",
        *([f"onError: commandError=true message={failed}"] if raw else []),
    ]
    await context.out("\n".join(lines) + "\n")
    await context.err(f"android.util.AndroidException: {failed}\n")
    return 1
