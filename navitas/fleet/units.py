"""Stage *usage*: which units' sums have to be made again, and making one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from navitas.fleet.pairs import LONGEST_S
from navitas.fleet.store import Store, Unit, fingerprint, read_table, write_table
from navitas.fleet.usage import COLUMNS, usage_of

_VERSION = "1"
_INPUTS, _REFUSED = b"navitas.inputs", b"navitas.refused"


@dataclass(frozen=True, slots=True)
class Job:
    """A unit whose sums are to be made: from its parts, and those of the month before for the pairs that span the two."""

    unit: Unit
    parts: tuple[Path, ...]
    before: tuple[Path, ...]
    usage: Path
    clients: Path
    inputs: str

    def is_done(self) -> bool:
        """Whether the results are of these inputs; `clients` is written last."""
        try:
            metadata = pq.read_schema(self.clients).metadata or {}
        except (OSError, pa.ArrowException):
            return False
        return metadata.get(_INPUTS) == self.inputs.encode() and self.usage.exists()

    def run(self) -> None:
        """Make the sums. FleetError when files cannot be read or written."""
        begins = np.datetime64(self.unit.month, "s").astype(np.int64).item()
        made = usage_of(self._samples(begins), begins)
        write_table(self.usage, made.usage)
        write_table(self.clients, made.clients, {_INPUTS: self.inputs.encode(), _REFUSED: json.dumps(made.refused).encode()})

    def refused(self) -> dict[str, int]:
        """How many pairs were refused, by reason."""
        found: dict[str, int] = json.loads((pq.read_schema(self.clients).metadata or {}).get(_REFUSED, b"{}"))
        return found

    def _samples(self, begins_s: int) -> pa.Table:
        tables = [read_table(part, COLUMNS) for part in self.parts]
        for part in self.before:
            earlier = read_table(part, COLUMNS)
            tables.append(earlier.filter(pa.array(earlier["time_s"].to_numpy() >= begins_s - LONGEST_S)))
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
