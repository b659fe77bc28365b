"""Power over time: of one component or all, of all owners or of the threads of one name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from attribution_maker import MODEL, manifest, parsed, run, thread
from lamp import BASE_W, BOTH, THREAD_W, lit_runs, profile_with

from navitas.base.errors import UsageError
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.run_rows import OWN_ROWS

SECOND_NS = 1_000_000_000


def one_run(threads: int, name: str = "main") -> Profile:
    """Return the profile of a run of one second with busy threads. The first thread has a lamp."""
    own = [thread(serial, samples=[(0, 0), (1000, 100)], name=name.replace("#", str(serial))) for serial in range(1, threads + 1)]
    return profile_with([run(own, [(0, 1000)])], BOTH)


def test_without_a_component_all_are_summed() -> None:
    profile = one_run(1)
    whole = profile.timeline(step_ns=SECOND_NS // 10)
    single = [profile.timeline(component, step_ns=SECOND_NS // 10).energy_j for component in profile.components]
    assert whole.energy_j == pytest.approx(np.sum(single, axis=0), rel=1e-12)
    assert whole.energy_j.sum() == pytest.approx(profile.totals.energy_j, rel=1e-9)
    assert profile.timeline("lamp").power_w == pytest.approx([BASE_W + THREAD_W] * 10)


def test_the_name_of_a_group_selects_all_its_threads() -> None:
    count = OWN_ROWS + 6
    profile = one_run(count, "pool-#")
    assert "pool-#" in profile.ledger.owners.name
    found = profile.timeline("cpu", thread="pool-#").energy_j.sum()
    alone = profile.timeline("cpu", thread="pool-1").energy_j.sum()
    assert found == pytest.approx(sum(each.energy_j for each in profile.thread_totals()) - THREAD_W, rel=1e-9)
    assert found == pytest.approx(count * alone, rel=1e-9)


def test_a_stem_selects_threads_only_if_they_are_grouped() -> None:
    with pytest.raises(UsageError, match="no thread 'pool-#'"):
        one_run(2, "pool-#").timeline(thread="pool-#")


def test_a_run_is_selected_by_its_id() -> None:
    made = profile_with(lit_runs(2))
    first, second = made.ledger.runs
    renumbered = Profile(replace(made.ledger, runs=(replace(first, id=7), replace(second, id=0))), made.about)
    for run_id, entry in ((7, first), (0, second), (None, first)):
        edges_ns = renumbered.timeline(run=run_id).edges_ns
        assert (edges_ns[0], edges_ns[-1]) == (entry.start_ns, entry.end_ns)
    with pytest.raises(UsageError, match="no run 1"):
        renumbered.timeline(run=1)
    with pytest.raises(UsageError, match="no run in this recording"):
        Profile(build_ledger(parsed(methods=0), manifest(0), MODEL), made.about).timeline()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"component": "screen"}, "no component 'screen'"),
        ({"run": 1}, "no run 1"),
        ({"step_ns": 0}, "step_ns must be positive"),
        ({"thread": "none"}, "no thread 'none'"),
    ],
)
def test_errors_name_the_wrong_argument(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        one_run(1).timeline(**wrong)  # type: ignore[arg-type]
