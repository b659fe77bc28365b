"""Energy consumers: their totals are those of their rails, of which uids get what their threads used."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from phone_harness import on_phone, run
from support.null_kernel import NullKernel

from navitas.android.perfetto.messages import message_class
from navitas.virtual_phone.kernel.spec import default_profile, read_figures
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.rail_monitor import RailMonitor
from navitas.virtual_phone.trace import sessions

ITEMS, ARRAYS = read_figures(default_profile())
CONFIG = b"""
duration_ms: 1000
data_sources { config { name: "android.power" android_power_config {
  battery_poll_ms: 10 collect_power_rails: true collect_energy_estimation_breakdown: true } } }
"""


class TwoClusters(NullKernel):
    """Two clusters, of which processes 1 and 2 used the first."""

    def rails_uj(self) -> dict[str, float]:
        return {"S4M_VDD_CPUCL0": 90.0, "S3M_VDD_CPUCL1": 0.0, "VDD_CPU_ACTIVE": 7.0}

    def core_energies_uj(self) -> dict[int, dict[int, float]]:
        return {0: {1: 20.0, 2: 40.0, 3: 20.0}, 1: {}}


def test_a_clusters_energy_is_attributed_to_uids(tmp_path: Path) -> None:
    async def act(phone: Phone) -> None:
        uids = {1: 10_001, 2: 10_002, 3: 10_001}
        little, mid, *others = RailMonitor(TwoClusters(), phone.devices, uids.__getitem__).consumers()
        assert (little.kind, little.ordinal, little.name, little.energy_uj) == ("CPU_CLUSTER", 0, "CPUCL0", 90.0)
        assert little.by_uid_uj == pytest.approx({10_001: 45.0, 10_002: 45.0})
        assert (mid.energy_uj, mid.by_uid_uj) == (0.0, {})
        assert [other.kind for other in others] == ["DISPLAY", "GNSS", "MOBILE_RADIO", "WIFI", "CAMERA"]

    on_phone(tmp_path, act)


def test_a_uid_never_gets_more_than_its_cluster_used_meanwhile(tmp_path: Path) -> None:
    """Until the first reading, process 2 used as much as process 1. Afterwards only process 1 runs."""

    class LaterAlone(NullKernel):
        reads = 0

        def rails_uj(self) -> dict[str, float]:
            return {"S4M_VDD_CPUCL0": 90.0 + 30.0 * self.reads}

        def core_energies_uj(self) -> dict[int, dict[int, float]]:
            self.reads += 1
            return {0: {1: 40.0 + 20.0 * self.reads, 2: 60.0}}

    async def act(phone: Phone) -> None:
        monitor = RailMonitor(LaterAlone(), phone.devices, {1: 10_001, 2: 10_002}.__getitem__)
        before, after = (monitor.consumers()[0] for _ in range(2))
        assert before.by_uid_uj == pytest.approx({10_001: 60.0, 10_002: 60.0})
        assert after.by_uid_uj == pytest.approx({10_001: 90.0, 10_002: 60.0})
        assert after.energy_uj == 150.0

    on_phone(tmp_path, act)


def test_perfetto_records_rails_and_consumers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, reads = "/data/misc/perfetto-traces/t", count()
    # Its clock moves 0.3 s with each look at it, so that a second has four polls on any machine.
    monkeypatch.setattr(sessions, "time", SimpleNamespace(monotonic=lambda: 0.3 * next(reads)))

    async def act(phone: Phone) -> bytes:
        found = await run(phone, f"perfetto -c - --txt -o {path}; cat {path}", CONFIG)
        assert found.status == 0, found.stderr
        return found.stdout

    data = on_phone(tmp_path, act, items=ITEMS, arrays=ARRAYS)
    trace = message_class("Trace")()
    trace.ParseFromString(data)
    rails = [packet.power_rails for packet in trace.packet if packet.HasField("power_rails")]
    names = [descriptor.rail_name for descriptor in rails[0].rail_descriptor]
    parts = [packet.android_energy_estimation_breakdown for packet in trace.packet]
    parts = [part for part in parts if part.HasField("energy_consumer_id")]
    consumers = {one.energy_consumer_id: one.type for one in parts[0].energy_consumer_descriptor.energy_consumers}
    assert list(consumers.values()) == ["DISPLAY", "GNSS", "MOBILE_RADIO", "WIFI", "CAMERA"]
    assert len(parts) == len(rails) * len(consumers) and len(rails) == 4
    display_uj = [part.energy_uws for part in parts if consumers[part.energy_consumer_id] == "DISPLAY"]
    rail_uj = [reading.energy_data[names.index("VSYS_PWR_DISPLAY")].energy for reading in rails]
    assert display_uj == sorted(display_uj) and display_uj[-1] > display_uj[0]
    # Each poll reads the rails, then the consumers, which are rounded down alike.
    assert all(rail <= display for rail, display in zip(rail_uj, display_uj, strict=True))
    assert all(display <= later for display, later in zip(display_uj, rail_uj[1:], strict=False))
