"""`MethodRecords` is a sequence that creates its records on each read."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from navitas.energy.analyze.records import BLOCK_ROWS, MethodEnergy, MethodRecords
from navitas.energy.analyze.records_of_tests import RowBlocks


def _energy(number: int) -> MethodEnergy:
    return MethodEnergy(number, 1, 0, 0, 2.0, 1.0, 3, 2, 1)


def test_records_are_created_on_each_read() -> None:
    made: list[int] = []

    def read(low: int, high: int) -> list[tuple[object, ...]]:
        made.extend(range(low, high))
        return list(zip(*map(astuple, map(_energy, range(low, high))), strict=True))

    records = MethodRecords(5, read)
    assert len(records) == 5 and records and made == []
    assert records[1] == _energy(1) and records[-1] == _energy(4) and made == [1, 4]
    assert records[1:4:2] == [_energy(1), _energy(3)]
    assert records == list(map(_energy, range(5))) and repr(records) == repr(list(map(_energy, range(5))))
    with pytest.raises(IndexError):
        records[5]
    made.clear()
    assert records[:2] == [_energy(0), _energy(1)] and made == [0, 1]
    made.clear()
    assert records[-2:] == [_energy(3), _energy(4)] and made == [3, 4]
    assert records[3:0:-2] == [_energy(3), _energy(1)] and records[::-1] == list(map(_energy, range(4, -1, -1)))
    assert records[4:2] == records[5:] == []
    made.clear()
    assert [each.method for each in records] == [each.method for each in records] == list(range(5)) and len(made) == 10
    assert not MethodRecords(0, read) and not MethodRecords.none() and list(MethodRecords.none()) == []


def test_only_rows_that_are_read_in_order_are_read_ahead() -> None:
    reads: list[tuple[int, int]] = []

    def read(rows: slice) -> list[range]:
        reads.append((rows.start, rows.stop))
        return [range(rows.start, rows.stop)]

    blocks = RowBlocks(10 * BLOCK_ROWS, read)
    for row in (50_000, 7, 30_000):
        assert list(blocks.rows(row, row + 1)) == [(row,)]
    assert reads == [(50_000, 50_001), (7, 8), (30_000, 30_001)]
    reads.clear()
    for row in range(30_001, 30_100):
        assert list(blocks.rows(row, row + 1)) == [(row,)]
    assert reads == [(30_001, 30_001 + BLOCK_ROWS)]
