"""`navitas model advise`: changes of the code that save energy, with the savings that a model predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.block_source import source_fields
from navitas.cli.commands import NavitasCommand
from navitas.cli.counted_input import counted_options, model_option, read_costed
from navitas.cli.counted_tables import code_advice_lines
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import note
from navitas.cli.option import option
from navitas.cli.standard_output import output_console
from navitas.operations.code_advice import CodeAdvice, code_advice


@click.command("advise", cls=NavitasCommand, example="navitas model advise RECORDING --census census.json --model model.json")
@counted_options
@model_option
@option("--top", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", section="Output", help="Cases.")
@json_option
def command(*, recording: Path, census: Path, tests: tuple[str, ...], model_file: Path, top: int, json_file: Path | None) -> None:
    """Find code in hot blocks that a change can make cheaper, such as objects created in a loop.

    Each saving is an estimate of the most that the change saves: avoided executions × costs of the model. RECORDING is one of
    navitas profile --granularity block.
    """
    is_text = check_json(json_file)
    counted, costs = read_costed(recording, census, tests, model_file)
    found = code_advice(counted.program, counted.counters, costs)
    write_json(json_file, recording=str(recording), advice=[_document(one) for one in found])
    if is_text:
        for line in code_advice_lines(found, top):
            output_console().print(line)
        more = f", {len(found) - top:,} more with --top" if len(found) > top else ""
        note(f"{len(found):,} cases{more}" if found else "no rule of the catalogue applies to these tests")


def _document(one: CodeAdvice) -> dict[str, Any]:
    return {
        "rule": one.rule.id,
        "method": one.method,
        "file": one.file,
        **source_fields(one.block),
        "message": one.message,
        "mechanism": one.rule.mechanism,
        "change": one.rule.change,
        "avoided": one.avoided,
        "saving_j": one.saving_j,
        "saving_share": one.saving_share,
    }
