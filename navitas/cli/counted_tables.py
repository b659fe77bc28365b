"""Tables of the commands on executed blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from navitas.cli.block_source import source_text
from navitas.cli.source_lines import SourceLines
from navitas.operations.budgets import Budget
from navitas.operations.build_difference import ChangedOperation
from navitas.operations.code_advice import CodeAdvice
from navitas.operations.counted_program import CountedMethod, CountedProgram
from navitas.operations.rankings import EXECUTIONS, ClassShare, CostedBlock, RankedOperation
from navitas.parse.arrays import I64
from navitas.report.names import short_class
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import joules, percent, unbroken
from navitas.untrusted_text import printable

_LONGEST = 300
_TOP = 30
_UNKNOWN = "–"
ESTIMATE = "Energies are estimates: executions × costs of the model."


def counts_table(program: CountedProgram, executions: I64) -> FittedTable:
    """The operations with most executions, in all tests."""
    table = FittedTable(
        "Executed operations", [Column("Operation", text=True), Column("Class", text=True, drop=1), Column("Executions")]
    )
    counts = executions.tolist()
    order = sorted((i for i, count in enumerate(counts) if count), key=lambda i: (-counts[i], program.names[i]))
    for i in order[:_TOP]:
        table.add(printable(program.names[i], _LONGEST), program.kinds[i], f"{counts[i]:,}")
    _more(table, len(order) - _TOP, "operations", "-o, --json")
    return table


def ranking_table(ranked: Sequence[RankedOperation], top: int) -> FittedTable:
    """The operations with the largest shares of energy."""
    columns = [
        Column("Operation", text=True),
        Column("Class", text=True, drop=4),
        Column("Share"),
        Column("Sum", drop=2),
        Column("Energy", drop=1),
        Column("Executions", drop=3),
        Column("Cost", drop=5),
    ]
    table = FittedTable("Operations by share of energy", columns)
    for one in ranked[:top]:
        known = (joules(one.energy_j), cost(one.cost_j)) if one.has_cost else (_UNKNOWN, _UNKNOWN)
        figures = (percent(one.share), percent(one.cumulative), known[0], f"{one.executions:,}", known[1])
        table.add(printable(one.name, _LONGEST), one.kind, *figures)
    _more(table, len(ranked) - top, "operations", "--top, --json")
    table.notes.append(Paragraph(ESTIMATE, style="dim"))
    return table


def class_shares_table(shares: Sequence[ClassShare]) -> FittedTable:
    """The classes of operations and their shares of energy."""
    columns = [
        Column("Class", text=True),
        Column("Share"),
        Column("Energy", drop=1),
        Column("Executions", drop=2),
        Column("Operations", drop=3),
    ]
    table = FittedTable("Classes of operations by share of energy", columns)
    for one in shares:
        table.add(printable(one.kind), percent(one.share), joules(one.energy_j), f"{one.executions:,}", f"{one.operations:,}")
    table.notes.append(Paragraph(ESTIMATE, style="dim"))
    return table


def blocks_table(blocks: Sequence[CostedBlock], top: int) -> FittedTable:
    """The blocks with most energy in these tests."""
    columns = [
        Column("Block", text=True),
        Column("Lines", text=True, drop=1),
        Column("Share", drop=3),
        Column("Energy"),
        Column(f"{EXECUTIONS:,} times", drop=2),
        Column("Executions", drop=4),
        Column("Mostly", text=True, drop=5),
    ]
    table = FittedTable("Basic blocks by energy in these tests", columns)
    for one in blocks[:top]:
        most = max(one.classes, key=lambda kind: one.classes[kind], default="")
        figures = (percent(one.share), joules(one.energy_j), joules(one.fixed_j), f"{one.executions:,}")
        table.add(block_label(one.method, one.number), source_text(one.block), *figures, most)
    _more(table, len(blocks) - top, "blocks", "--top, --json")
    table.notes.append(Paragraph(ESTIMATE, style="dim"))
    return table


def block_lines(blocks: Sequence[CostedBlock], lines: SourceLines) -> Iterator[Paragraph]:
    """The source lines of blocks, each below the block's name and energy."""
    for one in blocks:
        if found := lines.of(one.method.class_name, one.method.file, one.block.lines):
            figures = f"{unbroken(joules(one.energy_j))}, {one.executions:,} executions"
            yield Paragraph(f"{block_label(one.method, one.number)} ({figures})", style="bold")
            for number, line in enumerate(found, start=(one.block.lines or (1, 1))[0]):
                yield Paragraph(Text(f"{number:6d}  {printable(line, _LONGEST)}"), indent=" " * 8)


