"""The packaged profiles, and profiles of real phones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import ExitCode, PowerProfileError
from navitas.power import catalog
from navitas.power.cpu import power_model

ROOT = Path(__file__).parents[3]
FIELD = FIELD_DATA / "power_profiles"


_REMEDY = "correct it, or give another profile with --power-profile"
# The maker's own figures fall.
ONEPLUS = [
    "cpu.core_power.cluster0 of {name}: cluster 0: 101.5 mA at 729.6 MHz, 92 mA at 844.8 MHz: the first of 2 steps at which the "
    f"current falls as the speed rises, but faster cores use more: {_REMEDY}",
    "cpu.core_power.cluster1 of {name}: cluster 1: 118.5 mA at 806.4 MHz, 110 mA at 883.2 MHz: the first of 3 steps at which the "
    f"current falls as the speed rises, but faster cores use more: {_REMEDY}",
]
FALLS = {"oneplus-3": ONEPLUS}


@pytest.mark.parametrize("name", catalog.names())
def test_packaged_profiles_are_valid_and_name_their_source(name: str) -> None:
    profile = catalog.load(name)
    assert profile.warnings == ()
    assert profile.name == name
    model = power_model(profile, 3.85)
    assert list(model.implausible) == [text.format(name=name) for text in FALLS.get(name, [])]
    assert model.battery_mah is not None
    assert model.battery_mah > 1000
    text = catalog.find(name).read_text()
    assert "Figures from: " in text
    assert name in (ROOT / "profiles/README.md").read_text()


def test_the_default_and_three_generations_are_packaged() -> None:
    assert {"google-nexus-5", "oneplus-3", catalog.DEFAULT} <= set(catalog.names())
    assert "cpu.speeds" in catalog.load("google-nexus-5").arrays
    assert "cpu.cluster_power.cluster0" not in catalog.load("oneplus-3").items
    default = catalog.load()
    assert default.items["cpu.cluster_power.cluster0"] > 0
    assert default.items["cpu.active"] > 0


def test_currents_of_the_default_rise_with_frequency() -> None:
    for cluster in power_model(catalog.load(), 3.85).cpu.clusters:
        assert list(cluster.core_ma) == sorted(cluster.core_ma)


def test_an_existing_path_is_returned_unchanged(tmp_path: Path) -> None:
    own = tmp_path / "mine.xml"
    own.write_bytes(catalog.find("oneplus-3").read_bytes())
    assert catalog.find(own) == own
    assert catalog.load(str(own)).name == "mine"


def test_an_unknown_name_raises_an_error_with_similar_names() -> None:
    with pytest.raises(PowerProfileError) as caught:
        catalog.load("google-pixel-6a")
    assert "google-pixel-6" in caught.value.remedy
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize("name", ["../power", "..", "", "a/b", "/nowhere/x.xml"])
def test_a_name_cannot_leave_the_profiles_folder(name: str) -> None:
    with pytest.raises(PowerProfileError):
        catalog.find(name)


NO_CORES = "{name}: the cores of a cluster are not stated, 1 is assumed"
# The number of operating points of each cluster, and all warnings in order.
EXPECTED: dict[str, tuple[list[int], list[str]]] = {
    "emanafa_frd-l09": ([9], [NO_CORES]),
    "emanafa_mi9lite": (
        [9, 13],
        [
            "modem.controller.idle: defined 2 times (lines 21, 100), the last is used",
            "modem.controller.rx: defined 2 times (lines 22, 101), the last is used",
            "modem.controller.voltage: defined 2 times (lines 24, 109), the last is used",
            "cpu.active is missing, 0 mA is assumed",
            "cpu.cluster_power.cluster0 is missing, 0 mA is assumed",
            "cpu.cluster_power.cluster1 is missing, 0 mA is assumed",
            "modem.controller.tx: an <item> and an <array>, the <item> is used",
            "wifi.controller.tx_levels: the array is empty",
        ],
    ),
    "emanafa_redminote9s": ([10, 12], []),
    "emanafa_sdk_gphone_x86_arm": (
        [],
        [
            "cpu.active: an array in a profile with cpu.clusters.cores: the first value is used, for any running core",
            "wifi.controller.tx_levels: the array is empty",
        ],
    ),
    "fairphone_FP3_power_profile": ([7, 6], []),
    "google_pixel3XL_crosshatch_power_profile": ([18, 23], []),
    "google_pixel3a_sargo_power_profile": (
        [8, 10],
        [
            "cpu.core_power.cluster0 of {name}: a core of cluster 0 uses 181.24 mA at 1,708.8 MHz, more than one of the faster "
            "cluster 1, 84.1 mA there: is this the current of all 6 cores? One would have 30.21 mA: " + _REMEDY,
            "cpu.core_speeds.cluster1 has 11 values but cpu.core_power.cluster1 has 10: the surplus is ignored",
        ],
    ),
    "google_pixel6_oriole_power_profile": ([11, 14, 17], []),
    "google_pixelXL_marlin_power_profile": ([18, 25], []),
    "google_slider_power_profile": ([11, 14, 15], ["battery.capacity is missing: no battery share can be reported"]),
    "lge_nexus5_hammerhead_power_profile": (
        [14],
        ["camera.flashlight: defined 2 times (lines 25, 33), the last is used", NO_CORES],
    ),
    "oneplus3_power_profile": (
        [16, 25],
        [
            *ONEPLUS,
            "line 126: <allow-in-power-save> is not part of a power profile, ignored",
            "line 127: <allow-in-data-usage-save> is not part of a power profile, ignored",
        ],
    ),
    "samsung_galaxynexus_maguro_power_profile": ([4], [NO_CORES]),
    "samsung_s5_klte_power_profile": (
        [15],
        [
            "cpu.idle is missing, 0 mA is assumed",
            "cpu.active is missing, 0 mA is assumed",
            "cpu.cluster_power.cluster0 is missing, 0 mA is assumed",
            "cpu.clusters.cores: one value where an array is expected",
            "cpu.core_speeds.cluster0: speeds are not ascending, they are sorted",
        ],
    ),
}


@needs_field_data
@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_phones_profile_loads_with_a_warning_per_defect(name: str) -> None:
    points, warnings = EXPECTED[name]
    profile = catalog.load(FIELD / f"{name}.xml")
    if not points:
        assert list(profile.warnings) == warnings
        with pytest.raises(PowerProfileError, match="placeholder"):
            power_model(profile, 3.85)
        return
    model = power_model(profile, 3.85)
    assert [len(cluster.freq_khz) for cluster in model.cpu.clusters] == points
    assert list(model.warnings) == [warning.format(name=name) for warning in warnings]


@needs_field_data
def test_all_collected_profiles_are_tested() -> None:
    assert {path.stem for path in FIELD.glob("*.xml")} == {*EXPECTED}
