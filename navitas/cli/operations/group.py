"""`navitas operations`: models of the energy of operations, and what they say of a program."""

from __future__ import annotations

import click

from navitas.cli.habits.commands import LazyGroup

COMMANDS = {
    "census": ("navitas.cli.operations.census", "Count the operations of each basic block of classes."),
    "cases": ("navitas.cli.operations.cases", "Run a program in many execution cases, and make a table of them."),
    "fit": ("navitas.cli.operations.fit:fit", "Estimate what each operation costs, from a table of cases."),
    "apply": ("navitas.cli.operations.fit:apply", "Predict the energy of each row of a table."),
    "count": ("navitas.cli.operations.counted:count", "Count the executions of each operation in each test."),
    "rank": ("navitas.cli.operations.counted:rank", "Rank operations by their share of energy."),
    "classes": ("navitas.cli.operations.counted:classes", "Show the share of energy of each class of operations."),
    "blocks": ("navitas.cli.operations.counted:blocks", "Show the energy of basic blocks, with their source lines."),
    "predict": ("navitas.cli.operations.predict", "Predict the energy of tests, and compare it with an earlier build."),
    "advise": ("navitas.cli.operations.counted:advise", "Find code that a change can make cheaper."),
}


class _OperationsGroup(LazyGroup):
    modules = COMMANDS


@click.command("operations", cls=_OperationsGroup)
def command() -> None:
    """Count the operations that a program executes, fit what each costs, and rank, predict and advise by it."""
