"""Rankings, block costs, budgets, differences and advice, by hand-computed figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.counted_files import COSTS, CountedFiles, census_document, joined, model_of

from navitas.base.errors import UsageError
from navitas.insight.operations.budgets import budgets
from navitas.insight.operations.build_difference import changed_operations
from navitas.insight.operations.code_advice import BlockLoops, code_advice
from navitas.insight.operations.rankings import class_shares, costed_blocks, operation_costs, other_features, ranking
from navitas.insight.operations.regress.model_file import Product

TOTAL_J = 12 * 1e-9 + 600 * 5e-9 + 200 * 4e-8 + 204 * 2e-9
"""Energy of one run of the test, without garbage collections."""


def test_the_ranking_has_all_energy_once(counted: CountedFiles) -> None:
    program, tests = joined(counted)
    ranked = ranking(program, program.executions(tests[0]), COSTS)
    assert [one.name for one in ranked] == ["GC", "Integer.valueOf", "Multi_float_float", "Block Goto_for", "Addition_int_int"]
    assert sum(one.energy_j for one in ranked) == pytest.approx(TOTAL_J + 1e-3)
    assert ranked[-1].cumulative == pytest.approx(1.0) and ranked[0].kind == "Library"
    shares = class_shares(ranked)
    assert sum(one.share for one in shares) == pytest.approx(1.0) and len(shares) == 8
    assert {one.kind: one.operations for one in shares if one.operations} == {"Library": 2, "Arithmetic": 2, "Control": 1}


def test_blocks_have_their_energy_and_that_of_3000_executions(counted: CountedFiles) -> None:
    program, tests = joined(counted)
    blocks = costed_blocks(program, tests[0].by_method(), COSTS)
    body = blocks[0]
    assert (body.number, body.block.lines, body.executions) == (2, (12, 13), 200)
    assert body.each_j == pytest.approx(3 * 5e-9 + 4e-8) and body.fixed_j == pytest.approx(3000 * body.each_j)
    assert sum(one.energy_j for one in blocks) == pytest.approx(TOTAL_J)
    assert body.classes == pytest.approx({"Arithmetic": 15 / 55, "Library": 40 / 55})


def test_equal_runs_are_a_budget_and_the_same_to_the_last_bit(tmp_path: Path) -> None:
    program, tests = joined(CountedFiles(tmp_path / "two", [(4, 200), (4, 200)]))
    (found,) = budgets(program, tests, model_of(COSTS))
    assert found.is_budget and not found.differing
    assert found.energy_j == pytest.approx(1 + TOTAL_J)  # with the model's idle energy
    other, again = joined(CountedFiles(tmp_path / "three", [(4, 200)] * 3))
    (alike,) = budgets(other, again, model_of(COSTS))
    assert set(alike.runs_j) == set(found.runs_j) == {found.energy_j}


def test_jitter_is_no_budget_and_is_named(tmp_path: Path) -> None:
    program, tests = joined(CountedFiles(tmp_path, [(4, 200), (4, 203)]))
    (found,) = budgets(program, tests, model_of(COSTS))
    assert found.is_deterministic is False and not found.is_budget
    assert [(one.method, one.executions) for one in found.differing] == [("a.Main.run()V", (412, 418))]


def test_one_run_does_not_show_jitter(tmp_path: Path) -> None:
    program, tests = joined(CountedFiles(tmp_path, [(4, 200)]))
    (found,) = budgets(program, tests, model_of(COSTS))
    assert found.is_deterministic is None and not found.is_budget


def test_operations_that_the_model_lacks_are_extrapolation(counted: CountedFiles) -> None:
    program, tests = joined(counted)
    costs = {name: value for name, value in COSTS.items() if name != "Integer.valueOf"}
    (found,) = budgets(program, tests, model_of(costs))
    assert found.extrapolated


def test_a_difference_names_operations_lines_and_joules(tmp_path: Path) -> None:
    old = CountedFiles(tmp_path / "old", [(4, 200)])
    new = CountedFiles(tmp_path / "new", [(4, 200)])
    document = census_document()
    blocks = document["classes"][0]["methods"][0]["blocks"]
    blocks[2]["operations"] = [[1, 3]]  # no boxing
    blocks[3]["operations"] = [[0, 6]]
    new.census.write_text(json.dumps(document))
    (before, (was,)), (after, (now,)) = joined(old), joined(new)
    changes = changed_operations((before, was.by_method()), (after, now.by_method()), COSTS)
    figures = [(one.operation, one.block and one.block.lines, one.before, one.after) for one in changes]
    assert figures == [("Integer.valueOf", (12, 13), 200, 0), ("Addition_int_int", (14, 14), 12, 32)]
    assert [one.difference_j for one in changes] == pytest.approx([-200 * 4e-8, 20 * 1e-9])
    assert sum(one.difference_j for one in changes) == pytest.approx(
        sum(float(p.executions(t) @ p.costs_j(COSTS)) * sign for p, t, sign in ((after, now, 1), (before, was, -1)))
    )


def test_advice_on_boxing_has_the_saving_of_all_but_one_pass(counted: CountedFiles) -> None:
    program, tests = joined(counted)
    (found,) = code_advice(program, tests[0].by_method(), COSTS)
    assert (found.rule.id, found.block.lines, found.avoided) == ("boxing-in-loop", (12, 13), 196)
    assert found.saving_j == pytest.approx(196 * 4e-8)
    assert "200 times" in found.message and "Integer.valueOf" in found.message


def test_products_of_operations_have_no_single_cost() -> None:
    model = model_of(COSTS)
    assert operation_costs(model, "m") == COSTS
    assert operation_costs(model.model_copy(update={"products": []}), "m") == dict.fromkeys(COSTS, 0.0)
    assert other_features(model, ["GC"]) == sorted(set(COSTS) - {"GC"})
    pairs = model.model_copy(update={"products": [Product(features=[0, 1], coefficient=1.0)]})
    with pytest.raises(UsageError, match="pairs of operations"):
        operation_costs(pairs, "m")


def test_loops_are_found_with_what_leads_into_them() -> None:
    # 0 → 1 ⇄ 2 ⇄ 3, 1 → 4, 5 → 5
    loops = BlockLoops.of([[1], [2, 4], [1, 3], [2], [], [5]])
    assert set(loops.loop) == {1, 2, 3, 5}
    assert loops.loop[1] == loops.loop[2] == loops.loop[3] != loops.loop[5]
    assert loops.entries(3, [7, 50, 60, 20, 7, 3], calls=7) == 7
    assert loops.entries(5, [7, 50, 60, 20, 7, 3], calls=7) == 0
    start = BlockLoops.of([[0, 1], []])
    assert start.entries(0, [9, 1], calls=1) == 1
    assert np.isclose(TOTAL_J, 1.142e-5)


def test_what_has_no_cost_is_listed_without_one(tmp_path: Path) -> None:
    old, new = CountedFiles(tmp_path / "old", [(4, 200)]), CountedFiles(tmp_path / "new", [(4, 300)])
    costs = {"Integer.valueOf": 4e-8, "Multi_float_float": 0.0}
    (before, (was,)), (after, (now,)) = joined(old), joined(new)
    changes = changed_operations((before, was.by_method()), (after, now.by_method()), costs)
    found = [(one.operation, one.difference_j is None) for one in changes]
    assert found == [("Integer.valueOf", False), ("Block Goto_for", True)]
    ranked = {one.name: one.has_cost for one in ranking(before, before.executions(was), costs)}
    assert ranked["Integer.valueOf"] and ranked["Multi_float_float"] and not ranked["Block Goto_for"]
