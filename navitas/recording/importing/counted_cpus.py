"""The CPUs of the imported readings: their frequencies, which share a cpufreq policy, and its texts of `time_in_state`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from navitas.base.errors import RecordingError
from navitas.recording.importing.probe_event import Layout, columns_by_core
from navitas.recording.importing.processes import LoggedProcess
from navitas.recording.manifest import Policy

_SAME_POLICY_TICKS = 50
"""A probe reads the CPUs' files one after the other. CPUs of one policy have the same counters, apart from this delay."""


@dataclass(frozen=True, slots=True)
class CountedCpus:
    """The device's policies, and the frequencies (kHz) of each CPU, in ascending order."""

    policies: tuple[Policy, ...]
    frequencies: dict[int, tuple[int, ...]]


def counted_cpus(processes: Sequence[LoggedProcess]) -> CountedCpus:
    """Return the CPUs of all processes. Raises `RecordingError` if there is no reading, or logs are of different devices."""
    first: tuple[LoggedProcess, CountedCpus] | None = None
    by_log: dict[str, list[LoggedProcess]] = defaultdict(list)
    for process in processes:
        by_log[process.log.shown].append(process)
    for of_log in by_log.values():
        found = _of_processes(of_log)
        if not found.frequencies:
            continue
        if first is not None and first[1].frequencies != found.frequencies:
            raise RecordingError(
                f"{first[0].log.shown} and {of_log[0].log.shown} have different CPUs or frequencies, so their devices differ",
                "Import the logs of each device into a recording of its own.",
            )
        first = first or (of_log[0], found)
    if first is None:
        log = processes[0].log
        first_of_log = log.first_defect
        cause = "" if first_of_log is None else f" (first in {log.unit} {first_of_log[0]:,}: {first_of_log[1]})"
        raise RecordingError(
            f"{log.shown}: no entry or exit has a usable reading of time_in_state, so there is no energy{cause}",
            "Make the log again. Its readings must be whole, and as the kernel writes them.",
        )
    return first[1]


def _of_processes(processes: Sequence[LoggedProcess]) -> CountedCpus:
    layouts: Counter[Layout] = Counter()
    apart: dict[tuple[int, int], list[int]] = defaultdict(list)
    for event, restarts in ((event, process.restarts) for process in processes for event in process.events):
        layouts[event.layout] += 1
        # Since its restart, a core lacks the time in which it was unplugged.
        restarted = {restart.cpu for restart in restarts if event.place >= restart.first.place}
        totals = sorted((cpu, ticks) for cpu, ticks in event.totals().items() if cpu not in restarted)
        for (cpu, ticks), (following, others) in pairwise(totals):
            apart[cpu, following].append(abs(ticks - others))
    shapes: dict[int, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for layout, count in layouts.items():
        for cpu, of_cpu in layout:
            shapes[cpu][tuple(sorted(of_cpu))] += count
    frequencies = {cpu: shapes[cpu].most_common(1)[0][0] for cpu in sorted(shapes)}
    groups: list[list[int]] = []
    for cpu, of_cpu in frequencies.items():
        before = groups[-1][-1] if groups else cpu
        if before != cpu and frequencies[before] == of_cpu and median(apart[before, cpu] or [0]) <= _SAME_POLICY_TICKS:
            groups[-1].append(cpu)
        else:
            groups.append([cpu])
    return CountedCpus(tuple(Policy(id=group[0], cpus=group) for group in groups), frequencies)


@dataclass(slots=True)
class RisingReadings:
    """Yields the readings of a process, whose counters never begin again: time since the start, policy, text.

    A text has a section for each CPU (`cpu0`, then lines of kHz and ticks), since a probe reads the CPUs one after the other.
    Threads read at the same time, so a counter can be a tick below that of the event before: it is raised. `raised` counts these
    readings. A CPU that a reading does not list is off, so its counters do not grow. `other_cpus` counts readings of a policy
    with such CPUs, and those with other frequencies, or of CPUs that were off before: these are left out.
    """

    process: LoggedProcess
    cpus: CountedCpus
    raised: int = 0
    other_cpus: int = 0

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        highest: dict[int, list[int]] = {}
        columns: dict[Layout, dict[int, list[int]]] = {}
        for t_ns, event in zip(self.process.t_ns, self.process.events, strict=True):
            if not event.layout:
                continue
            if event.layout not in columns:
                by_core = columns_by_core(event.layout)
                columns[event.layout] = {cpu: own for (cpu, khz), own in by_core if khz == self.cpus.frequencies.get(cpu)}
            found = {cpu: [event.ticks[at] for at in own] for cpu, own in columns[event.layout].items()}
            was_raised = False
            for cpu, ticks in found.items():
                risen = list(map(max, ticks, highest.get(cpu, ticks)))
                was_raised |= risen != ticks
                highest[cpu] = risen
            self.raised += was_raised
            listed = {cpu for cpu, _ in event.layout}
            for policy in self.cpus.policies:
                self.other_cpus += not found.keys() >= set(policy.cpus)
                if all(cpu in found or (cpu in highest and cpu not in listed) for cpu in policy.cpus):
                    sections = (_section(cpu, self.cpus.frequencies[cpu], highest[cpu]) for cpu in policy.cpus)
                    yield t_ns, policy.id, b"".join(sections)


def _section(cpu: int, frequencies: tuple[int, ...], ticks: list[int]) -> bytes:
    rows = "".join(f"{khz} {value}\n" for khz, value in zip(frequencies, ticks, strict=True))
    return f"cpu{cpu}\n{rows}".encode()
