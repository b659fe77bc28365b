"""`navitas power calibrate --format wattson` and `navitas power validate FOLDER`: folders of Wattson's power curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import click

from navitas.base.errors import ExitCode, UsageError
from navitas.base.units import counted, percent
from navitas.base.untrusted_text import printable, printable_lines
from navitas.cli.habits.files import STDOUT, write_json, write_to
from navitas.cli.habits.messages import next_step, note, shell_word, warning
from navitas.cli.habits.paths import with_name
from navitas.cli.habits.standard_output import output_console
from navitas.cli.power.calibrate_input import CalibrationSources, check_outputs, core_counts
from navitas.insight.calibrate.calibration import Caution
from navitas.insight.calibrate.wattson_curves import WattsonCurves, read_curves
from navitas.insight.calibrate.wattson_files import read_folder
from navitas.power.cpu import power_model
from navitas.power.edited_profile import with_cpu
from navitas.power.model import CpuPower
from navitas.power.power_profile import read_power_profile
from navitas.recording.writer import DEFAULT_VOLTAGE_V
from navitas.report.terminal.fitted_table import Column, FittedTable

WATTSON = "wattson"
_EMPTY = b"<device name='Android'><item name='cpu.suspend'>0</item><item name='cpu.idle'>0</item></device>"
_LONGEST = 1000


def profile_of_curves(measured: CalibrationSources, voltage_v: float, output: Path | None, json_file: Path | None) -> None:
    """Write the profile of a CPU by Wattson's curves alone: those of no other phone. The default file has the SoC's name.

    Raises `UsageError` if the curves cannot be used, or if the default file exists.
    """
    measured.check()
    folder = with_name(Path(str(measured.profile)))
    curves = read_curves(folder, folder.name)
    cpu = curves.cpu(None if measured.cores is None else core_counts(measured.cores), voltage_v)
    if output is None:
        output = Path(f"{(curves.soc or WATTSON).replace(' ', '-')}.xml")
        if output.exists():
            raise UsageError(f"{output} exists", "Name the file of the profile: -o FILE.")
    check_outputs(output, json_file)
    empty = read_power_profile(_EMPTY, name=folder.name)
    comment = f"CPU of {curves.device} by Navitas with the curves of {curves.name}; the rest of the phone is unknown"
    xml = with_cpu(_EMPTY, empty, cpu, note=printable(comment, _LONGEST))
    warnings = [*(Caution("curves", text) for text in curves.notes), *implausible_of(output, xml, cpu)]
    write_to(output, lambda out: out.write(xml), binary=True)
    is_text = write_json(
        json_file,
        output=str(output),
        device=curves.device,
        soc=curves.soc,
        voltage_v=voltage_v,
        clusters=_clusters(curves, cpu, voltage_v),
        warnings=[asdict(caution) for caution in warnings],
    )
    for caution in warnings:
        warning(printable(caution.message, _LONGEST))
    if is_text:
        output_console().print(curves_table(curves, cpu, voltage_v))
        note(f"{printable(str(output), 500)}: the CPU of {curves.soc or printable(curves.device, 40)} only")
        next_step(f"navitas profile PROJECT --power-profile {shell_word(output)} --voltage {voltage_v:.4g}")


def _clusters(curves: WattsonCurves, cpu: CpuPower, voltage_v: float) -> list[dict[str, object]]:
    return [
        {
            **cluster.as_json(),
            "policy": curve.policy,
            "moved": curve.moved,
            "moved_by": float(abs(curve.moves).max()),
            "all_cores_error": error,
        }
        for cluster, curve, error in zip(cpu.clusters, curves.policies, curves.all_cores(cpu, voltage_v), strict=True)
    ]


def curves_table(curves: WattsonCurves, cpu: CpuPower, voltage_v: float) -> FittedTable:
    """What was written of each policy, and its largest errors: of moved points, and with all cores running."""
    columns = [
        Column("Policy", text=True),
        Column("Cores"),
        Column("Speeds"),
        Column("Highest"),
        Column("Points moved", drop=2),
        Column("by at most", drop=2),
        Column("All cores error", drop=1),
    ]
    table = FittedTable("Power of running cores, by Wattson's curves", columns)
    for cluster, curve, error in zip(cpu.clusters, curves.policies, curves.all_cores(cpu, voltage_v), strict=True):
        highest = f"{curve.freq_khz[-1] / 1e3:,.0f} MHz"
        speeds, moved_by = str(len(curve.freq_khz)), percent(float(abs(curve.moves).max()))
        table.add(str(curve.policy), str(len(cluster.cpus)), speeds, highest, str(curve.moved), moved_by, percent(error))
    return table


def implausible_of(output: Path, profile: bytes, cpu: CpuPower) -> Iterator[Caution]:
    """What no phone has of the profile to write, such as currents from power in a wrong unit, or of a cluster not measured.

    Raises `PowerProfileError` if Navitas would refuse the profile.
    """
    speeds = {min(cluster.cpus): cluster.freq_khz.tolist() for cluster in cpu.clusters}
    policies = [(min(cluster.cpus), cluster.cpus) for cluster in cpu.clusters]
    for text in power_model(read_power_profile(profile, name=output.name), DEFAULT_VOLTAGE_V, policies, speeds).implausible:
        yield Caution("implausible_figure", text)


def validate_curves(folder: Path, json_file: Path | None) -> int:
    """List what is negative, falling or missing in a folder of curves. Returns 1 if anything is, or if it cannot be read."""
    say: Callable[[str], None] = click.echo if json_file != STDOUT else lambda text: None
    try:
        curves = read_folder(folder)
    except UsageError as error:
        write_json(json_file, usable=False, reason=error.message, defects=[], not_used=[], components=[])
        say(f"unusable: {printable_lines(error.message)}")
        return ExitCode.CHECK_FAILED
    defects = [f"{defect.kind}: {defect.message}" for defect in curves.defects]
    write_json(json_file, usable=True, reason=None, defects=defects, not_used=curves.unread, components=[])
    for text in (*defects, *(f"note: {text}" for text in curves.notes)):
        say(printable(text, _LONGEST))
    say(f"{printable(curves.device, 40)}: {counted(len(defects), 'defect') if defects else 'no defect'}")
    return ExitCode.CHECK_FAILED if defects else ExitCode.OK
