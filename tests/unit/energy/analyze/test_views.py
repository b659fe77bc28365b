"""Top, timelines and energy call trees: what each figure is, and that each view adds up to the energy of the recording."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import nested, run, thread
from hardware_maker import CAMERA_ON, OTHER_UID, profile_of, rails, random_hardware_run, states
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_tables import changed

from navitas.base.errors import UsageError
from navitas.energy.analyze.energy_tree import EnergyTree
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.timeline import MOST_STEPS, round_step_ns

randoms = st.integers(0, 1 << 32).map(Random)


def photographed(**more: object) -> Profile:
    """Two threads. m1, called by m0 on the first, has a camera of 0.6 W from 250 to 450 ms. The screen is dark from 500 ms on."""
    caller = thread(1, nested((100, 900, 0), (200, 300, 1)), [(0, 0), (1000, 100)], name="main")
    other = thread(2, nested((100, 400, 2)), [(0, 0), (1000, 50)], name="worker")
    seen = states(("screen", 500, 1000), ("brightness", 0, 1000, 0), ("top", 500, 700, 1, OTHER_UID))
    return profile_of(changed(run([caller, other], [(0, 1000)]), hooks=CAMERA_ON, states=seen), **more)  # type: ignore[arg-type]


def close(found: object, wanted: object, whole_j: float) -> bool:
    return bool(np.all(np.abs(np.asarray(found) - np.asarray(wanted)) <= 1e-9 * abs(whole_j) + 1e-15))


def test_top_has_each_component_by_owner() -> None:
    found = photographed().top()
    by_name = {one.component: one for one in found.components}
    assert set(by_name) == {"cpu", "screen", "camera"}
    camera, screen = by_name["camera"], by_name["screen"]
    assert (camera.energy_j, camera.threads_j) == (pytest.approx(0.12), pytest.approx(0.12))
    assert (screen.energy_j, screen.other_processes_j) == (pytest.approx(0.07), pytest.approx(0.028))
    assert [one.energy_j for one in found.components] == sorted((one.energy_j for one in found.components), reverse=True)
    users = {user.kind: user for user in found.users}
    assert users["app"].name == "a" and users["app"].components[2] == pytest.approx(0.12)
    assert users["other_processes"].energy_j == pytest.approx(0.028)


def test_top_has_what_rails_measured_and_the_model_alone() -> None:
    caller = thread(1, nested((100, 900, 0)), [(0, 0), (1000, 100)])
    measured = rails([(0, (1.0,)), (1000, (1.24,))], ["VSYS_PWR_CAM"])
    tables = changed(run([caller]), hooks=CAMERA_ON, rails=measured)
    for use_rails, energy_j, level in ((True, 0.24, "rails"), (False, 0.12, "hooks")):
        camera = next(one for one in profile_of(tables, use_rails=use_rails).top().components if one.component == "camera")
        assert (camera.energy_j, camera.level) == (pytest.approx(energy_j), level)
        assert (camera.rails_j, camera.unscaled_j, camera.ratio) == (pytest.approx(0.24), pytest.approx(0.12), pytest.approx(2.0))


def test_timelines_have_the_power_of_each_component_when_it_flowed() -> None:
    found = photographed().timelines(step_ns=50_000_000)
    power_w = dict(zip(found.components, found.power_w.T, strict=True))
    assert power_w["camera"] == pytest.approx([0.0] * 5 + [0.6] * 4 + [0.0] * 11)
    assert power_w["screen"] == pytest.approx([0.0] * 10 + [0.14] * 10)
    assert photographed().timelines(["screen"], step_ns=50_000_000).components == ("screen",)


def test_a_charge_counts_at_its_call_in_the_timeline_of_a_thread() -> None:
    found = photographed().timelines(["camera"], step_ns=100_000_000, thread="main")
    assert found.energy_j[:, 0] == pytest.approx([0, 0, 0.12, 0, 0, 0, 0, 0, 0, 0])
    assert not photographed().timelines(["camera"], thread="worker").energy_j.any()


def test_the_last_step_can_be_shorter() -> None:
    found = photographed().timelines(["screen"], step_ns=300_000_000)
    assert np.diff(found.edges_ns).tolist() == [300_000_000] * 3 + [100_000_000]
    assert found.power_w[-1, 0] == pytest.approx(0.14)


@pytest.mark.parametrize(("span_ns", "steps", "wanted"), [(4_000, 40, 1_000), (10**9, 40, 50_000_000), (3 * 10**9, 40, 10**8)])
def test_without_a_step_a_round_one_is_chosen(span_ns: int, steps: int, wanted: int) -> None:
    assert round_step_ns(span_ns, steps) == wanted


@given(st.integers(0, 1 << 62), st.integers(1, 1 << 20))
def test_a_round_step_gives_few_enough_steps(span_ns: int, steps: int) -> None:
    step_ns = round_step_ns(span_ns, steps)
    assert span_ns <= step_ns * steps * (1 + 1e-9) and str(step_ns).rstrip("0") in ("1", "2", "5")


def test_too_many_steps_are_refused() -> None:
    with pytest.raises(UsageError, match=f"more than {MOST_STEPS:,} steps") as caught:
        photographed().timelines(step_ns=1)
    assert "1 ms" not in caught.value.message and "0.001 ms" in (caught.value.remedy or "")


def test_the_tree_has_the_energy_of_the_causing_call() -> None:
    made = photographed()
    main = next(tree for tree in made.energy_trees() if tree.name == "main")
    outer, inner = main.nodes
    camera = main.components.index("camera")
    assert (inner.parent, inner.components[camera], inner.inclusive_components[camera]) == (
        0,
        pytest.approx(0.12),
        pytest.approx(0.12),
    )
    assert (outer.components[camera], outer.inclusive_components[camera]) == (0.0, pytest.approx(0.12))
    assert (outer.calls, outer.wall_ns, inner.wall_ns) == (1, 800_000_000, 100_000_000)
    assert outer.inclusive_j == pytest.approx(sum(outer.inclusive_components))


def test_the_tree_of_a_component_has_its_users_only() -> None:
    (tree,) = photographed().energy_trees("camera")
    assert (tree.name, tree.components, tree.energy_j) == ("main", ("camera",), pytest.approx(0.12))
    assert [(node.parent, node.method, node.exclusive_j) for node in tree.nodes] == [(-1, 0, 0.0), (0, 1, pytest.approx(0.12))]
    with pytest.raises(UsageError, match="no component 'gpu'"):
        photographed().energy_trees("gpu")


def _check_tree(tree: EnergyTree, whole_j: float) -> None:
    exclusive = tree.nodes.exclusive_by.sum(axis=0)
    parts = exclusive + np.array(tree.untraced) + np.array(tree.probes) + np.array(tree.outside_tests)
    assert close(parts, tree.energy, whole_j)
    below = tree.nodes.exclusive_by.copy()
    parents = [node.parent for node in tree.nodes]
    assert all(parent < number for number, parent in enumerate(parents))
    for number in reversed(range(len(parents))):
        if parents[number] >= 0:
            below[parents[number]] += below[number]
    assert close(below, tree.nodes.inclusive_by, whole_j)


@settings(max_examples=100, deadline=None)
@given(randoms)
def test_each_view_adds_up_to_the_energy(random: Random) -> None:
    api_kinds = [random.choice([0, 0, 1, 2, 3, 4]) for _ in range(5)]
    runs = [random_hardware_run(random) for _ in range(random.randint(1, 2))]
    made = profile_of(*runs, use_rails=random.random() < 0.7, api_kinds=api_kinds)
    ledger, names = made.ledger, made.components
    whole_j, by_component = made.totals.energy_j, np.array(made.totals.components)

    top = made.top()
    shares = {one.component: one for one in top.components}
    assert close(top.energy_j, whole_j, whole_j)
    assert close([shares[name].energy_j for name in names], by_component, whole_j)
    for one in top.components:
        assert close(one.threads_j + one.other_processes_j + one.base_j + one.unattributed_j, one.energy_j, whole_j)
    assert close(np.sum([user.components for user in top.users], axis=0), by_component, whole_j)

    step_ns = random.choice([None, 7_000_000, 1_000_003])
    for place, found in enumerate(made.timelines_by_run(step_ns=step_ns)):
        width_s = np.diff(found.edges_ns)[:, None] / 1e9
        for number in range(len(names)):
            energy_j = float((found.power_w * width_s)[:, number].sum())
            assert energy_j == pytest.approx(ledger.run_energy_j[place, number], rel=1e-9, abs=1e-15)

    trees = made.energy_trees()
    threads_j = np.array([shares[name].threads_j for name in names])
    assert close(np.sum([tree.energy for tree in trees], axis=0) if trees else 0.0, threads_j, whole_j)
    by_method: dict[int, float] = {}
    for tree in trees:
        _check_tree(tree, whole_j)
        for node in tree.nodes:
            by_method[node.method] = by_method.get(node.method, 0.0) + node.exclusive_j
    assert close([by_method[total.id] for total in made.method_totals()], [t.exclusive_j for t in made.method_totals()], whole_j)
    for number, name in enumerate(names):
        for tree in made.energy_trees(name):
            _check_tree(tree, whole_j)
            whole = next(other for other in trees if (other.name, other.role) == (tree.name, tree.role))
            assert close(tree.energy[0], whole.energy[number], whole_j)
            assert close(tree.nodes.exclusive_by.sum(), whole.nodes.exclusive_by[:, number].sum(), whole_j)


def test_runs_without_probes_are_left_out() -> None:
    made = photographed()
    ledger = replace(made.ledger, runs=tuple(replace(entry, baseline=True) for entry in made.ledger.runs))
    bare = Profile(ledger, made.about)
    assert bare.top().energy_j == 0 and bare.energy_trees() == () and bare.timelines_by_run() == ()
