"""Power models from profiles of all generations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.errors import PowerProfileError
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile


def xml(items: dict[str, object], arrays: dict[str, Sequence[object]]) -> PowerProfile:
    body = "".join(f'<item name="{k}">{v}</item>' for k, v in items.items())
    body += "".join(f'<array name="{k}">{"".join(f"<value>{v}</value>" for v in vs)}</array>' for k, vs in arrays.items())
    return read_power_profile(f"<device>{body}</device>".encode(), name="phone")


FIRST = xml(
    {"cpu.idle": 3, "cpu.awake": 17, "battery.capacity": 2300}, {"cpu.speeds": [100_000, 200_000], "cpu.active": [50, 90]}
)
TWO = {"cpu.clusters.cores": [4, 2]}
SECOND = xml(
    {"cpu.idle": 9, "cpu.suspend": 4},
    {**TWO, "cpu.speeds.cluster0": [100], "cpu.active.cluster0": [5], "cpu.speeds.cluster1": [200], "cpu.active.cluster1": [8]},
)
CORES = {
    "cpu.core_speeds.cluster0": [100, 200],
    "cpu.core_power.cluster0": [5, 7],
    "cpu.core_speeds.cluster1": [200, 300],
    "cpu.core_power.cluster1": [8, 20],
}
THIRD = xml(
    {"cpu.suspend": 4, "cpu.idle": 2, "cpu.active": 12, "cpu.cluster_power.cluster0": 1, "cpu.cluster_power.cluster1": 3},
    {**TWO, **CORES},
)


def clusters(model: PowerModel) -> list[tuple[tuple[int, ...], list[int], list[float], float]]:
    return [(c.cpus, c.freq_khz.tolist(), c.core_ma.tolist(), c.cluster_ma) for c in model.cpu.clusters]


def test_first_generation_uses_cpu_speeds_and_cpu_active() -> None:
    model = power_model(FIRST, 3.7, [(0, [0, 1, 2, 3])])
    assert clusters(model) == [((0, 1, 2, 3), [100_000, 200_000], [50.0, 90.0], 0.0)]
    assert (model.cpu.suspend_ma, model.cpu.idle_ma, model.cpu.active_ma) == (3.0, 17.0, 0.0)
    assert (model.name, model.voltage_v, model.battery_mah, model.warnings) == ("phone", 3.7, 2300.0, ())


@pytest.mark.parametrize("mah", [-3000, 0, 1e-300, 1e300])
def test_an_implausible_battery_capacity_is_none(mah: float) -> None:
    profile = xml({"cpu.idle": 3, "cpu.awake": 17, "battery.capacity": mah}, {"cpu.speeds": [100], "cpu.active": [50]})
    assert power_model(profile, 3.7).battery_mah is None


def test_first_generation_assumes_one_core() -> None:
    model = power_model(FIRST, 3.7)
    assert model.cpu.clusters[0].cpus == (0,)
    assert any("not stated" in warning for warning in model.warnings)


def test_first_generation_is_used_for_all_policies() -> None:
    model = power_model(FIRST, 3.7, [(4, [4, 5]), (0, [0, 1])])
    assert [c.cpus for c in model.cpu.clusters] == [(0, 1), (4, 5)]
    assert any("has one cluster, the phone 2" in warning for warning in model.warnings)


def test_second_generation_uses_old_cluster_names() -> None:
    model = power_model(SECOND, 3.7)
    assert clusters(model) == [((0, 1, 2, 3), [100], [5.0], 0.0), ((4, 5), [200], [8.0], 0.0)]
    assert (model.cpu.suspend_ma, model.cpu.idle_ma, model.cpu.active_ma) == (4.0, 9.0, 0.0)


def test_third_generation_has_core_cluster_and_cpu_currents() -> None:
    model = power_model(THIRD, 3.7, [(0, [0, 1, 2, 3]), (4, [4, 5])])
    assert clusters(model) == [((0, 1, 2, 3), [100, 200], [5.0, 7.0], 1.0), ((4, 5), [200, 300], [8.0, 20.0], 3.0)]
    assert (model.cpu.suspend_ma, model.cpu.idle_ma, model.cpu.active_ma) == (4.0, 2.0, 12.0)
    assert model.battery_mah is None


def test_android_14_lists_currents_by_policy() -> None:
    profile = xml(
        {"cpu.active": 5, "cpu.scaling_policy_power.policy4": 3},
        {"cpu.scaling_step_power.policy0": [1, 2], "cpu.scaling_step_power.policy4": [6, 9]},
    )
    policies = [(0, [0, 1, 2, 3]), (4, [4, 5, 6, 7])]
    model = power_model(profile, 3.7, policies, {0: [200, 100], 4: [300, 400]})
    assert clusters(model) == [((0, 1, 2, 3), [100, 200], [1.0, 2.0], 0.0), ((4, 5, 6, 7), [300, 400], [6.0, 9.0], 3.0)]
    with pytest.raises(PowerProfileError, match="frequencies are not known"):
        power_model(profile, 3.7, policies)


MIXED = xml(
    {"cpu.suspend": 4, "cpu.idle": 2, "cpu.cluster_power.cluster0": 3},
    {
        "cpu.speeds": [100_000, 200_000, 300_000],
        "cpu.active": [151, 250, 353],
        "cpu.core_speeds.cluster0": [100_000, 200_000],
        "cpu.core_power.cluster0": [10, 52],
        "cpu.core_power.cluster1": [70],
    },
)


def test_cluster0_takes_precedence_over_the_first_generation() -> None:
    """PowerProfile.initCpuClusters: without `cpu.clusters.cores` the CPU is cluster0."""
    model = power_model(MIXED, 3.7)
    assert clusters(model) == [((0,), [100_000, 200_000], [10.0, 52.0], 3.0)]
    assert model.cpu.active_ma == 151
    assert model.warnings == (
        "battery.capacity is missing: no battery share can be reported",
        "cpu.active: an array in a profile with cpu.core_power.cluster0: the first value is used, for any running core",
        "cpu.speeds: not used, the CPU's values come from cpu.core_power.cluster0",
        "cpu.core_power.cluster1: not used, the CPU's values come from cpu.core_power.cluster0",
        "phone: the cores of a cluster are not stated, 1 is assumed",
    )


def test_the_first_generation_is_used_without_cluster_currents() -> None:
    model = power_model(
        xml({"cpu.idle": 3}, {"cpu.speeds": [100], "cpu.active": [50], "cpu.core_speeds.cluster0": [100]}), 3.7, [(0, [0])]
    )
    assert clusters(model) == [((0,), [100], [50.0], 0.0)]
    assert "cpu.core_speeds.cluster0: not used, the CPU's values come from cpu.active" in model.warnings


POLICIES = xml(
    {"cpu.active": 5, "cpu.idle": 1, "cpu.scaling_policy_power.policy0": 2, "cpu.scaling_policy_power.policy4": 3},
    {
        "cpu.scaling_step_power.policy0": [1, 2],
        "cpu.scaling_step_power.policy4": [6, 9, 12],
        "cpu.power_brackets.policy0": [0, 1],
        **TWO,
        **CORES,
    },
)


def test_policy_entries_take_precedence_over_all_others() -> None:
    """PowerProfile.initCpuScalingPolicies: clusters are read only if there is no policy entry."""
    model = power_model(POLICIES, 3.7, [(0, [0, 1, 2, 3]), (4, [4, 5])], {0: [100, 200], 4: [300, 400]})
    assert clusters(model) == [((0, 1, 2, 3), [100, 200], [1.0, 2.0], 2.0), ((4, 5), [300, 400], [6.0, 9.0], 3.0)]
    where = "not used, the CPU's values come from cpu.scaling_step_power.policy0, cpu.scaling_step_power.policy4"
    assert [text for text in model.warnings if "not used" in text] == [f"{key}: {where}" for key in (*TWO, *CORES)]
    assert (
        "cpu.scaling_step_power.policy4 has 3 values, but the phone has 2 speeds: the surplus at the high end is ignored"
        in model.warnings
    )


def test_clusters_are_used_if_the_policies_speeds_are_unknown() -> None:
    model = power_model(POLICIES, 3.7, [(0, [0, 1, 2, 3]), (4, [4, 5])])
    assert clusters(model)[1] == ((4, 5), [200, 300], [8.0, 20.0], 0.0)
    assert any(text.startswith("cpu.scaling_step_power.policy4: not used") for text in model.warnings)


def test_a_policy_without_steps_is_rejected() -> None:
    profile = xml({"cpu.scaling_policy_power.policy4": 3}, {"cpu.scaling_step_power.policy0": [1, 2]})
    with pytest.raises(PowerProfileError, match="no speeds and currents for CPU cluster 1"):
        power_model(profile, 3.7, [(0, [0]), (4, [4])], {0: [100, 200], 4: [300, 400]})


def test_each_unused_entry_is_a_warning() -> None:
    profile = xml({"cpu.suspend": 4, "cpu.idle": 2, "cpu.awake": 17}, {**TWO, **CORES, "cpu.active.cluster0": [1]})
    found = [text.partition(":")[0] for text in power_model(profile, 3.7).warnings if "not used" in text]
    assert found == ["cpu.awake", "cpu.active.cluster0"]
    many = xml({f"cpu.x{k}": 1 for k in range(200)}, {"cpu.speeds": [100], "cpu.active": [50]})
    assert power_model(many, 3.7, [(0, [0])]).warnings[-1] == "and 150 more CPU entries are not used"


def test_a_scalar_cluster_and_an_array_for_cpu_active_are_accepted() -> None:
    profile = xml(
        {"cpu.clusters.cores": 4},
        {"cpu.core_speeds.cluster0": [200, 100], "cpu.core_power.cluster0": [9, 4], "cpu.active": [6, 7]},
    )
    model = power_model(profile, 3.7)
    assert clusters(model) == [((0, 1, 2, 3), [100, 200], [4.0, 9.0], 0.0)]
    assert model.cpu.active_ma == 6.0


def test_surplus_speeds_are_ignored() -> None:
    profile = xml({}, {"cpu.speeds": [3, 1, 2], "cpu.active": [30, 10]})
    model = power_model(profile, 3.7)
    assert clusters(model) == [((0,), [1, 3], [10.0, 30.0], 0.0)]
    assert any("3 values" in warning for warning in model.warnings)


def test_a_core_count_unlike_the_phones_is_a_warning() -> None:
    model = power_model(THIRD, 3.7, [(0, [0, 1, 2, 3, 4, 5]), (6, [6, 7])])
    assert [c.cpus for c in model.cpu.clusters] == [(0, 1, 2, 3, 4, 5), (6, 7)]
    assert any("cluster 0 has 4 cores, but 6 on the phone" in warning for warning in model.warnings)


@pytest.mark.parametrize(
    ("profile", "cause"),
    [
        (xml({"screen.on": 1}, {}), "no speeds and currents for the CPU"),
        (xml({}, {**TWO, "cpu.core_speeds.cluster0": [1], "cpu.core_power.cluster0": [1]}), "CPU cluster 1"),
        (xml({}, {"cpu.speeds": [400000], "cpu.active": [0.1]}), "placeholder"),
        (
            xml({"cpu.idle": 0.1}, {"cpu.clusters.cores": [1], "cpu.speeds.cluster0": [4], "cpu.active.cluster0": [0.1]}),
            "placeholder",
        ),
        (xml({}, {"cpu.speeds": [100], "cpu.active": [0]}), "are 0"),
        (xml({}, {"cpu.speeds": [100, 200], "cpu.active": [10, -1]}), "negative"),
        (xml({"cpu.idle": -1}, {"cpu.speeds": [100], "cpu.active": [10]}), "negative"),
        (xml({}, {"cpu.speeds": [0], "cpu.active": [10]}), "not between 0 and"),
    ],
)
def test_a_profile_without_usable_values_is_rejected_with_a_remedy(profile: PowerProfile, cause: str) -> None:
    with pytest.raises(PowerProfileError, match=cause) as caught:
        power_model(profile, 3.7)
    assert "--power-profile" in caught.value.remedy


def test_a_profile_for_another_phone_is_rejected() -> None:
    with pytest.raises(PowerProfileError, match="for another phone"):
        power_model(THIRD, 3.7, [(0, [0]), (1, [1]), (2, [2])])


@given(st.lists(st.tuples(st.integers(1, 10**7), st.floats(0.2, 1e4)), min_size=1, max_size=30))
def test_operating_points_are_ascending_and_keep_their_currents(points: list[tuple[int, float]]) -> None:
    cluster = power_model(
        xml({}, {"cpu.speeds": [k for k, _ in points], "cpu.active": [ma for _, ma in points]}), 3.7
    ).cpu.clusters[0]
    assert np.all(np.diff(cluster.freq_khz) > 0)
    assert dict(zip(cluster.freq_khz.tolist(), cluster.core_ma.tolist(), strict=True)) == dict(points)
    assert np.array_equal(cluster.core_ma_at(cluster.freq_khz), cluster.core_ma)
