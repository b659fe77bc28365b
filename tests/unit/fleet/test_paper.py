"""The paper's method, compared with a plain loop over pairs of a small simulated fleet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from support.open_fleet import fleet_of

from navitas.fleet.files import read_table
from navitas.fleet.paper import paper_findings, paper_sums
from navitas.fleet.paper.paper_sums import Apriori, rates_of
from navitas.fleet.regression.pairs import PAIR_COLUMNS, ordered, pairs_of, samples_in
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet
from navitas.fleet.store import Store


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    store = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=3, salt="s")
    simulate(store, FleetModel(clients=12, samples=3000, apps=90, hog_share=0.1), seed=8)
    fleet = fleet_of(store)
    paper_sums.bring_up_to_date(fleet)
    return fleet


def level_steps(fleet: Fleet) -> dict[int, int]:
    """The smallest change of each client's level in any month, where it changed."""
    tables = [read_table(job.file("clients"), ["client", "step_ppm"]).to_pylist() for job in fleet.jobs]
    found: dict[int, int] = {}
    for row in (row for table in tables for row in table if row["step_ppm"]):
        found[row["client"]] = min(row["step_ppm"], found.get(row["client"], row["step_ppm"]))
    return found


def rates(fleet: Fleet) -> Iterator[tuple[int, set[int], float]]:
    """Each pair's client, apps at either end, and rate in ppm/s."""
    apriori = Apriori.read(*(fleet.store.work / "paper").glob("apriori-*.parquet"))
    steps = level_steps(fleet)
    number = fleet.packages["app_id"].to_pylist()
    parts = [part for own in fleet.store.parts().values() for part in own]
    table = ordered(pa.concat_tables(read_table(part, [*PAIR_COLUMNS, "apps"]) for part in parts))
    samples = samples_in(table)
    pairs, step = pairs_of(samples), np.array([steps.get(client, 0) for client in samples.client.tolist()])
    rate = rates_of(pairs.drop_ppm, np.maximum(pairs.seconds, 1), step, apriori) * 0.001
    apps = [{number[package] for package in row} for row in table["apps"].to_pylist()]
    for i in np.flatnonzero(pairs.counts & (step > 0)).tolist():
        yield int(samples.client[i]), apps[i - 1] | apps[i], float(rate[i])


def distance(own: list[float], others: list[float]) -> float:
    """d′ with SciPy's standard errors of means."""
    return float(np.mean(own) - np.mean(others) - 1.96 * (stats.sem(own) + stats.sem(others)))


def test_hogs_and_bugs_are_those_of_a_plain_loop(fleet: Fleet) -> None:
    hogs = paper_findings.find_hogs(fleet)
    bugs = paper_findings.find_bugs(fleet, hogs)
    observed = list(rates(fleet))
    for i, app in enumerate(hogs.app.tolist()):
        own, others = ([rate for _, apps, rate in observed if (app in apps) == inside] for inside in (True, False))
        assert hogs.pairs[i] == len(own)
        if min(len(own), len(others)) > 1:
            assert hogs.distance[i] == pytest.approx(distance(own, others), abs=1e-6)
            assert hogs.rate[i] - hogs.others[i] == pytest.approx(hogs.d[i])
    assert 0 < hogs.is_found.sum() < len(hogs.app)
    found = dict(zip(zip(bugs.client.tolist(), bugs.app.tolist(), strict=True), bugs.distance.tolist(), strict=True))
    of: dict[tuple[int, int], list[float]] = defaultdict(list)
    of_app: dict[int, list[float]] = defaultdict(list)
    for client, apps, rate in observed:
        for app in apps - set(hogs.app[hogs.is_found].tolist()):
            of[client, app].append(rate)
            of_app[app].append(rate)
    expected = {}
    for (client, app), own in of.items():
        others = [rate for one, apps, rate in observed if one != client and app in apps]
        if min(len(own), len(others)) > 1 and (least := distance(own, others)) > 0:
            expected[client, app] = least
    assert len(expected) > 3
    assert found == pytest.approx(expected, abs=1e-6)
    assert np.all(np.diff(bugs.distance) <= 0)


def test_finished_sums_are_not_computed_again(fleet: Fleet) -> None:
    updates: list[tuple[int, int]] = []
    paper_sums.bring_up_to_date(replace(fleet, progress=lambda done, total: updates.append((done, total))))
    assert updates == []
    fleet.jobs[0].file("paper").unlink()
    paper_sums.bring_up_to_date(replace(fleet, progress=lambda done, total: updates.append((done, total))))
    assert updates == [(1, 1)]
