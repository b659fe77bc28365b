"""The power profile and voltage of an imported recording."""

from __future__ import annotations

from navitas.collect.power import DEFAULT_VOLTAGE_V
from navitas.counts import counted
from navitas.errors import PowerProfileError, UsageError
from navitas.importing.counted_cpus import CountedCpus
from navitas.importing.imported_recording import check_supply
from navitas.importing.recording_parts import ImportSupply
from navitas.power import catalog
from navitas.power.power_profile import read_power_profile, read_profile_bytes


def read_supply(power_profile: str, voltage_v: float | None) -> ImportSupply:
    """Read the profile that the user named. Raises `UsageError` if it does not exist, `PowerProfileError` if it is unreadable."""
    path = catalog.find(power_profile)
    xml = read_profile_bytes(path)
    if voltage_v is None:
        return ImportSupply(xml, path.stem, DEFAULT_VOLTAGE_V, "default")
    return ImportSupply(xml, path.stem, voltage_v, "option")


def no_profile_of_log(cpus: CountedCpus) -> UsageError:
    """Return the error for a missing profile. It names the log's clusters, and packaged profiles that resemble them."""
    fitting = [name for name in catalog.names() if _fits(name, cpus)]
    highest = [(len(one.cpus), cpus.frequencies[one.cpus[0]][-1] // 1000) for one in cpus.policies]
    clusters = ", ".join(f"{counted(count, 'CPU')} up to {mhz} MHz" for count, mhz in highest)
    instead = f", or try one with similar clusters: {', '.join(fitting)}" if fitting else ""
    return UsageError(
        f"a log has no power profile, so --power-profile is required (clusters of the log: {clusters})",
        f"Give the power_profile.xml of this model{instead}.",
    )


def _fits(name: str, cpus: CountedCpus) -> bool:
    """Whether a packaged profile has clusters of as many cores, as far as it states them, with about the same highest speeds."""
    supply = read_supply(name, None)
    counts = read_power_profile(supply.profile_xml, name=name).values("cpu.clusters.cores")
    try:
        model = check_supply(supply, cpus)
    except PowerProfileError:
        return False
    pairs = zip(model.cpu.clusters, cpus.policies, strict=True)
    has_speeds = all(0.8 < cluster.freq_khz[-1] / cpus.frequencies[policy.cpus[0]][-1] < 1.25 for cluster, policy in pairs)
    return has_speeds and (not counts or list(counts) == [len(policy.cpus) for policy in cpus.policies])
