"""`navitas import`: makes a recording of measurements that another tool made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from navitas.android.r8_mapping import MOST_MAPPING_BYTES, has_classes
from navitas.base.errors import UsageError
from navitas.base.regular_files import read_regular
from navitas.base.units import counted
from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import location, next_step, shell_word, warning
from navitas.cli.habits.option import choice_option, option, renamed
from navitas.cli.habits.paths import FOLDER, NAME_OR_FILE, READ_FILE_ANY_NAME, TEXT, input_name
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import VOLTS, Finite
from navitas.cli.profile.masking import command_line
from navitas.cli.workflows.origin import provenance
from navitas.recording.importing.art_trace import read_art_trace
from navitas.recording.importing.counted_cpus import counted_cpus
from navitas.recording.importing.imported_recording import ImportedRun, no_profile_of_log, read_supply, write_recording
from navitas.recording.importing.notes import ImportNote
from navitas.recording.importing.original_log import FIRST_YEAR, LAST_YEAR
from navitas.recording.importing.plain_files import begins_as_perfetto, content_name, plain_file
from navitas.recording.importing.processes import LoggedProcess, processes_of
from navitas.recording.importing.read_log import LogFormat, count_once, read_log
from navitas.recording.importing.sample_forms import SampleFile, read_sample_file
from navitas.recording.importing.sampled_recording import SampledRecording, write_sampled
from navitas.recording.importing.traced_recording import TracedRecording, read_kernel_trace, write_traced
from navitas.recording.recording_folder import check_not_recorded

_LONGEST = 1000


@click.command(
    "import",
    cls=NavitasCommand,
    example="navitas import SortTest.sort.txt -o rec --power-profile my.xml\n"
    "navitas import trace.txt --methods app.trace -o rec --power-profile my.xml\n"
    "navitas import trace.pftrace -o rec --power-profile my.xml",
)
@click.argument("logs", nargs=-1, required=True, type=READ_FILE_ANY_NAME, metavar="LOG...")
@option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="The recording's folder.")
@option("--replace", is_flag=True, from_project=False, help="Replace the recording in the output folder.")
@option("--power-profile", type=NAME_OR_FILE, metavar="NAME|FILE", help="A power_profile.xml. [required: logs have none]")
@option("--voltage", "voltage_v", type=VOLTS, metavar="V", help="Supply voltage. [3.85]")
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
    "--stacks",
    type=READ_FILE_ANY_NAME,
    metavar="FILE",
    section="Kernel traces",
    help="LOG is a kernel trace, and FILE stack samples of the same time (docs/importing.md). [LOG's own]",
)
@option(
    "--mapping",
    type=READ_FILE_ANY_NAME,
    metavar="FILE",
    section="Kernel traces",
    help="The mapping.txt of the sampled build: names that R8 has changed.",
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
    stacks: Path | None,
    mapping: Path | None,
    start_s: float | None,
    pids: tuple[int, ...],
    json_file: Path | None,
) -> None:
    """Make a recording of logs that Navitas-Framework wrote, or of a kernel trace with a method trace or stack samples.

    LOG is a log (logcat -v threadtime or another form) or a JSON file; '-' is standard input. Each process is a run. Logs of the
    same name are repeats of one test. With --methods or --stacks, LOG is a trace of Perfetto, atrace, systrace, trace-cmd or
    perf script. A Perfetto trace can have its own samples. Files can be packed by gzip or Zstandard.
    """
    check_not_recorded(output, replace=replace)
    supply = None if power_profile is None else read_supply(power_profile, voltage_v)
    origin = provenance(command_line())
    is_trace = methods is not None or stacks is not None or begins_as_perfetto(logs[0], input_name(logs[0]))
    notes: list[tuple[int | None, ImportNote]]
    if is_trace:
        _check_trace(logs, pids, methods=methods, stacks=stacks, start_s=start_s)
        names = b"" if mapping is None else _mapping(mapping, methods)
        art = None if methods is None else read_art_trace(methods, input_name(methods))
        file = None if stacks is None else _sample_file(stacks)
        plain = click.get_current_context().with_resource(plain_file(logs[0], input_name(logs[0]), is_trace=True))
        kernel, pid, more = read_kernel_trace(plain, input_name(logs[0])), next(iter(pids), None), ""
        if supply is None:
            remedy = "Give the power_profile.xml of the traced phone."
            raise UsageError("a trace has no power profile, so --power-profile is required", remedy)
        if methods is not None and art is not None:
            start_ns = None if start_s is None else round(start_s * 1e9)
            name = test or content_name(methods)
            traced = write_traced(output, kernel, art, supply, name=name, pid=pid, start_ns=start_ns, origin=origin)
            document, lines = _traced_document(traced), [_traced_line(traced)]
            notes = [(0, note) for note in (*traced.notes, *traced.repeated_notes)]
        else:
            name = test or content_name(stacks or logs[0])
            sampled = write_sampled(output, kernel, file, supply, name=name, pid=pid, origin=origin, mapping=names)
            document, lines = _sampled_document(sampled), [_sampled_line(sampled)]
            notes = [(0, note) for note in (*sampled.notes, *sampled.repeated_notes)]
    else:
        _check_logs(start_s, mapping)
        with ConsoleProgress(only_live=True) as progress:
            progress.stage("reading the logs")
            read = [read_log(path, input_name(path), year=year, log_format=log_format) for path in logs]
            count_once(read)
            processes = _chosen([process for log in read for process in processes_of(log)], pids)
            if supply is None:
                raise no_profile_of_log(counted_cpus(processes))
            progress.stage("writing the recording")
            written = write_recording(output, processes, supply, test=test, origin=origin)
        document, lines, more = (
            {"runs": [_row(run) for run in written.runs]},
            [_line(run) for run in written.runs],
            " --formula paper1",
        )
        notes = [*written.notes, *((None, note) for note in written.profile_notes)]
    warnings = [{"run": run, **note._asdict()} for run, note in notes]
    if write_json(json_file, output=str(output), **document, warnings=warnings):
        for line in lines:
            click.echo(line)
        for run, note in notes:
            where = "" if run is None or is_trace else f"run {run}: "
            warning(f"{where}{printable_line(note.message, _LONGEST)}\n         {printable_line(note.remedy, _LONGEST)}")
    location(f"recording: {printable_line(str(output), _LONGEST)}")
    next_step(f"navitas report {shell_word(output)}{more}")


def _check_trace(
    logs: Sequence[Path], pids: Sequence[int], *, methods: Path | None, stacks: Path | None, start_s: float | None
) -> None:
    """Raise `UsageError` for parameters that a kernel trace does not have."""
    if methods is not None and stacks is not None:
        raise UsageError("--methods and --stacks are two measurements", "Import one of them.")
    if len(logs) > 1 or len(pids) > 1:
        option = "--methods" if methods is not None else "--stacks" if stacks is not None else f"{input_name(logs[0])}"
        raise UsageError(f"{option} needs one kernel trace and at most one --process", "Import them one by one.")
    if methods is None:
        _check_logs(start_s)


def _check_logs(start_s: float | None, mapping: Path | None = None) -> None:
    if start_s is not None:
        raise UsageError("--start needs --methods", "Leave out --start.")
    if mapping is not None:
        raise UsageError("--mapping needs stack samples", "Leave out --mapping.")


def _mapping(path: Path, methods: Path | None) -> bytes:
    """The content of a mapping.txt. Raises `UsageError` if it is not one, is too large, or is not used."""
    if methods is not None:
        raise UsageError("--mapping needs stack samples, and --methods has none", "Leave out --mapping.")
    try:
        content = read_regular(path, MOST_MAPPING_BYTES)
    except OSError as error:
        raise UsageError(f"{input_name(path)}: cannot be read: {error.strerror or error}", "Check the file.") from error
    if not has_classes(content):
        raise UsageError(f"{input_name(path)}: not a mapping.txt of R8: it names no class", "Give that of the sampled build.")
    return content


def _sample_file(stacks: Path) -> SampleFile:
    shown = input_name(stacks)
    return read_sample_file(click.get_current_context().with_resource(plain_file(stacks, shown)), shown)


def _sampled_document(sampled: SampledRecording) -> dict[str, Any]:
    return {
        "test": sampled.test,
        "process": sampled.pid,
        "threads": sampled.threads,
        "samples": sampled.samples,
        "share_running": sampled.share,
    }


def _sampled_line(sampled: SampledRecording) -> str:
    count = f"{counted(sampled.threads, 'thread')}, {counted(sampled.samples, 'stack sample')}"
    return f"run 0: {printable(sampled.test)}: process {sampled.pid}, {count}"


def _traced_document(traced: TracedRecording) -> dict[str, Any]:
    return {
        "test": traced.test,
        "process": traced.pid,
        "threads": list(traced.threads),
        "threads_without_slices": list(traced.without_slices),
        "events": traced.events,
        "start_s": traced.placed.start_ns / 1e9,
        "start_source": traced.placed.source,
        "uncertain_s": traced.placed.uncertain_ns / 1e9,
        "share_running": traced.placed.share,
    }


def _traced_line(traced: TracedRecording) -> str:
    count = f"{counted(len(traced.threads), 'thread')} with scheduling slices, {len(traced.without_slices)} without"
    return f"run 0: {printable(traced.test)}: process {traced.pid}, {count}, {traced.events:,} events"


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


def _line(run: ImportedRun) -> str:
    process = run.process
    threads = counted(len(process.names), "thread")
    return f"run {run.run}: {printable(run.test)}: process {process.pid}, {threads}, {len(process.events):,} events"
