"""dumpsys, settings, and cmd battery, power, thermalservice, deviceidle, alarm and jobscheduler."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from navitas.virtual_phone.apps import AppEnded
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.rail_monitor import POWER_STATISTICS, dump_power_statistics
from navitas.virtual_phone.releases import SINCE, has
from navitas.virtual_phone.shell.commands.command_options import options, whole_number
from navitas.virtual_phone.shell.commands.controls import RADIO_SERVICES
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.state_dumps import (
    dump_connectivity,
    dump_display,
    dump_netstats,
    dump_packages,
    dump_power,
    dump_settings,
)

_NAMESPACES = ("system", "secure", "global")
_SERVICES = (
    "activity", "alarm", POWER_STATISTICS, "battery", "batterystats", "bluetooth_manager", "connectivity", "deviceidle",
    "display", "jobscheduler", "netstats", "overlay", "package", "power", "settings", "thermalservice", "wifi",
)  # fmt: skip
_THERMAL_STATUSES = tuple("0123456")
_STATISTICS_OPTIONS = ("-c", "--checkin", "--history", "--charged", "--reset", "--write")
_ALARM_USAGE = (
    "Alarm manager service (alarm) commands:\n  advance SECONDS\n    Advance the clock of alarms and jobs (virtual phone only)\n"
)
_JOB_USAGE = "Job scheduler (jobscheduler) commands:\n  run [-f | --force] PACKAGE JOB_ID\n"
_SECONDS = re.compile(r"\d{1,8}(\.\d{1,3})?", re.ASCII)
_NO_PACKAGE, _NO_JOB = -1000 & 0xFF, -1001 & 0xFF
"""JobSchedulerShellCommand's exit codes."""


@command("dumpsys")
async def dumpsys(context: Context) -> int:
    """Print the state of a service: battery (with unplug, set, reset), batterystats, connectivity, deviceidle, display, netstats,
    package (PACKAGE or packages), power, settings, thermalservice or wifi; `-l` lists them."""
    args = list(context.args)
    if args[:1] == ["-t"]:
        args = args[2:]
    if not args or args[0] == "-l":
        await _list(context)
        return 0
    name, phone = args[0], context.phone
    if name == "battery":
        return await _battery(context, args[1:], dump=True)
    if name == "deviceidle":
        return await _doze(context, args[1:])
    if name == "package" and len(args) > 1:
        await context.out(dump_packages(phone.packages, args[1]))
        return 0
    dumps: dict[str, Callable[[], str]] = {
        "batterystats": lambda: _batterystats(phone, args[1:]),
        "connectivity": lambda: dump_connectivity(phone.system),
        "display": lambda: dump_display(phone.system),
        "netstats": lambda: dump_netstats(phone.devices.traffic_by_uid()),
        "power": lambda: dump_power(phone.system),
        "settings": lambda: dump_settings(phone.system),
        # The first line of WifiServiceImpl's text.
        "wifi": lambda: f"Wi-Fi is {'enabled' if phone.state.switches.wifi_on else 'disabled'}\n",
    }
    if has(POWER_STATISTICS, phone.sdk) and not phone.hides_rails:
        dumps[POWER_STATISTICS] = lambda: dump_power_statistics(phone.rails.rails_uj(), phone.rails.consumers())
    if has("thermalservice", phone.sdk):
        dumps["thermalservice"] = phone.system.thermal.dump
    if name in dumps:
        await context.out(dumps[name]())
    else:
        await context.err(f"Can't find service: {name}\n")
    return 0


async def _list(context: Context) -> None:
    hidden = (POWER_STATISTICS,) if context.phone.hides_rails else ()
    there = [name for name in _SERVICES if (name not in SINCE or has(name, context.phone.sdk)) and name not in hidden]
    await context.out("Currently running services:\n" + "".join(f"  {name}\n" for name in there))


def _batterystats(phone: Phone, args: list[str]) -> str:
    """Return the power profile, or statistics and history: as text or for checkin (-c), only one of them, or after a reset."""
    if args == ["--power-profile"] and has("batterystats --power-profile", phone.sdk):
        return phone.power_profile
    start, args = _history_start(args) if "-c" in args else (None, args)
    unknown = [argument for argument in args if argument.startswith("-") and argument not in _STATISTICS_OPTIONS]
    if unknown:
        return f"Unknown option: {unknown[0]}\nBattery stats (batterystats) dump options:\n"
    if "--reset" in args:
        phone.statistics.reset_all(phone.system.battery.shown)
        return "Battery stats reset.\n"
    if "--write" in args:
        return "Battery stats written.\n"
    history = phone.system.battery.history
    if "-c" in args or "--checkin" in args:
        packages = {package.uid: package.name for package in phone.packages.all()}
        build = phone.properties.get("ro.build.id")
        head, _, statistics = phone.statistics.checkin(packages, build).partition("\n")
        statistics = "" if "--history" in args or start is not None else statistics
        changes = history.checkin() if start is None else history.checkin_from(start)
        return f"{head}\n" + changes + statistics
    text = "" if "--charged" in args else history.text(phone.sdk)
    return text if "--history" in args else text + phone.statistics.text()


