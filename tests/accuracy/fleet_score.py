"""Compares the fleet's findings with simulated truth, over seeds and kinds of phones (docs/dev/fleet-simulator.md, "Accuracy").

`python tests/accuracy/fleet_score.py [--seeds N] [--clients N] [--samples N] [--keep FILE] [--write]`; exits with 1 if a
target is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import navitas.fleet  # noqa: F401  # isort: skip  # Before numpy, since it limits the threads of numpy's algebra.
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats
from world_score import kept, write_section

from navitas.fleet.diagnoses.advice import client_actions
from navitas.fleet.diagnoses.diagnosis import Values, diagnoses_of, suspects
from navitas.fleet.diagnoses.tree import TreeNode
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.findings.bugs import Bugs, find_bugs
from navitas.fleet.findings.hogs import Hogs, find_hogs
from navitas.fleet.findings.results import PERCENT_H
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.simulate.acting import act
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.statistics import F64, Bool, life_gain_s
from navitas.fleet.store import Store

DOC = Path(__file__).resolve().parents[2] / "docs" / "dev" / "fleet-simulator.md"
_FROM, _TO = "<!-- tests/accuracy/fleet_score.py writes from here -->", "<!-- to here -->"
# Development used other seeds.
_SEED, _SEEDS = 5201, 10
KINDS = {"1 % steps": ((10_000, 1.0),), "5 % steps": ((50_000, 1.0),), "all kinds in one fleet": FleetModel().steps}
_LEAST_EXTRA, _ENOUGH_CLIENTS, _TOP = 0.1, 20, 100
_PAGES = 40
"""The number of clients whose pages are checked, only in fleets of all kinds of phones. Each needs two statements."""


@dataclass(frozen=True, slots=True)
class Found:
    """Counts and sums of one fleet. They add up over seeds."""

    hogs: float = 0
    false_hogs: float = 0
    large: float = 0
    large_found: float = 0
    covered: float = 0
    judged: float = 0
    true_found: float = 0
    true_true: float = 0
    bugs: float = 0
    true_bugs: float = 0
    all_bugs: float = 0
    top: float = 0
    top_true: float = 0
    gain_gained: float = 0
    gain_gain: float = 0
    page_gained: float = 0
    page_page: float = 0
    late_hogs: float = 0
    late_named: float = 0
    buggy: float = 0
    buggy_named: float = 0
    conditions: float = 0
    conditions_true: float = 0

    def __add__(self, other: Found) -> Found:
        return Found(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


def main(argv: Sequence[str]) -> int:
    """Simulate fleets, find hogs and bugs, and compare them with the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=_SEEDS, metavar="N", help="fleets of each kind (%(default)s)")
    parser.add_argument("--first", type=int, default=_SEED, metavar="N", help="the first seed (%(default)s)")
    parser.add_argument("--clients", type=int, default=5_000)
    parser.add_argument("--samples", type=int, default=1_200_000)
    parser.add_argument("--keep", type=Path, help="reuse the results in this file, and add new ones")
    parser.add_argument("--write", action="store_true", help="write the table to docs/dev/fleet-simulator.md")
    options = parser.parse_args(argv)
    total = {kind: Found() for kind in KINDS}
    for seed in range(options.first, options.first + options.seeds):
        for kind, steps in KINDS.items():
            model = FleetModel(clients=options.clients, samples=options.samples, steps=steps)
            key = f"{kind}, seed {seed}, {model.clients} clients, {model.samples} samples"
            total[kind] += kept(options.keep, key, Found, partial(_one, model, seed))
    lines = [*_HEAD, *(_row(f"{kind}, {options.seeds} seeds", found) for kind, found in total.items())]
    missed = [f"{kind}: {name}" for kind, found in total.items() for name, good in _targets(found).items() if not good]
    print("\n".join([*lines, f"missed: {', '.join(missed)}" if missed else "every target is met"]))
    if options.write:
        write_section(DOC, _FROM, _TO, lines)
    return int(bool(missed))


def _one(model: FleetModel, seed: int) -> Found:
    with tempfile.TemporaryDirectory(prefix="navitas-fleet-") as folder:
        store = Store.create(Path(folder) / "store", buckets=8, salt=f"simulated-{seed}")
        simulate(store, model, seed=seed)
        with closing(DuckDbEngine(store.work / "spill")) as engine:
            fleet = bring_up_to_date(store, engine)
            hogs = find_hogs(fleet)
            bugs = find_bugs(fleet, hogs)
            names = fleet.app_names
            app = np.array([names[number] for number in hogs.app.tolist()])
            found = _hogs(store, hogs, app) + _bugs(store, bugs, names) + _conditions(fleet, hogs, bugs)
            return found + _advice(fleet, hogs, bugs, pages=len(model.steps) > 1)


