"""Connect, run, pull: a hundred times, with faults; each ends in a correct report or a clear error, and nothing is left.

Not a benchmark and no part of `make test`: it takes minutes. `make cycles`, or `tests/bench/cycles.py --cycles 12 --seed 3`.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.faulty_project import faulty_project
from support.host import small_disk
from support.lab import Lab, Profiled
from support.link import linked
from support.phone_data import skeleton, state_folder

from navitas.build.gradle import build_bundles
from navitas.collect.progress import NoProgress
from navitas.device.adb import AdbDevice
from navitas.device.adb_transport import Stream
from navitas.device.virtual_phone import virtual_phone
from navitas.errors import NavitasError
from navitas.recording.store import open_recording

_SLOW_BYTES_PER_S = 50_000
_KEPT_OF_LOG = 0.97


class _LossyDevice(AdbDevice):
    """A device whose log arrives with gaps."""

    def __init__(self, device: AdbDevice, chance: random.Random) -> None:
        super().__init__(device._client, device.serial)
        self._chance = chance

    @contextmanager
    def stream(self, command: str) -> Iterator[Stream]:
        with super().stream(command) as stream:
            if command.startswith("logcat"):
                lines = stream.lines
                stream.lines = lambda: (  # type: ignore[method-assign]
                    line for line in lines() if b"navitas-drain" in line or self._chance.random() < _KEPT_OF_LOG
                )
            yield stream


class _Killing(NoProgress):
    """Kills the app a moment after its first test has begun."""

    def __init__(self, device: AdbDevice, package: str, after_s: float) -> None:
        self._kill = threading.Timer(after_s, lambda: device.shell(f"am force-stop {package}"))

    def test(self, number: int, total: int, name: str) -> None:
        if not self._kill.is_alive():
            self._kill.start()


class Cycles:
    """One phone and one bundle; `one` is a cycle."""

    def __init__(self, lab: Lab, chance: random.Random) -> None:
        self._lab = lab
        self._chance = chance
        self.package = lab.bundles[0].manifest.package
        self.faults: dict[str, Callable[[str], str]] = {
            "none": self._whole,
            "cut": self._cut,
            "slow": self._slow,
            "log": self._log,
            "full": self._full,
            "killed": self._killed,
        }

    def one(self, number: int) -> tuple[str, str]:
        """The fault, and what came of it; AssertionError when that is neither a correct report nor a clear error."""
        fault = list(self.faults)[number % len(self.faults)]
        said = self.faults[fault](f"{number}")
        if fault != "cut":  # what a phone that was lost holds, the next profiling removes
            assert (left := self._left()) == "", f"left on the phone: {left}"
        named = [thread.name for thread in threading.enumerate() if thread.name.startswith("navitas-")]
        assert not named, f"threads left: {named}"
        return fault, said

    def _left(self) -> str:
        listing = "ls /data/local/tmp/navitas 2>/dev/null; ls /data/local/tmp | grep navitas-"
        return self._lab.phone.shell(f"pm list packages {self.package}; {listing}; pidof {self.package}").text

    def _whole(self, name: str, device: AdbDevice | None = None) -> str:
        done = Lab(device or self._lab.phone, self._lab.bundles, self._lab.folder).profile("*#passes", name=name)
        assert not done.outcome.failures and not done.outcome.troubles and done.test("passes").status == "passed"
        assert done.method("passes", "burn").calls == 1
        return "report"

    def _slow(self, name: str) -> str:
        with linked(self._lab.phone) as (device, link):
            link.bytes_per_s = _SLOW_BYTES_PER_S
            return self._whole(name, device)

    def _cut(self, name: str) -> str:
        with linked(self._lab.phone) as (device, link):
            link.cut_after(self._chance.choice(("up", "down")), self._chance.randrange(2_000, 120_000))
            try:
                return self._whole(name, device)  # all had passed before
            except NavitasError as error:
                assert device.serial in error.message and error.remedy, error.message
                return self._partial(name)

    def _log(self, name: str) -> str:
        lossy = _LossyDevice(self._lab.phone, self._chance)
        done = Lab(lossy, self._lab.bundles, self._lab.folder).profile("*#passes", name=name, transport="logcat")
        missing = done.warnings
        assert missing or done.method("passes", "burn").calls == 1, "lines are missing, and nobody says so"
        return "report with its losses" if missing else "report"

    def _killed(self, name: str) -> str:
        killing = _Killing(self._lab.phone, self.package, self._chance.uniform(0.05, 1.0))
        done: Profiled = self._lab.profile("*#dies", name=name, progress=killing)
        assert done.outcome.crashed and done.test("dies").status == "cut"
        return "report of a killed app"

    def _full(self, name: str) -> str:
        """Room for the bundle, but not for all events."""
        needed = self._lab.bundles[0].path.stat().st_size
        with virtual_phone() as device:
            data = Path(state_folder(device), "root/data")
            with small_disk(data, str(4 * needed + 8_000_000)):
                skeleton(data)
                done = Lab(device, self._lab.bundles, self._lab.folder).profile("*#callsMuch", name=name)
        assert any("No space left" in trouble for trouble in done.outcome.troubles), done.outcome
        return "report with its losses"

    def _partial(self, name: str) -> str:
        path = self._lab.folder / name
        if (path / "manifest.json").exists():
            assert open_recording(path).manifest.state == "partial"
        return "error, recording kept"


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    options.add_argument("--cycles", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    ends: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder, virtual_phone() as phone:
        bundles = build_bundles(faulty_project(Path(folder) / "project"))
        cycles = Cycles(Lab(phone, bundles, Path(folder)), random.Random(given.seed))
        for number in range(given.cycles):
            ends[cycles.one(number)] += 1
            print(f"\r{number + 1}/{given.cycles}", end="", file=sys.stderr)
    print(file=sys.stderr)
    for (fault, end), count in sorted(ends.items()):
        print(f"{fault:8} {end:28} {count:4}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
