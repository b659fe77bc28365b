"""Reference implementation of attribution: loops over the raw tables, no numpy, no code shared with navitas.

Written from docs/how-it-measures.md.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, prod

from slow_placement import Entry, place

from navitas.power.model import ClusterPower, PowerModel
from navitas.recording.parse.tables import ENTER, RESUME, THROW, RunTables, Thread, TimeInState

Points = list[tuple[float, float]]
UNSEEN = 1e-9
MIN_WEIGHT = 0.02
FOLLOWS_NS = 32e6
MEMORY_NS = 64e6


@dataclass
class SlowMethod:
    calls: int = 0
    throws: int = 0
    cut: int = 0
    inclusive_j: float = 0.0
    exclusive_j: float = 0.0


@dataclass
class SlowThread:
    energy_j: float = 0.0
    untraced_j: float = 0.0
    probes_j: float = 0.0
    methods: dict[int, SlowMethod] = field(default_factory=lambda: defaultdict(SlowMethod))
    ended: list[tuple[list[int], int, bool, bool]] = field(default_factory=list)
    """Counted calls: callers (outermost first), method, whether it began with an entry (not resumed), whether it threw."""
    powers: dict[tuple[int, ...], list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    """By call path: watts inside and outside of the call, at each entry and exit."""


@dataclass
class SlowTest:
    other_processes_j: float
    base_j: float
    unattributed_j: float
    threads: dict[int, SlowThread]


def look_up(points: Points, t: float) -> float:
    """Linear between points, constant beyond the ends."""
    if not points:
        return 0.0
    if t <= points[0][0]:
        return points[0][1]
    for (t0, v0), (t1, v1) in pairwise(points):
        if t <= t1:
            return v0 + (v1 - v0) * (t - t0) / (t1 - t0)
    return points[-1][1]


def power_around(energy: Points, cpu: Points, t: int) -> tuple[float, float]:
    """Joules per ns of CPU time, before and after a time, between the points around it, or else in the mean."""
    spans = [
        (a, b, e1 - e0, c1 - c0) for ((a, e0), (b, e1)), ((_, c0), (_, c1)) in zip(pairwise(energy), pairwise(cpu), strict=True)
    ]
    joules, ns = sum(span[2] for span in spans), sum(span[3] for span in spans)
    mean = joules / ns if ns > 0 else 0.0
    before = next((e / c for a, b, e, c in spans if a < t <= b and c > 0), mean)
    return before, next((e / c for a, b, e, c in spans if a <= t < b and c > 0), mean)


def cpu_points(thread: Thread) -> tuple[Points, Points]:
    """All readings of a thread's CPU time, and only its anchors."""
    anchors = list(zip(thread.anchors.t_ns.tolist(), thread.anchors.cpu_ns.tolist(), strict=True))
    readings = dict(anchors)
    for t, cpu in zip(thread.samples.t_ns.tolist(), thread.samples.cpu_ns.tolist(), strict=True):
        before = [c for at, c in anchors if at <= t]
        after = [c for at, c in anchors if at > t]
        clamped = cpu
        if before:
            clamped = max(clamped, before[-1])
        if after:
            clamped = min(clamped, after[0])
        if t not in readings or (anchors and t == anchors[-1][0]):
            readings[t] = max(clamped, readings.get(t, 0))
    return sorted(readings.items()), anchors


def isotonic(values: list[float]) -> list[float]:
    """The min-max formula of isotonic regression."""
    count = len(values)
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    fitted = []
    for i in range(count):
        fitted.append(max(min((sums[b + 1] - sums[a]) / (b + 1 - a) for b in range(i, count)) for a in range(i + 1)))
    return fitted


