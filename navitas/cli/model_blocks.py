"""`navitas model blocks`: the energy of basic blocks, with their source lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.block_source import source_fields
from navitas.cli.commands import NavitasCommand
from navitas.cli.counted_input import counted_options, model_option, read_costed
from navitas.cli.counted_tables import block_lines, blocks_table
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.option import option
from navitas.cli.paths import READ
from navitas.cli.source_lines import SourceLines
from navitas.cli.standard_output import output_console
from navitas.operations.rankings import EXECUTIONS, CostedBlock, costed_blocks


@click.command("blocks", cls=NavitasCommand, example="navitas model blocks RECORDING --census census.json --model model.json")
@counted_options
@model_option
@option("--sources", multiple=True, type=READ, metavar="DIR", help="Show the lines of sources in this folder; repeatable.")
@option("--top", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", section="Output", help="Rows.")
@json_option
def command(
    *,
    recording: Path,
    census: Path,
    tests: tuple[str, ...],
    model_file: Path,
    sources: tuple[Path, ...],
    top: int,
    json_file: Path | None,
) -> None:
    """Show the energy of basic blocks: in these tests, and for 3,000 executions.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    is_text = check_json(json_file)
    lines = SourceLines(sources)
    counted, costs = read_costed(recording, census, tests, model_file)
    found = costed_blocks(counted.program, counted.counters, costs)
    if json_file is not None:
        total_j = sum(one.energy_j for one in found)
        blocks = [_document(one) for one in found]
        write_json(json_file, recording=str(recording), energy_j=total_j, fixed_executions=EXECUTIONS, blocks=blocks)
    if is_text:
        console = output_console()
        console.print(blocks_table(found, top))
        for line in block_lines(found[:top], lines):
            console.print(line)


def _document(one: CostedBlock) -> dict[str, Any]:
    return {
        "method": one.method.name,
        "file": one.method.file,
        "block": one.number,
        **source_fields(one.block),
        "executions": one.executions,
        "each_j": one.each_j,
        "energy_j": one.energy_j,
        "fixed_j": one.fixed_j,
        "share": one.share,
        "operation_classes": dict(one.classes),
    }
