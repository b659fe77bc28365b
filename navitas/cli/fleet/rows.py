"""Results of a fleet as JSON and CSV, and the options of their outputs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.base.untrusted_text import guarded
from navitas.cli.habits.files import STDOUT, json_option, write_document, write_to
from navitas.cli.habits.messages import note
from navitas.cli.habits.option import gathered, option
from navitas.cli.habits.paths import WRITE_ANY_NAME
from navitas.cli.habits.shared_options import top_option
from navitas.fleet.findings.results import Row, document, of_enough_clients

R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Output files of a result, and the number of rows of its table."""

    json_file: Path | None
    csv_file: Path | None
    top: int
    min_clients: int = 1

    def check_not_by_client(self, what: str) -> None:
        """Raise `UsageError` if `--min-clients` would leave out all rows, because each is about one client."""
        if self.min_clients > 1:
            raise UsageError(
                f"each row of {what} is about one client: --min-clients would leave out all rows", "Leave out --min-clients."
            )

    def kept(self, rows: Sequence[R]) -> list[R]:
        """The rows about at least `min_clients` clients. A note counts the others."""
        left = of_enough_clients(rows, self.min_clients)
        if hidden := len(rows) - len(left):
            rows_are = f"{counted(hidden, 'row')} about fewer than {self.min_clients:,} clients {'is' if hidden == 1 else 'are'}"
            note(f"note: {rows_are} left out (--min-clients)")
        return left

    def write(self, kind: type[R], rows: Sequence[R], **more: object) -> bool:
        """Write all rows to the files. Returns whether standard output is free for a table."""
        if self.json_file is not None:
            write_document(self.json_file, document(kind.KIND, rows, **more))
        if self.csv_file is not None:
            write_to(self.csv_file, lambda out: _csv(kind, rows, out))
        return STDOUT not in (self.json_file, self.csv_file)


min_clients_option = option(
    "--min-clients",
    type=click.IntRange(min=1),
    default=1,
    section="Output",
    metavar="N",
    help="Leave out what is about fewer clients.",
)
"""Results that leave the store may need to be about several clients."""


output_options = gathered(
    "outputs",
    Outputs,
    min_clients_option,
    json_option,
    option("--csv", "csv_file", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write CSV ('-': stdout)."),
    top_option(20),
)
"""`--json`, `--csv`, `--top` and `--min-clients`, as the keyword argument `outputs`."""


def _csv(kind: type[R], rows: Sequence[R], out: IO[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(kind.columns())
    writer.writerows([guarded(value) if isinstance(value, str) else value for value in row.as_json().values()] for row in rows)
