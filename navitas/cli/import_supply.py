"""The power profile and voltage of an imported recording."""

from __future__ import annotations

from navitas.collect.power import DEFAULT_VOLTAGE_V
from navitas.errors import PowerProfileError, UsageError
from navitas.importing.counted_cpus import CountedCpus
from navitas.importing.imported_recording import check_supply
from navitas.importing.recording_parts import ImportSupply
from navitas.power import catalog
from navitas.power.power_profile import read_profile_bytes


def import_supply(power_profile: str | None, voltage_v: float | None, cpus: CountedCpus) -> ImportSupply:
    """Return the profile that the user named, and the voltage.

    Raises `UsageError` if there is no name; it names the packaged profiles that resemble the log's CPUs.
    """
    if power_profile is None:
        fitting = [name for name in catalog.names() if _fits(name, cpus)]
        clusters = ", ".join(
            f"{len(one.cpus)} CPUs up to {cpus.frequencies[one.cpus[0]][-1] / 1000:.0f} MHz" for one in cpus.policies
        )
        instead = f", or try one with similar clusters: {', '.join(fitting)}" if fitting else ""
        raise UsageError(
            f"a log has no power profile, so --power-profile is required (clusters of the log: {clusters})",
            f"Give the power_profile.xml of this model{instead}.",
        )
    return _supply(power_profile, voltage_v)


def traced_supply(power_profile: str | None, voltage_v: float | None) -> ImportSupply:
    """Return the profile that the user named, and the voltage. Raises `UsageError` without a name."""
    if power_profile is None:
        raise UsageError(
            "a trace has no power profile, so --power-profile is required", "Give the power_profile.xml of the traced phone."
        )
    return _supply(power_profile, voltage_v)


def _supply(name: str, voltage_v: float | None) -> ImportSupply:
    path = catalog.find(name)
    xml = read_profile_bytes(path)
    if voltage_v is None:
        return ImportSupply(xml, path.stem, DEFAULT_VOLTAGE_V, "default")
    return ImportSupply(xml, path.stem, voltage_v, "option")


def _fits(name: str, cpus: CountedCpus) -> bool:
    """Whether a packaged profile has as many clusters, with about the same highest speeds."""
    try:
        model = check_supply(_supply(name, None), cpus)
    except PowerProfileError:
        return False
    pairs = zip(model.cpu.clusters, cpus.policies, strict=True)
    return all(0.8 < cluster.freq_khz[-1] / cpus.frequencies[policy.cpus[0]][-1] < 1.25 for cluster, policy in pairs)
