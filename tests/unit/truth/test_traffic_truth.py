"""The truth of the experiment on components: methods and base add up to what the phone's own model integrates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from traffic.device_runs import Use, true_device_energy
from traffic.plan import COMPUTES, IDLE, LANES, NETWORK, TAIL_NS, WRITES, PlannedPhase, RunLog, make_plan, read_log, write_plan
from traffic.recorded import ApiCall, allocate
from traffic.server import Moved
from traffic.truth import on_the_air, physics, true_bytes, true_energy

from navitas.recording.parse.io_counters import Increments
from navitas.virtual_phone.components.component_rails import ComponentLoad, ComponentRails
from navitas.virtual_phone.components.device_state import ComponentUse, DeviceSwitches, UseKind
from navitas.virtual_phone.components.network import AirTraffic
from navitas.virtual_phone.components.storage import DiskTraffic

MS = 1_000_000
STEP_NS = 10 * MS

_world = cache(physics)
moves = st.lists(
    st.builds(
        Moved,
        st.integers(0, 500).map(lambda ms: ms * MS),
        st.sampled_from(NETWORK),
        st.integers(0, 1 << 20),
        st.integers(0, 1 << 20),
    ),
    max_size=10,
).map(lambda found: sorted(found, key=lambda one: one.t_ns))


@given(moves, st.integers(0, 3))
def test_methods_and_base_add_up_to_the_phones_own_energy(log: list[Moved], seed: int) -> None:
    world = _world(seed)
    run = RunLog(0, 600 * MS, 0, ((PlannedPhase("lane-1", "writeStream", 4_100_000), 100 * MS, 500 * MS),))
    rails = ComponentRails(world.power, 3.85, seed)
    steps = (run.end_ns + TAIL_NS) // STEP_NS
    for step in range(steps):
        air = [on_the_air(one) for one in log if one.t_ns // STEP_NS == step]
        wifi = AirTraffic(round(sum(one[0] for one in air)), 1, round(sum(one[1] for one in air)), 1) if air else AirTraffic()
        disk = DiskTraffic(0, 4_100_000 // 41) if 10 <= step <= 50 else DiskTraffic()
        rails.step(STEP_NS, ComponentLoad(DeviceSwitches(wifi_on=True, bluetooth_on=False), wifi=wifi, disk=disk))
    found = true_energy(world, log, run)
    assert sum(found.wifi_j.values()) + found.wifi_base_j == pytest.approx(rails.true_uj["wifi"] * 1e-6, rel=1e-9)
    assert sum(found.storage_j.values()) == pytest.approx(rails.true_uj["storage"] * 1e-6, rel=1e-6)


def test_the_tail_belongs_to_the_last_transfer() -> None:
    log = [Moved(0, "uploadRaw", 0, 1000), Moved(50 * MS, "downloadRaw", 1000, 0)]
    found = true_energy(_world(1), log, RunLog(0, 1000 * MS, 0, ()))
    assert found.wifi_j["downloadRaw"] > 2 * found.wifi_j["uploadRaw"] > 0


def test_bytes_on_the_air_have_headers() -> None:
    log = [Moved(0, "downloadRaw", 1448, 0)]
    assert true_bytes(log, RunLog(0, 1, 0, ())) == {"downloadRaw": (1448, pytest.approx(1448 + 66 + 33))}


def test_growth_is_shared_by_the_time_of_open_calls() -> None:
    """Hiya et al., equation (2)."""
    steps = Increments(np.array([0, 100, 200, 300]), np.array([[60.0, 0, 0, 0], [0, 0, 30, 0], [10, 0, 0, 0]]), 0, 0)
    calls = [
        ApiCall(0, 1, 50, 90),
        ApiCall(1, 1, 80, 100),
        ApiCall(-1, 1, 110, 120),
        ApiCall(1, 1, 120, 150),
        ApiCall(0, 3, 0, 300),
    ]
    assert allocate(steps, calls, "network", 2) == pytest.approx([40.0, 20.0 + 30 * 30 / 40])


def test_a_plan_has_every_method_twice_and_is_the_seeds_own() -> None:
    plan = make_plan(3)
    assert plan == make_plan(3) != make_plan(4)
    methods = [phase.method for phase in plan]
    assert all(methods.count(method) == 2 for method in (*NETWORK, *WRITES, *COMPUTES))
    assert {phase.lane for phase in plan} == set(LANES) and IDLE in methods


def test_a_plan_is_written_and_a_log_is_read(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "old.bin").touch()
    write_plan(tmp_path, 80, [PlannedPhase("lane-1", "hash", 5)])
    assert (tmp_path / "plan.txt").read_text() == "80\nlane-1 hash 5\n"
    assert not list((tmp_path / "files").iterdir())
    (tmp_path / "phases.txt").write_text("test - 1 9 4\nlane-1 hash 2 3 5\n")
    assert read_log(tmp_path) == RunLog(1, 9, 4, ((PlannedPhase("lane-1", "hash", 5), 2, 3),))


def test_devices_have_the_phones_own_energy() -> None:
    world = _world(2)
    rails = ComponentRails(world.power, 3.85, 2)
    lengths = {"gnss": (3000, 500), "camera": (200, 2000), "flashlight": (700, 100)}
    kinds = {"gnss": UseKind.GNSS, "camera": UseKind.CAMERA, "flashlight": UseKind.FLASHLIGHT}
    on = DeviceSwitches(wifi_on=False, bluetooth_on=False)
    uses = []
    for device, times_ms in lengths.items():
        for start_ms, ms in zip((0, 5000), times_ms, strict=True):
            uses.append(Use(device, f"use{start_ms}", start_ms * MS, (start_ms + ms) * MS))
            rails.step(ms * MS, ComponentLoad(on, [ComponentUse(1, 1, kinds[device], "key")]))
            rails.step(1000 * MS, ComponentLoad(on))
    found = true_device_energy(world, uses)
    for device, energies in found.items():
        assert set(energies) == {"use0", "use5000"}
        assert sum(energies.values()) == pytest.approx(rails.true_uj[device] * 1e-6, rel=1e-9)
