"""The ledger's energy as columns: by call path (`path_columns`), and by method with intervals (`method_columns`).

Rows of runs without probes have `baseline` set; totals exclude them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.analyze.uncertainty import COVER_95, standard_j
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import NO_TEST, Ledger
from navitas.recording.parse.arrays import F64, I32, I64, U8, Bool

_OF_PROBES = -2
PARTS = ("method", "untraced", "probes")
"""What a row of `method_columns` is: self energy of a method, energy outside of calls, energy of probes."""
_METHOD_FIELDS = {
    "module": "module",
    "class": "class_name",
    "method": "name",
    "descriptor": "descriptor",
    "file": "file",
    "line": "line",
}


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column of numbers or truth values. It is null where `is_null`; None: nowhere."""

    values: NDArray[Any]
    is_null: Bool | None = None


@dataclass(frozen=True, slots=True)
class NamedColumn(FigureColumn):
    """A column of names: row i has `names[values[i]]`."""

    names: tuple[str, ...] = ()


Columns = dict[str, FigureColumn]


class _MethodKeys(NamedTuple):
    """What identifies the rows of `method_columns`: rows of tests, owners, components and methods, or numbers below 0."""

    test: I64
    owner: I64
    component: I64
    method: I64


def path_columns(ledger: Ledger) -> Columns:
    """Return one row for each energy fact, with its dimensions (docs/python-api.md)."""
    energy, paths = ledger.energy, ledger.paths
    is_unknown = ~ledger.owners.measured[energy.owner]
    joules = {name: getattr(energy, name) for name in ("exclusive_j", "raw_j", "variance_j2")}
    methods = _methods(ledger, paths.method[energy.path])
    return {
        **_owners(ledger, energy.test, energy.owner, energy.component),
        "path": FigureColumn(energy.path),
        "caller": FigureColumn(paths.parent[energy.path]),
        **{name: column for name, column in methods.items() if name not in ("file", "line")},
        **{name: FigureColumn(values, (values == 0) & is_unknown) for name, values in joules.items()},
    }


def method_columns(tables: LedgerTables) -> Columns:
    """Return one row for each run, test, thread (or other owner), method and component (docs/formats.md).

    `low_j` and `high_j` are the ends of the 95 % interval of the measurement. Only self energies of methods in tests have one.
    """
    ledger = tables.ledger
    energy, owners = ledger.energy, ledger.owners
    # Energy outside of calls has no method. Its number is that of the part, below 0.
    method = np.where(energy.path == PROBES, _OF_PROBES, ledger.paths.method[energy.path])
    shape = (len(ledger.tests) + 1, len(owners), len(ledger.components), len(ledger.methods.methods) - _OF_PROBES)
    key = np.zeros(len(method), np.int64)
    dimensions: Sequence[NDArray[Any]] = (energy.test - NO_TEST, energy.owner, energy.component, method - _OF_PROBES)
    for column, size in zip(dimensions, shape, strict=True):
        key = key * size + column
    keys, index = np.unique(key, return_inverse=True)
    exclusive_j, raw_j = (binned(index, values, len(keys)) for values in (energy.exclusive_j, energy.raw_j))
    test, owner, component, method = np.unravel_index(keys, shape)
    rows = _MethodKeys(test + NO_TEST, owner, component, method + _OF_PROBES)
    half_j = _half_widths(tables, rows, exclusive_j)
    is_unknown = (exclusive_j == 0) & ~owners.measured[owner]
    no_interval = is_unknown | np.isnan(half_j)
    part = np.where(rows.method >= 0, 0, -rows.method)
    return {
        **_owners(ledger, rows.test, rows.owner, rows.component),
        "part": NamedColumn(part.astype(np.int32), owners.kind[owner] != OwnerKind.THREAD, PARTS),
        **_methods(ledger, rows.method),
        "exclusive_j": FigureColumn(exclusive_j, is_unknown),
        "low_j": FigureColumn(exclusive_j - half_j, no_interval),
        "high_j": FigureColumn(exclusive_j + half_j, no_interval),
        "raw_j": FigureColumn(raw_j, is_unknown),
    }


