"""The virtual phone's power monitors: Android's cache and noise, and the permission that `pm` grants."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from phone_harness import on_phone, run
from support.apk_maker import Tag, manifest, write

from navitas.android.apk.manifest import read_apk
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.package import InstalledApk, Signing
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.power_monitors import MEASUREMENT, IntervalNoise, PowerMonitorService
from navitas.virtual_phone.rail_monitor import Consumer
from navitas.virtual_phone.releases import FINE_POWER_MONITORS

J = 1_000_000


class Rails:
    """Two rails and four consumers, with the energy that the test sets. That of the modem is sampled 30 ms before."""

    energy_uj = 0.0
    now_ms = 0

    def sampled_rails_uj(self) -> tuple[dict[str, float], tuple[int, dict[str, float]]]:
        return {"VDD_CPU": self.energy_uj}, (1_000_000 * (self.now_ms - 30), {"VSYS_PWR_MODEM": self.energy_uj})

    def consumers(self) -> list[Consumer]:
        found = [("CPU_CLUSTER", 0, "CPUCL0"), ("CPU_CLUSTER", 1, "CPUCL1"), ("DISPLAY", 0, "Display"), ("OTHER", 0, "Gpu")]
        return [Consumer(kind, ordinal, name, self.energy_uj / 2, {}) for kind, ordinal, name in found]


class Service:
    """The monitors at a time that the test sets."""

    def __init__(self, seed: int = 0) -> None:
        self.rails = Rails()
        self.now_ms = 50_000
        self.monitors = PowerMonitorService(self.rails, seed, lambda: self.now_ms)  # type: ignore[arg-type]

    def modem(self, uid: int = 10_100, *, fine: bool = False) -> tuple[int, int]:
        """The time and the energy of the modem's rail, whose chip is 30 ms behind."""
        self.rails.now_ms = self.now_ms
        _, found = (one for one in self.monitors.read(uid, fine=fine) if one.kind == MEASUREMENT)
        return found.t_ms + 30, found.energy_uws


def test_names_are_those_of_android() -> None:
    found = Service().monitors.read(10_100, fine=False)
    assert [(one.kind, one.name) for one in found] == [
        (1, "[VDD_CPU]:Cpu"),
        (1, "[VSYS_PWR_MODEM]:Modem"),
        (0, "CPU/0"),
        (0, "CPU/1"),
        (0, "DISPLAY"),
        (0, "GPU"),
    ]


@pytest.mark.parametrize(("fine", "age_ms"), [(False, 20_000), (True, 250)])
def test_readings_are_cached_and_the_first_has_no_noise(fine: bool, age_ms: int) -> None:
    service = Service()
    service.rails.energy_uj = 5.0 * J
    assert service.modem(fine=fine) == (50_000, 5 * J)
    service.rails.energy_uj = 6.0 * J
    service.now_ms += age_ms
    assert service.modem(fine=fine) == (50_000, 5 * J), "as old as is allowed"
    service.now_ms += 1
    t_ms, energy_uws = service.modem(fine=fine)
    assert t_ms == 50_001 + age_ms and 5 * J <= energy_uws < 6 * J
    assert service.modem(fine=fine) == (t_ms, energy_uws), "the same noise until the next refresh"


def test_each_chip_has_times_of_its_own() -> None:
    service = Service()
    service.rails.now_ms = service.now_ms
    times = {one.name: one.t_ms for one in service.monitors.read(10_100, fine=False)}
    assert times["[VDD_CPU]:Cpu"] == times["DISPLAY"] == 50_000 and times["[VSYS_PWR_MODEM]:Modem"] == 49_970


def test_fine_readings_have_a_cache_of_their_own() -> None:
    service = Service()
    service.rails.energy_uj = 1.0 * J
    service.modem()
    service.now_ms += 300
    service.rails.energy_uj = 2.0 * J
    assert service.modem(fine=True) == (50_300, 2 * J), "the first of its cache"
    assert service.modem() == (50_000, 1 * J)


def test_noise_is_at_most_10_joules_and_2_percent_on_average() -> None:
    service = Service()
    shares, previous = [], 0.0
    for _ in range(4000):
        service.now_ms += 20_001
        service.rails.energy_uj += 3.0 * J
        _, energy_uws = service.modem()
        shares.append((service.rails.energy_uj - energy_uws) / (3.0 * J))
        assert energy_uws >= previous
        previous = energy_uws
    assert min(shares) >= 0 and max(shares) <= 1
    assert np.mean(shares[1:]) == pytest.approx(1 / 51, rel=0.1)
    service.now_ms += 20_001
    service.rails.energy_uj += 1e6 * J
    assert service.rails.energy_uj - service.modem()[1] <= 10 * J


