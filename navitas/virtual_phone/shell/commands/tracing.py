"""perfetto, simpleperf and atrace (AOSP: perfetto_cmd.cc, simpleperf/cmd_record.cpp, atrace.cpp)."""

from __future__ import annotations

import asyncio
import getopt

from navitas.android.perfetto.messages import read_config
from navitas.virtual_phone.file_tree import is_under
from navitas.virtual_phone.releases import has
from navitas.virtual_phone.shell.commands.command_options import to_seconds, whole_number
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.trace.ftrace_text import KINDS
from navitas.virtual_phone.trace.sessions import PerfettoSession, SimpleperfSession
from navitas.virtual_phone.trace.simpleperf_report import DATA_MAGIC

_TRACES = "/data/misc/perfetto-traces"
_CATEGORIES = {"sched": "CPU Scheduling", "freq": "CPU Frequency", "idle": "CPU Idle"}
_DEFAULT_S = 5.0


@command("perfetto")
async def perfetto(context: Context) -> int:
    """`-c FILE|- [--txt] -o FILE [--background]`: record as configured until killed, or until the duration is over."""
    if not has("perfetto", context.phone.sdk):
        raise CommandError("inaccessible or not found", 127)
    flags, values = _perfetto_arguments(context.args)
    if "--txt" in flags and not has("perfetto --txt", context.phone.sdk):
        raise CommandError("unrecognized option '--txt'")
    if "-c" not in values or "-o" not in values:
        raise CommandError("Either --out or --upload, and --config, are required")
    source = context.open_input(values["-c"])
    try:
        config = read_config(await source.read_all(), is_text="--txt" in flags)
    except ValueError as error:
        raise CommandError(f"The trace config is invalid, bailing out: {error}") from None
    if not config.data_sources:
        raise CommandError("The trace config is invalid, bailing out: it has no data sources")
    path, who = context.path(values["-o"]), context.shell.who
    if not is_under(path, _TRACES):
        raise CommandError(f"Failed to open {path}. If you get permission denied in {_TRACES}, see its documentation")
    phone = context.phone
    file = phone.files.open_write(path, who, mode=0o600)
    parts = (phone.kernel, phone.rails, phone.processes, phone.stacks)
    session = PerfettoSession(*parts, config, file, hides_rails=phone.hides_rails)
    job = phone.jobs.start(("perfetto", *context.args), who, session.run(), on_signal=session.ended.take)
    if "--background" not in flags:
        return await phone.jobs.finish(job)
    await context.out(f"{job.pid}\n")
    return 0


def _perfetto_arguments(args: list[str]) -> tuple[set[str], dict[str, str]]:
    """Return the flags, and the values of -c and -o."""
    names = {"--config": "-c", "--out": "-o", "-d": "--background"}
    try:
        pairs, rest = getopt.gnu_getopt(args, "c:o:d", ["config=", "out=", "txt", "background"])
    except getopt.GetoptError as error:
        if "requires argument" in error.msg:
            raise CommandError(f"option requires an argument -- '{error.opt}'") from None
        raise CommandError(f"unrecognized option '{'-' if len(error.opt) == 1 else '--'}{error.opt}'") from None
    if rest:
        raise CommandError(f"unrecognized option '{rest[0]}'")
    values = {names.get(name, name): value for name, value in pairs}
    return set(values), values


@command("simpleperf")
async def simpleperf(context: Context) -> int:
    """`record --app PACKAGE -e cpu-clock -f HZ -g [--duration S] -o FILE`, `report-sample --protobuf --show-callchain -i -o`."""
    name, *args = context.args or [""]
    try:
        pairs, rest = getopt.getopt(args, "e:f:go:i:", ["app=", "duration=", "protobuf", "show-callchain"])
    except getopt.GetoptError as error:
        raise CommandError(f"Unknown option for {name} command: '{error.opt}'") from None
    given = dict(pairs)
    if name == "report-sample" and not rest and {"-i", "-o", "--protobuf"} <= given.keys():
        data = await context.open_input(given["-i"]).read_all()
        if not data.startswith(DATA_MAGIC):
            raise CommandError(f"{given['-i']} is not a valid recording file")
        with context.phone.files.open_write(context.path(given["-o"]), context.shell.who) as file:
            file.write(data.removeprefix(DATA_MAGIC))
        return 0
    if name != "record" or rest or not {"--app", "-e", "-f", "-o"} <= given.keys() or given["-e"] != "cpu-clock":
        raise CommandError(f"Unknown command line: {' '.join(context.args)}")
    hertz, app = whole_number(given["-f"]), given["--app"]
    package = context.phone.packages.get(app)
    if not hertz:
        raise CommandError(f"Invalid argument for -f: {given['-f']}")
    if package is not None and not package.profileable:
        raise CommandError(f"{app} is neither debuggable nor profileable from shell")
    file = context.phone.files.open_write(context.path(given["-o"]), context.shell.who)
    duration_s = to_seconds(given["--duration"]) if "--duration" in given else None
    session = SimpleperfSession(context.phone.stacks, app, 1_000_000_000 // hertz, duration_s, file)
    args_shown = ("simpleperf", *context.args)
    job = context.phone.jobs.start(args_shown, context.shell.who, session.run(), on_signal=session.ended.take)
    return await context.phone.jobs.finish(job)


@command("atrace")
async def atrace(context: Context) -> None:
    """`--list_categories`, `--async_start [-b KB] [-c] CATEGORY…`, `--async_stop`, or `[-t SECONDS] CATEGORY…`."""
    args = list(context.args)
    seconds, categories, actions = _DEFAULT_S, [], set()
    while args:
        argument = args.pop(0)
        if argument in ("-b", "-t"):
            value = args.pop(0) if args else ""
            seconds = to_seconds(value) if argument == "-t" else seconds
        elif argument.startswith("--"):
            actions.add(argument)
        elif argument != "-c":
            categories.append(argument)
    unknown = next((name for name in categories if name not in KINDS), None)
    if unknown is not None:
        raise CommandError(f'error: unknown tracing category "{unknown}"')
    tracer = context.phone.atrace
    if "--list_categories" in actions:
        await context.out("".join(f"{name:>10} - {text}\n" for name, text in _CATEGORIES.items()))
    elif "--async_start" in actions:
        await tracer.start(tuple(categories))
        await context.out("capturing trace...")
    elif "--async_stop" in actions:
        await context.out(f" done\nTRACE:\n{await tracer.stop()}")
    else:
        await tracer.start(tuple(categories))
        try:
            await asyncio.sleep(seconds)
        finally:
            text = await tracer.stop()
        await context.out(f"capturing trace... done\nTRACE:\n{text}")