def _hogs(store: Store, hogs: Hogs, app: np.ndarray) -> Found:
    truth = {row["app"] for row in _truth(store, "apps") if row["is_hog"]}
    is_hog = np.array([name in truth for name in app])
    true = _effects(store, app)
    many = is_hog & (hogs.alone.clients >= _ENOUGH_CLIENTS) & np.isfinite(hogs.effect.value)
    large = many & (true >= _LEAST_EXTRA * hogs.usual_ppm_s)
    low, high = (life_gain_s(hogs.rate, less) for less in (hogs.effect.low, hogs.effect.high))
    gain = life_gain_s(hogs.rate, true)
    inside = (gain >= low) & ((gain <= high) | ~np.isfinite(high))
    return Found(
        hogs=_count(hogs.is_hog),
        false_hogs=_count(hogs.is_hog & ~is_hog),
        large=_count(large),
        large_found=_count(large & hogs.is_hog),
        covered=_count(inside[many]),
        judged=_count(many),
        true_found=float(np.sum(true[many] * hogs.effect.value[many])),
        true_true=float(np.sum(true[many] ** 2)),
    )


def _effects(store: Store, app: np.ndarray) -> F64:
    """Each app's mean extra drain over its clients, weighted by the share of time with the app times the share without it."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in _truth(store, "effects"):
        if not row["is_bug"] and row["mean_ppm_s"] is not None:
            weight = row["run_share"] * (1 - row["run_share"])
            sums[row["app"]][0] += weight * row["mean_ppm_s"]
            sums[row["app"]][1] += weight
    return np.array([sums[name][0] / sums[name][1] if sums[name][1] else 0.0 for name in app])


def _bugs(store: Store, bugs: Bugs, names: dict[int, str]) -> Found:
    truth = {(row["client"], row["app"]) for row in _truth(store, "bugs")}
    true = np.array(
        [(who, names[what]) in truth for who, what in zip(bugs.client.tolist(), bugs.app.tolist(), strict=True)], bool
    )
    top = true[:_TOP]
    return Found(bugs=len(true), true_bugs=_count(true), all_bugs=len(truth), top=len(top), top_true=_count(top))


def _conditions(fleet: Fleet, hogs: Hogs, bugs: Bugs) -> Found:
    """Count hogs with a first draining version and apps with conditional bugs, and the findings that name exactly these.

    Also count the conditions named for true hogs and apps with bugs, and those that are true.
    """
    names, truth = fleet.app_names, {row["app"]: row for row in _truth(fleet.store, "apps")}
    total = Found()
    for number, diagnosis in diagnoses_of(fleet, hogs, bugs, suspects(hogs, bugs)).found.items():
        row = truth[names[number]]
        feature, _, value = ("version", "", row["since_version"]) if row["is_hog"] else row["condition"].partition("=")
        true, named = (feature if value else "", value), [_named(one.node, diagnosis.values) for one in diagnosis.findings]
        met = any(true in conditions for conditions in named)
        late, buggy = bool(row["is_hog"] and value), bool(row["has_bugs"] and value)
        kept = [condition for conditions in named for condition in conditions if row["is_hog"] or row["has_bugs"]]
        total += Found(
            late_hogs=late,
            late_named=late and met,
            buggy=buggy,
            buggy_named=buggy and met,
            conditions=len(kept),
            conditions_true=sum(condition == true for condition in kept),
        )
    return total


def _named(node: TreeNode, values: Values) -> list[tuple[str, str]]:
    """The value of each feature that meets a leaf's conditions: its only value, or the first version."""
    pairs = []
    for feature in {condition.feature for condition in node.conditions}:
        admitted = [value for value in values[feature] if node.admits(feature, value)]
        if feature == "version" and admitted == values[feature][-len(admitted) :]:
            pairs.append((feature, admitted[0]))
        else:
            pairs.append((feature, admitted[0] if len(admitted) == 1 else "|".join(admitted)))
    return pairs


