"""A fleet's folder written by a newer version of Navitas."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from navitas.fleet.files import FleetError, read_table
from navitas.fleet.schema import SAMPLES
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store, read_samples


def test_unknown_columns_and_settings_are_kept(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    simulate(store, FleetModel(clients=20, samples=2_000, apps=100), seed=1)
    file = next(file for files in store.parts().values() for file in files)
    before = read_samples(file, SAMPLES.names, store.buckets)
    table = read_table(file)
    pq.write_table(table.append_column("colour", pa.array([0.5] * table.num_rows)), file)
    settings = store.path / "fleet.json"
    newer = json.loads(settings.read_text()) | {"region": "eu"}
    settings.write_text(json.dumps(newer))
    assert Store.create(store.path) == Store.open(store.path) == store
    assert read_samples(file, SAMPLES.names, store.buckets).equals(before)
    assert "colour" in pq.read_schema(file).names and json.loads(settings.read_text()) == newer


@pytest.mark.parametrize(
    ("number", "fault", "remedy"),
    [(99, "is newer", "Update"), (0, "is none that navitas writes", "Restore"), (-5, "is none that navitas writes", "Restore")],
)
def test_another_format_is_refused_with_a_remedy(number: int, fault: str, remedy: str, tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    settings = store.path / "fleet.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"format": number}))
    with pytest.raises(FleetError, match=f"{settings}: format {number} {fault}") as caught:
        Store.open(store.path)
    assert remedy in caught.value.remedy
