"""The energy that each method really caused: the phone's own physics, driven by the bytes that each method moved.

The virtual phone integrates the same physics over all traffic (navitas/virtual_phone/components), so that the sum over
methods and base is what its rails show, except for their noise. No code of the estimator is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from navitas.virtual_phone.components.component_rails import RAILS
from navitas.virtual_phone.components.effects import Hold, RadioLoad
from navitas.virtual_phone.components.figures import StatePower, Temperament, component_power, temperament
from navitas.virtual_phone.components.network import HEADER_BYTES, SEGMENT_BYTES
from navitas.virtual_phone.kernel.spec import default_profile, find_profile, load_spec, read_figures
from traffic.plan import TAIL_NS, WRITES, RunLog
from traffic.server import Moved

_STEP_NS = 10_000_000
_ACK_BYTES = HEADER_BYTES / 2 / SEGMENT_BYTES  # of each byte in the other direction
_DATA_BYTES = (SEGMENT_BYTES + HEADER_BYTES) / SEGMENT_BYTES


@dataclass(frozen=True, slots=True)
class Physics:
    """The powers of a phone's states, and what its seed determines."""

    power: StatePower
    nature: Temperament


@dataclass(slots=True)
class TrueEnergy:
    """Energy in J by component and method, and what belongs to no method."""

    wifi_j: dict[str, float] = field(default_factory=dict)
    wifi_base_j: float = 0.0
    storage_j: dict[str, float] = field(default_factory=dict)


def physics(seed: int, phone: str = "default") -> Physics:
    """Return the physics of a virtual phone."""
    spec = load_spec(find_profile(phone) if phone != "default" else default_profile())
    items, arrays = read_figures(spec.profile)
    return Physics(component_power(items, arrays, spec.voltage_v), temperament(seed, list(RAILS)))


def on_the_air(moved: Moved) -> tuple[float, float]:
    """Return received and sent bytes with all headers and acknowledgements, as on Wi-Fi."""
    received, sent = moved.received_bytes + moved.received_headers, moved.sent_bytes + moved.sent_headers
    return received * _DATA_BYTES + sent * _ACK_BYTES, sent * _DATA_BYTES + received * _ACK_BYTES


def true_energy(world: Physics, log: Sequence[Moved], run: RunLog) -> TrueEnergy:
    """Return the energy from the start to the end of the test, and of the tails of its last transfers."""
    found = TrueEnergy()
    _wifi(world, log, run, found)
    _storage(world, run, found)
    return found


def _steps(
    spans: Iterable[tuple[int, int, str, float, float]], start_ns: int, count: int
) -> list[dict[str, tuple[float, float]]]:
    """Spread amounts evenly over their spans (start, end, method, two amounts), by step of the run."""
    steps: list[dict[str, tuple[float, float]]] = [{} for _ in range(count)]
    for begin_ns, end_ns, method, first, second in spans:
        low = min(max((begin_ns - start_ns) // _STEP_NS, 0), count - 1)
        high = min(max((end_ns - start_ns) // _STEP_NS, low), count - 1)
        for step in range(low, high + 1):
            had = steps[step].get(method, (0.0, 0.0))
            steps[step][method] = (had[0] + first / (high - low + 1), had[1] + second / (high - low + 1))
    return steps


def _count(run: RunLog) -> int:
    return (run.end_ns + TAIL_NS - run.start_ns) // _STEP_NS


def _wifi(world: Physics, log: Sequence[Moved], run: RunLog, found: TrueEnergy) -> None:
    """A radio passes one bit at a time. While it waits for more, it belongs to the methods that last used it."""
    power, nature = world.power, world.nature
    count = _count(run)
    steps = _steps(((one.t_ns, one.t_ns, one.method, *on_the_air(one)) for one in log), run.start_ns, count)
    radio = RadioLoad(nature.wifi_bits_per_s, Hold(nature.wifi_tail_s))
    waiting: tuple[dict[str, float], dict[str, float]] = ({}, {})
    last: dict[str, float] = {}
    for step in steps:
        for queue, index in zip(waiting, (0, 1), strict=True):
            for method, amounts in step.items():
                queue[method] = queue.get(method, 0.0) + amounts[index]
        time = radio.step(
            _STEP_NS * 1e-9, True, round(sum(each[0] for each in step.values())), round(sum(each[1] for each in step.values()))
        )
        used: dict[str, float] = {}
        for queue, passed_s, watts in ((waiting[0], time.rx_s, power.wifi_rx_mw), (waiting[1], time.tx_s, power.wifi_tx_mw)):
            total = sum(queue.values())
            share = min(1.0, passed_s * nature.wifi_bits_per_s / 8 / total) if total else 0.0
            for method, left in queue.items():
                used[method] = used.get(method, 0.0) + (passed_s * left / total if total else 0.0)
                _add(found.wifi_j, method, watts * passed_s * left / total if total else 0.0)
                queue[method] = left * (1 - share)
        if time.rx_s or time.tx_s:
            last = {method: seconds for method, seconds in used.items() if seconds}
        for method, seconds in last.items():
            _add(found.wifi_j, method, power.wifi_idle_mw * time.tail_s * seconds / sum(last.values()))
        found.wifi_base_j += power.wifi_idle_mw * nature.wifi_sleep_ratio * time.sleep_s * 1e-3
    _to_joules(found.wifi_j)


def _storage(world: Physics, run: RunLog, found: TrueEnergy) -> None:
    """A phase writes its bytes evenly. While the storage stays active, it belongs to the methods that last wrote."""
    nature = world.nature
    spans = ((begin, end, phase.method, float(phase.amount), 0.0) for phase, begin, end in run.phases if phase.method in WRITES)
    hold = Hold(nature.ufs_tail_s)
    last: dict[str, float] = {}
    for step in _steps(spans, run.start_ns, _count(run)):
        written = {method: amounts[0] for method, amounts in step.items() if amounts[0]}
        last = written or last
        active_s = hold.step(_STEP_NS * 1e-9, bool(written))
        for method, count in last.items():
            _add(found.storage_j, method, nature.ufs_active_mw * active_s * count / sum(last.values()))
        for method, count in written.items():
            _add(found.storage_j, method, nature.ufs_write_nj_per_byte * count * 1e-6)
    _to_joules(found.storage_j)


def _add(energies: dict[str, float], method: str, energy_mj: float) -> None:
    energies[method] = energies.get(method, 0.0) + energy_mj


def _to_joules(energies: dict[str, float]) -> None:
    for method in energies:
        energies[method] *= 1e-3


def true_bytes(log: Sequence[Moved], run: RunLog) -> Mapping[str, tuple[float, float]]:
    """Return each method's payload, and its bytes on the air or on the disk."""
    found: dict[str, tuple[float, float]] = {}
    for moved in log:
        payload, air = found.get(moved.method, (0.0, 0.0))
        found[moved.method] = (payload + moved.received_bytes + moved.sent_bytes, air + sum(on_the_air(moved)))
    for phase, _, _ in run.phases:
        if phase.method in WRITES:
            payload = found.get(phase.method, (0.0, 0.0))[0] + phase.amount
            found[phase.method] = (payload, payload)
    return found
