"""The chip that meters the components' rails samples them in a period of its own."""

from __future__ import annotations

from pathlib import Path

from navitas.virtual_phone.components.component_rails import ComponentRails
from navitas.virtual_phone.components.device_state import DeviceState, DeviceSwitches
from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.components.figures import component_power
from navitas.virtual_phone.components.storage import StorageCounters
from navitas.virtual_phone.kernel.spec import default_profile, read_figures

MS = 1_000_000
SCREEN = "VSYS_PWR_DISPLAY"


def test_a_sample_has_the_energy_of_its_time(tmp_path: Path) -> None:
    now = [50 * MS]
    items, arrays = read_figures(default_profile())
    state = DeviceState(lambda: DeviceSwitches(True, 0.5, False, False, False))
    rails = ComponentRails(component_power(items, arrays, 3.85), 3.85, seed=0)
    devices = Devices(state, rails, None, StorageCounters(False, lambda _: 0, proc=tmp_path), clock_ns=lambda: now[0])
    exact = {now[0]: rails.energies_uj()[SCREEN]}
    ages = set()
    for _ in range(200):
        now[0] += 30 * MS
        t_ns, energies_uj = devices.sampled_rails_uj()
        exact[now[0]] = devices.rails_uj()[SCREEN]
        assert energies_uj[SCREEN] == exact[t_ns], "not the present energy"
        ages.add(now[0] - t_ns)
    assert ages == {0, 30 * MS, 60 * MS, 90 * MS}
    assert exact[now[0]] > exact[80 * MS] > 0, "the screen is on"
