"""Collects the rows of many clients, and makes one table of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


@dataclass(slots=True)
class ClientColumns:
    """Columns of one client after another. The first column of the schema is the client."""

    schema: pa.Schema
    parts: list[tuple[NDArray[np.generic], ...]] = field(default_factory=list)
    clients: list[int] = field(default_factory=list)

    def add(self, client: int, *columns: NDArray[np.generic]) -> None:
        """Add a client's rows."""
        self.clients.append(client)
        self.parts.append(columns)

    def table(self) -> pa.Table:
        """All rows, in the schema's types."""
        if not self.parts:
            return self.schema.empty_table()
        client = np.repeat(np.array(self.clients, np.int64), [len(part[0]) for part in self.parts])
        columns = [client, *(np.concatenate(column) for column in zip(*self.parts, strict=True))]
        arrays = [pa.array(np.asarray(one, kind.type.to_pandas_dtype())) for one, kind in zip(columns, self.schema, strict=True)]
        return pa.table(arrays, schema=self.schema)
