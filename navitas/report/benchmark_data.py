"""Energy of tests as Jetpack Benchmark writes its results (`…-benchmarkData.json` of androidx.benchmark), for dashboards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress, count
from statistics import median
from typing import IO, Any

from navitas import __version__
from navitas.base.json_text import json_chunks
from navitas.base.units import UJ_PER_J
from navitas.base.untrusted_text import escaped
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.repeats import Repeats
from navitas.report.format import Format


def write(profile: Profile, out: IO[str]) -> None:
    """Write a benchmark for each test, with its energy in each run that counts, in µWs (microjoules).

    Metrics have the names of androidx's `PowerMetric`, and `energyAppUws` for the energy of the app's threads.
    """
    benchmarks = [_benchmark(profile, group) for group in profile.repeats()]
    out.writelines(json_chunks({"context": _context(profile), "benchmarks": benchmarks}))
    out.write("\n")


FORMAT = Format("benchmarkData", ".benchmarkData.json", "energy of tests, as Jetpack Benchmark writes results", write)


def _context(profile: Profile) -> dict[str, Any]:
    """Return the device. What a recording does not know is empty, 0, or false."""
    device: Mapping[str, Any] = profile.about.device
    texts = {name: escaped(str(device.get(name) or "")) for name in ("fingerprint", "model")}
    return {
        "build": {
            **dict.fromkeys(("brand", "device", "id", "type"), ""),
            **texts,
            "version": {"codename": "", "sdk": device.get("sdk") or 0},
        },
        "cpuCoreCount": len(device.get("cpus") or ()),
        "cpuLocked": False,
        "cpuMaxFreqHz": 0,
        "memTotalBytes": 0,
        "sustainedPerformanceModeEnabled": False,
        "artMainlineVersion": 0,
        "osCodenameAbbreviated": "",
        "compilationMode": "",
        "payload": {"navitas": __version__, "project": escaped(profile.project)},
    }


def _benchmark(profile: Profile, group: Repeats) -> dict[str, Any]:
    runs = list(compress(group.tests, group.energy_j.counts or (True,) * len(group.tests)))
    by_component = zip(*(run.components for run in runs), strict=True)
    energies_j = {
        "energyTotalUws": [run.energy_j for run in runs],
        "energyAppUws": [run.app_j for run in runs],
        **dict(zip(_metric_names(profile.components), by_component, strict=True)),
    }
    return {
        "name": escaped(group.method),
        "params": {"module": escaped(group.module)} if group.module not in ("", ":") else {},
        "className": escaped(group.class_name),
        "totalRunTimeNs": sum(run.wall_ns for run in runs),
        "metrics": {name: _metric(values) for name, values in energies_j.items()},
        "sampledMetrics": {},
        "warmupIterations": sum("warmup" in run.unfit for run in group.tests),
        "repeatIterations": len(runs),
        "thermalThrottleSleepSeconds": 0,
    }


def _metric(values_j: Sequence[float]) -> dict[str, Any]:
    runs = [UJ_PER_J * value for value in values_j]
    return {"minimum": min(runs), "maximum": max(runs), "median": median(runs), "runs": runs}


def _metric_names(components: Sequence[str]) -> list[str]:
    """Return a metric's name for each component. Names that are equal without punctuation end with a number."""
    names: list[str] = []
    for component in components:
        camel = "".join(word[:1].upper() + word[1:] for word in re.split(r"[\W_]+", component))
        numbered = (f"energyComponent{camel}{number if number > 1 else ''}Uws" for number in count(1))
        names.append(next(name for name in numbered if name not in names))
    return names
