"""Cycles of connect, run and pull with a fault. Each ends in a correct report or a clear error, and leaves nothing behind."""

from __future__ import annotations

import random
import re
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from navitas.base.errors import ExitCode, NavitasError
from navitas.capture.bundle.reader import Bundle
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_transport import Stream
from navitas.recording.store import open_recording
from navitas.virtual_phone.start import virtual_phone
from support.command_line import MARK
from support.lab import Lab, Profiled
from support.leftovers import Surroundings
from support.link import linked
from support.no_progress import NoProgress
from support.quick_jvm import quick_jvms
from support.shims import built

_SLOW_BYTES_PER_S = 50_000
_KEPT_OF_LOG = 0.97
_PLENTY_BYTES = 1 << 40
_FIRST_TEST = "its first test"
_STAGES = ("installing", "listing tests", "running tests", "pulling")
_LOSSES = {"chunks", "events", "records", "logcat_chunks", "damaged_bytes", "events_missing", "no_events", "no_run_end"}
_LOSSES |= {"event_file_bytes", "crashed", "no_markers"}


class _LossyDevice(AdbDevice):
    """A device whose log loses lines, streamed or dumped. `dropped` are the lost lines."""

    def __init__(self, device: AdbDevice, chance: random.Random) -> None:
        super().__init__(device.client, device.serial)
        self._chance = chance
        self.dropped: list[bytes] = []

    def _arrives(self, line: bytes) -> bool:
        if b"navitas-drain" in line or self._chance.random() < _KEPT_OF_LOG:
            return True
        self.dropped.append(line)
        return False

    @contextmanager
    def stream(self, command: str) -> Iterator[Stream]:
        with super().stream(command) as stream:
            if command.startswith("logcat"):
                lines = stream.lines
                stream.lines = lambda: filter(self._arrives, lines())  # type: ignore[method-assign]
            yield stream

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        pieces = super().exec_out(command, timeout_s=timeout_s)
        if not command.startswith("logcat"):
            return pieces
        return iter([line for line in b"".join(pieces).splitlines(keepends=True) if self._arrives(line)])


class _At(NoProgress):
    """Calls `action` once, some time after a stage has begun."""

    def __init__(self, stage: str, after_s: float, action: Callable[[], object]) -> None:
        self._stage = stage
        self._timer = threading.Timer(after_s, action)

    def stage(self, text: str) -> None:
        if text == self._stage and self._timer.ident is None:
            self._timer.start()

    def test(self, number: int, total: int, name: str) -> None:
        self.stage(_FIRST_TEST)

    def over(self) -> None:
        """Cancel the action."""
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()