def _half_widths(tables: LedgerTables, rows: _MethodKeys, exclusive_j: F64) -> F64:
    """Return half of the width of each row's 95 % interval, NaN for rows other than self energies of methods in tests."""
    ledger, methods, threads = tables.ledger, tables.methods, tables.threads
    owners, count = len(ledger.owners), len(ledger.methods.methods)
    has_error = (rows.test != NO_TEST) & (rows.method >= 0)
    at = _MethodKeys(*(column[has_error] for column in rows))
    key = (threads.test[methods.tree] * owners + threads.owner[methods.tree]) * count + methods.method
    by_key = np.argsort(key)
    wanted = (at.test * owners + at.owner) * count + at.method
    row = by_key[np.searchsorted(key, wanted, sorter=by_key)] if len(key) else wanted
    energy_j = np.zeros((len(row), len(ledger.components)))
    energy_j[np.arange(len(row)), at.component] = exclusive_j[has_error]
    # Probes and ticks have errors of the CPU's energy only.
    is_cpu = np.array([name == CPU for name in ledger.components], bool)[at.component]
    probes_j = methods.raw_exclusive_j[row] - methods.exclusive_j[row].sum(axis=1)
    causes = tables.uncertainty.of_methods(
        energy_j,
        methods.self_ns[row],
        run=ledger.tests.run[at.test],
        probes_j=probes_j * is_cpu,
        draws_j=np.where(is_cpu, methods.exclusive_draws_j[row], 0.0),
        index=np.arange(len(row)),
        size=len(row),
    )
    half_j = np.full(len(exclusive_j), np.nan)
    half_j[has_error] = COVER_95 * standard_j(causes)
    return half_j


def _owners(ledger: Ledger, test: I32 | I64, owner: I32 | I64, component: U8 | I64) -> Columns:
    """Return the columns of runs, tests, owners and components of rows."""
    owners, tests, run = ledger.owners, ledger.tests, ledger.owners.run[owner]
    no_test, no_thread = test == NO_TEST, owners.kind[owner] != OwnerKind.THREAD

    def of_runs(values: list[Any], otherwise: Any) -> FigureColumn:
        return FigureColumn(np.array(values or [otherwise])[run])

    return {
        "run": of_runs([entry.id for entry in ledger.runs], 0),
        "repeat": of_runs([entry.repeat for entry in ledger.runs], 0),
        "baseline": of_runs([entry.baseline for entry in ledger.runs], False),
        "test_module": _named(tests.module, test, no_test),
        "test_class": _named(tests.class_name, test, no_test),
        "test_method": _named(tests.method, test, no_test),
        "status": _named(tests.status, test, no_test),
        "owner": NamedColumn(owners.kind[owner].astype(np.int32), names=tuple(kind.name.lower() for kind in OwnerKind)),
        "thread": _named(owners.name, owner, no_thread),
        "tid": FigureColumn(owners.tid[owner], no_thread),
        "serial": FigureColumn(owners.serial[owner], no_thread),
        "role": _named(owners.role, owner, no_thread),
        "component": NamedColumn(component.astype(np.int32), names=ledger.components),
    }


def _methods(ledger: Ledger, method: I64) -> Columns:
    """Return the columns that identify methods. They are null for numbers below 0."""
    numbers, index = np.unique(method, return_inverse=True)
    used = [ledger.methods.methods[number] if number >= 0 else None for number in numbers.tolist()]
    no_method = method < 0
    columns: Columns = {}
    for name, field in _METHOD_FIELDS.items():
        values = [None if entry is None else getattr(entry, field) for entry in used]
        if name == "line":
            lines = np.array([value or 0 for value in values], np.int64)
            columns[name] = FigureColumn(lines[index], np.array([value is None for value in values], bool)[index])
        else:
            is_null = np.array([value is None for value in values], bool)[index] if name == "file" else no_method
            columns[name] = _named(tuple(value or "" for value in values), index, is_null)
    return columns


def _named(values: tuple[str, ...], index: NDArray[Any], is_null: Bool) -> NamedColumn:
    """Return the column whose row i has `values[index[i]]`, with each name once."""
    codes: dict[str, int] = {}
    by_value = np.array([codes.setdefault(value, len(codes)) for value in values], np.int32)
    return NamedColumn(by_value[index] if len(by_value) else np.zeros(len(index), np.int32), is_null, tuple(codes))
