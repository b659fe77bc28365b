"""J-scores, compared with SciPy's percentiles."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from navitas.fleet.findings.scores import MIN_PEERS, MIN_USE_S, score_clients
from navitas.fleet.stages import Fleet

models = st.sampled_from(["A", "A", "A", "B", None, None])
used_s = st.sampled_from([MIN_USE_S - 1, MIN_USE_S, 4 * MIN_USE_S])
clients = st.lists(st.tuples(models, used_s, st.integers(1, 9)), min_size=1, max_size=80)


class _StubFleet(Fleet):
    """Returns given rows as the result of the statement."""

    def query_clients(self, sql: str, extra: str = "", **tables: pa.Table) -> pa.Table:
        return self.packages


def table(rows: list[tuple[str | None, int, int]]) -> pa.Table:
    model, active_s, rate = zip(*rows, strict=True)
    return pa.table({
        "client": pa.array(range(len(rows)), pa.int64()), "model": pa.array(model, pa.string()),
        "os": pa.nulls(len(rows), pa.string()), "step_ppm": [10_000] * len(rows), "samples": [9] * len(rows),
        "active_s": [float(one) for one in active_s],
        "active_ppm": [float(drain * one) for drain, one in zip(rate, active_s, strict=True)],
        "seconds": [2.0 * one for one in active_s],
        "drop_ppm": [float(one) for one in active_s],
    })  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(clients)
def test_a_score_is_the_percentile_among_peers(rows: list[tuple[str | None, int, int]]) -> None:
    scores = score_clients(_StubFleet(None, None, (), table(rows)))  # type: ignore[arg-type]
    scored = [i for i, (_, active_s, _) in enumerate(rows) if active_s >= MIN_USE_S]
    for i, (model, _, rate) in enumerate(rows):
        if i not in scored:
            assert np.isnan(scores.score[i]) and scores.peers[i] == 0
            continue
        alike = [one for one in scored if rows[one][0] == model]
        peers = alike if model is not None and len(alike) >= MIN_PEERS else scored
        others = [rows[one][2] for one in peers if one != i]
        expected = 100 - stats.percentileofscore(others, rate, "mean") if others else np.nan
        assert scores.peers[i] == len(others)
        assert scores.score[i] == pytest.approx(expected, nan_ok=True)


def test_no_clients_have_no_scores() -> None:
    no_clients = table([("A", MIN_USE_S, 1)]).slice(0, 0)
    assert score_clients(_StubFleet(None, None, (), no_clients)).score.size == 0  # type: ignore[arg-type]