class Room:
    """The free space of a phone's /data. It is unlimited until `limit` is called (support/room_shim.c)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(8))
        self.limit(_PLENTY_BYTES)

    def limit(self, count: int) -> None:
        with self.path.open("r+b") as file:
            file.write(struct.pack("q", count))


@dataclass(frozen=True)
class Workload:
    """Bundles with a test that calls a method a known number of times on a thread, and a test that crashes at its end."""

    bundles: list[Bundle]
    counted: str = "callsOften"
    method: str = "leaf"
    thread: str = "main"
    calls: int = 200_000
    dies: str = "dies"


class Cycles:
    """One phone and one workload. `one` runs a cycle with a fault."""

    def __init__(self, lab: Lab, work: Workload, chance: random.Random, room: Room, surroundings: Surroundings) -> None:
        self._lab = lab
        self._work = work
        self._chance = chance
        self._room = room
        self._surroundings = surroundings
        self._package = work.bundles[0].manifest.package
        self.faults: dict[str, Callable[[str], str]] = {
            "none": self._none,
            "cut": self._cut,
            "slow": self._slow,
            "log": self._log,
            "full": self._full,
            "killed": self._killed,
        }

    def one(self, fault: str, name: str) -> str:
        """Return the outcome of a fault.

        Raises `AssertionError` if it is neither a correct report nor a clear error, or if anything is left behind.
        """
        end = self.faults[fault](name)
        self._surroundings.check()
        return end

    def _profiled(
        self, name: str, device: AdbDevice | None = None, progress: NoProgress | None = None, test: str = "", **options: str
    ) -> Profiled:
        lab = Lab(device or self._lab.phone, self._work.bundles, self._lab.folder)
        test = f"*#{test or self._work.counted}"
        prepare = self._chance.random() < 0.5
        return lab.profile(test, name=name, progress=progress, prepare=prepare, radios_off=prepare, timeout_s=300.0, **options)

    def _report(self, done: Profiled) -> str:
        """Return the kind of report. A report without losses must be exact."""
        if done.outcome.failures or done.outcome.troubles or done.warnings & _LOSSES:
            return "report that names what is missing"
        work = self._work
        assert done.test(work.counted).status == "passed"
        assert done.method(work.counted, work.method, work.thread).calls == work.calls
        assert open_recording(done.outcome.recording).manifest.state == "complete"
        return "correct report"

    def _whole(self, done: Profiled) -> str:
        assert self._report(done) == "correct report", (done.outcome, done.warnings)
        return "correct report"

    def _error(self, name: str, error: NavitasError) -> str:
        """Check for a clear error. If there is a recording, it must open."""
        assert error.exit_code in (ExitCode.TROUBLE, ExitCode.USAGE) and error.message and error.remedy, error
        path = self._lab.folder / name
        if not path.exists():
            return "clear error"
        assert open_recording(path).manifest.state == "partial"
        assert not [*path.glob("**/.*"), *path.glob("**/*.part")]
        return "clear error, recording kept"

    def _none(self, name: str) -> str:
        return self._whole(self._profiled(name))

    def _slow(self, name: str) -> str:
        with linked(self._lab.phone) as (device, link):
            link.bytes_per_s = _SLOW_BYTES_PER_S
            return self._whole(self._profiled(name, device, mode="folded"))

    def _cut(self, name: str) -> str:
        """Disconnect in a stage, after some bytes or some time. After reconnection, the next profiling works as usual."""
        chance = self._chance
        with linked(self._lab.phone) as (device, link):
            if chance.random() < 0.5:
                direction, count = chance.choice(("up", "down")), int(10 ** chance.uniform(0, 6))
                cutting = _At(chance.choice(_STAGES), 0.0, lambda: link.cut_after(direction, count))
            else:
                cutting = _At(chance.choice(_STAGES), chance.uniform(0.0, 1.5), link.cut)
            try:
                end = self._whole(self._profiled(name, device, cutting))  # all had passed before
            except NavitasError as error:
                assert device.serial in error.message, error.message
                end = self._error(name, error)
                for package in re.findall(r"adb -s \S+ uninstall (\S+)", error.remedy):
                    self._lab.phone.uninstall(package)
            finally:
                cutting.over()
                link.cut()
                link.restore()
            assert device.wait_until_back(60.0)
            # The next profiling removes leftovers and restores settings.
            again = Lab(device, self._work.bundles, self._lab.folder)
            test = f"*#{self._work.counted}"
            self._whole(again.profile(test, name=f"{name}-again", prepare=True, radios_off=True))
        return end

    def _log(self, name: str) -> str:
        transport = self._chance.choice(("files", "logcat"))
        self._lab.phone.shell("logcat -c")  # the lines contain no events of an earlier process
        lossy = _LossyDevice(self._lab.phone, self._chance)
        done = self._profiled(name, lossy, transport=transport)
        if transport == "files":
            return self._whole(done)
        end = self._report(done)
        # The last line contains clock readings. No count shows its loss, and nothing needs it.
        carried = [line for line in lossy.dropped if b"NV1 " in line]
        assert end != "correct report" or len(carried) <= 1, "lines are missing, and the report does not say so"
        return end

    def _killed(self, name: str) -> str:
        """Kill the app while tests are listed, or in a test that would crash anyway."""
        device, chance = self._lab.phone, self._chance
        how = chance.choice((f"am force-stop {self._package}", f"kill -9 $(pidof {self._package})"))
        listing = chance.random() < 0.3
        killing = _At(_STAGES[1] if listing else _FIRST_TEST, chance.uniform(0.0, 1.0), lambda: device.shell(how))
        try:
            done = self._profiled(name, progress=killing, test="" if listing else self._work.dies)
        except NavitasError as error:
            return self._error(name, error)
        finally:
            killing.over()
        if listing:
            return self._whole(done)  # the kill came before the process started or after it ended
        assert done.outcome.crashed and "crashed" in done.warnings and done.test(self._work.dies).status == "cut", done.outcome
        return "report of a killed app"

    def _full(self, name: str) -> str:
        stage = self._chance.choice(_STAGES[:3])
        room = int(10 ** self._chance.uniform(4, 7))
        filling = _At(stage, self._chance.uniform(0.0, 0.5), lambda: self._room.limit(room))
        try:
            return self._report(self._profiled(name, progress=filling))
        except NavitasError as error:
            return self._error(name, error)
        finally:
            filling.over()
            self._room.limit(_PLENTY_BYTES)


@contextmanager
def cycles(folder: Path, seed: int, *works: Workload) -> Iterator[list[Cycles]]:
    """Return the cycles of each workload on a phone with limited storage, and what each cycle must restore."""
    mark = uuid.uuid4().hex
    temporary, state = folder / "tmp", folder / "state"
    for made in (temporary, state):
        made.mkdir()
    room = Room(folder / "room")
    library = built("room_shim", folder)
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in ((MARK, mark), ("TMPDIR", temporary), ("XDG_STATE_HOME", state)):
            patch.setenv(variable, str(value))
        patch.setattr("tempfile.tempdir", str(temporary))
        with pytest.MonkeyPatch.context() as preloaded, ExitStack() as stack:
            preloaded.setenv("LD_PRELOAD", str(library))
            preloaded.setenv("NAVITAS_TEST_ROOM", str(room.path))
            preloaded.setenv("NAVITAS_TEST_ROOM_BELOW", "/root/data/")
            with quick_jvms():
                phone = stack.enter_context(virtual_phone())
            preloaded.undo()
            lab, surroundings = Lab(phone, [], folder), Surroundings(phone, mark, temporary, state)
            yield [Cycles(lab, work, random.Random(seed), room, surroundings) for work in works]
