"""The errors and costs of one run, as figures for tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import pvariance
from typing import Literal

import navitas
from traffic.plan import NETWORK, TAIL_NS, WRITES, RunLog
from traffic.recorded import Rails, Recorded, read_recorded
from traffic.server import Moved
from traffic.truth import Physics, on_the_air, true_bytes, true_energy

MEDIA = {"network": NETWORK, "storage": WRITES}
EVIDENCE: tuple[Literal["rails", "model"], ...] = ("rails", "model")
_RAILS = {"wifi": "VSYS_PWR_WLAN_BT", "storage": "L2S_PLL_MIPI_UFS"}
_PHASES = "org.navitas.io.Phases"
_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class CallCosts:
    """Time, and CPU time of the thread, of a write of one byte and of a download of 8 KiB, in ns."""

    write_ns: float
    write_cpu_ns: float
    download_ns: float
    download_cpu_ns: float


@dataclass(frozen=True, slots=True)
class Costs:
    """What a run used: the test's time, the CPU time of its process, the recording's size, and what calls in a row cost."""

    wall_s: float
    cpu_s: float
    recorded_bytes: int
    calls: CallCosts | None


@dataclass(frozen=True, slots=True)
class MethodBytes:
    """A method's bytes: its payload and those on the air (or the disk) in truth; as hooked, sampled, and in the report."""

    method: str
    medium: str
    payload: float
    on_the_air: float
    hooked: float | None
    sampled: float | None
    reported: float | None

    @property
    def hooked_error(self) -> float | None:
        """The relative error of hooked bytes against the payload."""
        return None if self.hooked is None else self.hooked / self.payload - 1

    @property
    def sampled_error(self) -> float | None:
        """The relative error of sampled bytes against those on the air."""
        return None if self.sampled is None else self.sampled / self.on_the_air - 1

    @property
    def reported_error(self) -> float | None:
        """The relative error of the report's bytes against those on the air."""
        return None if self.reported is None else self.reported / self.on_the_air - 1


@dataclass(frozen=True, slots=True)
class Allocation:
    """Equation (2)'s errors in a medium: what no call got, as share of the growth, and the variance over phases in bytes²."""

    medium: str
    growth_error: float
    total_error: float
    variance: float


@dataclass(frozen=True, slots=True)
class MethodJoules:
    """A method's energy of a component, and its share of that of all methods, in truth and in the report."""

    method: str
    component: str
    evidence: str
    true_j: float
    reported_j: float
    true_share: float
    reported_share: float

    @property
    def error(self) -> float:
        """The relative error of the energy."""
        return self.reported_j / self.true_j - 1

    @property
    def share_error(self) -> float:
        """The relative error of the share."""
        return self.reported_share / self.true_share - 1


@dataclass(frozen=True, slots=True)
class ComponentTotal:
    """A component's energy in the report, the truth of the test with its tails, and what the rails measured in both times."""

    component: str
    evidence: str
    level: str
    reported_j: float
    rails_j: float | None
    unscaled_j: float | None
    true_j: float
    test_rails_j: float | None
    run_rails_j: float | None


@dataclass(frozen=True, slots=True)
class EnergyScore:
    """The energies of one run."""

    seed: int
    variant: str
    joules: tuple[MethodJoules, ...]
    totals: tuple[ComponentTotal, ...]


@dataclass(frozen=True, slots=True)
class RunScore:
    """All figures of one run."""

    seed: int
    variant: str
    costs: Costs
    api_calls: int
    bytes: tuple[MethodBytes, ...]
    allocations: tuple[Allocation, ...]
    energy: EnergyScore


