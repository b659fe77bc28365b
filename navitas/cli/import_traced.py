"""`navitas import --methods`: a kernel trace with a method trace."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.files import STDOUT
from navitas.cli.json_output import write_json
from navitas.cli.messages import location, next_step, shell_word, warning
from navitas.cli.origin import provenance
from navitas.cli.standard_input_file import input_name
from navitas.counts import counted
from navitas.errors import ExitCode, UsageError
from navitas.importing.art_trace import read_art_trace
from navitas.importing.notes import ImportNote
from navitas.importing.recording_parts import ImportSupply
from navitas.importing.traced_recording import read_kernel_trace, write_traced
from navitas.untrusted_text import printable, printable_line

LONGEST = 1000


def import_traced(
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
        count = f"{counted(len(written.threads), 'thread')} with scheduling slices, {len(written.without_slices)} without"
        click.echo(f"run 0: {printable(written.test)}: process {written.pid}, {count}, {written.events:,} events")
        for note in (*written.notes, *written.repeated_notes):
            print_note(note)
    location(f"recording: {printable_line(str(output), LONGEST)}")
    next_step(f"navitas report {shell_word(output)}")
    return ExitCode.OK


def print_note(note: ImportNote, where: str = "") -> None:
    """Print a warning of an import with its remedy."""
    warning(f"{where}{printable_line(note.message, LONGEST)}\n         {printable_line(note.remedy, LONGEST)}")
