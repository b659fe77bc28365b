"""`navitas import`: makes a recording of measurements that another tool made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import location, next_step, shell_word, warning
from navitas.cli.option import choice_option, option
from navitas.cli.options import Finite
from navitas.cli.origin import provenance
from navitas.cli.paths import FOLDER, NAME_OR_FILE, READ_FILE_ANY_NAME, TEXT, check_not_recorded, input_name
from navitas.cli.progress import ConsoleProgress
from navitas.cli.renamed_options import renamed
from navitas.collect.power import DEFAULT_VOLTAGE_V
from navitas.errors import ExitCode, PowerProfileError, UsageError
from navitas.importing.amounts import amount
from navitas.importing.art_trace import read_art_trace
from navitas.importing.counted_cpus import CountedCpus, counted_cpus
from navitas.importing.imported_recording import ImportedRecording, ImportedRun, check_supply, write_recording
from navitas.importing.log_dates import FIRST_YEAR, LAST_YEAR
from navitas.importing.notes import ImportNote
from navitas.importing.processes import LoggedProcess, processes_of
from navitas.importing.read_log import LogFormat, read_log
from navitas.importing.recording_parts import ImportSupply
from navitas.importing.repeated_events import count_once
from navitas.importing.traced_recording import read_kernel_trace, write_traced
from navitas.power import catalog
from navitas.power.power_profile import read_power_profile, read_profile_bytes
from navitas.untrusted_text import printable, printable_line

_LONGEST = 1000


@click.command(
    "import",
    cls=NavitasCommand,
    example="navitas import SortTest.sort.txt -o rec --power-profile my.xml\n"
    "navitas import trace.txt --methods app.trace -o rec --power-profile my.xml",
)
@click.argument("logs", nargs=-1, required=True, type=READ_FILE_ANY_NAME, metavar="LOG...")
@option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="The recording's folder.")
@option("--replace", is_flag=True, from_project=False, help="Replace the recording in the output folder.")
@option(
    "--power-profile",
    type=NAME_OR_FILE,
    metavar="NAME|FILE",
    help="A power_profile.xml. [required: logs have none]",
)
@option("--voltage", "voltage_v", type=Finite(min=0, max=1000, min_open=True), metavar="V", help="Supply voltage. [3.85]")
@choice_option("--log-format", ["auto", "log", "json"], "Lines of logcat, or JSON.")
@renamed("--format", "--log-format")
@option(
    "--year",
    type=click.IntRange(FIRST_YEAR, LAST_YEAR),
    metavar="YYYY",
    help="The year in which a log without years begins. [by the file's name or last change]",
)
@option("--test", type=TEXT, metavar="CLASS#METHOD", help="The name of the test. [that of the file]")
@option(
    "--methods",
    type=READ_FILE_ANY_NAME,
    metavar="FILE",
    section="Kernel traces",
    help="LOG is a kernel trace, and FILE the methods of the same time: a .trace of `am profile`.",
)
@option(
    "--start",
    "start_s",
    type=Finite(min=0, max=10**9),
    metavar="SECONDS",
    section="Kernel traces",
    help="When the methods begin, on the clock of the kernel trace. [inferred]",
)
@option("--process", "pids", type=click.IntRange(min=0), multiple=True, metavar="PID", help="Only this process; repeatable.")
@json_option
def command(
    *,
    logs: tuple[Path, ...],
    output: Path,
    replace: bool,
    power_profile: str | None,
    voltage_v: float | None,
    log_format: LogFormat,
    year: int | None,
    test: str | None,
    methods: Path | None,
    start_s: float | None,
    pids: tuple[int, ...],
    json_file: Path | None,
) -> int:
    """Make a recording of logs that Navitas-Framework wrote, or of a kernel trace with a method trace.

    LOG is a log (logcat -v threadtime or brief) or a JSON file; '-' is standard input. Each process is a run. Logs of the same
    name are repeats of one test. With --methods, LOG is a trace of Perfetto, atrace, systrace or trace-cmd.
    """
    is_text = check_json(json_file)
    check_not_recorded(output, replace=replace)
    supply = None if power_profile is None else _read_supply(power_profile, voltage_v)
    if methods is not None:
        if len(logs) > 1 or len(pids) > 1:
            raise UsageError("--methods needs one kernel trace and at most one --process", "Import them one by one.")
        pid = next(iter(pids), None)
        return _import_traced(logs[0], methods, output, supply, pid=pid, test=test, start_s=start_s, json_file=json_file)
    if start_s is not None:
        raise UsageError("--start needs --methods", "Leave out --start.")
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the logs")
        found = [read_log(path, input_name(path), year=year, log_format=log_format) for path in logs]
        count_once(found)
        processes = _chosen([process for log in found for process in processes_of(log)], pids)
        if supply is None:
            raise _no_profile_of_log(counted_cpus(processes))
        progress.stage("writing the recording")
        written = write_recording(output, processes, supply, test=test, origin=provenance())
    write_json(
        json_file,
        output=str(output),
        runs=[_row(run) for run in written.runs],
        warnings=[{"run": run, **note._asdict()} for run, note in _notes(written)],
    )
    if is_text:
        _print(written)
    location(f"recording: {printable_line(str(output), _LONGEST)}")
    next_step(f"navitas report {shell_word(output)} --formula paper1")
    return ExitCode.OK


def _chosen(processes: Sequence[LoggedProcess], pids: Sequence[int]) -> list[LoggedProcess]:
    """The processes with these ids, or all. Raises `UsageError` for an id that no log has."""
    known = {process.pid for process in processes}
    if missing := [pid for pid in pids if pid not in known]:
        listed = ", ".join(map(str, sorted(known)[:20]))
        raise UsageError(f"--process {missing[0]}: no log has this process", f"The logs have: {listed}")
    return [process for process in processes if not pids or process.pid in pids]


def _row(run: ImportedRun) -> dict[str, object]:
    process = run.process
    return {
        "run": run.run,
        "test": run.test,
        "log": process.log.shown,
        "format": process.log.format,
        "process": process.pid,
        "threads": [name for _, name in process.names],
        "events": len(process.events),
        "entries_without_exit": process.pairs.cut,
        "exits_without_entry": process.pairs.unmatched,
    }


def _notes(written: ImportedRecording) -> list[tuple[int | None, ImportNote]]:
    return [*written.notes, *((None, note) for note in written.profile_notes)]


def _print(written: ImportedRecording) -> None:
    for run in written.runs:
        process = run.process
        threads = "1 thread" if len(process.names) == 1 else f"{len(process.names)} threads"
        click.echo(f"run {run.run}: {printable(run.test)}: process {process.pid}, {threads}, {len(process.events):,} events")
    for number, note in _notes(written):
        _print_note(note, "" if number is None else f"run {number}: ")


def _read_supply(power_profile: str, voltage_v: float | None) -> ImportSupply:
    """Read the profile that the user named. Raises `UsageError` if it does not exist, `PowerProfileError` if it is unreadable."""
    path = catalog.find(power_profile)
    xml = read_profile_bytes(path)
    if voltage_v is None:
        return ImportSupply(xml, path.stem, DEFAULT_VOLTAGE_V, "default")
    return ImportSupply(xml, path.stem, voltage_v, "option")


def _no_profile_of_log(cpus: CountedCpus) -> UsageError:
    """Return the error for a missing profile. It names the log's clusters, and packaged profiles that resemble them."""
    fitting = [name for name in catalog.names() if _fits(name, cpus)]
    highest = [(len(one.cpus), cpus.frequencies[one.cpus[0]][-1] // 1000) for one in cpus.policies]
    clusters = ", ".join(f"{amount(count, 'CPU')} up to {mhz} MHz" for count, mhz in highest)
    instead = f", or try one with similar clusters: {', '.join(fitting)}" if fitting else ""
    return UsageError(
        f"a log has no power profile, so --power-profile is required (clusters of the log: {clusters})",
        f"Give the power_profile.xml of this model{instead}.",
    )


def _fits(name: str, cpus: CountedCpus) -> bool:
    """Whether a packaged profile has clusters of as many cores, as far as it states them, with about the same highest speeds."""
    supply = _read_supply(name, None)
    counts = read_power_profile(supply.profile_xml, name=name).values("cpu.clusters.cores")
    try:
        model = check_supply(supply, cpus)
    except PowerProfileError:
        return False
    pairs = zip(model.cpu.clusters, cpus.policies, strict=True)
    has_speeds = all(0.8 < cluster.freq_khz[-1] / cpus.frequencies[policy.cpus[0]][-1] < 1.25 for cluster, policy in pairs)
    return has_speeds and (not counts or list(counts) == [len(policy.cpus) for policy in cpus.policies])


def _import_traced(
    trace: Path,
    methods: Path,
    output: Path,
    supply: ImportSupply | None,
    *,
    pid: int | None,
    test: str | None,
    start_s: float | None,
    json_file: Path | None,
) -> int:
    """Write a recording of both traces. Returns the exit code."""
    art = read_art_trace(methods, input_name(methods))
    read = read_kernel_trace(trace, input_name(trace))
    if supply is None:
        raise UsageError(
            "a trace has no power profile, so --power-profile is required", "Give the power_profile.xml of the traced phone."
        )
    start_ns = None if start_s is None else round(start_s * 1e9)
    name = test or methods.stem
    written = write_traced(output, read, art, supply, name=name, pid=pid, start_ns=start_ns, origin=provenance())
    placed = written.placed
    write_json(
        json_file,
        output=str(output),
        test=written.test,
        process=written.pid,
        threads=list(written.threads),
        threads_without_slices=list(written.without_slices),
        events=written.events,
        start_s=placed.start_ns / 1e9,
        start_source=placed.source,
        uncertain_s=placed.uncertain_ns / 1e9,
        share_running=placed.share,
        warnings=[{"run": 0, **note._asdict()} for note in (*written.notes, *written.repeated_notes)],
    )
    if json_file != STDOUT:
        count = f"{amount(len(written.threads), 'thread')} with scheduling slices, {len(written.without_slices)} without"
        click.echo(f"run 0: {printable(written.test)}: process {written.pid}, {count}, {written.events:,} events")
        for note in (*written.notes, *written.repeated_notes):
            _print_note(note)
    location(f"recording: {printable_line(str(output), _LONGEST)}")
    next_step(f"navitas report {shell_word(output)}")
    return ExitCode.OK


def _print_note(note: ImportNote, where: str = "") -> None:
    """Print a warning of an import with its remedy."""
    warning(f"{where}{printable_line(note.message, _LONGEST)}\n         {printable_line(note.remedy, _LONGEST)}")