@dataclass(frozen=True, slots=True)
class Truth:
    """True energies in J of the methods of a class, by component; what each component's rail measures in addition."""

    class_name: str
    methods_j: Mapping[str, Mapping[str, float]]
    others_j: Mapping[str, float]
    rail_names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run, and what is known of it."""

    seed: int
    variant: str
    recording: Path
    world: Physics
    moved: Sequence[Moved]
    log: RunLog
    costs: Costs


def score_run(run: Run) -> RunScore:
    """Compare a recording, and the reports of it, with the truth."""
    recording, world, moved, log = run.recording, run.world, run.moved, run.log
    recorded = read_recorded(recording, log)
    truth = true_energy(world, moved, log)
    bluetooth_j = world.power.bluetooth_idle_mw * 1e-3 * (log.end_ns + TAIL_NS - log.start_ns) * 1e-9
    others_j = {"wifi": truth.wifi_base_j + bluetooth_j}
    known = Truth(_PHASES, {"wifi": truth.wifi_j, "storage": truth.storage_j}, others_j, _RAILS)
    joules, totals = score_energy(recording, known, recorded.rails)
    return RunScore(
        run.seed,
        run.variant,
        run.costs,
        recorded.api_calls,
        tuple(_bytes(recorded, log, true_bytes(moved, log), _reported_bytes(recording))),
        tuple(_allocations(recorded, log)),
        EnergyScore(run.seed, run.variant, joules, totals),
    )


def score_energy(recording: Path, truth: Truth, rails: Rails) -> tuple[tuple[MethodJoules, ...], tuple[ComponentTotal, ...]]:
    """Compare the reports of a recording, with rails and without, with the truth."""
    joules: list[MethodJoules] = []
    totals: list[ComponentTotal] = []
    for evidence in EVIDENCE:
        report = navitas.load(recording, evidence=evidence)
        for component, of_it in truth.methods_j.items():
            if component not in report.components:
                continue
            place = report.components.index(component)
            reported_j = {
                each.method.name: each.inclusive_components[place]
                for each in report.method_totals()
                if each.method.class_name == truth.class_name and each.method.name in of_it
            }
            joules += _joules(component, evidence, of_it, reported_j)
            (level,) = (each for each in report.evidence if each.component == component)
            totals.append(
                ComponentTotal(
                    component,
                    evidence,
                    level.level,
                    report.totals.components[place],
                    level.rails_j,
                    level.unscaled_j,
                    sum(of_it.values()) + truth.others_j.get(component, 0.0),
                    rails.test_j.get(truth.rail_names[component]),
                    rails.run_j.get(truth.rail_names[component]),
                )
            )
    return tuple(joules), tuple(totals)


def _joules(component: str, evidence: str, true_j: Mapping[str, float], reported_j: Mapping[str, float]) -> list[MethodJoules]:
    """Compare methods with at least 2 % of the component's energy. If the report has none, there is nothing to compare."""
    true_total, total = sum(true_j.values()), sum(reported_j.values())
    if not total:
        return []
    return [
        MethodJoules(method, component, evidence, j, found, j / true_total, found / total)
        for method, j in sorted(true_j.items())
        if j >= _SHARE * true_total
        for found in (reported_j.get(method, 0.0),)
    ]


def _reported_bytes(recording: Path) -> dict[tuple[str, str], float]:
    """Return the bytes in the report by medium and method, with the methods that it calls."""
    media = {"wifi": "network", "modem": "network", "storage": "storage"}
    found: dict[tuple[str, str], float] = {}
    for each in navitas.load(recording).method_bytes():
        if each.method.class_name == _PHASES and each.component in media:
            # The page cache serves what storage reads.
            count = each.inclusive_sent_bytes + (each.inclusive_received_bytes if each.component != "storage" else 0.0)
            key = media[each.component], each.method.name
            found[key] = found.get(key, 0.0) + count
    return found


def _bytes(
    recorded: Recorded,
    log: RunLog,
    known: Mapping[str, tuple[float, float]],
    reported: Mapping[tuple[str, str], float],
) -> list[MethodBytes]:
    def of(amounts: Sequence[float] | None, method: str) -> float | None:
        if amounts is None:
            return None
        return sum(amount for amount, (phase, _, _) in zip(amounts, log.phases, strict=True) if phase.method == method)

    found = []
    known_media = {medium for medium, _ in reported}
    for medium, methods in MEDIA.items():
        hooked = recorded.hooked[medium] if recorded.hooked is not None else None
        sampled = recorded.sampled[medium]
        shares = sampled.by_phase if sampled is not None else None
        found += [
            MethodBytes(
                method,
                medium,
                *known[method],
                of(hooked, method),
                of(shares, method),
                reported.get((medium, method), 0.0) if medium in known_media else None,
            )
            for method in methods
            if method in known
        ]
    return found


def _allocations(recorded: Recorded, log: RunLog) -> list[Allocation]:
    found = []
    for medium, methods in MEDIA.items():
        sampled = recorded.sampled[medium]
        if sampled is None or not sampled.growth:
            continue
        true = [_crossed(phase.method, phase.amount) if phase.method in methods else 0.0 for phase, _, _ in log.phases]
        differences = [mine - real for mine, real in zip(sampled.by_phase, true, strict=True) if real]
        allocated = sum(sampled.by_phase)
        found.append(Allocation(medium, sampled.growth / sum(true) - 1, allocated / sampled.growth - 1, pvariance(differences)))
    return found


def _crossed(method: str, amount: int) -> float:
    """Return the bytes on the air, or on the disk, of a phase."""
    if method in WRITES:
        return float(amount)
    is_upload = method.startswith("upload")
    return sum(on_the_air(Moved(0, method, 0 if is_upload else amount, amount if is_upload else 0)))