def _advice(fleet: Fleet, hogs: Hogs, bugs: Bugs, *, pages: bool) -> Found:
    """Advise clients to stop their hogs, and compare their gain over the control group with the prediction."""
    store, names, scores = fleet.store, fleet.app_names, score_clients(fleet)
    effect = dict(zip(hogs.app[hogs.is_hog].tolist(), hogs.effect.value[hogs.is_hog].tolist(), strict=True))
    whole = dict(zip(scores.client.tolist(), scores.seconds.tolist(), strict=True))
    less: dict[tuple[int, str], float] = {}
    runs = fleet.query_clients("SELECT client, app, ran_s FROM contrast")
    for row in runs.filter(pa.array(np.isin(runs["app"].to_numpy(), list(effect)))).to_pylist():
        less[row["client"], names[row["app"]]] = effect[row["app"]] * row["ran_s"] / whole[row["client"]]
    # Computed before the second period, because the advice cannot use its samples.
    page = _pages(fleet, hogs, bugs, {who for who, _ in less}) if pages else {}
    act(store, pa.table({"client": [who for who, _ in less], "app": [what for _, what in less]}))
    followed = {(row["client"], row["app"]) for row in _truth(store, "advice") if row["followed"]}
    acted = [row for row in _truth(store, "acted") if row["after_ppm_s"] and row["before_ppm_s"]]
    drift = float(np.mean([row["after_ppm_s"] / row["before_ppm_s"] for row in acted if row["group"] == "control"]))
    # In drain instead of hours: otherwise a client with almost no drain would outweigh all others.
    gained = {row["client"]: row["before_ppm_s"] - row["after_ppm_s"] / drift for row in acted}
    of_all, of_page = (_by_client(values, followed, gained) for values in (less, page))
    return Found(
        gain_gained=sum(value * gained[who] for who, value in of_all.items()),
        gain_gain=sum(value**2 for value in of_all.values()),
        page_gained=sum(value * gained[who] for who, value in of_page.items()),
        page_page=sum(value**2 for value in of_page.values()),
    )


def _pages(fleet: Fleet, hogs: Hogs, bugs: Bugs, advised_clients: set[int]) -> dict[tuple[int, str], float]:
    """The savings that the pages of some advised clients promise for killing each app, in ppm/s."""
    advised = sorted({row["client"] for row in _truth(fleet.store, "clients") if row["group"] == "advised"} & advised_clients)
    sampled = advised[:: max(len(advised) // _PAGES, 1)]
    diagnoses = diagnoses_of(fleet, hogs, bugs, suspects(hogs, bugs), clients=sampled)
    return {
        (client, action.app): action.share_percent / 100 * action.extra_percent_h / PERCENT_H
        for client in sampled
        for action in client_actions(fleet, hogs, bugs, diagnoses, client)
        if action.action == "kill" and action.extra_percent_h is not None
    }


def _by_client(values: dict[tuple[int, str], float], followed: set[tuple[int, str]], known: dict[int, float]) -> dict[int, float]:
    """The predicted savings of the advice that each client followed."""
    total: dict[int, float] = defaultdict(float)
    for (who, what), value in values.items():
        if (who, what) in followed and who in known:
            total[who] += value
    return total


_HEAD = (
    "| phones | hogs found, false (upper bound of the rate) | recall of hogs ≥ 10 %, ≥ 20 clients | effect: slope "
    "| gains covered | bugs: top 100 true | all true, recall | advice: gained per predicted "
    "| the client's page: gained per promised | conditions named: versions of hogs, of bugs | named ones that are true |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)


def _row(kind: str, found: Found) -> str:
    bound = stats.beta.ppf(0.95, found.false_hogs + 1, max(found.hogs - found.false_hogs, 1))
    cells = (
        kind,
        f"{found.hogs:.0f}, {found.false_hogs:.0f} ({bound:.1%})",
        f"{found.large_found / found.large:.1%} of {found.large:.0f}",
        f"{found.true_found / found.true_true:.3f}",
        f"{found.covered / found.judged:.1%}",
        f"{found.top_true / found.top:.1%}",
        f"{found.true_bugs / found.bugs:.1%}, {found.true_bugs / found.all_bugs:.1%}",
        f"{found.gain_gained / found.gain_gain:.3f}",
        f"{found.page_gained / found.page_page:.3f}" if found.page_page else "",
        f"{found.late_named:.0f} of {found.late_hogs:.0f}, {found.buggy_named:.0f} of {found.buggy:.0f}",
        f"{found.conditions_true:.0f} of {found.conditions:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _targets(found: Found) -> dict[str, bool]:
    return {
        "recall": found.large_found >= 0.95 * found.large,
        "false discoveries": found.false_hogs <= 0.05 * found.hogs,
        "slope": 0.9 <= found.true_found / found.true_true <= 1.1,
        "coverage": 0.93 <= found.covered / found.judged <= 0.97,
        "bugs": found.top_true >= 0.8 * found.top,
        "advice": 0.9 <= found.gain_gained / found.gain_gain <= 1.1,
        "the client's page": 0.9 * found.page_page <= found.page_gained <= 1.1 * found.page_page,
    }


def _truth(store: Store, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(store.path / "truth" / f"{name}.parquet").to_pylist()
    return rows


def _count(chosen: Bool) -> int:
    return int(np.count_nonzero(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
