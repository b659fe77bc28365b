"""`navitas model rank` and `navitas model classes`: which operations, and which classes of them, use the energy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.counted_input import counted_options, model_option, read_costed
from navitas.cli.counted_tables import class_shares_table, ranking_table
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, shell_word
from navitas.cli.option import option
from navitas.cli.standard_output import output_console
from navitas.operations.rankings import RankedOperation, class_shares, ranking


@click.command("rank", cls=NavitasCommand, example="navitas model rank RECORDING --census census.json --model model.json")
@counted_options
@model_option
@option("--top", type=click.IntRange(min=1), default=30, show_default=True, metavar="N", section="Output", help="Rows.")
@json_option
def rank(*, recording: Path, census: Path, tests: tuple[str, ...], model_file: Path, top: int, json_file: Path | None) -> None:
    """Rank operations by their share of energy.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    is_text = check_json(json_file)
    ranked = _ranked(recording, census, tests, model_file)
    total_j = sum(one.energy_j for one in ranked)
    write_json(json_file, recording=str(recording), energy_j=total_j, operations=[asdict(one) for one in ranked])
    if is_text:
        output_console().print(ranking_table(ranked, top))
        options = f"--census {shell_word(census)} --model {shell_word(model_file)}"
        next_step(f"navitas model blocks {shell_word(recording)} {options}")


@click.command("classes", cls=NavitasCommand, example="navitas model classes RECORDING --census census.json --model model.json")
@counted_options
@model_option
@json_option
def classes(*, recording: Path, census: Path, tests: tuple[str, ...], model_file: Path, json_file: Path | None) -> None:
    """Show the share of energy of each class of operations, such as Arithmetic.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    is_text = check_json(json_file)
    shares = class_shares(_ranked(recording, census, tests, model_file))
    total_j = sum(one.energy_j for one in shares)
    write_json(json_file, recording=str(recording), energy_j=total_j, operation_classes=[asdict(one) for one in shares])
    if is_text:
        output_console().print(class_shares_table(shares))


def _ranked(recording: Path, census: Path, tests: tuple[str, ...], model_file: Path) -> tuple[RankedOperation, ...]:
    counted, costs = read_costed(recording, census, tests, model_file)
    return ranking(counted.program, counted.executions, costs)
