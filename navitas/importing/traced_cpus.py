"""The CPUs of a kernel trace, and the power model of its device."""

from __future__ import annotations

import numpy as np

from navitas.errors import PowerProfileError, UsageError
from navitas.importing.recording_parts import ImportedDevice, ImportSupply, model_of
from navitas.parse.trace.trace_tables import Trace
from navitas.power import cpu_keys
from navitas.power.cpu import needs_frequencies
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import Policy


def traced_device(supply: ImportSupply, trace: Trace) -> tuple[ImportedDevice, PowerModel]:
    """Return the device of a trace, and its power model. A profile of one cluster that does not state its cores is for all CPUs.

    Raises `PowerProfileError` if the profile needs what a trace lacks, `UsageError` if it lacks CPUs.
    """
    profile = read_power_profile(supply.profile_xml, name=supply.profile_source)
    if needs_frequencies(profile):
        raise PowerProfileError(
            f"{supply.profile_source}: the profile lists currents by operating point (Android 14 and later), and a kernel trace "
            "does not list the operating points",
            "Give a profile with speeds: add the operating points of the phone as cpu.core_speeds.",
        )
    cpus = np.unique(trace.switches.cpu).tolist()
    clusters = cpu_keys.by_cluster(profile) or cpu_keys.single(profile)
    is_for_all = len(clusters) == 1 and clusters[0].cores is None
    policies = [Policy(id=0, cpus=list(range(max(cpus, default=0) + 1)))] if is_for_all else []
    model = model_of(supply, policies, {})
    lacking = set(cpus) - {cpu for cluster in model.cpu.clusters for cpu in cluster.cpus}
    if lacking:
        raise UsageError(
            f"the trace has CPU {min(lacking)}, and the power profile {supply.profile_source} has not",
            "Give the power_profile.xml of the traced phone with --power-profile.",
        )
    return ImportedDevice(cpus, policies), model
