"""`navitas operations count`, `rank`, `classes`, `blocks`, `advise`: what ran, what uses the energy by a model, what saves."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import IO, Any

import click
import numpy as np

from navitas.base.json_text import fields
from navitas.base.regular_files import read_regular
from navitas.base.untrusted_text import guarded, printable
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_json, write_to
from navitas.cli.habits.messages import next_step, note, shell_word
from navitas.cli.habits.option import choice_option, option
from navitas.cli.habits.paths import READ_FOLDER, WRITE_ANY_NAME
from navitas.cli.habits.shared_options import top_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.operations.input import CostedFiles, Counted, costed_options, counted_options, read_builds, read_costed
from navitas.cli.operations.tables import (
    block_lines,
    blocks_table,
    class_shares_table,
    code_advice_lines,
    counts_table,
    ranking_table,
    source_fields,
)
from navitas.insight.operations.code_advice import CodeAdvice, code_advice
from navitas.insight.operations.rankings import EXECUTIONS, CostedBlock, RankedOperation, class_shares, costed_blocks, ranking
from navitas.recording.parse.arrays import I64

_MOST_SOURCE_BYTES = 16 << 20
_MOST_LINES = 5
_LONGEST = 10_000
_BY = ("test", "thread", "method")
_COUNT_KEYS = ("module", "test", "run", "repeat", "status", "wall_s")


@click.command("count", cls=NavitasCommand, example="navitas operations count RECORDING --census census.json -o counts.csv")
@counted_options
@choice_option("--by", _BY, "A row for each run of a test, and for each of its threads or methods.")
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write CSV ('-': stdout).")
@json_option
def count(*, recording: Path, census: Path, tests: tuple[str, ...], by: str, output: Path | None, json_file: Path | None) -> None:
    """Count the executions of each operation in each test.

    RECORDING is one of navitas profile --granularity block. CSV has a column for each operation. JSON leaves out those that did
    not run.
    """
    (counted,) = read_builds([(recording, census)], tests)

    def render(out: IO[str]) -> None:
        writer = csv.writer(out, lineterminator="\n")
        keys = [*_COUNT_KEYS, *([] if by == "test" else [by])]
        used = np.flatnonzero(counted.executions)
        writer.writerow([*keys, *(counted.program.names[i] for i in used.tolist())])
        for key, vector in _counts(counted, by):
            cells = (guarded(printable(one, _LONGEST)) if isinstance(one, str) else one for one in map(key.__getitem__, keys))
            writer.writerow([*cells, *vector[used].tolist()])

    if output is not None:
        write_to(output, render)
    if json_file is not None:
        rows = [{**key, "operations": _ran(counted, each)} for key, each in _counts(counted, by)]
        write_json(json_file, recording=str(recording), rows=rows)
    if STDOUT not in (output, json_file):
        output_console().print(counts_table(counted.program, counted.executions))


@click.command("rank", cls=NavitasCommand, example="navitas operations rank RECORDING --census census.json --model model.json")
@costed_options
@top_option(30)
@json_option
def rank(*, files: CostedFiles, top: int, json_file: Path | None) -> None:
    """Rank operations by their share of energy.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    ranked = _ranked(*read_costed(files))
    if _write(json_file, files, sum(one.energy_j for one in ranked), operations=[asdict(one) for one in ranked]):
        output_console().print(ranking_table(ranked, top))
        options = f"--census {shell_word(files.census)} --model {shell_word(files.model_file)}"
        next_step(f"navitas operations blocks {shell_word(files.recording)} {options}")


