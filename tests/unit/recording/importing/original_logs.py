"""Logs of Navitas-Framework, and paper 1's energies of their methods, computed from the text without Navitas."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from navitas.energy.analyze.load import load
from navitas.energy.analyze.profile import Profile
from navitas.recording.importing.counted_cpus import counted_cpus
from navitas.recording.importing.imported_recording import ImportedRecording, write_recording
from navitas.recording.importing.processes import processes_of
from navitas.recording.importing.read_log import count_once, read_log
from navitas.recording.writer import Supply

VOLTS = 3.85
SPEEDS = (400000, 800000)
Milliamps = Callable[[int, int], float]


def milliamps(cpu: int, khz: int) -> float:
    """The current of a CPU at a frequency: different for each speed and for big cores."""
    return khz / 10_000 * (1 if cpu < 4 else 2.5) + 7


def paper1_by_method(text: str, current: Milliamps = milliamps) -> dict[str, dict[str, float]]:
    """Joules by process and method: Σ over outermost calls, CPUs and frequencies of (end − start) × 10 ms × mA × V."""
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    stacks: dict[tuple[str, str], list[tuple[str, dict[tuple[int, int], int]]]] = defaultdict(list)
    for pid, tid, kind, method, counters in re.findall(
        r"^\S+ \S+ +(\d+) +(\d+) D TEST *: (Entry|Exit) (\S+) TimeInStates (.*)EndOfData", text, re.MULTILINE
    ):
        ticks = {}
        for section in counters.split(";"):
            for cpu, pairs in re.findall(r"cpu(\d+) ([\d ]+)", section):
                values = [int(value) for value in pairs.split()]
                ticks |= {(int(cpu), khz): spent for khz, spent in zip(values[::2], values[1::2], strict=True)}
        stack = stacks[pid, tid]
        if kind == "Entry":
            stack.append((method, ticks))
        elif any(name == method for name, _ in stack):
            while (call := stack.pop())[0] != method:
                pass
            if all(name != method for name, _ in stack):
                joules = (current(*key) / 1e3 * VOLTS * 0.01 * (ticks[key] - start) for key, start in call[1].items())
                found[pid][method] += sum(joules)
    return found


def profile_xml(clusters: Sequence[tuple[Sequence[int], Sequence[int]]], current: Milliamps = milliamps) -> bytes:
    """A power profile of these clusters: CPUs and speeds."""
    out = '<device name="Android"><item name="cpu.suspend">0</item><item name="cpu.idle">0</item>'
    out += f"<array name='cpu.clusters.cores'>{''.join(f'<value>{len(cpus)}</value>' for cpus, _ in clusters)}</array>"
    for number, (cpus, speeds) in enumerate(clusters):
        out += f'<item name="cpu.cluster_power.cluster{number}">0</item>'
        for name, values in (("speeds", speeds), ("power", [current(cpus[0], khz) for khz in speeds])):
            out += f"<array name='cpu.core_{name}.cluster{number}'>{''.join(f'<value>{one}</value>' for one in values)}</array>"
    return (out + "</device>").encode()


def imported(folder: Path, *logs: Path, year: int | None = 2021) -> tuple[ImportedRecording, Profile]:
    """Import logs with a profile that fits them, and load the recording with paper 1's formula."""
    measured = [read_log(log, str(log), year=year) for log in logs]
    count_once(measured)
    processes = [process for log in measured for process in processes_of(log)]
    cpus = counted_cpus(processes)
    xml = profile_xml([(policy.cpus, cpus.frequencies[policy.cpus[0]]) for policy in cpus.policies])
    written = write_recording(folder, processes, Supply(xml, "test", VOLTS, "option"))
    return written, load(folder, alternative="paper1")


def by_method(profile: Profile) -> list[dict[str, float]]:
    """Joules by paper 1's formula in each run, by method."""
    found: list[dict[str, float]] = []
    for test in profile.tests:
        methods: dict[str, float] = defaultdict(float)
        for thread in test.threads:
            for method in thread.methods:
                assert method.alternative_j is not None
                named = profile.method_table.methods[method.method]
                methods[f"{named.class_name}.{named.name}"] += method.alternative_j
        found.append(methods)
    return found


def counters(ticks: Mapping[int, Sequence[int]]) -> str:
    """The counters of a message, by CPU."""
    sections = (" ".join(f"{khz} {spent}" for khz, spent in zip(SPEEDS, spents, strict=True)) for spents in ticks.values())
    return " ".join(f"cpu{cpu} {section} ;" for cpu, section in zip(ticks, sections, strict=True))


def line(stamp: str, who: tuple[int, int], what: str, ticks: Mapping[int, Sequence[int]], *, brief: bool = False) -> str:
    """A line of a log in the format threadtime or brief, such as `what` = "Entry a.B.run"."""
    message = f"{what} TimeInStates {counters(ticks)}  EndOfData 0"
    return f"D/TEST    ({who[0]:5d}): {message}\n" if brief else f"{stamp} {who[0]:5d} {who[1]:5d} D TEST    : {message}\n"