def _history_start(args: list[str]) -> tuple[int | None, list[str]]:
    """Return the number of `--history-start`, and the other arguments. Anything else than a number is 0, as on a phone."""
    if "--history-start" not in args:
        return None, args
    at = args.index("--history-start")
    number = args[at + 1] if at + 1 < len(args) else ""
    return whole_number(number) or 0, [*args[:at], *args[at + 2 :]]


async def _doze(context: Context, args: list[str]) -> int:
    phone, system = context.phone, context.phone.system
    if args[:1] == ["whitelist"]:
        uids = {package.name: package.uid for package in phone.packages.all()}
        status, text = system.devices.change(lambda: system.doze.whitelist(args[1:], uids))
    else:
        status, text = system.doze.command(args, screen_on=system.screen.awake, charging=system.battery.is_plugged)
    await context.out(text)
    return status


async def _battery(context: Context, args: list[str], *, dump: bool) -> int:
    system = context.phone.system
    status, text = (0, system.battery.dump()) if dump and not args else system.battery_command(args)
    await context.out(text)
    return status


async def _power(context: Context, args: list[str]) -> None:
    if len(args) != 2 or args[0] != "set-mode" or args[1] not in ("0", "1"):
        raise CommandError("usage: cmd power set-mode 0|1", 255)
    context.phone.system.set_power_save(args[1] == "1")


async def _thermal(context: Context, args: list[str]) -> None:
    if args[:1] == ["override-status"] and len(args) == 2 and args[1] in _THERMAL_STATUSES:
        context.phone.system.override_thermal_status(int(args[1]))
        return
    if args == ["reset"]:
        context.phone.system.override_thermal_status(None)
        return
    raise CommandError("usage: cmd thermalservice override-status STATUS | reset", 255)


@command("cmd")
async def cmd(context: Context) -> int | None:
    """Run a command of a service: package, activity, settings, battery, power, thermalservice, deviceidle, wifi,
    bluetooth_manager, connectivity, overlay, alarm, jobscheduler; `-l` lists them."""
    if not context.args or context.args == ["-l"]:
        await _list(context)
        return 0
    name, *args = context.args
    services: dict[str, Callable[[], Awaitable[int | None]]] = {
        "battery": lambda: _battery(context, args, dump=False),
        "alarm": lambda: alarm(context, args),
        "deviceidle": lambda: _doze(context, args),
        "jobscheduler": lambda: job_scheduler(context, args),
        "power": lambda: _power(context, args),
        **{radio: partial(run, context, args) for radio, run in RADIO_SERVICES.items()},
    }
    if has("thermalservice", context.phone.sdk):
        services["thermalservice"] = lambda: _thermal(context, args)
    if name in services:
        return await services[name]()
    if name == "overlay":  # this phone has none
        return 0 if args[:1] == ["list"] else 255
    program = {"package": "pm", "activity": "am", "settings": "settings"}.get(name)
    if program is None:
        raise CommandError(f"Can't find service: {name}", 20)
    return await context.shell.run_command(context.with_args([program, *args]))


@command("settings")
async def settings(context: Context) -> None:
    """Get, put, delete and list settings of the namespaces system, secure, global."""
    args = [argument for argument in options(context, "", ("user=",)).rest if argument]
    action, namespace = [*args, "", ""][:2]
    if action not in ("get", "put", "delete", "list") or namespace not in _NAMESPACES:
        raise CommandError("usage: settings get|put|delete|list system|secure|global [NAME [VALUE]]", 255)
    system = context.phone.system
    values = system.settings[namespace]
    if action == "list":
        await context.out("".join(f"{name}={value}\n" for name, value in sorted(values.items())))
        return
    if len(args) < (4 if action == "put" else 3) or not re.fullmatch(r"[\w.:-]+", args[2]):
        raise CommandError("Bad arguments", 255)
    if action == "put":
        system.put_setting(namespace, args[2], args[3])
    elif action == "get":
        await context.out(values.get(args[2], "null") + "\n")
    else:
        await context.out(f"Deleted {int(system.put_setting(namespace, args[2], None))} rows\n")


async def alarm(context: Context, args: list[str]) -> None:
    """`cmd alarm advance SECONDS`: deliver all alarms and jobs that come due in this time, in their order."""
    if len(args) != 2 or args[0] != "advance" or not _SECONDS.fullmatch(args[1]):
        raise CommandError(_ALARM_USAGE, 255)
    count = 0
    for app in context.phone.apps.all():
        with suppress(AppEnded, StartError):
            count += int((await app.ask(f"advance {round(float(args[1]) * 1000)}"))[0])
    await context.out(f"Advanced by {args[1]} s: {count} alarms and jobs\n")


async def job_scheduler(context: Context, args: list[str]) -> int:
    """`cmd jobscheduler run [-f] PACKAGE JOB_ID`, as AOSP's JobSchedulerShellCommand."""
    action, *rest = args or [""]
    is_forced = any(word in ("-f", "--force") for word in rest)
    words = [word for word in rest if not word.startswith("-")]
    if action != "run" or len(words) != 2 or whole_number(words[1]) is None:
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