def test_a_sample_is_that_of_the_uid_and_of_the_seed() -> None:
    noise, same, other = IntervalNoise(1), IntervalNoise(1), IntervalNoise(2)
    drawn = [noise.between(0, 10**9, uid) for uid in range(34)]
    assert drawn[:17] == drawn[17:] and len(set(drawn)) == 17
    assert drawn[:17] == [same.between(0, 10**9, uid) for uid in range(17)]
    assert other.between(0, 10**9, 0) != drawn[0]
    noise.refresh()
    assert noise.between(0, 10**9, 0) != drawn[0]


def test_an_app_gets_its_answer_as_a_file(tmp_path: Path) -> None:
    async def act(phone: Phone) -> tuple[str, str]:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        file = tmp_path / "proc" / str(pid) / "answer"
        phone.reports.take(pid, "powermonitors", "+1 2 3")
        assert not file.exists()
        phone.reports.take(pid, "powermonitors", "41")
        first = file.read_text()
        phone.reports.take(pid, "powermonitors", "42")
        second = file.read_text()
        phone.processes.remove(pid)
        assert not file.exists()
        return first, second

    first, second = on_phone(tmp_path, act, sdk=35)
    assert first.startswith("41\n1 ") and second.startswith("42\n1 ") and " [VSYS_PWR_MODEM]:Modem\n" in first


def test_older_releases_have_none(tmp_path: Path) -> None:
    async def act(phone: Phone) -> bool:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        phone.reports.take(pid, "powermonitors", "1")
        return (tmp_path / "proc" / str(pid) / "answer").exists()

    assert not on_phone(tmp_path, act, sdk=34)


def test_a_phone_can_show_rails_to_apps_only(tmp_path: Path) -> None:
    async def act(phone: Phone) -> list[int | bytes]:
        file = await run(phone, "cat /sys/bus/iio/devices/iio:device0/energy_value")
        service = await run(phone, "dumpsys android.hardware.power.stats.IPowerStats/default")
        listed = await run(phone, "dumpsys -l | grep -c IPowerStats")
        return [file.status, service.stderr, listed.stdout]

    hidden = on_phone(tmp_path, act, sdk=36, hides_rails=True)
    assert hidden == [1, b"Can't find service: android.hardware.power.stats.IPowerStats/default\n", b"0\n"]


@pytest.mark.parametrize("sdk", [36, 37])
def test_pm_grants_and_revokes_what_the_manifest_requests(tmp_path: Path, sdk: int) -> None:
    asks = Tag("uses-permission", {"name": FINE_POWER_MONITORS})

    async def act(phone: Phone) -> None:
        for name, outside in (("org.asks", (asks,)), ("org.plain", ())):
            apk = read_apk(write(tmp_path / f"{name}.apk", manifest(name, outside=outside)))
            phone.packages._register(InstalledApk(apk, Signing(("ab" * 32,), 2)), [0])
        shown = f"dumpsys package org.asks | grep -c '{FINE_POWER_MONITORS}: granted=true'"
        granted = await run(phone, f"pm grant org.asks {FINE_POWER_MONITORS}")
        if sdk < 37:
            assert granted.status == 255 and b"IllegalArgumentException: Unknown permission: " in granted.stderr
            return
        package = phone.packages.get("org.asks")
        assert granted.status == 0 and package is not None
        assert (await run(phone, shown)).stdout == b"1\n" and phone.packages.has_permission(package.uid, FINE_POWER_MONITORS)
        assert (await run(phone, f"pm revoke org.asks {FINE_POWER_MONITORS}")).status == 0
        assert (await run(phone, shown)).stdout == b"0\n"
        refused = await run(phone, f"pm grant org.plain {FINE_POWER_MONITORS}")
        assert refused.status == 255
        assert refused.stderr.decode() == (
            "\nException occurred while executing 'grant':\n"
            f"java.lang.SecurityException: Package org.plain has not requested permission {FINE_POWER_MONITORS}\n"
        )
        assert (await run(phone, "pm grant org.asks")).stderr == b"Error: no permission specified\n"
        assert (await run(phone, f"pm grant org.absent {FINE_POWER_MONITORS}")).status == 0, "as on Android"

    on_phone(tmp_path / "phone", act, sdk=sdk)
