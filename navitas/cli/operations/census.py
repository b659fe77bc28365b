"""`navitas operations census`: counts the source-level operations of each basic block of classes."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from navitas.base.untrusted_text import printable, printable_line
from navitas.capture.build.bridge import InstrumenterBridge, InstrumentOptions
from navitas.capture.build.instrument import check_classes
from navitas.capture.build.patterns import check_patterns
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json, write_to
from navitas.cli.habits.messages import note, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ, READ_FOLDER, TEXT, WRITE_REGULAR_UTF8
from navitas.cli.habits.standard_output import output_console
from navitas.insight.operations.census.document import CLASSES, Census, parse_census
from navitas.report.terminal.fitted_table import Column, FittedTable

_MOST_NOTES = 20


@click.command("census", cls=NavitasCommand, example="navitas operations census classes --sources src/main/java -o census.json")
@click.argument("classes", type=READ, nargs=-1, required=True, metavar="CLASSES...")
@option("-o", "--output", required=True, type=WRITE_REGULAR_UTF8, metavar="FILE", help="The census; .gz compresses it.")
@option("--sources", multiple=True, type=READ_FOLDER, metavar="DIR", help="Folder of the classes' sources; repeatable.")
@option("--class-path", multiple=True, type=READ, metavar="PATH", help="Libraries that the sources use; repeatable.")
@option("--include", multiple=True, type=TEXT, metavar="PATTERN", help="Only classes like a.b.**; repeatable.")
@option("--exclude", multiple=True, type=TEXT, metavar="PATTERN", help="Leave out classes like a.b.**; repeatable.")
@json_option
def command(
    *,
    classes: tuple[Path, ...],
    output: Path,
    sources: tuple[Path, ...],
    class_path: tuple[Path, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    json_file: Path | None,
) -> None:
    """Count the operations of each basic block, such as Addition_int_int.

    CLASSES are class folders and jars. With --sources, operations are those of the Java sources. Other methods have classes of
    operations that their bytecode distinguishes.
    """
    check_classes([*classes, *class_path])
    check_patterns(include, exclude)
    with InstrumenterBridge() as bridge:
        text = bridge.census(classes, sources, class_path, InstrumentOptions(include, exclude))
    found = parse_census(text, str(output))
    content = text.encode()
    packed = gzip.compress(content, mtime=0) if output.suffix == ".gz" else content
    write_to(output, lambda out: out.write(packed), binary=True)
    rows = _rows(found)
    totals = _totals(found)
    is_text = write_json(json_file, output=str(output), **totals, operation_classes=rows, notes=found.notes)
    for line in found.notes[:_MOST_NOTES]:
        warning(printable(line, 1000))
    if len(found.notes) > _MOST_NOTES:
        warning(f"{len(found.notes) - _MOST_NOTES:,} more notes are in {printable_line(str(output), 300)}")
    if is_text:
        output_console().print(census_table(rows))
        counts = f"{totals['classes']:,} classes, {totals['methods']:,} methods, {totals['blocks']:,} blocks"
        note(f"{counts}; {totals['from_source']:,} methods by their source, {totals['from_bytecode']:,} by their bytecode")
        if totals["from_source"]:
            note(f"{totals['unmatched']:,} operations of sources have no block ({100 * totals['unmatched_share']:.1f} %)")


def _rows(found: Census) -> list[dict[str, str | int]]:
    """Count operations, blocks and static occurrences for each class of operations."""
    kinds = [each.kind for each in found.operations]
    names: dict[str, set[int]] = {kind: set() for kind in CLASSES}
    blocks: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    for each in found.classes:
        for method in each.methods:
            for block in method.blocks:
                for index, count in block.operations:
                    names[kinds[index]].add(index)
                    occurrences[kinds[index]] += count
                blocks.update({kinds[index] for index, _ in block.operations})
    return [
        {"class": kind, "operations": len(names[kind]), "blocks": blocks[kind], "occurrences": occurrences[kind]}
        for kind in CLASSES
    ]


def _totals(found: Census) -> dict[str, float]:
    methods = [method for each in found.classes for method in each.methods]
    by_source = [method for method in methods if method.by == "source"]
    unmatched = sum(len(method.unmatched) for method in by_source)
    matched = sum(count for method in by_source for block in method.blocks for _, count in block.operations)
    return {
        "classes": len(found.classes),
        "methods": len(methods),
        "blocks": sum(len(method.blocks) for method in methods),
        "from_source": len(by_source),
        "from_bytecode": len(methods) - len(by_source),
        "unmatched": unmatched,
        "unmatched_share": unmatched / max(1, unmatched + matched),
    }


def census_table(rows: Sequence[Mapping[str, str | int]]) -> FittedTable:
    """How often the operations of each class occur in the code."""
    columns = [Column("Class", text=True), Column("Operations"), Column("Blocks", drop=1), Column("Occurrences")]
    table = FittedTable("Operations in the code", columns)
    for row in rows:
        table.add(printable(str(row["class"])), *(f"{row[key]:,}" for key in ("operations", "blocks", "occurrences")))
    return table
