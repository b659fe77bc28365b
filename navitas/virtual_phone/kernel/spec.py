"""The virtual phone's hardware: clusters, operating points and their power.

It parses power_profile.xml with separate code, because the rails are the reference for `navitas.power`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from navitas.base.errors import DeviceError, UsageError
from navitas.base.regular_files import read_regular

_DEFAULT = "default"
DEFAULT_PROFILE = "google-pixel-6"
DEFAULT_VOLTAGE_V = 3.85
FULL_CAPACITY = 1024.0
_MAX_BYTES = 1 << 20

# Work per MHz of each cluster, which power profiles do not contain (freqbench's CoreMarks/MHz: gs101 and msm8996).
_WORK_PER_MHZ = {"google-pixel-6": (3.71, 7.75, 9.29), "google-pixel-xl": (6.67, 6.66), "oneplus-3": (6.67, 6.66)}
# Number of cores of phones whose profile is older than `cpu.clusters.cores`.
_CORES = {"google-nexus-5": 4}


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """One cluster (one cpufreq policy). `core_mw[j]` is the additional power of a running core at `freq_khz[j]` (ascending).

    `cluster_mw` is the additional power while any of its cores runs. `capacity` is a core's computing power at its highest
    frequency, 1024 for the phone's strongest core (kernel: cpu_capacity).
    """

    cpus: tuple[int, ...]
    freq_khz: tuple[int, ...]
    core_mw: tuple[float, ...]
    cluster_mw: float
    capacity: float

    @property
    def policy(self) -> int:
        """The kernel's name for the policy: its first CPU."""
        return self.cpus[0]


@dataclass(frozen=True, slots=True)
class PhoneSpec:
    """The phone. It always uses `base_mw` (it is awake as long as it is on), and `active_mw` while any core runs."""

    name: str
    profile: Path
    voltage_v: float
    base_mw: float
    active_mw: float
    clusters: tuple[ClusterSpec, ...]

    @property
    def cpus(self) -> tuple[int, ...]:
        """All CPU numbers, ascending."""
        return tuple(cpu for cluster in self.clusters for cpu in cluster.cpus)


def default_profile() -> Path:
    """Return the default phone's power profile, from the installed package or the top of the checkout."""
    package = Path(__file__).parents[2]
    places = [package / "profiles", package.parent / "profiles"]
    for place in places:
        if (path := place / f"{DEFAULT_PROFILE}.xml").is_file():
            return path
    raise DeviceError(
        f"The virtual phone's power profile {DEFAULT_PROFILE}.xml is in none of {', '.join(map(str, places))}.",
        "Reinstall Navitas, or name a power profile.",
    )


class UnknownPhoneError(UsageError, DeviceError):
    """There is no phone with this name."""


def find_profile(name: str) -> Path:
    """Return the power profile for a phone's name. Raises `UnknownPhoneError` that lists the names."""
    if name == _DEFAULT:
        return default_profile()
    shipped = default_profile().parent
    for path in (shipped / f"{name}.xml", Path(name)):
        if path.is_file():
            return path
    names = ", ".join(sorted(path.stem for path in shipped.glob("*.xml")))
    raise UnknownPhoneError(
        f"there is no phone named {name!r}", f"Use 'default', one of {names}, or the path of a power_profile.xml"
    )


def load_spec(profile: Path | None = None, *, voltage_v: float = DEFAULT_VOLTAGE_V, cores: int | None = None) -> PhoneSpec:
    """Read a phone from its power profile (None: the default phone's); mA × `voltage_v` gives mW.

    `cores` is for profiles without `cpu.clusters.cores` (default: 1, or the number of a known phone).
    Raises DeviceError if the file is unreadable or lacks the figures of a CPU.
    """
    path = profile or default_profile()
    scalars, arrays = read_figures(path)
    name = path.stem
    counts = arrays.get("cpu.clusters.cores") or ([scalars["cpu.clusters.cores"]] if "cpu.clusters.cores" in scalars else [])
    if not counts and "cpu.core_power.cluster0" in arrays:  # AOSP: one cluster if there are no core counts
        counts = [cores or 1]
    if counts:
        tables = [
            (
                int(count),
                _first(arrays, f"cpu.core_speeds.cluster{k}", f"cpu.speeds.cluster{k}"),
                _first(arrays, f"cpu.core_power.cluster{k}", f"cpu.active.cluster{k}"),
                scalars.get(f"cpu.cluster_power.cluster{k}", 0.0),
            )
            for k, count in enumerate(counts)
        ]
        active_ma = scalars.get("cpu.active", next(iter(arrays.get("cpu.active", [])), 0.0))
    else:
        tables = [(cores or _CORES.get(name, 1), arrays.get("cpu.speeds", []), arrays.get("cpu.active", []), 0.0)]
        active_ma = 0.0
    # Old profiles: `cpu.idle` is the suspended phone, and `cpu.awake` what being awake adds. New: `cpu.suspend`, `cpu.idle`.
    base_ma = sum(scalars.get(key, 0.0) for key in ("cpu.suspend", "cpu.idle", "cpu.awake"))
    clusters = _clusters(path, tables, _WORK_PER_MHZ.get(name), voltage_v)
    return PhoneSpec(name, path, voltage_v, base_ma * voltage_v, active_ma * voltage_v, clusters)


def _clusters(
    path: Path, tables: Sequence[tuple[int, list[float], list[float], float]], per_mhz: Sequence[float] | None, voltage_v: float
) -> tuple[ClusterSpec, ...]:
    work = list(per_mhz) if per_mhz and len(per_mhz) == len(tables) else [1.0] * len(tables)
    steps = [sorted(zip((int(khz) for khz in speeds), currents, strict=False)) for _, speeds, currents, _ in tables]
    if not tables or any(count < 1 for count, *_ in tables) or not all(steps) or any(point[0][0] <= 0 for point in steps):
        raise DeviceError(
            f"{path}: no operating points of the CPU (speeds and currents of each cluster).",
            "Choose a power profile that has them, such as one of profiles/.",
        )
    strongest = max(w * points[-1][0] for w, points in zip(work, steps, strict=True))
    clusters = []
    cpu = 0
    for (count, _, _, cluster_ma), points, w in zip(tables, steps, work, strict=True):
        freq_khz = tuple(khz for khz, _ in points)
        core_mw = tuple(ma * voltage_v for _, ma in points)
        capacity = FULL_CAPACITY * w * freq_khz[-1] / strongest
        clusters.append(ClusterSpec(tuple(range(cpu, cpu + count)), freq_khz, core_mw, cluster_ma * voltage_v, capacity))
        cpu += count
    return tuple(clusters)


def _first(arrays: dict[str, list[float]], *names: str) -> list[float]:
    return next((arrays[name] for name in names if name in arrays), [])


def read_figures(path: Path) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Return all items and arrays of a power profile by name. Raises `DeviceError` if it is unreadable."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(read_regular(path, _MAX_BYTES), parser)
        if root.getroottree().docinfo.doctype:
            raise DeviceError(f"{path}: contains a document type declaration.", "Remove it: a power profile needs none.")
        scalars = {item.get("name", ""): float(item.text or 0) for item in root.iterchildren("item")}
        arrays = {a.get("name", ""): [float(v.text or 0) for v in a.iterchildren("value")] for a in root.iterchildren("array")}
    except (OSError, etree.XMLSyntaxError, ValueError) as error:
        raise DeviceError(
            f"{path}: not a readable power profile ({error.strerror if isinstance(error, OSError) else error}).",
            "Name a power_profile.xml.",
        ) from error
    return scalars, arrays
