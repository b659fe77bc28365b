"""The discrete-event phone, compared with figures calculated by hand and with its own exact record."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from truth.counters import USER_HZ_NS, Counters
from truth.energy import integrate
from truth.machine import Machine
from truth.methods import rows_of, truth_of
from truth.phone import Cluster, Phone
from truth.physics import Hidden
from truth.record import Record
from truth.work import Get, Mark, Program, Put, Queue, Run, Sleep, Spawn, Thread, call, holding, join, lock, with_probes
from truth.workloads import SCORING_SEEDS, TUNING_SEEDS, WORKLOADS, simulate

MS = 1_000_000
ONE_SPEED = Phone(4.0, 10.0, 6.0, (Cluster((0, 1), (1_000_000,), (50.0,), 8.0, 1.0),))
TWO_CLUSTERS = Phone(
    4.0, 0.0, 0.0, (Cluster((0,), (500_000, 1_000_000), (5.0, 10.0), 0.0, 1.0), Cluster((1,), (2_000_000,), (100.0,), 0.0, 2.0))
)


def _main(*threads: Thread) -> Program:
    yield Mark("test_start")
    for thread in threads:
        yield Spawn(thread)
    yield from join(threads)
    yield Mark("test_finish")


def _run(phone: Phone, *threads: Thread) -> Record:
    return Machine(phone).run([Thread("main", _main(*threads))])


def _work(ms: float) -> Program:
    yield Run(ms * MS)


def _late(ms: float) -> Program:
    yield Sleep(300 * MS)
    yield Run(ms * MS)


@pytest.fixture(scope="module", params=["coroutines", "mixed priorities", "short threads"])
def record(request: pytest.FixtureRequest) -> Record:
    return simulate(request.param, 7)


def test_one_thread_uses_its_core_its_cluster_and_the_active_current() -> None:
    worker = Thread("worker", call("a.B#run", _work(10)))
    record = _run(ONE_SPEED, worker)
    energy = integrate(record)
    assert worker.cpu_ns == 10 * MS
    assert energy.threads[worker].energy_j[-1] == pytest.approx(4.0 * (50 + 8 + 6) / 1e3 * 10e-3)
    assert energy.base_w == pytest.approx(0.04)
    assert truth_of(record, energy).methods["a.B#run"].exclusive_j == pytest.approx(2.56e-3)


def test_two_threads_share_common_energy() -> None:
    workers = [Thread(f"worker-{i}", _work(10)) for i in range(2)]
    energy = integrate(_run(ONE_SPEED, *workers))
    for worker in workers:
        assert energy.threads[worker].energy_j[-1] == pytest.approx(4.0 * (50 + 4 + 3) / 1e3 * 10e-3)


def test_a_slower_core_takes_longer_and_a_heavy_thread_moves_up() -> None:
    light, heavy = Thread("light", _late(1)), Thread("heavy", _work(400))
    record = _run(TWO_CLUSTERS, light, heavy)
    cores = defaultdict(set)
    for switch in record.switches:
        if switch.following:
            cores[switch.following].add(switch.cpu)
    # At most a quarter of the fastest core's speed; an eighth at the lowest frequency.
    assert 4 * MS <= light.cpu_ns <= 8 * MS
    assert cores[heavy] == {0, 1} and 400 * MS < heavy.cpu_ns < 800 * MS


def test_preemption_gives_two_threads_of_one_core_the_same_time() -> None:
    one_core = Phone(4.0, 0.0, 0.0, (Cluster((0,), (1_000_000,), (50.0,), 0.0, 1.0),))
    first, second = (Thread(name, _work(100)) for name in ("first", "second"))
    record = _run(one_core, first, second)
    early = [switch for switch in record.switches if switch.t_ns < 100 * MS]
    assert len(early) > 20
    counters = Counters(record)
    spent = [int(counters.thread_ns(thread, np.array([120 * MS]))[0]) for thread in (first, second)]
    assert abs(spent[0] - spent[1]) <= 8 * MS


def test_one_thread_holds_a_lock_and_waiting_uses_no_energy() -> None:
    shared, held = lock(), []

    def critical() -> Program:
        held.append("in")
        yield Run(5 * MS)
        held.append("out")

    workers = [Thread(f"locker-{i}", holding(shared, critical())) for i in range(3)]
    _run(ONE_SPEED, *workers)
    assert held == ["in", "out"] * 3
    assert [worker.cpu_ns for worker in workers] == [5 * MS] * 3


def test_items_reach_waiting_threads() -> None:
    queue, got = Queue(), []

    def taker() -> Program:
        got.append((yield Get(queue)))

    def giver() -> Program:
        yield Sleep(3 * MS)
        yield Put(queue, "item")

    _run(ONE_SPEED, Thread("taker", taker()), Thread("giver", giver()))
    assert got == ["item"]


def test_energy_is_conserved(record: Record) -> None:
    energy = integrate(record)
    total = sum(curve.energy_j[-1] for curve in energy.threads.values() if len(curve.energy_j))
    assert total == pytest.approx(energy.cpu.energy_j[-1], rel=1e-9)
    found = truth_of(record, energy)
    assert found.cpu_j == pytest.approx(energy.cpu.between(*record.window), rel=1e-9)
    assert sum(method.exclusive_j for method in found.methods.values()) + found.untraced_j == pytest.approx(found.app_j, rel=1e-9)


def test_rows_of_tests_add_up_to_the_methods_of_the_run(record: Record) -> None:
    energy, (start_ns, end_ns) = integrate(record), record.window
    edges_ns = np.linspace(start_ns, end_ns, 8).astype(np.int64).tolist()
    found, whole = rows_of(record, energy, edges_ns), truth_of(record, energy).methods
    sums = {method: sum(rows.values()).sum(axis=0) for method, rows in found.items()}
    used = {method: joules for method, joules in whole.items() if joules.inclusive_j > 0}
    assert {method for method, joules in sums.items() if joules[1] > 0} == used.keys()
    for method, joules in used.items():
        assert sums[method].tolist() == pytest.approx([joules.exclusive_j, joules.inclusive_j], rel=1e-9)


def test_probes_take_time_and_rows_leave_out_their_energy() -> None:
    plain, probed = (Thread("worker", call("a.B#run", _work(10))) for _ in range(2))
    probed.program = with_probes(probed.program, 2 * MS, 4 * MS)
    for worker, cpu_ns, raw_ns in ((plain, 10 * MS, 10 * MS), (probed, 16 * MS, 12 * MS)):
        record = _run(ONE_SPEED, worker)
        energy = integrate(record)
        assert worker.cpu_ns == cpu_ns
        assert rows_of(record, energy, record.window)["a.B#run"][worker.tid][0].tolist() == pytest.approx([2.56e-3, 2.56e-3])
        assert truth_of(record, energy).methods["a.B#run"].exclusive_j == pytest.approx(2.56e-3 * raw_ns / (10 * MS))


def test_a_core_runs_one_thread_and_a_thread_runs_on_one_core(record: Record) -> None:
    running: dict[int, Thread] = {}
    for switch in sorted(record.switches, key=lambda one: (one.t_ns,)):
        assert running.get(switch.cpu) is switch.previous
        if switch.following is None:
            del running[switch.cpu]
        else:
            assert switch.following not in [thread for cpu, thread in running.items() if cpu != switch.cpu]
            running[switch.cpu] = switch.following
    assert all(a.t_ns <= b.t_ns for a, b in pairwise(record.switches))


def test_counters_follow_the_exact_record(record: Record) -> None:
    counters = Counters(record, seed=3)
    times = np.linspace(0, record.end_ns, 50).astype(np.int64)
    of_threads = [counters.thread_ns(thread, times) for thread in record.threads]
    for thread, spent in zip(record.threads, of_threads, strict=True):
        assert spent[-1] <= thread.cpu_ns <= spent[-1] + record.tick_ns
        assert np.all(np.diff(spent) >= 0)
        for t_ns, _, _, cpu_ns in thread.events[:: max(1, len(thread.events) // 20)]:
            assert -1 <= cpu_ns - int(counters.thread_ns(thread, np.array([t_ns]))[0]) <= record.tick_ns
    app = sum(spent for thread, spent in zip(record.threads, of_threads, strict=True) if thread.app)
    assert np.all(np.abs(counters.process_ticks(times) - app / USER_HZ_NS) < 1)
    for k, cluster in enumerate(record.phone.clusters):
        grown = np.diff(counters.time_in_state(k, times)[[0, -1]], axis=0).sum()
        assert abs(grown - record.end_ns / USER_HZ_NS) <= len(cluster.freq_khz)
    busy = sum(int(np.diff(counters.busy_ticks(cpu, times[[0, -1]]))[0]) for cpu in range(8))
    # A tick samples which thread runs, so it may miss short slices.
    assert busy * USER_HZ_NS == pytest.approx(sum(thread.cpu_ns for thread in record.threads), rel=0.1)
    by_thread = sum(sum(counters.thread_states(thread, record.end_ns).values()) for thread in record.threads)
    assert by_thread <= busy + 8
    assert counters.thread_states(record.threads[0], 0) == {}


def test_hidden_physics_changes_energy_and_warms_the_chip(record: Record) -> None:
    plain, hidden = integrate(record), integrate(record, Hidden())
    assert plain.temperature_c == 25.0 and hidden.temperature_c > 30.0
    assert hidden.cpu.energy_j[-1] != pytest.approx(plain.cpu.energy_j[-1], rel=1e-3)
    total = sum(curve.energy_j[-1] for curve in hidden.threads.values() if len(curve.energy_j))
    assert total == pytest.approx(hidden.cpu.energy_j[-1], rel=1e-9)


def test_runs_are_seeded_and_seeds_for_tuning_are_not_scored() -> None:
    runs = [simulate("I/O", seed) for seed in (5, 5, 6)]
    times = [[switch.t_ns for switch in run.switches] for run in runs]
    assert times[0] == times[1] != times[2]
    assert not set(TUNING_SEEDS) & set(SCORING_SEEDS) and len(WORKLOADS) >= 10
