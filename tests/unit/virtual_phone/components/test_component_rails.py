"""Energy of the components against closed forms of the power profile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.virtual_phone.components.component_rails import RAILS, ComponentLoad, ComponentRails
from navitas.virtual_phone.components.device_state import ComponentUse, DeviceSwitches, UseKind
from navitas.virtual_phone.components.figures import component_power
from navitas.virtual_phone.components.network import AirTraffic
from navitas.virtual_phone.components.storage import DiskTraffic
from navitas.virtual_phone.kernel.spec import default_profile, read_figures

MS = 1_000_000
VOLTAGE_V = 3.85
OFF = DeviceSwitches(False, 0.5, False, False, False)


def rails(seed: int = 0) -> ComponentRails:
    items, arrays = read_figures(default_profile())
    return ComponentRails(component_power(items, arrays, VOLTAGE_V), VOLTAGE_V, seed)


def use(kind: UseKind, name: str = "", current_ma: float = 0.0, key: str = "1") -> ComponentUse:
    return ComponentUse(1, 10_000, kind, key, name, current_ma)


def spend(seconds: float, load: ComponentLoad, model: ComponentRails | None = None) -> dict[str, float]:
    """Return the joules of each component in steps of 10 ms."""
    model = model or rails()
    before = dict(model.true_uj)
    for _ in range(round(seconds * 100)):
        model.step(10 * MS, load)
    return {name: (uj - before[name]) * 1e-6 for name, uj in model.true_uj.items()}


def test_a_phone_with_everything_off_uses_nothing() -> None:
    assert not any(spend(1, ComponentLoad(OFF)).values())


@pytest.mark.parametrize(
    ("kind", "component", "ma", "volts"),
    [
        (UseKind.FLASHLIGHT, "flashlight", 240.47, VOLTAGE_V),
        (UseKind.VIDEO, "video", 25, VOLTAGE_V),
        (UseKind.AUDIO, "audio", 75, VOLTAGE_V),
    ],
)
def test_a_use_takes_the_profiles_current(kind: UseKind, component: str, ma: float, volts: float) -> None:
    spent = spend(2, ComponentLoad(OFF, [use(kind)]))
    assert spent[component] == pytest.approx(2 * ma * volts / 1000)
    assert sum(spent.values()) == pytest.approx(spent[component])


def test_a_sensor_takes_its_drivers_current_once() -> None:
    listeners = [use(UseKind.SENSOR, "accelerometer", 0.15, "1"), use(UseKind.SENSOR, "accelerometer", 0.15, "2")]
    other = use(UseKind.SENSOR, "gyroscope", 0.5, "3")
    assert spend(10, ComponentLoad(OFF, [*listeners, other]))["sensors"] == pytest.approx(10 * 0.65 * VOLTAGE_V / 1000)


def test_wake_locks_have_no_rail_of_their_own() -> None:
    assert not any(spend(1, ComponentLoad(OFF, [use(UseKind.WAKE_LOCK)])).values())


@pytest.mark.parametrize("brightness", [0.0, 0.4, 1.0])
def test_the_screen(brightness: float) -> None:
    model = rails()
    on = ComponentLoad(replace(OFF, screen_on=True, brightness=brightness))
    spend(1, on, model)  # fades in
    assert spend(3, on, model)["display"] == pytest.approx(3 * (98 + 470 * brightness) * VOLTAGE_V / 1000)
    fading = spend(1, ComponentLoad(OFF), model)["display"]
    assert fading == pytest.approx(470 * VOLTAGE_V / 1000 * brightness**2 / 2 * model.nature.screen_ramp_s)
    assert spend(1, ComponentLoad(OFF), model)["display"] == 0


def test_wifi_has_air_time_a_tail_and_sleep() -> None:
    model = rails()
    nature = model.nature
    load = ComponentLoad(replace(OFF, wifi_on=True))
    sleeping_w = 38 * 3.7 / 1000 * nature.wifi_sleep_ratio
    assert spend(1, load, model)["wifi"] == pytest.approx(sleeping_w)
    before = model.true_uj["wifi"]
    model.step(10 * MS, replace(load, wifi=AirTraffic(rx_bytes=1_000_000, rx_packets=700)))
    spend(1.99, load, model)
    air_s = 8_000_000 / nature.wifi_bits_per_s
    expected = 98 * 3.7 / 1000 * air_s + 38 * 3.7 / 1000 * nature.wifi_tail_s
    expected += sleeping_w * (2 - air_s - nature.wifi_tail_s)
    assert (model.true_uj["wifi"] - before) * 1e-6 == pytest.approx(expected)


@pytest.mark.parametrize(("mode", "is_awake"), [("1", False), ("3", True), ("4", True)])
def test_a_wifi_lock_of_high_performance_keeps_wifi_awake(mode: str, is_awake: bool) -> None:
    model = rails()
    locked = ComponentLoad(replace(OFF, wifi_on=True), [use(UseKind.WIFI_LOCK, f"{mode} sync")])
    ratio = 1 if is_awake else model.nature.wifi_sleep_ratio
    assert spend(2, locked, model)["wifi"] == pytest.approx(2 * 38 * 3.7 / 1000 * ratio)
    assert model.air["wifi"].tail_s == pytest.approx(2 if is_awake else 0)
    assert not spend(1, replace(locked, switches=OFF), model)["wifi"]


def test_links_and_scans_receive_for_a_part_of_the_time() -> None:
    on = replace(OFF, bluetooth_on=True)
    idle_j = spend(10, ComponentLoad(on))["bluetooth"]
    link, scan = use(UseKind.BLE_LINK, "link"), use(UseKind.BLE_SCAN, "scan", key="2")
    loads = [ComponentLoad(on, uses) for uses in ([link], [scan], [link, link, scan])]
    one_j, scan_j, all_j = (spend(10, load)["bluetooth"] - idle_j for load in loads)
    assert scan_j == pytest.approx(2 * one_j) and all_j == pytest.approx(4 * one_j) and one_j > 0
    assert not spend(1, ComponentLoad(OFF, [link]))["bluetooth"]


def test_mobile_data_has_a_long_tail_and_a_front_end() -> None:
    model = rails()
    load = ComponentLoad(replace(OFF, mobile_on=True))
    quiet = spend(20, load, model)
    model.step(10 * MS, replace(load, mobile=AirTraffic(tx_bytes=100_000, tx_packets=70)))
    busy = spend(19.99, load, model)
    assert busy["modem"] > 10 * quiet["modem"]
    assert model.true_uj["radio front end"] > 0 == quiet["radio front end"]


def test_a_scan_ends_by_itself() -> None:
    model = rails()
    load = ComponentLoad(replace(OFF, wifi_on=True))
    quiet_j = spend(5, load, model)["wifi"]
    model.step(MS, replace(load, wifi_scans=1))
    spend(4.999, load, model)
    scanning_j = spend(5, load, model)["wifi"]
    assert scanning_j == pytest.approx(quiet_j)
    assert model.true_uj["wifi"] * 1e-6 > 2 * quiet_j + scanning_j


def test_gnss_searches_first() -> None:
    model = rails()
    on = ComponentLoad(OFF, [use(UseKind.GNSS)])
    first, later = spend(10, on, model)["gnss"], spend(10, on, model)["gnss"]
    tracking_w = 21.3 * 3.7 / 1000
    assert later == pytest.approx(10 * tracking_w)
    extra = (model.nature.gnss_search_ratio - 1) * model.nature.gnss_search_s
    assert first == pytest.approx((10 + extra) * tracking_w)
    spend(1, ComponentLoad(OFF), model)
    assert spend(10, on, model)["gnss"] == pytest.approx(first)


def test_audio_stays_on_until_standby_and_the_camera_starts_slowly() -> None:
    model = rails()
    spend(1, ComponentLoad(OFF, [use(UseKind.AUDIO), use(UseKind.CAMERA)]), model)
    camera = 0.9 * VOLTAGE_V * (1 - model.nature.camera_ramp_s / 2)
    assert model.true_uj["camera"] * 1e-6 == pytest.approx(camera)
    after = spend(10, ComponentLoad(OFF), model)
    assert after["audio"] == pytest.approx(3.0 * 75 * VOLTAGE_V / 1000)
    assert after["camera"] == 0


def test_storage_takes_energy_by_byte_and_while_it_is_active() -> None:
    model = rails()
    nature = model.nature
    model.step(10 * MS, ComponentLoad(OFF, disk=DiskTraffic(1_000_000, 2_000_000)))
    spend(1, ComponentLoad(OFF), model)
    joules = nature.ufs_read_nj_per_byte * 1e-3 + nature.ufs_write_nj_per_byte * 2e-3
    joules += nature.ufs_active_mw * 1e-3 * (0.01 + nature.ufs_tail_s)
    assert model.true_uj["storage"] * 1e-6 == pytest.approx(joules)


LOADS = st.builds(
    ComponentLoad,
    st.builds(DeviceSwitches, st.booleans(), st.floats(0, 1), st.booleans(), st.booleans(), st.booleans()),
    st.lists(st.sampled_from(UseKind).map(lambda kind: use(kind, current_ma=1.0)), max_size=4),
    st.builds(AirTraffic, *[st.integers(0, 10**6)] * 4),
    st.builds(AirTraffic, *[st.integers(0, 10**5)] * 4),
    st.builds(DiskTraffic, st.integers(0, 10**7), st.integers(0, 10**7)),
    st.integers(0, 1),
)


@given(st.lists(st.tuples(st.integers(1, 50 * MS), LOADS), max_size=40), st.integers(0, 5))
def test_readings_rise_and_agree_with_the_truth(steps: list[tuple[int, ComponentLoad]], seed: int) -> None:
    model, same = rails(seed), rails(seed)
    last = model.energies_uj()
    assert list(last) == list(RAILS)
    for dt_ns, load in steps:
        model.step(dt_ns, load)
        same.step(dt_ns, load)
        now = model.energies_uj()
        assert all(now[rail] >= last[rail] for rail in RAILS)
        last = now
    assert same.energies_uj() == last  # the same seed gives the same phone
    for rail, names in RAILS.items():
        true_uj = sum(model.true_uj[name] for name in names)
        # The gain is 0.5 % (one sigma), and the noise 0.2 % of each step.
        assert last[rail] == pytest.approx(true_uj * model.nature.gains[rail], rel=0.02, abs=1e-6)


@given(LOADS, st.integers(1, 1000 * MS), st.integers(1, 1000 * MS))
def test_a_step_can_be_divided(load: ComponentLoad, first_ns: int, second_ns: int) -> None:
    """Time that nothing changes in is the sum of its parts: no energy depends on the length of steps."""
    quiet = replace(load, wifi=AirTraffic(), mobile=AirTraffic(), disk=DiskTraffic(), wifi_scans=0)
    whole, parts = rails(), rails()
    whole.step(MS, load)
    parts.step(MS, load)
    whole.step(first_ns + second_ns, quiet)
    parts.step(first_ns, quiet)
    parts.step(second_ns, quiet)
    assert parts.true_uj == pytest.approx(whole.true_uj, rel=1e-9, abs=1e-6)


def test_phones_differ_by_seed() -> None:
    assert len({rails(seed).nature.wifi_tail_s for seed in range(5)}) == 5
    assert all(rails(seed).nature.gains[rail] == pytest.approx(1, abs=0.03) for seed in range(5) for rail in RAILS)
