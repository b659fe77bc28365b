"""J-scores: a client's percentile of battery life in use, among clients of its model (paper 5, section 3.1.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.engine.base import statement
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64

MIN_USE_S = 2 * 3600
"""Shorter use has no score."""
MIN_PEERS = 20
"""Smallest peer group. With fewer clients of a model, the peers are the clients of all models."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Clients by number: the percentage of peers with a shorter battery life in use, and the drains in ppm per second.

    `peers` is the number of other clients in the comparison. `score` is NaN without peers, and for clients with less than two
    hours of use.
    """

    client: I64
    model: list[str | None]
    os: list[str | None]
    samples: I64
    step_ppm: I64
    seconds: F64
    active_rate: F64
    rate: F64
    score: F64
    peers: I64


def score_clients(fleet: Fleet) -> Scores:
    """Score all clients. Idle time (the screen off at both ends of a pair) is left out."""
    table = fleet.query_clients(statement("scores")).sort_by("client")
    active_s, active, seconds, drop = (table[name].to_numpy() for name in ("active_s", "active_ppm", "seconds", "drop_ppm"))
    with np.errstate(divide="ignore", invalid="ignore"):
        active_rate, rate = active / active_s, drop / seconds
    scored = np.flatnonzero(active_s >= MIN_USE_S)
    model = table["model"].combine_chunks().fill_null("").dictionary_encode()
    group = model.indices.to_numpy()[scored]
    known = np.array([name.as_py() != "" for name in model.dictionary], bool)
    many = (np.bincount(group, minlength=len(known)) >= MIN_PEERS) & known
    score, peers = np.full(len(active_s), np.nan), np.zeros(len(active_s), np.int64)
    for chosen in (np.flatnonzero(group == number) for number in np.flatnonzero(many)):
        rates = active_rate[scored[chosen]]
        score[scored[chosen]], peers[scored[chosen]] = _among(rates, np.sort(rates)), len(chosen) - 1
    few = scored[~many[group]]
    score[few], peers[few] = _among(active_rate[few], np.sort(active_rate[scored])), len(scored) - 1
    return Scores(
        client=table["client"].to_numpy(),
        model=table["model"].to_pylist(),
        os=table["os"].to_pylist(),
        samples=table["samples"].to_numpy(),
        step_ppm=table["step_ppm"].to_numpy().astype(np.int64),
        seconds=seconds,
        active_rate=active_rate,
        rate=rate,
        score=score,
        peers=peers,
    )


def _among(rate: F64, all_rates: F64) -> F64:
    """The percentage of others that drain faster, ties counted half. NaN without others."""
    not_worse = np.searchsorted(all_rates, rate, side="right")
    alike = not_worse - np.searchsorted(all_rates, rate) - 1
    others = len(all_rates) - 1 or np.nan
    return np.asarray(100.0 * (len(all_rates) - not_worse + alike / 2) / others, np.float64)
