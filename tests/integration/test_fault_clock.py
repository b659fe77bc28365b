"""A phone whose clock is set by an hour during a test: results do not change, and the rails are of the same time."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import eventually
from support.lab import Lab, Profiled
from support.no_progress import NoProgress
from support.quick_jvm import quick_jvms
from support.rails import rails_by_run
from support.shims import built

from navitas.energy.analyze.load import load_tables
from navitas.virtual_phone.kernel.spec import load_spec
from navitas.virtual_phone.start import virtual_phone

pytestmark = pytest.mark.extended


@pytest.fixture
def set_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock of all processes started from now on, as an offset in seconds from this machine's clock."""
    library, clock = built("clock_shim", tmp_path), tmp_path / "clock"

    def by(seconds: float) -> None:
        with clock.open("r+b" if clock.exists() else "w+b") as file:
            file.write(struct.pack("d", seconds))

    by(0.0)
    monkeypatch.setenv("NAVITAS_TEST_CLOCK", str(clock))
    monkeypatch.setenv("LD_PRELOAD", str(library))
    return by


class WhenReady(NoProgress):
    """Sets the clock while the test is waiting for it."""

    def __init__(self, project: Path, action: Callable[[], None]) -> None:
        self._project = project
        self._action = action
        (project / "before").unlink(missing_ok=True)
        (project / "after").unlink(missing_ok=True)

    def test(self, number: int, total: int, name: str) -> None:
        threading.Thread(target=self._watch).start()

    def _watch(self) -> None:
        assert eventually((self._project / "before").exists)
        self._action()
        (self._project / "after").touch()


@pytest.mark.parametrize(("seconds", "transport"), [(-3600.0, "files"), (-3600.0, "logcat"), (3600.0, "files")])
def test_results_do_not_depend_on_the_clock(lab: Lab, set_clock: Callable[[float], None], seconds: float, transport: str) -> None:
    project = lab.bundles[0].working_dir
    with quick_jvms(), virtual_phone() as device:
        own = float(device.shell("echo $EPOCHREALTIME").text)
        progress = WhenReady(project, lambda: set_clock(seconds))
        # The shim sets the clock of processes, not the kernel's. Timed waits of the app then end at once, its threads spin, and
        # would fill a trace. test_trace_join.py tests clocks that are set during a trace.
        done = Lab(device, lab.bundles, lab.folder).profile(
            "*#acrossAClock*", name="rec", progress=progress, transport=transport, trace="none"
        )
        moved = float(device.shell("echo $EPOCHREALTIME").text) - own
    assert abs(moved - seconds) < 600, "the phone's clock has been set"
    check(done)


def check(done: Profiled) -> None:
    assert done.outcome.failures == {} and done.outcome.troubles == ()
    assert done.profile.evidence[0].level in {"thread-freq", "thread-time"}
    assert done.warnings.isdisjoint({"events_missing", "no_events", "no_clocks", "unjoined_readings"}), done.warnings
    (burn,) = (row for name, row in done.methods("acrossAClockThatIsSet").items() if name == "burn")
    assert burn.calls == 2 and burn.wall_ns >= 1_400_000_000
    # Joined by realtime: the rails, and other processes from /proc/stat.
    run = load_tables(done.outcome.recording).parsed.runs[0]
    assert run.cpu.stat is not None and run.devices.rails is not None
    for t_ns in (run.cpu.stat.t_ns, run.devices.rails.t_ns):
        assert t_ns[0] > run.start_ns - 10_000_000_000 and t_ns[-1] < run.end_ns + 10_000_000_000
        assert len(t_ns) > 5 and max(t_ns[1:] - t_ns[:-1]) < 60_000_000_000
    ((estimate_j, rails_j),) = rails_by_run(done.outcome.recording)
    # A join that is an hour off finds no energy, or a whole hour's, which no phone could use in the time of the run.
    assert 0 < rails_j <= (run.devices.rails.energy_j[-1] - run.devices.rails.energy_j[0]).sum() + 1e-9
    spec = load_spec()
    most_mw = spec.base_mw + spec.active_mw + sum(one.cluster_mw + len(one.cpus) * one.core_mw[-1] for one in spec.clusters)
    assert 0 < estimate_j <= most_mw / 1e3 * (run.end_ns - run.start_ns) / 1e9
