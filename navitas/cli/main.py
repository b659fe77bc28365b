"""`navitas`: the command group; a command's module is imported only when that command runs."""

from __future__ import annotations

import errno
import importlib
import io
import signal
import sys

import click

from navitas import __version__
from navitas.errors import ExitCode, NavitasError

# Command → (module, one-line help): the help is here too, so that `navitas --help` imports nothing heavy.
COMMANDS = {
    "profile": ("navitas.cli.profile", "Profile a Gradle project's tests: joules per test, thread and method."),
    "demo": ("navitas.cli.demo", "Profile the sample project on the virtual phone."),
    "report": ("navitas.cli.report", "Make the report of a recording again, offline."),
    "instrument": ("navitas.cli.instrument", "Instrument class folders and jars, without Gradle."),
    "devices": ("navitas.cli.devices", "List the devices that can be profiled on."),
}


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="navitas")
def cli() -> None:
    """Energy profiler for Android and JVM code."""


def main() -> None:
    """Run the command line; the one place where errors become messages and exit codes."""
    signal.signal(signal.SIGTERM, _terminated)
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding gets what it lacks, such as µ, as an escape instead of an error; None where it is closed.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def _terminated(_signal: int, _frame: object) -> None:
    """A CI that gives up sends SIGTERM: end as on Ctrl-C, with everything cleaned and what was recorded kept."""
    raise KeyboardInterrupt


def run(arguments: list[str]) -> int:
    """Run with the given arguments and return the exit code."""
    try:
        result = cli.main(arguments, prog_name="navitas", standalone_mode=False)
    except click.ClickException as wrong:
        wrong.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`navitas … | head`): nothing more to say, also not at exit.
        sys.stdout = None
        return ExitCode.OK
    except NavitasError as error:
        return _tell(error.message, error.remedy, error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        remedy = "free some space, or choose another folder with -o" if error.errno == errno.ENOSPC else ""
        return _tell(f"{where}{error.strerror or error}", remedy, ExitCode.TROUBLE)
    return int(result) if isinstance(result, int) else ExitCode.OK


def _tell(message: str, remedy: str, code: ExitCode) -> ExitCode:
    click.secho(f"error: {message}", err=True, fg="red")
    if remedy:
        click.echo(f"       {remedy}", err=True)
    return code
