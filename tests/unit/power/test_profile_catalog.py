"""The packaged profiles, and those of real phones."""

from __future__ import annotations

from pathlib import Path

import pytest

from navitas.errors import PowerProfileError
from navitas.power import catalog
from navitas.power.cpu import power_model

ROOT = Path(__file__).parents[3]
FIELD = ROOT.parent / "shared/field/power_profiles"


@pytest.mark.parametrize("name", catalog.names())
def test_every_packaged_profile_is_sound_and_names_its_source(name: str) -> None:
    profile = catalog.load(name)
    assert profile.warnings == ()
    assert profile.name == name
    model = power_model(profile, 3.85)
    assert model.battery_mah is not None
    assert model.battery_mah > 1000
    text = catalog.find(name).read_text()
    assert "Figures from: " in text
    assert name in (ROOT / "profiles/README.md").read_text()


def test_three_generations_and_the_default_are_packaged() -> None:
    assert {"google-nexus-5", "oneplus-3", catalog.DEFAULT} <= set(catalog.names())
    assert "cpu.speeds" in catalog.load("google-nexus-5").arrays
    assert "cpu.cluster_power.cluster0" not in catalog.load("oneplus-3").items
    default = catalog.load()
    assert default.items["cpu.cluster_power.cluster0"] > 0
    assert default.items["cpu.active"] > 0


def test_currents_of_the_default_rise_with_frequency() -> None:
    for cluster in power_model(catalog.load(), 3.85).cpu.clusters:
        assert list(cluster.core_ma) == sorted(cluster.core_ma)


def test_a_path_is_found_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "mine.xml"
    own.write_bytes(catalog.find("oneplus-3").read_bytes())
    assert catalog.find(own) == own
    assert catalog.load(str(own)).name == "mine"


def test_an_unknown_name_is_an_error_that_offers_near_ones() -> None:
    with pytest.raises(PowerProfileError) as caught:
        catalog.load("google-pixel-6a")
    assert "google-pixel-6" in caught.value.remedy


@pytest.mark.parametrize("name", ["../power", "..", "", "a/b", "/nowhere/x.xml"])
def test_names_do_not_leave_the_catalogue(name: str) -> None:
    with pytest.raises(PowerProfileError):
        catalog.find(name)


EXPECTED = {
    "emanafa_frd-l09.xml": ([9], "how many cores"),
    "emanafa_mi9lite.xml": ([9, 13], "modem.controller.idle: named 2 times"),
    "emanafa_redminote9s.xml": ([10, 12], None),
    "fairphone_FP3_power_profile.xml": ([7, 6], None),
    "google_pixel3XL_crosshatch_power_profile.xml": ([18, 23], None),
    "google_pixel3a_sargo_power_profile.xml": ([8, 10], "11 values but cpu.core_power.cluster1 has 10"),
    "google_pixel6_oriole_power_profile.xml": ([11, 14, 17], None),
    "google_pixelXL_marlin_power_profile.xml": ([18, 25], None),
    "google_slider_power_profile.xml": ([11, 14, 15], "battery.capacity is missing"),
    "lge_nexus5_hammerhead_power_profile.xml": ([14], "camera.flashlight: named 2 times"),
    "oneplus3_power_profile.xml": ([16, 25], None),
    "samsung_galaxynexus_maguro_power_profile.xml": ([4], "how many cores"),
    "samsung_s5_klte_power_profile.xml": ([15], "speeds are not ascending"),
}


@pytest.mark.skipif(not FIELD.is_dir(), reason="no profiles of real phones in ../shared/field")
def test_profiles_of_real_phones_load_or_say_why_not() -> None:
    found = {path.name for path in FIELD.glob("*.xml")}
    assert found == {*EXPECTED, "emanafa_sdk_gphone_x86_arm.xml"}
    for name, (points, warning) in EXPECTED.items():
        model = power_model(catalog.load(FIELD / name), 3.85)
        assert [len(cluster.freq_khz) for cluster in model.cpu.clusters] == points, name
        if warning is None:
            assert model.warnings == (), name
        else:
            assert any(warning in text for text in model.warnings), name
    with pytest.raises(PowerProfileError, match="placeholder"):
        power_model(catalog.load(FIELD / "emanafa_sdk_gphone_x86_arm.xml"), 3.85)
