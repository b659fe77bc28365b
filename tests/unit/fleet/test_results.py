"""Rows of results have figures within their ranges."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.findings.results import app_rows
from navitas.fleet.stages import Fleet


@pytest.mark.parametrize(
    ("share", "reliability", "percent", "part"),
    [(1 + 3e-16, 1 + 3e-16, 100.0, 1.0), (-1e-17, -1e-17, 0.0, 0.0), (0.5, 0.25, 50.0, 0.25), (np.nan, np.nan, None, None)],
)
def test_shares_of_evidence_stay_within_their_range(
    share: float, reliability: float, percent: float | None, part: float | None
) -> None:
    one, zero = np.ones(1, np.int64), np.zeros(1)
    hogs = SimpleNamespace(
        app=np.zeros(1, np.int64),
        effect=SimpleNamespace(value=zero, low=zero, high=zero),
        alone=SimpleNamespace(clients=one, contrasted=one, seconds=zero, effect=SimpleNamespace(value=zero)),
        claim=["clean"],
        evidence=SimpleNamespace(reliability=np.array([reliability]), screen_known=np.array([share])),
        given=SimpleNamespace(partner=-one, overlap=zero),
        excluded_ppm_s=zero,
    )
    (row,) = app_rows(cast("Fleet", SimpleNamespace(app_names={0: "org.a"})), cast("Hogs", hogs))
    assert (row.screen_known_percent, row.reliability) == (percent, part)
