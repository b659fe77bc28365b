"""The methods of a recording that scanned Wi-Fi networks or used the network, with the energy of these calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from navitas.analyze.load import Loaded
from navitas.analyze.profile import Profile
from navitas.attribute.measured_runs import MeasuredRuns
from navitas.parse.hook_calls import NETWORK, HookKind
from navitas.vitals.method_energy import api_energy

COMPONENTS = ("wifi", "modem")


@dataclass(frozen=True, slots=True)
class RadioUser:
    """A method: how many scans it started, and the bytes that its calls moved.

    `energy_j` is that of the components `COMPONENTS`, None if the recording has neither.
    """

    class_name: str
    method: str
    file: str | None
    line: int | None
    scans: int
    network_bytes: int
    energy_j: float | None

    @property
    def name(self) -> str:
        """Class and method."""
        return f"{self.class_name}.{self.method}"

    @property
    def place(self) -> str:
        """File and line, as far as they are known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


def radio_users_of(loaded: Loaded, profile: Profile) -> tuple[RadioUser, ...]:
    """Return these methods, largest energy first, over all runs that recorded hooks."""
    measured = MeasuredRuns(loaded.parsed, loaded.manifest, loaded.model, None, use_rails=True)
    scans, moved = Counter[int](), Counter[int]()
    for run in loaded.parsed.runs:
        if run.calls.hooks is None:
            continue
        is_scan = (run.calls.hooks.kind == HookKind.WIFI_SCAN) & ~run.calls.hooks.is_stop
        rows = np.flatnonzero(is_scan | np.isin(run.calls.hooks.kind, NETWORK))
        api = measured.inputs(run).api
        for row, path in zip(rows.tolist(), api.hook_path[rows].tolist(), strict=True):
            method = api.caller(path)
            if is_scan[row]:
                scans[method] += 1
            else:
                moved[method] += int(run.calls.hooks.amount[row])
    energy = api_energy(profile, COMPONENTS)
    table = loaded.parsed.method_table.methods
    found = [
        RadioUser(
            one.class_name, one.name, one.file, one.line, scans[number], moved[number],
            None if energy is None else energy.get(one.id, 0.0),
        )
        for number in {*scans, *moved}
        if number >= 0
        for one in (table[number],)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.network_bytes, -one.scans, one.name)))
