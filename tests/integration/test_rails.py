"""The estimate matches the virtual phone's rails. Its kernel model runs under the test's clock, on any machine alike.

`make accuracy` compares live runs with the rails (tests/accuracy/live_known_cases.py).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest
from support.added_history import add_file
from support.rails import rails_by_run
from support.recording_maker import PID0, make_recording, start_ns
from support.run_bytes import BOOT_OFFSET_NS, REAL_OFFSET_NS, TID0
from support.scenario import PolicySpec, Scenario, TestSpec, ThreadSpec, call

import navitas
from navitas.android.perfetto.messages import read_config
from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.modelled_slices import ModelledSlices
from navitas.virtual_phone.kernel.scheduler import KernelTask
from navitas.virtual_phone.kernel.spec import default_profile, load_spec
from navitas.virtual_phone.kernel.trace_log import Moment, TraceLog
from navitas.virtual_phone.trace.perfetto_file import TraceSession, perfetto_file

MS, STEP_MS, END_MS = 1_000_000, 10, 2_000
TEST = "org.example.WorkTest#works"
CONFIG = b"""data_sources { config { name: "linux.ftrace" ftrace_config {
  ftrace_events: "sched/sched_switch" ftrace_events: "power/cpu_frequency" ftrace_events: "power/cpu_idle" } } }
data_sources { config { name: "linux.process_stats" } }"""


def moment(ms: int) -> Moment:
    t_ns = start_ns() + ms * MS
    return Moment(t_ns, t_ns + BOOT_OFFSET_NS, t_ns + REAL_OFFSET_NS)


def test_the_estimate_matches_the_rails(tmp_path: Path) -> None:
    """Two threads with random work. The recording has the model's trace, and the energy of its rails every 200 ms."""
    spec, chance = load_spec(), Random(1)
    model = KernelModel(spec)
    log = TraceLog(spec, start_ns(), model.cur_freq_khz, ModelledSlices(spec))
    model.observers.append(log.step)
    busy: list[list[tuple[float, float, float]]] = [[], []]
    watts: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for begin in range(0, END_MS, STEP_MS):
        end, before_uj = begin + STEP_MS, model.rails.energies_uj()
        shares = [chance.choice((0.0, 0.3, 0.7, 1.0)) if 100 <= begin < END_MS - 100 else 0.0 for _ in busy]
        runs = {KernelTask(PID0, TID0 + i): round(share * STEP_MS * MS) for i, share in enumerate(shares)}
        model.step(moment(begin).monotonic_ns, moment(end).monotonic_ns, runs)
        for own, share in zip(busy, shares, strict=True):
            own.append((begin, end, share))
        for rail, energy_uj in model.rails.energies_uj().items():
            watts[rail].append((begin, end, (energy_uj - before_uj[rail]) / (STEP_MS * 1e3)))
    log.end(moment(END_MS).monotonic_ns)
    log.settle()
    session = TraceSession(read_config(CONFIG, is_text=True), log, {PID0: "app"}, [moment(0), moment(END_MS)])
    main = ThreadSpec("main", (call(TEST, 50, END_MS - 50),), tuple(busy[0]))
    scenario = Scenario(
        END_MS,
        (main, ThreadSpec("worker", busy=tuple(busy[1]), cpu=1)),
        (TestSpec(TEST, 50, END_MS - 50),),
        tuple(PolicySpec(cluster.policy, cluster.cpus, cluster.freq_khz) for cluster in spec.clusters),
        rails={rail: tuple(of_rail) for rail, of_rail in watts.items()},
    )
    profile_xml = default_profile().read_bytes()
    path = make_recording(tmp_path / "rec", scenario, profile_xml=profile_xml, voltage_v=spec.voltage_v).path
    add_file(path, "trace.pftrace", "trace", perfetto_file(session))
    evidence = navitas.load(path).evidence
    assert evidence[0].level == "sched", evidence
    ((estimate_j, rails_j),) = rails_by_run(path)
    assert rails_j > 0.5 and estimate_j == pytest.approx(rails_j, rel=1e-5)
