"""A profiling session: bundles installed, tests run as often as asked, one recording made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.build.bundle import Bundle
from navitas.bundle.manifest import AndroidManifest
from navitas.collect import power, topology
from navitas.collect.choice import Choice, choose
from navitas.collect.installing import installed
from navitas.collect.instrument import Instrumented
from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.run import AS_RUN, Runner, RunPlan
from navitas.collect.state.measuring import condition_at_start, measured
from navitas.collect.target import target_of
from navitas.device.base import Device
from navitas.recording import manifest
from navitas.recording.store import RecordingWriter

_CUT = "its end was never seen: the process died before"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the recording is, which tests did not pass (name → first line of the reason), and why events are missing."""

    recording: Path
    failures: dict[str, str]
    crashed: bool
    troubles: tuple[str, ...] = ()


def profile(device: Device, bundles: Sequence[Bundle], options: ProfileOptions, output: Path, progress: Progress) -> Outcome:
    """Run the selected tests of all bundles on the device and leave a recording at `output`.

    Raises `UsageError` when no test matches, `DeviceError` when the device is lost or not fit to be measured and
    `RecordingError` when nothing can be written to `output` (the partial recording is kept).
    """
    start = condition_at_start(device, options)
    with installed(device, bundles, progress):
        progress.stage("listing tests")
        unlisted: list[str] = []
        selected = choose(device, bundles, options.tests, unlisted.append, isolate=options.isolate)
        policies = topology.read_policies(device)
        sources = topology.counter_sources(policies)
        supply = power.choose(device, options, policies)
        with _writer(device, bundles, policies, supply, options=options, output=output) as writer:
            for source in sources:
                writer.add_source(source)
            for choice in selected:
                add_map(writer, choice.bundle)
                for text in choice.bundle.manifest.warnings:
                    writer.warn("build", text, AS_RUN)
            for text in unlisted:
                writer.warn("tests_not_listed", text, "its tests were not run")
            runner = Runner(device, writer, options, sources, progress)
            failures: dict[str, str] = {}
            crashed = False
            troubles: list[str] = []
            with measured(device, start, options, writer.warn, progress) as cool_down:
                for plan in _plans(selected, options.repeat):
                    cool_down(plan.repeat)
                    progress.stage(_stage(plan, len(selected), options.repeat))
                    done = runner.run_tests(plan)
                    failures |= _failures(done)
                    crashed = crashed or done.crashed
                    # A process that died has lost its last half second, or all: that is told by its crash.
                    troubles += [] if done.crashed else done.troubles
            if supply.replaceable and runner.power_profile:
                _adopt(device, supply, runner.power_profile, policies, writer)
            progress.stage("saving the recording")
            writer.finish()
    return Outcome(output, failures, crashed, tuple(troubles))


def _plans(selected: Sequence[Choice], repeat: int) -> Iterator[RunPlan]:
    """Repeats outermost, so that a drift of the device spreads over all modules."""
    number = 0
    for turn in range(repeat):
        for choice in selected:
            bundle, target = choice.bundle.manifest, target_of(choice.bundle)
            clear = isinstance(bundle, AndroidManifest) and bundle.orchestrator and bundle.clear_package_data
            for argument in choice.class_arguments:
                yield RunPlan(number, bundle.module, target.package, bundle.map_id, turn, target, argument, clear)
                number += 1


def add_map(writer: RecordingWriter, bundle: Bundle) -> None:
    """Keep a bundle's method map, and the ids of the maps that it continues."""
    manifest = bundle.manifest
    includes = manifest.includes_map_ids if isinstance(manifest, AndroidManifest) else ()
    writer.add_map(manifest.map_id, manifest.module, bundle.map_bytes, includes)


def _stage(plan: RunPlan, modules: int, repeat: int) -> str:
    where = f" of {plan.module}" if modules > 1 else ""
    turn = f" (run {plan.repeat + 1} of {repeat})" if repeat > 1 else ""
    return f"running tests{where}{turn}"


def _failures(done: Instrumented) -> dict[str, str]:
    bad = {name: status for name, status in done.tests.items() if status in ("failed", "cut")}
    reasons = {name: done.stacks.get(name) or (_CUT if status == "cut" else status) for name, status in bad.items()}
    return {str(name): reason.strip().split("\n")[0] for name, reason in reasons.items()}


def _adopt(device: Device, supply: power.Supply, xml: bytes, policies: list[manifest.Policy], writer: RecordingWriter) -> None:
    better = power.adopt(device, supply, xml, policies, lambda text: writer.warn("power_profile", text, "navitas power show"))
    if better is not supply:
        writer.replace_power_profile(better.profile_xml, better.profile_source)


def _writer(
    device: Device,
    bundles: Sequence[Bundle],
    policies: list[manifest.Policy],
    supply: power.Supply,
    *,
    options: ProfileOptions,
    output: Path,
) -> RecordingWriter:
    info = device.info
    return RecordingWriter(
        output,
        project=manifest.Project(name=bundles[0].manifest.project, build_tool="gradle"),
        device=manifest.Device(
            kind=info.kind,
            serial=info.serial,
            model=info.model,
            fingerprint=info.fingerprint,
            sdk=info.sdk,
            cpus=topology.read_cpus(device, policies),
            policies=policies,
        ),
        power_profile=supply.profile_xml,
        power_profile_source=supply.profile_source,
        voltage_v=supply.voltage_v,
        voltage_source=supply.voltage_source,
        settings={
            "tests": ",".join(options.tests),
            "repeat": options.repeat,
            "transport": options.transport,
            "mode": options.mode,
            "sample_interval_ms": options.sample_interval_ms,
            "event_budget_bytes": options.event_budget_bytes,
            "isolate": options.isolate,
        },
    )
