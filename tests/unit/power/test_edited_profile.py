"""Calibrated profiles: Android's grammar, and everything but the CPU's figures as before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from support.field_data import FIELD_DATA

from navitas.power import catalog
from navitas.power.cpu import placeholder_frequencies, power_model
from navitas.power.edited_profile import with_cpu
from navitas.power.model import ClusterPower
from navitas.power.power_profile import PowerProfile, read_power_profile

PROFILES = [catalog.find(name) for name in catalog.names()]
FIELD = sorted((FIELD_DATA / "power_profiles").glob("*.xml"))
PLACEHOLDERS = "emanafa_sdk_gphone_x86_arm"
POLICIES = b"""<device name="Android"><item name="battery.capacity">4000</item>
<array name="cpu.scaling_step_power.policy0"><value>10</value><value>20</value></array>
<item name="cpu.scaling_policy_power.policy0">3</item><item name="cpu.active">2</item></device>"""


def _others(profile: PowerProfile) -> dict[str, object]:
    return {key: value for key, value in (*profile.items.items(), *profile.arrays.items()) if not key.startswith("cpu.")}


@pytest.mark.parametrize("path", [*PROFILES, *FIELD], ids=lambda path: path.stem)
def test_a_calibrated_profile_has_the_new_figures_and_keeps_all_others(path: Path) -> None:
    if path.stem == PLACEHOLDERS:
        pytest.skip("a profile of placeholders has no CPU to calibrate")
    profile = read_power_profile(path)
    model = power_model(profile, 3.85)
    clusters = tuple(replace(each, core_ma=np.round(each.core_ma * 1.25, 3)) for each in model.cpu.clusters)
    cpu = replace(model.cpu, clusters=clusters)
    xml = with_cpu(path.read_bytes(), profile, cpu, note="tuned -- by hand")
    _check_grammar(xml)
    again = read_power_profile(xml, name=profile.name)
    read = power_model(again, 3.85).cpu
    assert read.active_ma == cpu.active_ma
    for found, wanted in zip(read.clusters, clusters, strict=True):
        assert (found.cpus, found.cluster_ma) == (wanted.cpus, wanted.cluster_ma)
        np.testing.assert_array_equal(found.freq_khz, wanted.freq_khz)
        np.testing.assert_array_equal(found.core_ma, wanted.core_ma)
    assert _others(again) == _others(profile)
    assert len(again.warnings) <= len(profile.warnings)


def _check_grammar(xml: bytes) -> None:
    """As Android reads it (AOSP: PowerProfile.readPowerValuesFromXml): names, arrays of values, decimal numbers."""
    root = etree.fromstring(xml)
    assert root.tag == "device"
    for array in root.iterchildren("array"):
        assert array.get("name") and {child.tag for child in array.iterchildren(etree.Element)} <= {"value", "item"}
    for element in root.iter("item", "value"):
        name = element.get("name") or element.getparent().get("name")
        if name.startswith("cpu."):
            float(element.text)
            assert "e" not in element.text.lower()


def test_operating_points_of_android_14_keep_their_names() -> None:
    profile = read_power_profile(POLICIES, name="p")
    model = power_model(profile, 3.85, [(0, [0])], {0: [100, 200]})
    cluster = replace(model.cpu.clusters[0], core_ma=np.array([11.5, 22.0]))
    again = read_power_profile(with_cpu(POLICIES, profile, replace(model.cpu, clusters=(cluster,)), note="x"), name="p")
    assert again.values("cpu.scaling_step_power.policy0") == (11.5, 22.0)
    assert again.value("cpu.scaling_policy_power.policy0") == 3 and placeholder_frequencies(again)
    assert not any("core_power" in key for key in again.arrays)


def test_another_number_of_clusters_replaces_all_their_entries() -> None:
    path = catalog.find("oneplus-3")
    profile = read_power_profile(path)
    clusters = tuple(ClusterPower((cpu,), np.array([300_000, 600_000]), np.array([10.0, 20.0]), 0.5) for cpu in range(3))
    cpu = replace(power_model(profile, 3.85).cpu, clusters=clusters, active_ma=4.0)
    read = power_model(read_power_profile(with_cpu(path.read_bytes(), profile, cpu, note="x"), name="x"), 3.85)
    assert [each.cpus for each in read.cpu.clusters] == [(0,), (1,), (2,)]
    assert read.cpu.active_ma == 4.0 and read.warnings == ()


def test_other_sizes_of_the_same_number_of_clusters_are_written() -> None:
    path = catalog.find("google-pixel-6")
    profile = read_power_profile(path)
    model = power_model(profile, 3.85)
    cpus = (tuple(range(4)), (4, 5, 6), (7,))
    clusters = tuple(replace(each, cpus=own) for each, own in zip(model.cpu.clusters, cpus, strict=True))
    again = read_power_profile(with_cpu(path.read_bytes(), profile, replace(model.cpu, clusters=clusters), note="x"), name="x")
    assert again.values("cpu.clusters.cores") == (4, 3, 1)
    assert [each.cpus for each in power_model(again, 3.85).cpu.clusters] == list(cpus)


@pytest.mark.parametrize(
    ("xml", "policies", "frequencies"),
    [
        (POLICIES, [(0, [0])], {0: [100, 200]}),
        (
            b'<device name="Android"><array name="cpu.speeds"><value>100</value><value>200</value></array>'
            b'<array name="cpu.active"><value>10</value><value>20</value></array></device>',
            None,
            None,
        ),
    ],
    ids=["android-14", "first"],
)
def test_clusters_that_the_schema_cannot_state_are_written_as_in_android_9(
    xml: bytes, policies: list[tuple[int, list[int]]] | None, frequencies: dict[int, list[int]] | None
) -> None:
    profile = read_power_profile(xml, name="p")
    model = power_model(profile, 3.85, policies, frequencies)
    cluster = replace(model.cpu.clusters[0], cpus=(4, 5))
    written = with_cpu(xml, profile, replace(model.cpu, clusters=(cluster,)), note="x")
    again = read_power_profile(written, name="p")
    assert again.values("cpu.clusters.cores") == (2,)
    assert again.values("cpu.core_speeds.cluster0") == (100, 200)
    assert "cpu.cluster_power.cluster0" in again.items and "cpu.active" in again.items
    assert not any("scaling" in key or key == "cpu.speeds" for key in (*again.items, *again.arrays))


def test_entries_that_android_9_reads_without_a_default_are_always_written() -> None:
    """AOSP: PowerProfile.writeToProto."""
    xml = b"""<device name="Android"><array name="cpu.clusters.cores"><value>2</value></array>
    <array name="cpu.core_speeds.cluster0"><value>100</value></array>
    <array name="cpu.core_power.cluster0"><value>10</value></array></device>"""
    profile = read_power_profile(xml, name="p")
    again = read_power_profile(with_cpu(xml, profile, power_model(profile, 3.85).cpu, note="x"), name="p")
    assert again.items["cpu.cluster_power.cluster0"] == 0 and again.items["cpu.active"] == 0


def test_a_licence_before_the_root_is_kept() -> None:
    xml = b'<?xml version="1.0"?>\n<!-- Copyright -->\n' + POLICIES
    profile = read_power_profile(xml, name="p")
    cpu = power_model(profile, 3.85, [(0, [0])], {0: [100, 200]}).cpu
    written = with_cpu(xml, profile, cpu, note="x")
    assert written.index(b"<!-- Copyright -->") < written.index(b"<device")
