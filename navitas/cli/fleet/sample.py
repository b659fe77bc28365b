"""`navitas fleet sample`: sample a phone over adb."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click

from navitas.base.errors import DeviceError, ExitCode, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.base.units import counted
from navitas.capture.collect.readings.battery_sample import model_and_os, pseudonym, pull_history, take_sample
from navitas.capture.device.base import Device
from navitas.cli.fleet.ingest import ingest_with_progress, print_outcomes
from navitas.cli.fleet.store_options import client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_json
from navitas.cli.habits.messages import note
from navitas.cli.habits.option import option, renamed
from navitas.cli.habits.paths import NEW_STORE, WRITE_REGULAR
from navitas.cli.habits.shared_options import connected_option
from navitas.cli.workflows.devices import device_of
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.source import SourceFile

_COUNTERS = ("screen_on_s", "foreground_s")
_USEFUL = ("screen", "network", "brightness", "saver", *_COUNTERS)
"""What the analysis takes into account, where samples have it."""


@click.command("sample", cls=NavitasCommand, example="navitas fleet sample fleet --device SERIAL --battery-history")
@click.argument("store", required=False, type=NEW_STORE, metavar="[STORE]")
@option("-o", "--output", type=WRITE_REGULAR, metavar="FILE", help="Append to this file of JSON lines ('-': stdout).")
@connected_option
@client_option("Name of the phone. [a hash of its serial number]", default="")
@option("--battery-history", "history", is_flag=True, help="Add the history that the phone keeps: a sample for each percent.")
@renamed("--history", "--battery-history")
@json_option
def command(
    *, store: Path | None, output: Path | None, serial: str | None, client: str, history: bool, json_file: Path | None
) -> int:
    """Sample the battery and the running apps of a phone.

    The sample is stored in the fleet's folder STORE, which is created if needed, or appended to a file.
    """
    if (store is None) == (output is None):
        raise UsageError("a sample needs exactly one destination", "name either STORE or -o FILE")
    with device_of(serial) as device:
        rows = [*(_history(device, client) if history else ()), take_sample(device, client, counters=not history)]
    if missing := [name for name in _USEFUL if name not in rows[-1] and not (history and name in _COUNTERS)]:
        note(f"the phone does not report {', '.join(missing)}: less can be claimed (docs/fleet-reference.md, Samples)")
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    write_json(json_file, samples=rows)
    if output == STDOUT:
        click.echo(lines, nl=False)
    elif output is not None:
        with output.open("ab+") as out:
            if out.tell():
                out.seek(-1, os.SEEK_END)
                out.write(b"" if out.read() == b"\n" else b"\n")  # The last line is incomplete.
            out.write(lines.encode())
        note(f"{output}: added {counted(len(rows), 'sample')}")
    elif store is not None:
        return _ingest(store, lines, is_text=json_file != STDOUT)
    return ExitCode.OK


def _ingest(store: Path, lines: str, *, is_text: bool) -> int:
    with owned_folder("navitas-sample-") as folder:
        file = folder / "sample.jsonl"
        file.write_text(lines, "utf-8")
        outcomes = ingest_with_progress(store, [file])
    if is_text:
        print_outcomes(outcomes)
    for outcome in outcomes:
        if outcome.error:
            raise outcome.error
    return ExitCode.OK


def _history(device: Device, client: str) -> Iterator[dict[str, object]]:
    """The samples in the history that the phone keeps. `DeviceError` if there are none."""
    known = model_and_os(device)
    reader = CheckinReader(client or pseudonym(device))
    found = 0
    with owned_folder("navitas-sample-") as folder:
        file = folder / "history.txt"
        pull_history(device, file)
        batches = (reader.read(block) for block in SourceFile(file).open().blocks())
        for batch in (*batches, reader.end()):
            for row in batch.table.to_pylist():
                found += 1
                yield {name: value for name, value in {**row, **known}.items() if value is not None}
    if not found:
        raise DeviceError(
            f"device {device.info.serial}: `dumpsys batterystats -c` has no history", "Leave out --battery-history."
        )
