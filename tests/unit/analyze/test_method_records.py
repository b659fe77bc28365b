"""`MethodRecords` is a sequence that creates its records on each read."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from navitas.analyze.records import MethodEnergy, MethodRecords


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
