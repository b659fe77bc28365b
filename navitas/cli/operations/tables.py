"""Tables and lines of `navitas operations`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.text import Text

from navitas.base.units import UNKNOWN, joules, percent, unbroken
from navitas.base.untrusted_text import printable
from navitas.cli.habits.row_tables import rows_table
from navitas.energy.analyze.names import short_class
from navitas.insight.operations.budgets import Budget
from navitas.insight.operations.build_difference import ChangedOperation
from navitas.insight.operations.census.document import CensusBlock
from navitas.insight.operations.code_advice import CodeAdvice
from navitas.insight.operations.counted_program import CountedMethod, CountedProgram
from navitas.insight.operations.rankings import EXECUTIONS, ClassShare, CostedBlock, RankedOperation
from navitas.recording.parse.arrays import I64
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_LONGEST = 300
_TOP = 30
_ESTIMATE = "Energies are estimates: executions × costs of the model."


def counts_table(program: CountedProgram, executions: I64) -> FittedTable:
    """The operations with most executions, in all tests."""
    counts = executions.tolist()
    columns: dict[Column, Callable[[int], Cell]] = {
        Column("Operation", text=True): lambda row: program.names[row],
        Column("Class", text=True, drop=1): lambda row: program.kinds[row],
        Column("Executions"): lambda row: f"{counts[row]:,}",
    }
    order = sorted((i for i, count in enumerate(counts) if count), key=lambda i: (-counts[i], program.names[i]))
    return rows_table("Executed operations", columns, order, _TOP, " operations (-o, --json)")


def ranking_table(ranked: Sequence[RankedOperation], top: int) -> FittedTable:
    """The operations with the largest shares of energy."""
    columns: dict[Column, Callable[[RankedOperation], Cell]] = {
        Column("Operation", text=True): lambda row: row.name,
        Column("Class", text=True, drop=4): lambda row: row.kind,
        Column("Share"): lambda row: percent(row.share),
        Column("Sum", drop=2): lambda row: percent(row.cumulative),
        Column("Energy", drop=1): lambda row: joules(row.energy_j) if row.has_cost else UNKNOWN,
        Column("Executions", drop=3): lambda row: f"{row.executions:,}",
        Column("Cost", drop=5): lambda row: _cost(row.cost_j) if row.has_cost else UNKNOWN,
    }
    return rows_table("Operations by share of energy", columns, ranked, top, " operations (--top, --json)", note=_ESTIMATE)


def class_shares_table(shares: Sequence[ClassShare]) -> FittedTable:
    """The classes of operations and their shares of energy."""
    columns: dict[Column, Callable[[ClassShare], Cell]] = {
        Column("Class", text=True): lambda row: row.kind,
        Column("Share"): lambda row: percent(row.share),
        Column("Energy", drop=1): lambda row: joules(row.energy_j),
        Column("Executions", drop=2): lambda row: f"{row.executions:,}",
        Column("Operations", drop=3): lambda row: f"{row.operations:,}",
    }
    return rows_table("Classes of operations by share of energy", columns, shares, len(shares), note=_ESTIMATE)


def blocks_table(blocks: Sequence[CostedBlock], top: int) -> FittedTable:
    """The blocks with most energy in these tests."""
    columns: dict[Column, Callable[[CostedBlock], Cell]] = {
        Column("Block", text=True): lambda row: _block_label(row.method, row.number),
        Column("Lines", text=True, drop=1): lambda row: source_text(row.block),
        Column("Share", drop=3): lambda row: percent(row.share),
        Column("Energy"): lambda row: joules(row.energy_j),
        Column(f"{EXECUTIONS:,} times", drop=2): lambda row: joules(row.fixed_j),
        Column("Executions", drop=4): lambda row: f"{row.executions:,}",
        Column("Mostly", text=True, drop=5): lambda row: max(row.classes, key=lambda kind: row.classes[kind], default=""),
    }
    return rows_table("Basic blocks by energy in these tests", columns, blocks, top, " blocks (--top, --json)", note=_ESTIMATE)


def block_lines(
    blocks: Sequence[CostedBlock], lines_of: Callable[[str, str | None, tuple[int, int] | None], list[str]]
) -> Iterator[Paragraph]:
    """The source lines of blocks, each below the block's name and energy."""
    for one in blocks:
        if lines := lines_of(one.method.class_name, one.method.file, one.block.lines):
            figures = f"{unbroken(joules(one.energy_j))}, {one.executions:,} executions"
            yield Paragraph(f"{_block_label(one.method, one.number)} ({figures})", style="bold")
            for number, line in enumerate(lines, start=(one.block.lines or (1, 1))[0]):
                yield Paragraph(Text(f"{number:6d}  {printable(line, _LONGEST)}"), indent=" " * 8)


