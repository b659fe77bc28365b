"""Other names of columns, and another scale of levels: how an export's columns become those of the input format."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.regular_files import as_utf8, read_regular
from navitas.base.untrusted_text import printable
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.raw import COLUMNS, RowBatch, count

PERCENT = 100.0
_LARGEST, _SHOWN, _LONGEST_NAME = 1 << 20, 300, 100


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """`columns` of a file → columns of the input. `scale` is the level of a full battery; None if the command does not set it.

    A column of the input that is mapped replaces the file's column of the same name.
    """

    columns: dict[str, str] = field(default_factory=dict)
    scale: float | None = None

    @classmethod
    def parse(cls, texts: Sequence[str], file: Path | None = None, scale: float | None = None) -> ColumnMap:
        """From texts `COLUMN=FIELD`, and a TOML file of such lines. Raises `UsageError` for what cannot be meant."""
        pairs = [*(_of_file(file) if file else ()), *map(_pair, texts)]
        for name, target in pairs:
            if target not in COLUMNS.names:
                fields = ", ".join(COLUMNS.names)
                raise UsageError(f"{name}={target}: {target or '(nothing)'} is not a column of samples", f"It can be {fields}.")
        for what, names in (("the column", [name for name, _ in pairs]), ("", [target for _, target in pairs])):
            if twice := [name for name, count in Counter(names).items() if count > 1]:
                raise UsageError(
                    f"{what or 'several columns stand for'} {twice[0]}{' is mapped twice' if what else ''}", "Map one."
                )
        return cls(dict(pairs), scale)

    def sources(self, names: Collection[str]) -> dict[str, str]:
        """The file's column for each column of the input that it has, in the order of the input's columns."""
        by_field = {target: name for name, target in self.columns.items()}
        own = {name: name for name in COLUMNS.names if name not in self.columns}
        sources = {target: by_field.get(target) or own.get(target) for target in COLUMNS.names}
        return {target: name for target, name in sources.items() if name is not None and name in names}

    def names_of(self, target: str) -> list[str]:
        """The file's columns that can stand for a column of the input: its own name, and those mapped to it."""
        return [target, *(name for name, field_name in self.columns.items() if field_name == target)]

    def field(self, name: str) -> str | None:
        """The input's column for a file's column; None if it is not one."""
        return self.columns.get(name) or (name if name in COLUMNS.names and name not in self.columns.values() else None)

    def ignored(self, names: Mapping[str, int]) -> Counter[str]:
        """The counts of values in columns that are not read, from those in all columns."""
        ignored: Counter[str] = Counter()
        for name, values in names.items():
            if self.field(name) is None:
                why = "another column is mapped to it" if name in self.columns.values() else "not known"
                count(ignored, f"column {printable(name, _LONGEST_NAME)}: {why}", values)
        return ignored

    def renamed(self, row: Mapping[str, object]) -> dict[str, object]:
        """A row's values by columns of the input, without those that are not read."""
        return {target: value for name, value in row.items() if (target := self.field(name)) is not None}

    def check(self, path: str, names: Collection[str]) -> None:
        """Raise `FleetError` if the file lacks a column that is mapped."""
        if lacks := [name for name in self.columns if name not in names]:
            there = printable(", ".join(names), _SHOWN)
            raise FleetError(f"{path}: has no column {printable(', '.join(lacks), _SHOWN)}, which --map names; it has {there}",
                             "Name its columns as they are, or leave out --map.")  # fmt: skip

    def check_levels(self, path: str, batch: RowBatch) -> None:
        """Raise `FleetError` if levels are fractions and the command does not say so: some are, and none is above 1."""
        level = batch.table["level"].drop_null().to_numpy()
        if self.scale is not None or not len(level) or batch.table["scale"].null_count < batch.table.num_rows:
            return
        if np.any((level > 0) & (level < 1)) and np.all((level >= 0) & (level <= 1)):
            raise FleetError(
                f"{path}: levels are from {level.min():g} to {level.max():g}: they look like fractions, not percent",
                "Give --scale 1 if 1 is a full battery, or --scale 100 if they are percent.",
            )

    @property
    def key(self) -> bytes:
        """What differs from another map: a file that is read by another one is another source."""
        return json.dumps([sorted(self.columns.items()), self.scale]).encode() if self != ColumnMap() else b""


def _pair(text: str) -> tuple[str, str]:
    name, equals, target = text.rpartition("=")
    if not equals or not name.strip():
        raise UsageError(f"--map {text}: is not COLUMN=FIELD", "Write the file's column first, such as --map device_id=client.")
    return name.strip(), target.strip()


def _of_file(file: Path) -> list[tuple[str, str]]:
    try:
        pairs = tomllib.loads(as_utf8(read_regular(file, _LARGEST)).decode())
    except (OSError, ValueError, RecursionError) as error:
        cause = {UnicodeDecodeError: "is not UTF-8", RecursionError: "is nested too deeply"}.get(
            type(error), f"cannot be read: {printable(getattr(error, 'strerror', None) or str(error))}"
        )
        raise UsageError(f"{file}: {cause}", 'Write lines such as device_id = "client".') from error
    if wrong := [name for name, target in pairs.items() if not isinstance(target, str)]:
        raise UsageError(f"{file}: {wrong[0]}: is not a text", 'Write lines such as device_id = "client".')
    return list(pairs.items())