class SlowRun:
    """All results of one run, on a device with `policies` (CPUs by policy id)."""

    def __init__(self, run: RunTables, model: PowerModel, policies: dict[int, list[int]]) -> None:
        self.run, self.model = run, model
        self.clusters: list[tuple[list[int], ClusterPower, TimeInState]] = []
        for policy, cpus in sorted(policies.items()):
            power = next(cluster for cluster in model.cpu.clusters if set(cluster.cpus) & set(cpus))
            self.clusters.append((cpus, power, next(table for table in run.cpu.time_in_state if table.policy == policy)))
        self.readings = [cpu_points(thread) for thread in run.threads]
        self.unattributed, self.others = self._rest()
        self.edges = self._edges()
        self.entries: dict[tuple[int, int], Entry] = {}
        self.watts = self._watts()
        self.energy = [self._energy(number, points, anchors) for number, (points, anchors) in enumerate(self.readings)]
        self.unattributed_j = self._integrated(-1, self.unattributed)
        self.others_j = self._integrated(-1, self.others)

    def _threads_at(self, t: float) -> float:
        return sum(look_up(points, t) for points, _ in self.readings)

    def _rest(self) -> tuple[Points, Points]:
        unattributed: Points = []
        others: Points = []
        process: Points = []
        if self.run.cpu.process is not None:
            process = list(zip(self.run.cpu.process.t_ns.tolist(), self.run.cpu.process.cpu_ns.tolist(), strict=True))
            fitted = isotonic([cpu - self._threads_at(t) for t, cpu in process])
            unattributed = [(t, value) for (t, _), value in zip(process, fitted, strict=True)]
        if self.run.cpu.stat is not None:
            times = self.run.cpu.stat.t_ns.tolist()
            busy = [sum(row) for row in self.run.cpu.stat.busy_ns.tolist()]
            first, last = (process[0][0], process[-1][0]) if process else (self.run.start_ns, self.run.end_ns)
            inside = [i for i, t in enumerate(times) if first <= t <= last]
            if len(inside) > 1:
                times, busy = [times[i] for i in inside], [busy[i] for i in inside]
            app = [look_up(process, t) if process else self._threads_at(t) for t in times]
            fitted = isotonic([total - cpu for total, cpu in zip(busy, app, strict=True)])
            others = list(zip(times, fitted, strict=True))
            slope = (fitted[-1] - fitted[0]) / (times[-1] - times[0])
            if first < times[0]:
                others.insert(0, (first, fitted[0] - slope * (times[0] - first)))
            if last > times[-1]:
                others.append((last, fitted[-1] + slope * (last - times[-1])))
        return unattributed, others

    def _edges(self) -> list[int]:
        finest = max((table.t_ns.tolist() for _, _, table in self.clusters), key=len)
        inner = {t for t in finest if self.run.start_ns < t < self.run.end_ns}
        return sorted({self.run.start_ns, self.run.end_ns} | inner)

    @staticmethod
    def _growth(times: list[int], rows: list[list[int]], t: int) -> tuple[list[float], int]:
        """Growth between the samples around a time, without samples that did not grow; and the stretch's number."""
        kept = [0] + [i for i in range(1, len(rows)) if sum(rows[i]) > sum(rows[i - 1])]
        number = 0
        for k in range(len(kept) - 1):
            if times[kept[k]] <= t:
                number = k
        return [float(b - a) for a, b in zip(rows[kept[number]], rows[kept[number + 1]], strict=True)], number

    def _watts(self) -> list[list[float]]:
        """By slot and cluster: the watts of a running core, with its share of shared power."""
        model = self.model
        slots = list(pairwise(self.edges))
        middles = [a + (b - a) // 2 for a, b in slots]
        per_thread = [[look_up(p, b) - look_up(p, a) for p, _ in self.readings] for a, b in slots]
        rest = [
            look_up(self.others, b) - look_up(self.others, a) + look_up(self.unattributed, b) - look_up(self.unattributed, a)
            for a, b in slots
        ]
        load = [sum(threads) + other for threads, other in zip(per_thread, rest, strict=True)]
        mixes = []
        for _, _, table in self.clusters:
            rows = table.ns.tolist()
            growths = [self._growth(table.t_ns.tolist(), rows, t)[0] for t in middles]
            mixes.append([[value / sum(growth) for value in growth] for growth in growths])
        shares = self._shares(middles, per_thread, rest, mixes)
        watts = []
        for s, (a, b) in enumerate(slots):
            cores = load[s] / (b - a)
            loads = [spent / (b - a) for spent in per_thread[s]]
            others = rest[s] / (b - a)
            flat = [share for cluster in shares[s] for share in cluster]
            active = model.cpu.active_ma * self._awake_per_core(flat, cores, loads, others)
            row = []
            for k, (_, power, table) in enumerate(self.clusters):
                share = sum(shares[s][k])
                per_core = self._awake_per_core(shares[s][k], cores, loads, others)
                awake = min(per_core * share * cores, 1.0)
                freqs = table.freq_khz.tolist()
                weights = [UNSEEN * w for w in mixes[k][s]]
                left = awake
                for j in sorted(range(len(freqs)), key=lambda j: -freqs[j]):
                    taken = max(min(left, mixes[k][s][j]), 0.0)
                    weights[j] += taken
                    left -= taken
                points = list(zip(power.freq_khz.tolist(), power.core_ma.tolist(), strict=True))
                follows = (b - a) / (b - a + FOLLOWS_NS)
                running = [follows * w / sum(weights) + (1 - follows) * m for w, m in zip(weights, mixes[k][s], strict=True)]
                core_ma = sum(w * look_up(points, f) for w, f in zip(running, freqs, strict=True))
                row.append((active + core_ma + per_core * power.cluster_ma) * model.voltage_v / 1000)
            watts.append(row)
        return watts

    @staticmethod
    def _awake_per_core(shares: list[float], cores: float, loads: list[float], others: float) -> float:
        busy = sum(shares) * cores
        if busy <= 1e-9:
            return 1.0
        total = sum(shares)
        by_core = 1 - prod(1 - min(share * cores, 1.0) for share in shares)
        most = 1 - 1e-9
        idle = prod(1 - min(load * total, most) for load in loads)
        idle *= (1 - min(total, most)) ** floor(others) * (1 - min((others - floor(others)) * total, most))
        return min(max(by_core, 1 - idle), busy, 1.0) / busy

    def _governed(self, mixes: list[list[list[float]]], s: int) -> list[float]:
        row = []
        for k, (_, _, table) in enumerate(self.clusters):
            freqs = table.freq_khz.tolist()
            above = sum(w * (f - min(freqs)) / max(freqs) for w, f in zip(mixes[k][s], freqs, strict=True))
            row.append(MIN_WEIGHT + above)
        return [value / sum(row) for value in row]

    def _speeds(self, mixes: list[list[list[float]]], s: int) -> list[float]:
        highest = max(power.freq_khz[-1] for _, power, _ in self.clusters)
        tables = [table.freq_khz.tolist() for _, _, table in self.clusters]
        return [sum(w * f for w, f in zip(mixes[k][s], freqs, strict=True)) / highest for k, freqs in enumerate(tables)]

    def _entries(self, per_thread: list[list[float]], rest: list[float]) -> list[Entry]:
        """The work of each thread in each slot in which it ran, and all other work."""
        entries = []
        for s, (a, b) in enumerate(pairwise(self.edges)):
            for number, (points, _) in enumerate(self.readings):
                if per_thread[s][number] > 0:
                    span = max(MEMORY_NS, b - a)
                    busy = min((look_up(points, b) - look_up(points, b - span)) / span, 1.0)
                    entries.append(Entry(number, s, per_thread[s][number], busy, []))
            other = max(rest[s], 0.0)
            entries.append(Entry(-1, s, other, min(other / (b - a) / 2, 1.0), []))
        return entries

    def _shares(
        self, middles: list[int], per_thread: list[list[float]], rest: list[float], mixes: list[list[list[float]]]
    ) -> list[list[list[float]]]:
        """Shares by slot, cluster and CPU; also sets the shares of all entries."""
        slots = range(len(middles))
        entries = self._entries(per_thread, rest)
        self.entries = {(entry.thread, entry.slot): entry for entry in entries}
        drawn = [max(power.core_ma.tolist()) for _, power, _ in self.clusters]
        ranks = [sorted(range(len(drawn)), key=lambda k: drawn[k]).index(k) for k in range(len(drawn))]
        governed, speeds = [self._governed(mixes, s) for s in slots], [self._speeds(mixes, s) for s in slots]
        stat, found = self.run.cpu.stat, None
        if stat is not None and stat.busy_ns[-1].sum() > stat.busy_ns[0].sum():
            found = [self._growth(stat.t_ns.tolist(), stat.busy_ns.tolist(), t) for t in middles]
        columns = [[stat.cpus.index(cpu) if stat else -1 for cpu in cpus] for cpus, _, _ in self.clusters]
        grown = found and [([sum(growth[c] for c in cpus) for cpus in columns], number) for growth, number in found]
        place(entries, governed, speeds, ranks, grown)
        shares = []
        for s in slots:
            here = [entry for entry in entries if entry.slot == s]
            total = sum(max(entry.spent, 1.0) for entry in here)
            row = [sum(max(entry.spent, 1.0) * entry.share[k] for entry in here) / total for k in range(len(columns))]
            if found is None:
                shares.append([[w / len(cpus)] * len(cpus) for w, cpus in zip(row, columns, strict=True)])
                continue
            growth = found[s][0]
            within = [[growth[c] / max(sum(growth[c] for c in cpus), 1.0) for c in cpus] for cpus in columns]
            shares.append([[w * share for share in cluster] for w, cluster in zip(row, within, strict=True)])
        return shares

    def _rate(self, thread: int, t: float) -> float:
        slot = next((s for s, edge in enumerate(self.edges[1:]) if t < edge), len(self.watts) - 1)
        entry = self.entries.get((thread, slot), self.entries[-1, slot])
        return sum(p * w for p, w in zip(entry.share, self.watts[slot], strict=True))

    def _integrated(self, thread: int, points: Points) -> Points:
        """∫ watts d(points), at the points and the slots' edges."""
        if not points:
            return []
        times = sorted({t for t, _ in points} | {e for e in self.edges if points[0][0] < e < points[-1][0]})
        out = [(times[0], 0.0)]
        for a, b in pairwise(times):
            out.append((b, out[-1][1] + self._rate(thread, (a + b) / 2) * (look_up(points, b) - look_up(points, a)) / 1e9))
        return out

    def _energy(self, thread: int, points: Points, anchors: Points) -> Points:
        """A thread's curve, with points at its anchors, the edges of tests, and all readings outside of its anchors."""
        marks = {t for window in self.run.app.windows for t in (window.start_ns, window.end_ns)}
        inside = {t for t in marks if points and points[0][0] < t < points[-1][0]}
        merged = sorted(dict(points) | {t: look_up(points, t) for t in inside if t not in dict(points)})
        fine = self._integrated(thread, [(t, look_up(points, t)) for t in merged])
        if not anchors:
            return fine
        kept = {t for t, _ in anchors} | marks
        return [(t, joules) for t, joules in fine if t in kept or not anchors[0][0] < t < anchors[-1][0]]

    def tests(self) -> dict[int, SlowTest]:
        """Results by test id."""
        found = {}
        for window in self.run.app.windows:
            a, b = window.start_ns, window.end_ns
            threads = {
                thread.serial: self._without_probes(self._thread(thread, curve, [(t, look_up(cpu, t)) for t, _ in curve], a, b))
                for thread, curve, (cpu, _) in zip(self.run.threads, self.energy, self.readings, strict=True)
            }
            idle = (self.model.cpu.suspend_ma + self.model.cpu.idle_ma) * self.model.voltage_v / 1000 * (b - a) / 1e9
            found[window.test_id] = SlowTest(
                look_up(self.others_j, b) - look_up(self.others_j, a),
                idle,
                look_up(self.unattributed_j, b) - look_up(self.unattributed_j, a),
                threads,
            )
        return found

    def _without_probes(self, thread: SlowThread) -> SlowThread:
        """Deduct the probes of each counted call: the time inside of it from the call, the rest from its caller or from
        untraced energy.
        """
        if self.run.calls.probe_cost is None or thread.energy_j <= 0:
            return thread
        cost = self.run.calls.probe_cost.events
        fresh_calls = {(*callers, method) for callers, method, fresh, _ in thread.ended if fresh}
        for callers, method, fresh, thrown in thread.ended:
            powers = thread.powers[*callers, method] if (*callers, method) in fresh_calls else []
            within, beyond = (sum(power[i] for power in powers) / max(len(powers), 1) for i in (0, 1))
            inside = within * (fresh * cost.inside_ns + thrown * (cost.thrown_inside_ns - cost.inside_ns))
            outside = beyond * (fresh * cost.outside_ns + thrown * (cost.thrown_outside_ns - cost.outside_ns))
            thread.probes_j += inside + outside
            thread.methods[method].exclusive_j -= inside
            if callers:
                thread.methods[callers[-1]].exclusive_j -= outside
            else:
                thread.untraced_j -= outside
            for above in set(callers):
                thread.methods[above].inclusive_j -= inside + outside
            if method not in callers:
                thread.methods[method].inclusive_j -= inside
        return thread

    @staticmethod
    def _thread(thread: Thread, curve: Points, cpu: Points, start: int, end: int) -> SlowThread:
        """Walk the events with a stack; energy belongs to the innermost open call. `cpu` has the points of the curve."""
        result = SlowThread(look_up(curve, end) - look_up(curve, start))
        calls = thread.calls.whole()
        last_ns = max([*calls.t_ns.tolist(), *thread.anchors.t_ns.tolist(), *thread.samples.t_ns.tolist()], default=start)
        events = list(zip(calls.t_ns.tolist(), calls.kind.tolist(), calls.method.tolist(), strict=True))
        stack: list[tuple[int, int, float, bool]] = []

        def energy(a: float, b: float) -> float:
            low, high = min(max(a, start), end), min(max(b, start), end)
            return look_up(curve, high) - look_up(curve, low)

        def close(t: int, kind: int) -> None:
            method, entered, callees_j, fresh = stack.pop()
            call_j = energy(entered, t)
            found = result.methods[method]
            found.exclusive_j += call_j - callees_j
            if method not in {other for other, *_ in stack}:
                found.inclusive_j += call_j
            if start <= entered < end:
                found.calls += fresh
                found.throws += kind == THROW
                found.cut += kind < 0
                result.ended.append(([other for other, *_ in stack], method, fresh, kind == THROW))
            if stack:
                outer = stack.pop()
                stack.append((outer[0], outer[1], outer[2] + call_j, outer[3]))
            else:
                result.untraced_j -= call_j

        def note_power(t: int, *, is_entry: bool) -> None:
            before, after = power_around(curve, cpu, t)
            if start <= t < end:
                path = tuple(method for method, *_ in stack)
                result.powers[path].append((after, before) if is_entry else (before, after))

        for t, kind, method in events:
            if kind in (ENTER, RESUME):
                stack.append((method, t, 0.0, kind == ENTER))
                if kind == ENTER:
                    note_power(t, is_entry=True)
            elif stack:
                note_power(t, is_entry=False)
                close(t, kind)
        while stack:
            close(last_ns, -1)
        result.untraced_j += result.energy_j
        return result