def budgets_table(budgets: Sequence[Budget], level: float) -> FittedTable:
    """The predicted energy of each test."""
    columns: dict[Column, Callable[[Budget], Cell]] = {
        Column("Test", text=True): lambda row: row.test if row.module in ("", ":") else f"{row.module} {row.test}",
        Column("Energy"): lambda row: joules(row.energy_j),
        Column("Low", drop=2): lambda row: joules(row.low_j),
        Column("High", drop=2): lambda row: joules(row.high_j),
        Column("Counts", text=True, drop=1): lambda row: {None: "one run", True: "same", False: "differ"}[row.is_deterministic],
        Column("Extrapolated", text=True, drop=3): lambda row: "yes" if row.extrapolated else "",
    }
    title = f"Predicted energy of tests, {100 * level:g} % intervals"
    return rows_table(title, columns, budgets, len(budgets), note=_ESTIMATE)


def changed_operations_table(changes: Sequence[ChangedOperation], top: int) -> FittedTable:
    """The operations whose energy differs between two builds."""
    columns: dict[Column, Callable[[ChangedOperation], Cell]] = {
        Column("Method", text=True): lambda row: method_label(row.method),
        Column("Operation", text=True): lambda row: row.operation,
        Column("Difference"): lambda row: _signed(row.difference_j),
        Column("Lines", text=True, drop=1): lambda row: source_text(row.block),
        Column("Before", drop=2): lambda row: f"{row.before:,}",
        Column("After", drop=2): lambda row: f"{row.after:,}",
    }
    return rows_table("Operations that changed", columns, changes, top, " operations (--top, --json)")


def _signed(value_j: float | None) -> str:
    """A difference with its sign, or a dash for an operation without a cost."""
    return UNKNOWN if value_j is None else f"{'+' if value_j > 0 else '−'}{joules(abs(value_j))}"


def code_advice_lines(found: Sequence[CodeAdvice], top: int) -> Iterator[Paragraph]:
    """Each advice with its message, its place, its mechanism and its saving."""
    for one in found[:top]:
        where = f" {printable(one.file, _LONGEST)}:{source_text(one.block)}" if one.file and one.block.lines else ""
        saving = f"saves up to {unbroken(joules(one.saving_j))} ({unbroken(percent(one.saving_share))})"
        text = f"- {method_label(one.method)}{where}: {printable(one.message, 500)}: {saving}."
        yield Paragraph(Text(f"{text} {one.rule.mechanism} {one.rule.change}"), indent="  ")


def _block_label(method: CountedMethod, number: int) -> str:
    """`o.e.Sort.run 3`: a method and the number of a block."""
    return f"{method_label(method.name)} {number}"


def method_label(name: str) -> str:
    """`o.e.Sort.run` for a method with its descriptor."""
    owner, _, method = name.partition("(")[0].rpartition(".")
    return printable(f"{short_class(owner)}.{method}", _LONGEST)


def source_fields(block: CensusBlock | None) -> dict[str, Any]:
    """`lines` and `inlined`, for JSON."""
    return {"lines": None, "inlined": []} if block is None else block.model_dump(include={"lines", "inlined"})


def source_text(block: CensusBlock | None) -> str:
    """`12`, `12-14`, `12 (inlines _Collections.kt:1620-1622)`, or nothing."""
    if block is None:
        return ""
    inlined = ", ".join(f"{one.file}:{_line_range(one.lines)}" for one in block.inlined)
    lines = [_line_range(block.lines)] if block.lines else []
    return printable(" ".join([*lines, f"(inlines {inlined})"] if inlined else lines), _LONGEST)


def _line_range(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"


def _cost(value_j: float) -> str:
    """The cost of one execution, which can be far below a nanojoule."""
    return f"{value_j * 1e12:.3g} pJ" if 0 < abs(value_j) < 1e-9 else joules(value_j)
