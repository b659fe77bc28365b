"""E_processing and the savings of advice, compared with a simulated app whose modules' true energy is known."""

from __future__ import annotations

from math import fsum

import pytest
from processing_score import BUSY, ENTRIES, FAULTY, processing_errors, saving_error, simulated_graph
from truth.modules import MAIN, RECEIVER, SYNC, UPLOAD

from navitas.insight.graph.advice import RULES

SEEDS = (1, pytest.param(2, marks=pytest.mark.extended))


@pytest.mark.parametrize("seed", SEEDS)
def test_e_processing_is_within_3_percent_of_the_truth(seed: int) -> None:
    made = simulated_graph(BUSY, seed)
    errors = dict(processing_errors(made))
    assert set(errors) == set(ENTRIES) and max(map(abs, errors.values())) <= 0.03
    handed = {node.name: node.handed_j for node in made.graph.nodes}
    assert handed[SYNC] > 0.5 * made.modules_j[SYNC] and handed[UPLOAD] > 0 == handed[RECEIVER]
    assert fsum([*(node.energy_j for node in made.graph.nodes), made.graph.outside.energy_j]) == pytest.approx(
        made.graph.energy_j, rel=1e-9
    )
    counts = {(one.sender, one.receiver, one.kind.value): one.count for one in made.graph.edges}
    assert counts[MAIN, SYNC, "periodic"] == counts[SYNC, RECEIVER, "broadcast"] == counts[RECEIVER, UPLOAD, "normal"] == 12
    assert not made.graph.unmatched


def test_every_rule_has_a_simulated_fault() -> None:
    assert set(FAULTY) == {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", FAULTY)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_predicted_saving_is_within_20_percent_of_the_measured_one(rule: str, seed: int) -> None:
    """The rule is silent on the twin without the fault."""
    assert abs(saving_error(rule, seed)) <= 0.20
