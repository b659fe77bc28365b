"""Stage *usage*: which units' sums have to be made again, and making one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from navitas.fleet.pairs import LONGEST_S
from navitas.fleet.store import Store, Unit, fingerprint, is_of, notes_of, read_table, write_table
from navitas.fleet.usage import COLUMNS, usage_of

_VERSION = "1"


class Task(Protocol):
    """A piece of work that engines run anywhere: it is pickled, reads files and writes files whole."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    def run(self) -> None:
        """Do it. FleetError when files cannot be read or written."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """A unit whose sums are to be made: from its parts, and those of the month before for the pairs that span the two."""

    unit: Unit
    parts: tuple[Path, ...]
    before: tuple[Path, ...]
    usage: Path
    clients: Path
    inputs: str

    @property
    def name(self) -> str:
        """What errors call it."""
        return f"bucket {self.unit.bucket}, month {self.unit.month}"

    @property
    def begins_s(self) -> int:
        """The first moment of the unit's month."""
        begins: int = np.datetime64(self.unit.month, "s").astype(np.int64).item()
        return begins

    def is_done(self) -> bool:
        """Whether the results are of these inputs; `clients` is written last."""
        return is_of(self.clients, self.inputs) and self.usage.exists()

    def run(self) -> None:
        """Make the sums. FleetError when files cannot be read or written."""
        made = usage_of(self.samples(COLUMNS), self.begins_s)
        write_table(self.usage, made.usage)
        write_table(self.clients, made.clients, self.inputs, made.refused)

    def refused(self) -> dict[str, int]:
        """How many pairs were refused, by reason."""
        return notes_of(self.clients)

    def samples(self, columns: list[str]) -> pa.Table:
        """The unit's samples, and the last hours before it, as far as they begin its pairs."""
        tables = [read_table(part, columns) for part in self.parts]
        for part in self.before:
            earlier = read_table(part, columns)
            tables.append(earlier.filter(pa.array(earlier["time_s"].to_numpy() >= self.begins_s - LONGEST_S)))
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables)


def jobs_of(store: Store) -> list[Job]:
    """All units of a store."""
    return [*_jobs(store)]


def _jobs(store: Store) -> Iterator[Job]:
    parts = store.parts()
    for unit, own in parts.items():
        before = parts.get(Unit(unit.bucket, str(np.datetime64(unit.month) - 1)), [])
        usage, clients = (store.work / table / f"{unit.folder}.parquet" for table in ("usage", "clients"))
        yield Job(unit, tuple(own), tuple(before), usage, clients, f"{_VERSION} {fingerprint(*own, *before)}")
