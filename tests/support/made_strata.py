"""Strata of a made app: two versions, some networks, and the screen off or on, on clients with an OS and a model."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from navitas.fleet.diagnoses.conditions import ConditionStrata, Feature
from navitas.fleet.statistics import F64, I64


def made_strata(
    random: np.random.Generator,
    phones: list[tuple[str, str]],
    networks: tuple[str, ...],
    drain: Callable[[dict[str, list[str]], I64], F64],
    error: float,
) -> ConditionStrata:
    """Return the strata. `phones` are the OS and the model of each client; clients have the numbers from 1000 on.

    `drain` returns the drain of each row in ppm/s, by the row's values and its client. Each is measured with this `error`.
    """
    rows = [*product(range(len(phones)), ("1.9", "1.10"), networks, ("off", "on"))]
    texts = {
        "version": [row[1] for row in rows],
        "os": [phones[row[0]][0] for row in rows],
        "model": [phones[row[0]][1] for row in rows],
        "network": [row[2] for row in rows],
        "screen": [row[3] for row in rows],
    }
    client = np.array([row[0] for row in rows])
    w = random.uniform(3000, 9000, len(rows))
    true = drain(texts, client)
    s = w * (true + random.normal(0, error, len(rows)))
    features = {name: Feature.from_texts(column, np.arange(len(rows))) for name, column in texts.items()}
    clients, contrasted = np.arange(len(phones)) + 1000, np.ones(len(phones), bool)
    return ConditionStrata(clients, contrasted, client, s, w, np.square(error * w), 2 * w, 2 * w * (20 + true), features)
