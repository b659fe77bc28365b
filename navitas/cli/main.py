"""The command `navitas`: its subcommands, signals, error messages and exit codes."""

from __future__ import annotations

import errno
import gc
import io
import os
import re
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType

import click

from navitas import __version__
from navitas.base.errors import ExitCode, NavitasError
from navitas.base.little_garbage import collect_rarely
from navitas.base.untrusted_text import printable
from navitas.cli.habits.commands import LazyGroup, ReaderGoneError
from navitas.cli.habits.messages import Preferences, prefer, warning
from navitas.cli.habits.messages import error as show_error
from navitas.cli.habits.option import RENAMED_COMMANDS

# Command → (module, one-line help). The help is repeated here so that `navitas --help` doesn't import the modules.
COMMANDS = {
    "profile": ("navitas.cli.profile.command", "Profile a Gradle project's tests: joules per test, thread and method."),
    "demo": ("navitas.cli.profile.demo", "Profile the sample project on the virtual phone."),
    "record": ("navitas.cli.record.command", "Profile an installed app while you, or a command, use it."),
    "report": ("navitas.cli.report.command", "Write the report of a recording again, offline."),
    "explain": ("navitas.cli.report.explain", "What uses the energy, in words, with the evidence."),
    "import": ("navitas.cli.report.import_command", "Make a recording of other tools' logs and traces."),
    "compare": ("navitas.cli.compare.command", "What changed in energy from one version to another, and how sure."),
    "check": ("navitas.cli.check.command", "Judge a version by the budgets of navitas.toml, for CI."),
    "baseline": ("navitas.cli.baseline.group", "Sessions of the version before, for navitas check."),
    "history": ("navitas.cli.history.group", "Energy over a project's sessions: trends and change points."),
    "bisect": ("navitas.cli.compare.bisect", "Find the commit and the methods of a change in energy."),
    "vitals": ("navitas.cli.vitals.command", "Google Play's battery metrics of a bug report or recording."),
    "graph": ("navitas.cli.graph.command", "Which module communicates with which, and what a wake-up costs."),
    "instrument": ("navitas.cli.instrument.command", "Instrument class folders and jars, without Gradle."),
    "plugin": ("navitas.cli.instrument.plugin", "Install the Gradle plugin, for builds that run the profiler."),
    "doctor": ("navitas.cli.device.doctor", "Check what a device can measure, and what limits it."),
    "operations": ("navitas.cli.operations.group", "What each operation of a program costs: fit, predict, rank, advise."),
    "power": ("navitas.cli.power.group", "Power profiles: show, read from a phone, check, fit."),
    "devices": ("navitas.cli.device.devices", "List the devices that you can profile on."),
    "fleet": ("navitas.cli.fleet.group", "Energy hogs and bugs from many phones' battery samples."),
}


_TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S = 0.05
_IMPORTS = "<frozen importlib._bootstrap"
_CONTEXT_CHARS = 100
_SIZE = re.compile("[1-9][0-9]{0,3}")
_OTHER_FOLDER = "choose a folder where you have write permission"
_OS_REMEDIES = {
    errno.ENOSPC: "free some space, or choose another folder",
    errno.EROFS: _OTHER_FOLDER,
    errno.EACCES: _OTHER_FOLDER,
    errno.EPERM: _OTHER_FOLDER,
    errno.ENOTDIR: _OTHER_FOLDER,
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EEXIST: "a file of this name exists: choose another name",
    errno.ELOOP: "symbolic links form a loop: choose another path",
}


