"""The hidden activity of threads: it scales the power of cores in the rails, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.capture import Capture

from navitas.virtual_phone import __main__ as program
from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.modelled_rails import HiddenActivity
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

MS = 1_000_000
SPEC = load_spec()
Steps = list[tuple[int, dict[KernelTask, int]]]

_tasks = st.builds(KernelTask, st.integers(1, 2), st.integers(-1, 5))
_steps = st.lists(st.tuples(st.integers(1, 40 * MS), st.dictionaries(_tasks, st.integers(0, 15 * MS), max_size=6)), max_size=20)


def name_of(task: KernelTask) -> str:
    return f"worker-{task.tid % 3}" if task.tid > 0 else ""


class Observed:
    """The running time of each task by cluster and operating point, as observers of the model see it."""

    def __init__(self, spec: PhoneSpec) -> None:
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
        self.ran_ns: dict[tuple[KernelTask, int, int], int] = {}

    def step(self, t0_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        for segment in segments:
            cluster = self._cluster_of[segment.core]
            key = (segment.task, cluster, freq_index[cluster])
            self.ran_ns[key] = self.ran_ns.get(key, 0) + segment.end_ns - segment.start_ns


def run(steps: Steps, activity: HiddenActivity | None) -> tuple[KernelModel, Observed]:
    model, observed = KernelModel(SPEC, activity=activity), Observed(SPEC)
    model.observers.append(observed.step)
    now_ns = 0
    for dt_ns, runs in steps:
        model.step(now_ns, now_ns + dt_ns, runs)
        now_ns += dt_ns
    return model, observed


def counters(model: KernelModel) -> object:
    rails = model.rails
    return model.busy_ns, model.time_in_state_ns, model.task_states_ns, rails.core_ns, rails.cluster_ns, rails.active_ns


@given(_steps)
def test_without_spread_energies_are_times_multiplied_by_power(steps: Steps) -> None:
    plain, _ = run(steps, None)
    same, _ = run(steps, HiddenActivity(0.0, 7, name_of=name_of))
    assert plain.rails.energies_uj() == same.rails.energies_uj()
    for k, cluster in enumerate(SPEC.clusters):
        cores_uj = sum(ns * mw for ns, mw in zip(plain.rails.core_ns[k], cluster.core_mw, strict=True)) * 1e-6
        expected_uj = cores_uj + plain.rails.cluster_ns[k] * cluster.cluster_mw * 1e-6
        assert list(plain.rails.energies_uj().values())[k] == expected_uj  # to the last bit


@given(_steps, st.integers(0, 3))
def test_rails_measure_factor_times_power_times_time(steps: Steps, seed: int) -> None:
    activity = HiddenActivity(0.3, seed, name_of=name_of)
    plain, _ = run(steps, None)
    scaled, observed = run(steps, activity)
    assert counters(scaled) == counters(plain)
    expected_uj = [scaled.rails.cluster_ns[k] * cluster.cluster_mw / 1e6 for k, cluster in enumerate(SPEC.clusters)]
    for (task, cluster, index), ran_ns in observed.ran_ns.items():
        factor = 1.0 + activity.change_millionths(task) / 1e6
        expected_uj[cluster] += factor * SPEC.clusters[cluster].core_mw[index] * ran_ns / 1e6
    energies_uj = scaled.rails.energies_uj()
    assert list(energies_uj.values())[: len(SPEC.clusters)] == pytest.approx(expected_uj, rel=1e-12)
    shared = ("VDD_CPU_ACTIVE", "VSYS_CPU_BASE")
    assert [energies_uj[rail] for rail in shared] == [plain.rails.energies_uj()[rail] for rail in shared]


def test_factors_depend_on_name_and_seed_and_fill_their_range() -> None:
    def changes(seed: int) -> list[int]:
        activity = HiddenActivity(0.3, seed, name_of=lambda task: f"thread-{task.tid}")
        return [activity.change_millionths(KernelTask(1, tid)) for tid in range(1, 201)]

    assert changes(0) == changes(0) != changes(1)
    assert len(set(changes(0))) == 200
    assert -300_000 <= min(changes(0)) < -290_000
    assert 290_000 < max(changes(0)) <= 300_000


def test_a_thread_that_has_ended_keeps_its_factor_and_a_renamed_one_changes_it() -> None:
    names = {KernelTask(1, 1): "before"}
    activity = HiddenActivity(0.3, name_of=lambda task: names.get(task, ""))
    before = activity.change_millionths(KernelTask(1, 1))
    names[KernelTask(1, 1)] = "after"
    after = activity.change_millionths(KernelTask(1, 1))
    names.clear()
    assert activity.change_millionths(KernelTask(1, 1)) == after != before
    assert activity.change_millionths(KernelTask(1, -1)) == 0


@pytest.mark.parametrize("spread", ["-0.1", "1.5", "nan", "much"])
def test_the_option_takes_numbers_from_0_to_1(spread: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.argv", ["virtual_phone", "--state-dir", "unused", "--activity", spread])
    with pytest.raises(SystemExit):
        program.main()
    assert "is not a number from 0 to 1" in capsys.readouterr().err
