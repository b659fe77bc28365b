"""`navitas`: the command group; a command's module is imported only when that command runs."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from contextlib import suppress

import click

from navitas import __version__
from navitas.cli.lazy import LazyGroup, ReaderGoneError
from navitas.cli.messages import Preferences, prefer
from navitas.cli.messages import error as show_error
from navitas.errors import ExitCode, NavitasError

# Command → (module, one-line help): the help is here too, so that `navitas --help` imports nothing heavy.
COMMANDS = {
    "profile": ("navitas.cli.profile", "Profile a Gradle project's tests: joules per test, thread and method."),
    "demo": ("navitas.cli.demo", "Profile the sample project on the virtual phone."),
    "record": ("navitas.cli.record", "Profile an installed app while you, or a command, use it."),
    "report": ("navitas.cli.report", "Make the report of a recording again, offline."),
    "instrument": ("navitas.cli.instrument", "Instrument class folders and jars, without Gradle."),
    "plugin": ("navitas.cli.plugin", "Install the Gradle plugin, for builds that profile themselves."),
    "doctor": ("navitas.cli.doctor", "See what can be measured on a device, and what stands in the way."),
    "power": ("navitas.cli.power", "Power profiles: show, take from a phone, check."),
    "devices": ("navitas.cli.devices", "List the devices that can be profiled on."),
    "fleet": ("navitas.cli.fleet", "Energy hogs and bugs from many phones' battery samples."),
}


_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHOWN = 100
_OTHER_PLACE = "choose a place where you may write"
_OS_REMEDIES = {
    errno.ENOSPC: "free some space, or choose another folder",
    errno.EROFS: _OTHER_PLACE,
    errno.EACCES: _OTHER_PLACE,
    errno.EPERM: _OTHER_PLACE,
    errno.ENOTDIR: _OTHER_PLACE,
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EEXIST: "something else is there: choose another place",
    errno.ELOOP: "links lead in a circle there: choose another place",
}


class _Commands(LazyGroup):
    modules = COMMANDS


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "NAVITAS"})
@click.version_option(__version__, prog_name="navitas")
def cli() -> None:
    """Energy profiler for Android and JVM code."""


def main() -> None:
    """Run the command line; the one place where errors become messages and exit codes."""
    for number in _ENDINGS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupted)
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding gets what it lacks, such as µ, as an escape instead of an error; None where it is closed.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Its search for plugins reads the entry points of all packages, and fails if one package's are damaged. Not for `run`, which
    # leaves the process of its caller as it is, nor for `navitas.load`: a script may have plugins of its own.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    code = run(sys.argv[1:])
    for number in _ENDINGS:  # all is done and cleaned: a signal that comes now changes nothing
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _interrupted(_signal: int, _frame: object) -> None:
    """Ctrl-C, a CI that gives up or a terminal that is closed: end with everything cleaned and what was recorded kept."""
    for number in _ENDINGS:
        if signal.getsignal(number) == _interrupted:
            signal.signal(number, _again)
    raise KeyboardInterrupt


def _again(_signal: int, _frame: object) -> None:
    """Cleaning up is bounded in time, and must not be cut short by an impatient second signal."""
    with suppress(OSError):
        os.write(2, b"ending; please wait\n")


def run(arguments: list[str]) -> int:
    """Run with the given arguments and return the exit code."""
    prefer(Preferences())
    try:
        result = cli.main(arguments, prog_name="navitas", standalone_mode=False, obj=tuple(arguments))
    except click.ClickException as wrong:
        wrong.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):  # the terminal may be gone
            click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except (ReaderGoneError, BrokenPipeError):
        # The reader of our output has gone (`navitas … | head`): nothing more to say, also not at exit.
        sys.stdout = None
        return ExitCode.OK
    except NavitasError as error:
        return _print_error(error.message, error.remedy, error.exit_code)
    except (OSError, MemoryError, UnicodeEncodeError) as error:
        return _print_error(*_of_system(error), ExitCode.TROUBLE)
    finally:
        _end_started_servers()
    return int(result) if isinstance(result, int) else ExitCode.OK


def _end_started_servers() -> None:
    """End adb servers that this command has started. Nothing is imported for it: a command without adb has none."""
    if (module := sys.modules.get("navitas.device.server_use")) is not None:
        module.end_started_servers()


def _of_system(error: OSError | MemoryError | UnicodeEncodeError) -> tuple[str, str]:
    """Message and remedy of an error that has no better message."""
    if isinstance(error, MemoryError):
        return "there is not enough memory", "close other programs, or profile fewer tests at once"
    if isinstance(error, UnicodeEncodeError):  # a name that no argument gave, such as that of the folder this runs in
        at = slice(max(0, error.start - _SHOWN), error.start + _SHOWN)  # the text may be a whole report
        return f"a text is not UTF-8: {error.object[at]!a}", "rename the file or folder of this name"
    where = f"{error.filename}: " if error.filename else ""
    remedy = _OS_REMEDIES.get(error.errno or 0, "see whether it is there, and may be read and written")
    return f"{where}{error.strerror or error}", remedy


def _print_error(message: str, remedy: str, code: ExitCode) -> ExitCode:
    show_error(message, remedy)
    return code
