"""Read method maps (`map.json`) into one table, and check that events belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NotRequired

import numpy as np
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

from navitas.base.errors import RecordingError
from navitas.base.model_defects import first_defect
from navitas.recording.manifest import Known
from navitas.recording.parse.apis import APIS, FIRST_API, api_methods
from navitas.recording.parse.arrays import I32, I64, Bool
from navitas.recording.parse.chunks import BLOCK_COUNTS, CALLS, FOLDED, Chunk
from navitas.recording.parse.findings import Findings, report_unknown
from navitas.recording.parse.tables import Method, MethodTable
from navitas.recording.raw import read_json
from navitas.recording.store import Recording, check_major, unknown_parts

# A million methods take 150 MiB.
_MAX_BYTES = 256 << 20
_TYPES_WITH_IDS = (BLOCK_COUNTS, CALLS, FOLDED)

RESERVED_ID = (1 << 22) - 5
"""The first reserved method id. The runtime uses reserved ids for its own calls; no map contains them."""


class _Class(BaseModel):
    name: str
    sha256: str | None = None
    source: Annotated[str, Known.from_literal(Literal["main", "test", "dependency"])] = "main"
    module: str | None = None
    file: str | None = None


# Plain dictionaries, because there may be a million methods.
_Method = TypedDict("_Method", {"id": int, "class": str, "name": str, "descriptor": str, "line": NotRequired[int | None]})


class _Map(BaseModel):
    schema_version: int = 1
    map_id: str = Field(pattern="^[0-9a-f]{16}$")
    probes: str = "methods"
    classes: list[_Class]
    methods: list[_Method]
    skipped: object = None  # only the instrumenter uses it


@dataclass(frozen=True, slots=True)
class Span:
    """A map's rows in the table. All its ids are below `size`.

    Without `places`, ids 0 … size−1 become rows base … base+size−1. With them, an id becomes the row
    base + `places[id]` − 1, or none if `places[id]` is 0. The reserved ids of the platform's methods become rows from
    `first_api` on, if these have rows.
    """

    base: int
    size: int
    first_api: int | None = None
    places: I32 | None = field(default=None, compare=False)

    def rows(self, ids: I64) -> tuple[I64, Bool]:
        """Return the row of each method id, and whether it has one."""
        own = (ids >= 0) & (ids < self.size)
        row = ids + self.base
        if self.places is not None:
            place = self.places.take(ids, mode="clip")
            own &= place > 0
            row = place + np.int64(self.base - 1)
        if self.first_api is None:
            return row, own
        number = ids - FIRST_API
        api = (number >= 0) & (number < len(APIS))
        return np.where(api, number + self.first_api, row), own | api

    def row_of(self, method: int) -> int | None:
        """Return the row of one method id, which is not negative and not reserved; None if it has none."""
        place = 0 if method >= self.size else method + 1 if self.places is None else int(self.places[method])
        return self.base + place - 1 if place else None

    def own_rows(self, ids: I64, into: I32) -> None:
        """Write the row of each id, all of which the map has."""
        if self.places is None:
            into[:] = ids
            into += self.base
        else:
            self.places.take(ids, out=into, mode="clip")
            into += self.base - 1


def read_method_table(recording: Recording, findings: Findings | None = None) -> MethodTable:
    """Read every map of a recording. Unknown fields and values go to `findings`.

    Raises `RecordingError` if a map is missing, is unreadable, or has another id than the manifest says.
    """
    methods: list[Method] = []
    base: dict[str, int] = {}
    places: dict[str, I32] = {}
    included: dict[str, str] = {}
    hashes: dict[tuple[str, str], str] = {}
    for entry in recording.manifest.maps:
        if entry.id in base:
            continue
        path = recording.file(entry.file)
        raw = read_json(path, "the method map is ", _MAX_BYTES)
        read = _validated(raw, path)
        if findings is not None:
            report_unknown(unknown_parts(raw, _Map), entry.file, findings)
        if read.map_id != entry.id:
            raise RecordingError(
                f"{path}: this is the method map {read.map_id}, but the recording names {entry.id}",
                "This file belongs to another build. Record again.",
            )
        base[entry.id] = len(methods)
        methods += _methods(read, entry.module, len(methods), path)
        if (of_ids := places_of([method["id"] for method in read.methods])) is not None:
            places[entry.id] = of_ids
        included |= dict.fromkeys(entry.includes, entry.id)
        hashes |= {(each.module or entry.module, each.name): each.sha256 for each in read.classes if each.sha256}
    first_api = len(methods) if recording.manifest.settings.get("record", "none") != "none" else None
    if first_api is not None:
        methods += api_methods(first_api)
    others = {name: of for name, of in included.items() if name not in base}
    return MethodTable(tuple(methods), base, others, first_api, hashes, places)


def spans(table: MethodTable) -> dict[int, Span]:
    """Return each map's rows, by the map id in chunks. An included map has the rows of the map that includes it."""
    end = len(table.methods) if table.first_api is None else table.first_api
    starts = [*table.base.values(), end]
    own = {}
    for i, name in enumerate(table.base):
        places = table.places.get(name)
        size = starts[i + 1] - starts[i] if places is None else len(places)
        own[name] = Span(starts[i], size, table.first_api, places)
    return {int(name, 16): span for name, span in own.items()} | {int(name, 16): own[of] for name, of in table.included.items()}


