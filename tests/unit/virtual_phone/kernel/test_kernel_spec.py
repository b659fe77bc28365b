"""The phone's hardware from power profiles, read apart from navitas.power."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from navitas.base.errors import DeviceError
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.virtual_phone.kernel.spec import FULL_CAPACITY, load_spec


@pytest.mark.parametrize("name", catalog.names())
def test_two_independent_readers_agree_on_every_packaged_profile(name: str) -> None:
    spec = load_spec(catalog.find(name), voltage_v=4.0)
    model = power_model(catalog.load(name), 4.0, [(cluster.policy, cluster.cpus) for cluster in spec.clusters])
    assert spec.base_mw == pytest.approx(4 * (model.cpu.suspend_ma + model.cpu.idle_ma))
    assert spec.active_mw == pytest.approx(4 * model.cpu.active_ma)
    assert spec.cpus == tuple(range(len(spec.cpus)))
    for ours, theirs in zip(spec.clusters, model.cpu.clusters, strict=True):
        assert list(ours.freq_khz) == theirs.freq_khz.tolist()
        assert np.allclose(ours.core_mw, 4 * theirs.core_ma)
        assert ours.cluster_mw == pytest.approx(4 * theirs.cluster_ma)


def test_the_default_phone_is_the_catalogue_s_default() -> None:
    spec = load_spec()
    assert spec.name == catalog.DEFAULT
    assert [cluster.policy for cluster in spec.clusters] == [0, 4, 6]
    capacities = [cluster.capacity for cluster in spec.clusters]
    assert capacities == sorted(capacities)
    assert capacities[-1] == FULL_CAPACITY
    assert 200 < capacities[0] < 300


def test_cores_of_old_profiles_are_known_or_given() -> None:
    assert len(load_spec(catalog.find("google-nexus-5")).cpus) == 4
    assert len(load_spec(catalog.find("google-nexus-5"), cores=2).cpus) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<device/>",
        '<device><array name="cpu.speeds"><value>fast</value></array></device>',
        '<!DOCTYPE d [<!ENTITY x "1">]><device><item name="cpu.idle">&x;</item></device>',
        '<device><array name="cpu.clusters.cores"><value>0</value></array></device>',
        '<device><array name="cpu.speeds"><value>0</value></array><array name="cpu.active"><value>1</value></array></device>',
        "<device>" + " " * (1 << 20) + "</device>",
    ],
)
def test_a_profile_without_cpu_values_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.xml"
    path.write_text(text)
    with pytest.raises(DeviceError, match=r"odd\.xml") as caught:
        load_spec(path)
    assert caught.value.remedy


def test_a_missing_profile_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"none\.xml"):
        load_spec(tmp_path / "none.xml")
