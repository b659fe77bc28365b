"""Open a recording of a device: write its topology, sources and power profile, then accept runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from navitas.base.folder_lock import FolderLock
from navitas.capture.bundle.manifest import AndroidManifest, CommonManifest
from navitas.capture.collect import power
from navitas.capture.collect.apps import map_cache
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.readings import topology
from navitas.capture.collect.readings.shell_sampler import ShellReads
from navitas.capture.collect.runs.run_recorder import VALID_FOR_RUN, RunRecorder
from navitas.capture.collect.state.settings import PhoneSetting, fine_monitors
from navitas.capture.collect.trace.perfetto import unavailable
from navitas.capture.device.base import Device
from navitas.recording import manifest
from navitas.recording.writer import RecordingWriter, Setting, Supply

_COMPONENTS = ("cpu",)
"""The components that counters, traces and shell samples cover."""
_BUILD_WITH_HOOKS = "build the bundle with -Pnavitas.hooks=true, or with hooks = true in navitas { }"


@dataclass(frozen=True, slots=True)
class Opened:
    """A recording in progress, and the recorder of its runs."""

    writer: RecordingWriter
    runner: RunRecorder
    _device: Device
    _facts: DeviceFacts

    def add_map(self, known: map_cache.KnownMap) -> None:
        """Add a method map, with the ids of the maps that it extends."""
        self.writer.add_map(known.map_id, known.module, known.data, known.includes)

    def warn_of_build(self, build: CommonManifest, options: ProfileOptions) -> None:
        """Add the build's warnings, and those about what the recording cannot have of this build."""
        for text in build.warnings:
            self.writer.warn("build", text, VALID_FOR_RUN)
        if isinstance(build, AndroidManifest) and build.minified and self._device.info.kind == "virtual":
            message = f"{build.module}: a virtual phone runs {build.variant} as it is before R8 or ProGuard changes it"
            self.writer.warn("build", message, "for the energy of the code that users get, profile it on a phone")
        if options.record != "none" and options.granularity == "method" and build.hooks is False:
            message = f"{build.package} was built without hooks, so --record {options.record} records no calls of APIs"
            self.writer.warn("no_hooks", message, _BUILD_WITH_HOOKS)

    def permissions(self, packages: Iterable[str]) -> list[PhoneSetting]:
        """Return the permissions that the apps get for fine power monitors, if the recording reads power monitors."""
        return fine_monitors(self._device, packages) if self._facts.reads_monitors else []

    def finish(self, progress: Progress) -> None:
        """Complete the recording. If the app has read the phone's own power profile, that one replaces the chosen profile."""
        warn = partial(self.writer.warn, "power_profile", remedy="navitas power show")
        supply = self._facts.supply
        if supply.replaceable and self.runner.power_profile:
            better = power.adopt(self._device, supply, self.runner.power_profile, self._facts.entry.policies, warn)
            if better is not supply:
                self.writer.replace_power_profile(better.profile_xml, better.profile_source)
        progress.stage("saving the recording")
        self.writer.finish()


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What a device says before a recording: its entry in the manifest, its power, and what can be read on it.

    `by_shell` are readable counters of traffic.
    """

    entry: manifest.DeviceEntry
    supply: Supply
    sources: list[manifest.Source]
    reads: ShellReads
    by_shell: list[str]
    reads_monitors: bool


def read_facts(device: Device, options: ProfileOptions) -> DeviceFacts:
    """Ask a device for its facts. Raises `DeviceError`, or `PowerProfileError` without a usable power profile."""
    policies = topology.read_policies(device)
    by_shell = topology.readable(device, topology.NET_DEV, topology.DISKSTATS) if options.counts_traffic else []
    sources = topology.counter_sources(policies)
    shell_files = topology.readable(device, topology.PROC_STAT, topology.RAILS)
    by_perfetto = options.trace in ("auto", "perfetto") and not unavailable(device)
    statistics = topology.reads_statistics(device, shell_files, by_perfetto=by_perfetto)
    # Only the end of a trace shows whether it has rails, so the app reads its monitors while one runs.
    has_rails = statistics or topology.RAILS in shell_files
    monitors = topology.monitor_sources(device, has_rails=has_rails) if options.counts_traffic else []
    sources += [*topology.traffic_sources(device, by_shell), *monitors] if options.counts_traffic else []
    supply, _ = power.choose(device, options, policies)
    info = device.info
    entry = manifest.DeviceEntry(
        kind=info.kind,
        serial=info.serial,
        identity=info.identity,
        model=info.model,
        fingerprint=info.fingerprint,
        sdk=info.sdk,
        cpus=topology.read_cpus(device, policies),
        policies=policies,
    )
    reads = ShellReads(shell_files, by_shell, options.io_interval_ms / 1e3, statistics)
    return DeviceFacts(entry, supply, sources, reads, by_shell, bool(monitors))


@contextmanager
def opened(
    device: Device,
    options: ProfileOptions,
    project: str,
    output: Path,
    progress: Progress,
    *,
    facts: DeviceFacts,
    lock: FolderLock | None,
) -> Iterator[Opened]:
    """Begin a recording at `output`. The caller may already hold its lock. Without a call of `finish`, it stays partial.

    Raises `RecordingError` if `output` is not writable.
    """
    supply = facts.supply
    with RecordingWriter(
        output,
        lock=lock,
        project=manifest.Project(name=project, build_tool="gradle"),
        device=facts.entry,
        supply=supply,
        components=_COMPONENTS,
        provenance=options.provenance,
        settings=_settings(options, device.info.user),
    ) as writer:
        for source in facts.sources:
            writer.add_source(source)
        if supply.voltage_source == "default":
            message = f"the phone does not report its battery voltage: joules are computed for {supply.voltage_v:g} V"
            writer.warn("voltage", message, "set it with --voltage V")
        if options.counts_traffic and topology.NET_DEV not in facts.by_shell:
            message = f"device {device.info.serial}: its shell may not read {topology.NET_DEV}: traffic of other apps is unknown"
            writer.warn("io_counters", message, f"check it: adb shell cat {topology.NET_DEV}")
        runner = RunRecorder(device, writer, options, facts.sources, progress, facts.reads)
        yield Opened(writer, runner, device, facts)


def _settings(options: ProfileOptions, user: int) -> dict[str, Setting]:
    """Return the settings of the recording. Those that not all recordings have are left out where they are not used."""
    return {
        "tests": ",".join(options.tests),
        **({"module": options.built_module} if options.built_module else {}),
        "repeat": options.repeat,
        **({"warmup": options.warmup} if options.warmup else {}),
        **({"until_percent": options.until_percent, "max_repeat": options.max_repeat} if options.until_percent else {}),
        **({"seed": options.seed} if options.seed is not None else {}),
        **({"session": options.session} if options.session else {}),
        **({"user": user} if user else {}),
        "transport": options.transport,
        "mode": options.mode,
        "record": options.record,
        "granularity": options.granularity,
        "baseline": options.baseline,
        "sample_interval_ms": options.cpu_interval_ms,
        "io_interval_ms": options.io_interval_ms,
        "event_budget_bytes": options.event_budget_bytes,
        "isolate": options.isolate,
        "trace": options.trace,
        **({"compile_mode": options.compile_mode} if options.compile_mode is not None else {}),
    }
