"""Mean power: energy divided by wall time."""

from __future__ import annotations

from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy


def mean_power_w(test: TestEnergy) -> float | None:
    """The mean power of the device while a test ran, by its compensated energy; None for a test that did not run."""
    return 1e9 * test.compensated_j / test.wall_ns if test.wall_ns > 0 else None


def profile_power_w(profile: Profile) -> float | None:
    """The mean power over all runs but those of a baseline; None where no time passed."""
    wall_ns = sum(run.end_ns - run.start_ns for run in profile.ledger.runs if not run.baseline)
    return 1e9 * profile.totals.energy_j / wall_ns if wall_ns > 0 else None


def battery_life_h(profile: Profile) -> float | None:
    """How long a full battery lasts at `profile_power_w`, in hours; None where its capacity or the power is not known."""
    power_w, capacity_mah = profile_power_w(profile), profile.about.battery_mah
    return capacity_mah / 1000 * profile.about.voltage_v / power_w if power_w and capacity_mah else None
