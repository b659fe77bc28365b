"""The experiment on all components (`make components`), small: one seed, one way of recording."""

from __future__ import annotations

import pytest
from support.no_progress import NoProgress
from traffic.plan import NETWORK, WRITES
from traffic.runs import BOTH, Workload, run_seed
from traffic.scores import RunScore
from traffic.tables import bytes_table, cost_table, energy_table, targets_table

pytestmark = pytest.mark.extended


@pytest.fixture(scope="module")
def score(gradle: str, tmp_path_factory: pytest.TempPathFactory) -> RunScore:
    folder = tmp_path_factory.mktemp("experiment")
    workload = Workload(folder, NoProgress(), gradle)
    (found,) = run_seed(workload, 1, [BOTH], folder, NoProgress(), scale=0.1, calls=False)
    return found


def test_hooks_count_the_bytes_of_the_servers_log_and_of_the_files(score: RunScore) -> None:
    assert {each.method: each.hooked for each in score.bytes} == {each.method: each.payload for each in score.bytes}
    assert {each.method for each in score.bytes} == {*NETWORK, *WRITES}


def test_every_method_that_moved_bytes_has_energy(score: RunScore) -> None:
    reported = {each.method: each.reported_j for each in score.energy.joules if each.evidence == "rails"}
    if not any(total.true_j and total.test_rails_j for total in score.energy.totals if total.component == "wifi"):
        pytest.skip("this host does not count the virtual phone's network traffic")
    assert set(reported) == {*NETWORK, *WRITES}
    assert min(reported.values()) > 0


def test_a_component_with_rails_has_their_energy(score: RunScore) -> None:
    totals = {total.component: total for total in score.energy.totals if total.evidence == "rails"}
    assert set(totals) == {"wifi", "storage"}
    for total in totals.values():
        assert total.level == "rails" and total.rails_j
        assert total.reported_j >= total.rails_j * (1 - 1e-9)


def test_the_tables_have_a_row_for_the_recording(score: RunScore) -> None:
    for table in (bytes_table([score]), energy_table([score.energy]), cost_table([score])):
        assert BOTH.name in [str(cell) for cell in table.columns[0].cells]
    targets, _ = targets_table([score])
    assert targets.row_count > 5