def budgets_table(budgets: Sequence[Budget], level: float) -> FittedTable:
    """The predicted energy of each test."""
    columns = [
        Column("Test", text=True),
        Column("Energy"),
        Column("Low", drop=2),
        Column("High", drop=2),
        Column("Counts", text=True, drop=1),
        Column("Extrapolated", text=True, drop=3),
    ]
    table = FittedTable(f"Predicted energy of tests, {100 * level:g} % intervals", columns)
    for one in budgets:
        counts = {None: "one run", True: "same", False: "differ"}[one.is_deterministic]
        name = one.test if one.module in ("", ":") else f"{one.module} {one.test}"
        figures = (joules(one.energy_j), joules(one.low_j), joules(one.high_j))
        table.add(printable(name, _LONGEST), *figures, counts, "yes" if one.extrapolated else "")
    table.notes.append(Paragraph(ESTIMATE, style="dim"))
    return table


def changed_operations_table(changes: Sequence[ChangedOperation], top: int) -> FittedTable:
    """The operations whose energy differs between two builds."""
    columns = [
        Column("Method", text=True),
        Column("Operation", text=True),
        Column("Difference"),
        Column("Lines", text=True, drop=1),
        Column("Before", drop=2),
        Column("After", drop=2),
    ]
    table = FittedTable("Operations that changed", columns)
    for one in changes[:top]:
        figures = (_signed(one.difference_j), source_text(one.block), f"{one.before:,}", f"{one.after:,}")
        table.add(method_label(one.method), printable(one.operation, _LONGEST), *figures)
    _more(table, len(changes) - top, "operations", "--top, --json")
    return table


def _signed(value_j: float | None) -> str:
    """A difference with its sign, or a dash for an operation without a cost."""
    return _UNKNOWN if value_j is None else f"{'+' if value_j > 0 else '−'}{joules(abs(value_j))}"


def code_advice_lines(found: Sequence[CodeAdvice], top: int) -> Iterator[Paragraph]:
    """Each advice with its message, its place, its mechanism and its saving."""
    for one in found[:top]:
        where = f" {printable(one.file, _LONGEST)}:{source_text(one.block)}" if one.file and one.block.lines else ""
        saving = f"saves up to {unbroken(joules(one.saving_j))} ({unbroken(percent(one.saving_share))})"
        text = f"- {method_label(one.method)}{where}: {printable(one.message, 500)}: {saving}."
        yield Paragraph(Text(f"{text} {one.rule.mechanism} {one.rule.change}"), indent="  ")


def block_label(method: CountedMethod, number: int) -> str:
    """`o.e.Sort.run 3`: a method and the number of a block."""
    return f"{method_label(method.name)} {number}"


def method_label(name: str) -> str:
    """`o.e.Sort.run` for a method with its descriptor."""
    owner, _, method = name.partition("(")[0].rpartition(".")
    return printable(f"{short_class(owner)}.{method}", _LONGEST)


def cost(value_j: float) -> str:
    """The cost of one execution, which can be far below a nanojoule."""
    return f"{value_j * 1e12:.3g} pJ" if 0 < abs(value_j) < 1e-9 else joules(value_j)


def _more(table: FittedTable, more: int, what: str, where: str) -> None:
    if more > 0:
        table.notes.append(Paragraph(f"… {more:,} more {what} ({where})", style="dim"))
