"""Checked rows → the store's columns, with names as package numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.ingest.checks import CONTROL, LONGEST_S, Checked, Texts
from navitas.fleet.schema import PACKAGES_LIMIT, SAMPLES
from navitas.fleet.statistics import F64, I64, Bool

MAX_APP, MAX_VERSION = 255, 100
_CONTROL = re.compile(CONTROL)
MISSING = "apps: a name is missing"
_ROW_BITS = 32
_TEXT = r"^[^=]*=\s*[0-9]{1,10}(\.[0-9]{0,20})?\s*$"


class Packages:
    """The packages of a fleet, including new ones."""

    def __init__(self, table: pa.Table) -> None:
        names = zip(table["app"].to_pylist(), table["version"].to_pylist(), strict=True)
        self._number = dict(zip((_joined(*pair) for pair in names), table["id"].to_pylist(), strict=True))
        self._next = max(self._number.values(), default=-1) + 1
        self.changed = False

    def known(self, texts: Iterable[str]) -> list[int]:
        """The numbers of names; −1 for those that have none yet, or that are written in another way."""
        return [self._number.get(text, -1) for text in texts]

    def number(self, text: str) -> int:
        """The number of `app@version`, assigned if it is new; −1 if no numbers are left."""
        number = self._number.get(text)
        if number is None:
            key = _joined(*_split(text))
            number = self._number.get(key)
        if number is None:
            if self._next >= PACKAGES_LIMIT:
                return -1
            number = self._number[key] = self._next
            self._next += 1
            self.changed = True
        return number

    def fault(self, text: str) -> str:
        """The fault of a name; empty if it has none."""
        if text in self._number:
            return ""
        app, version = _split(text)
        if not app:
            return MISSING
        if len(app) > MAX_APP or len(version) > MAX_VERSION:
            return f"apps: a name is longer than {MAX_APP} characters, or a version than {MAX_VERSION}"
        return "apps: a name has control characters" if _CONTROL.search(text) else ""

    def table(self) -> pa.Table:
        """All packages by number."""
        parts = [_split(key) for key in self._number]
        return pa.table(
            {
                "id": pa.array(self._number.values(), pa.int32()),
                "app": [app for app, _ in parts],
                "version": [version for _, version in parts],
            }
        )


def _split(text: str) -> tuple[str, str]:
    app, _, version = text.partition("@")
    return app.strip(), version.strip()


def _joined(app: str, version: str) -> str:
    return f"{app}@{version}" if version else app


def stored_rows(checked: Checked, packages: Packages) -> tuple[pa.Table, Texts]:
    """The accepted rows in the store's columns, and each row's reason, which faults of app names may add."""
    rows = np.flatnonzero(checked.reason == "")
    apps, foreground = _selected(checked.apps, rows), _selected(checked.foreground, rows)
    lengths, names = _array(pc.list_value_length(apps)), apps.flatten()
    encoded = pa.concat_arrays([names, foreground.dictionary_encode()])
    texts = [text or "" for text in encoded.dictionary.to_pylist()]
    codes = _array(pc.fill_null(encoded.indices, len(texts)))  # The code after the last stands for a null.
    listed, front = np.split(codes, [len(names)])
    numbers = np.array([*packages.known(texts), -1], np.int32)
    if len(new := np.flatnonzero(numbers[:-1] < 0)):
        new = new[np.isin(new, codes)]  # The others are of refused rows.
    faults = np.array([*[""] * len(texts), MISSING if names.null_count else ""], object)
    faults[new] = [packages.fault(texts[at]) for at in new.tolist()]
    if not np.any(faults != ""):
        numbers[new] = [packages.number(texts[at]) for at in new.tolist()]
        faults[new] = np.where(numbers[new] < 0, f"apps: more than {PACKAGES_LIMIT:,} different ones", "")
    if np.any(faults != ""):
        return stored_rows(_refused(checked, rows, lengths, listed, front, faults), packages)
    table = _selected(pa.table(checked.columns), rows)
    offsets, ids = lists_of(numbers[listed], lengths, numbers[front])
    columns = {
        **{name: table[name] for name in table.column_names},
        "apps": pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int32())),
        "foreground": pa.array(numbers[front], pa.int32(), mask=front == len(texts)),
    }
    for name, counters in checked.counters.items():
        columns |= counter_lists(name, _selected(counters, rows), packages, checked.ignored)
    return pa.table([columns[name] for name in SAMPLES.names], SAMPLES), checked.reason


def _array(values: pa.Array) -> I64:
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _selected(values: pa.Array | pa.Table, rows: I64) -> pa.Array | pa.Table:
    """The selected rows, without a copy if all are selected."""
    return values if len(rows) == len(values) else values.take(pa.array(rows))


def _refused(  # noqa: PLR0917
    checked: Checked, rows: I64, lengths: I64, listed: I64, front: I64, faults: NDArray[np.object_]
) -> Checked:
    """The same rows, without those that have a name with a fault. Of several faults of a row, the first counts."""
    reason = checked.reason.copy()
    place = np.arange(len(rows))
    known = front < len(faults) - 1
    row, code = np.append(np.repeat(place, lengths), place[known]), np.append(listed, front[known])
    for at in np.flatnonzero((faults != "")[code])[::-1].tolist():
        reason[rows[row[at]]] = faults[code[at]]
    return replace(checked, reason=reason)


def lists_of(listed: NDArray[np.int32], lengths: I64, front: NDArray[np.int32]) -> tuple[I64, NDArray[np.int32]]:
    """Offsets and numbers of lists of these lengths, each with its row's `front` app unless that is negative.

    Numbers become ascending and unique in each list.
    """
    size = int(max(listed.max(initial=0), front.max(initial=0))) + 1
    kind = np.uint32 if len(lengths) * size < 1 << 32 else np.int64  # Half the bytes sort in half the time.
    base = (np.arange(len(lengths)) * size).astype(kind)
    has_front = front >= 0
    key = np.repeat(base, lengths)
    key += listed.view(np.uint32)
    if has_front.any():
        key = np.append(key, base[has_front] + front[has_front].astype(kind))
    key.sort()
    counts = lengths + has_front
    again = np.flatnonzero(key[1:] == key[:-1]) + 1
    key -= np.repeat(base, counts)
    numbers, offsets = key.astype(np.int32), np.append(0, np.cumsum(counts))
    return offsets - np.searchsorted(again, offsets), np.delete(numbers, again) if len(again) else numbers


def counter_lists(name: str, texts: pa.ListArray, packages: Packages, ignored: Counter[str]) -> dict[str, pa.ListArray]:
    """Columns `…_apps` and `…_ms`. Invalid entries are dropped and counted. Of equal packages, the greatest time counts.

    Numbers are of packages without a version, ascending.
    """
    if texts.null_count == len(texts):
        return {column: pa.nulls(len(texts), SAMPLES.field(column).type) for column in (f"{name}_apps", f"{name}_ms")}
    is_list = np.asarray(pc.is_valid(texts).to_numpy(zero_copy_only=False), bool)
    row = np.repeat(np.arange(len(texts)), pc.fill_null(pc.list_value_length(texts), 0).to_numpy(zero_copy_only=False))
    known, app, seconds = _halves(texts.flatten())
    number = np.array([_number(text, packages) for text in app.dictionary.to_pylist()], np.int64)
    package = number[app.indices.to_numpy(zero_copy_only=False)] if len(number) else np.zeros(0, np.int64)
    fits = (package >= 0) & (seconds <= LONGEST_S)
    if dropped := len(known) - int(fits.sum()):
        ignored[f"{name}_s: is not package=seconds"] += dropped
    key, at = _greatest((row[known][fits] << _ROW_BITS) | package[fits], seconds[fits])
    offsets = pa.array(np.searchsorted(key >> _ROW_BITS, np.arange(len(texts) + 1)), pa.int32())
    numbers = pa.array(key & ((1 << _ROW_BITS) - 1), pa.int32())
    mask = pa.array(~is_list)
    return {
        f"{name}_apps": pa.ListArray.from_arrays(offsets, numbers, mask=mask),
        f"{name}_ms": pa.ListArray.from_arrays(offsets, pa.array(np.rint(1000 * at), pa.int64()), mask=mask),
    }


def _halves(texts: pa.StringArray) -> tuple[Bool, pa.DictionaryArray, F64]:
    """Which texts have one `=` and then seconds; the halves of these. Regular expressions with groups take much longer."""
    known = pc.fill_null(pc.match_substring_regex(texts, _TEXT), False)
    halves = pc.split_pattern(texts.filter(known), "=").flatten()
    first = np.arange(0, len(halves), 2)
    seconds = pc.utf8_trim_whitespace(halves.take(pa.array(first + 1))).cast(pa.float64())
    app = halves.take(pa.array(first)).dictionary_encode()
    return known.to_numpy(zero_copy_only=False), app, seconds.to_numpy(zero_copy_only=False)


def _number(text: str, packages: Packages) -> int:
    """The number of `package` or `package@version` without its version; −1 if it has none."""
    app = text.partition("@")[0].strip()
    return -1 if packages.fault(app) else packages.number(app)


def _greatest(key: I64, seconds: F64) -> tuple[I64, F64]:
    """Ascending unique keys, each with its greatest value."""
    order = np.argsort(key, kind="stable")
    if np.all(np.diff(key[order]) != 0):
        return key[order], seconds[order]
    order = np.lexsort((seconds, key))
    last = np.append(np.diff(key[order]) != 0, True)[: len(order)]
    return key[order][last], seconds[order][last]