@click.command(
    "classes", cls=NavitasCommand, example="navitas operations classes RECORDING --census census.json --model model.json"
)
@costed_options
@json_option
def classes(*, files: CostedFiles, json_file: Path | None) -> None:
    """Show the share of energy of each class of operations, such as Arithmetic.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    shares = class_shares(_ranked(*read_costed(files)))
    if _write(json_file, files, sum(one.energy_j for one in shares), operation_classes=[asdict(one) for one in shares]):
        output_console().print(class_shares_table(shares))


@click.command(
    "blocks", cls=NavitasCommand, example="navitas operations blocks RECORDING --census census.json --model model.json"
)
@costed_options
@option("--sources", multiple=True, type=READ_FOLDER, metavar="DIR", help="Folder of the classes' sources; repeatable.")
@top_option(20)
@json_option
def blocks(*, files: CostedFiles, sources: tuple[Path, ...], top: int, json_file: Path | None) -> None:
    """Show the energy of basic blocks: in these tests, and for 3,000 executions.

    The energy is executions × cost by the model, so it is an estimate. RECORDING is one of navitas profile --granularity block.
    """
    counted, costs = read_costed(files)
    costed = costed_blocks(counted.program, counted.counters, costs)
    energy_j = sum(one.energy_j for one in costed)
    if _write(json_file, files, energy_j, fixed_executions=EXECUTIONS, blocks=[_block_document(one) for one in costed]):
        output_console().print(blocks_table(costed, top), *block_lines(costed[:top], SourceLines(sources).of))


@click.command(
    "advise", cls=NavitasCommand, example="navitas operations advise RECORDING --census census.json --model model.json"
)
@costed_options
@top_option(10)
@json_option
def advise(*, files: CostedFiles, top: int, json_file: Path | None) -> None:
    """Find code in hot blocks that a change can make cheaper, such as objects created in a loop.

    Each saving is an estimate of the most that the change saves: avoided executions × costs of the model. RECORDING is one of
    navitas profile --granularity block.
    """
    counted, costs = read_costed(files)
    cases = code_advice(counted.program, counted.counters, costs)
    if write_json(json_file, recording=str(files.recording), advice=[_advice_document(one) for one in cases]):
        for line in code_advice_lines(cases, top):
            output_console().print(line)
        more = f", {len(cases) - top:,} more with --top" if len(cases) > top else ""
        note(f"{len(cases):,} cases{more}" if cases else "no rule of the catalogue applies to these tests")


def _ran(counted: Counted, vector: I64) -> dict[str, int]:
    return {name: count for name, count in zip(counted.program.names, vector.tolist(), strict=True) if count}


def _counts(counted: Counted, by: str) -> Iterator[tuple[dict[str, str | int | float], I64]]:
    program = counted.program
    for test in counted.tests:
        key: dict[str, str | int | float] = {
            "module": test.module,
            "test": test.name,
            "run": test.run,
            "repeat": test.repeat,
            "status": test.status,
            "wall_s": round(test.wall_s, 9),
        }
        if by == "test":
            yield key, program.executions(test)
        elif by == "method":
            for row, counters in sorted(test.by_method().items()):
                if row in program.methods:
                    yield {**key, "method": program.methods[row].name}, program.of_counters({row: counters})
        else:
            for thread in sorted({place for place, _ in test.counters}):
                counters_of = {row: counts for (place, row), counts in test.counters.items() if place == thread}
                name = test.threads[thread] if thread >= 0 else "unknown"
                yield {**key, "thread": name}, program.of_counters(counters_of)


def _ranked(counted: Counted, costs: Mapping[str, float]) -> tuple[RankedOperation, ...]:
    return ranking(counted.program, counted.executions, costs)


def _write(file: Path | None, files: CostedFiles, energy_j: float, **content: object) -> bool:
    return write_json(file, recording=str(files.recording), energy_j=energy_j, **content)


def _block_document(one: CostedBlock) -> dict[str, Any]:
    return {
        "method": one.method.name,
        "file": one.method.file,
        "block": one.number,
        **source_fields(one.block),
        **fields(one, "executions", "each_j", "energy_j", "fixed_j", "share"),
        "operation_classes": dict(one.classes),
    }


def _advice_document(one: CodeAdvice) -> dict[str, Any]:
    return {
        "rule": one.rule.id,
        **fields(one, "method", "file"),
        **source_fields(one.block),
        "message": one.message,
        **fields(one.rule, "mechanism", "change"),
        **fields(one, "avoided", "saving_j", "saving_share"),
    }


class SourceLines:
    """Lines of the sources in some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._text = cache(self._read)

    def of(self, class_name: str, file: str | None, lines: tuple[int, int] | None) -> list[str]:
        """The lines of a class, at most five; none if its source or its line numbers are not there."""
        parts = [*class_name.split(".")[:-1], file or ""]
        if lines is None or any(not part or part in (".", "..") or "/" in part or "\0" in part for part in parts):
            return []
        text = self._text("/".join(parts))
        first, last = lines
        chosen = text[first - 1 : min(last, first + _MOST_LINES - 1)]
        return dedent("\n".join(line.rstrip().expandtabs(4) for line in chosen)).split("\n") if chosen else []

    def _read(self, name: str) -> list[str]:
        for folder in self._folders:
            try:
                return read_regular(folder / name, _MOST_SOURCE_BYTES).decode("utf-8", "replace").splitlines()
            except (OSError, ValueError):
                continue
        return []