class _Commands(LazyGroup):
    modules = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command. Raises `click.UsageError` for an old name, with the new ones."""
        if cmd_name in RENAMED_COMMANDS and not ctx.resilient_parsing:
            raise click.UsageError(f"navitas {cmd_name} is now {RENAMED_COMMANDS[cmd_name]}", ctx)
        return super().get_command(ctx, cmd_name)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "NAVITAS"})
@click.version_option(__version__, prog_name="navitas")
def cli() -> None:
    """Energy profiler for Android and JVM code."""


def main() -> None:
    """Run the command line with `sys.argv`, and exit with its exit code."""
    _expect_signals()
    sys.unraisablehook = _on_unraisable
    for stream in (sys.stdout, sys.stderr):
        # Print characters that the terminal's encoding lacks, such as µ, as escapes. A closed stream is None.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Pydantic's plugin search reads the entry points of all packages and fails if one is damaged. `run` and `navitas.load` don't
    # disable it, since they run in processes of callers, which can use plugins.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    collect_rarely()
    code = run(sys.argv[1:])
    gc.freeze()  # The last collections need not look at what the end of the process frees.
    for number in _TERMINATION_SIGNALS:  # All work and cleanup is done.
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _expect_signals() -> None:
    for number in _TERMINATION_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP.
            signal.signal(number, _on_signal)


def _on_unraisable(error: sys.UnraisableHookArgs) -> None:
    """Send the signal again if its exception was lost: it was raised in a finalizer, or in a callback of an import."""
    if isinstance(error.exc_value, KeyboardInterrupt) and error.exc_value.args:
        _expect_signals()
        _send_again(*error.exc_value.args)
    else:
        sys.__unraisablehook__(error)


def _send_again(number: int) -> None:
    threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number)).start()


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Interrupt the command on Ctrl-C, at the end of a CI job, or when the terminal closes. Cleanup keeps recorded data.

    An import goes on first: an interrupted one may keep Python's import lock, for which threads in the background then wait.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTS):
            return _send_again(number)
        frame = frame.f_back
    for expected in _TERMINATION_SIGNALS:
        if signal.getsignal(expected) != signal.SIG_IGN:
            signal.signal(expected, _on_second_signal)
    raise KeyboardInterrupt(number)


def _on_second_signal(_signal: int, _frame: object) -> None:
    """Ignore a second signal, since cleanup is bounded in time and must finish."""
    with suppress(OSError):
        os.write(2, b"cleaning up; please wait\n")


def run(arguments: list[str]) -> int:
    """Run with the given arguments and return the exit code."""
    prefer(Preferences())
    wrong_sizes = _take_wrong_sizes()
    try:
        result = cli.main(arguments, prog_name="navitas", standalone_mode=False, obj=tuple(arguments))
    except click.ClickException as wrong:
        wrong.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):  # The terminal may be closed.
            click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except (ReaderGoneError, BrokenPipeError):
        # The reader closed the pipe (`navitas … | head`). Without stdout, Python doesn't flush it at exit.
        sys.stdout = None
        return ExitCode.OK
    except NavitasError as error:
        return _print_error(error.message, error.remedy, error.exit_code)
    except (OSError, MemoryError, UnicodeEncodeError) as error:
        return _print_error(*_system_error(error), ExitCode.TROUBLE)
    finally:
        os.environ.update(wrong_sizes)
        _end_started_servers()
    return int(result) if isinstance(result, int) else ExitCode.OK


def _take_wrong_sizes() -> dict[str, str]:
    """Remove sizes that no terminal has from the environment, and return them. Rich fails at some, and fills any width."""
    sizes = {name: os.environ.get(name, "") for name in ("COLUMNS", "LINES")}
    wrong = {name: value for name, value in sizes.items() if value and not _SIZE.fullmatch(value)}
    for name, value in wrong.items():
        del os.environ[name]
        if value != "0":  # Programs without a terminal export 0.
            warning(f"{name}={printable(value, 40)} is ignored: it is not a number from 1 to 9999")
    return wrong


def _end_started_servers() -> None:
    """End the adb servers that this command started. Commands that didn't import the module started none."""
    if (module := sys.modules.get("navitas.capture.device.adb_server")) is not None:
        module.end_started_servers()


def _system_error(error: OSError | MemoryError | UnicodeEncodeError) -> tuple[str, str]:
    """Return the message and remedy of a system error that no caller handled."""
    if isinstance(error, MemoryError):
        return "there is not enough memory", "close other programs, or profile fewer tests at once"
    if isinstance(error, UnicodeEncodeError):  # For example, the name of the working directory.
        at = slice(max(0, error.start - _CONTEXT_CHARS), error.start + _CONTEXT_CHARS)  # The text can be a complete report.
        return f"a text is not UTF-8: {error.object[at]!a}", "rename the file or folder of this name"
    name = str(error.filename or "")
    where = f"{printable(name) if error.errno == errno.ENAMETOOLONG else name}: " if name else ""
    remedy = _OS_REMEDIES.get(error.errno or 0, "check that it exists and that you have permission")
    return f"{where}{error.strerror or error}", remedy


def _print_error(message: str, remedy: str, code: ExitCode) -> ExitCode:
    show_error(message, remedy)
    return code