def places_of(ids: Sequence[int]) -> I32 | None:
    """Return `Span.places` of a map's ids in its order, or None if they are 0 … n−1."""
    numbers = np.array(ids, np.int64)
    if (numbers == np.arange(len(numbers))).all():
        return None
    places = np.zeros(int(numbers.max()) + 1, np.int32)  # pages without ids take no memory
    places[numbers] = np.arange(1, len(numbers) + 1)
    return places


def check_maps(chunks: Iterable[Chunk], known: dict[int, Span], place: str) -> None:
    """Raise `RecordingError`, with both ids, if a chunk's method ids belong to a map that is not in the recording."""
    for chunk in chunks:
        if chunk.type in _TYPES_WITH_IDS and chunk.map_id not in known:
            held = ", ".join(f"{map_id:016x}" for map_id in known) or "none"
            raise RecordingError(
                f"{place}: events of method map {chunk.map_id:016x}, but the recording holds {held}",
                "Add the map.json of the build that ran: navitas report RECORDING --map FILE. Or build and record again.",
            )


def check_map(document: object, path: Path) -> str:
    """Return the id of the method map that was read from `path`. Raises `RecordingError` if it is invalid."""
    read = _validated(document, path)
    _methods(read, "", 0, path)
    return read.map_id


def _validated(raw: object, path: Path) -> _Map:
    remedy = "Copy the recording again, or record again."
    check_major(raw, path, "method maps")
    try:
        return _Map.model_validate(raw)
    except ValidationError as error:
        raise RecordingError(f"{path}: {': '.join(first_defect(error))}", remedy) from error


def _methods(read: _Map, module: str, base: int, path: Path) -> list[Method]:
    classes = {entry.name: entry for entry in read.classes}
    methods = []
    seen = set[int]()
    for index, entry in enumerate(read.methods):
        name, number = entry["class"], entry["id"]
        owner = classes.get(name)
        if number in seen or not 0 <= number < FIRST_API or owner is None:
            known = "occurs twice" if number in seen else f"is not one of 0 … {FIRST_API - 1}"
            cause = f"class {name} is not listed" if owner is None else f"method id {number} {known}"
            raise RecordingError(f"{path}: the method map is inconsistent: {cause}", "Instrument and record again.")
        seen.add(number)
        methods.append(
            Method(
                id=base + index,
                module=owner.module or module,
                class_name=name,
                name=entry["name"],
                descriptor=entry["descriptor"],
                line=entry.get("line"),
                source=owner.source,
                is_test_source=owner.source == "test",
                file=owner.file,
            )
        )
    return methods
