"""The readings of a process as texts of `time_in_state`, by policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from navitas.importing.counted_cpus import CountedCpus
from navitas.importing.probe_event import Layout, columns_by_core
from navitas.importing.processes import LoggedProcess


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
