"""The running kernel: its files, its live texts, its life."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest
from kernel_fakes import FakeSource
from kernel_truth import KernelTruth

from navitas.base.errors import DeviceError
from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.scheduler import CpuUsage, KernelTask
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.sysfs import Sysfs, energy_value, proc_stat

DT = 10_000_000
CPU = "sys/devices/system/cpu"


def text(root: Path, name: str) -> str:
    return (root / CPU / name).read_text()


def test_the_tree_is_that_of_a_phone(tmp_path: Path, small_phone: PhoneSpec) -> None:
    Sysfs(tmp_path, KernelModel(small_phone)).create()
    assert text(tmp_path, "possible") == text(tmp_path, "present") == text(tmp_path, "online") == "0-2\n"
    assert text(tmp_path, "cpufreq/policy0/related_cpus") == text(tmp_path, "cpufreq/policy0/affected_cpus") == "0 1\n"
    assert text(tmp_path, "cpufreq/policy2/related_cpus") == "2\n"
    assert text(tmp_path, "cpu1/cpufreq/scaling_available_frequencies").split() == ["500000", "1000000"]
    assert text(tmp_path, "cpu2/cpufreq/cpuinfo_min_freq") == "1000000\n"
    assert text(tmp_path, "cpu2/cpufreq/cpuinfo_max_freq") == "2000000\n"
    assert text(tmp_path, "cpu0/cpufreq/scaling_governor") == "schedutil\n"
    assert text(tmp_path, "cpu0/cpufreq/scaling_cur_freq") == "500000\n"
    assert text(tmp_path, "cpufreq/policy0/stats/time_in_state") == "500000 0\n1000000 0\n"
    assert (tmp_path / "proc/self").readlink() == Path("/proc/self")
    assert not [path for path in (tmp_path / CPU).rglob("*") if "tmp" in path.name]


def test_time_in_state_follows_in_ticks_idle_time_included(tmp_path: Path, small_phone: PhoneSpec) -> None:
    model = KernelModel(small_phone)
    sysfs = Sysfs(tmp_path, model)
    sysfs.create()
    for k in range(60):
        model.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): DT} if k < 30 else {})
        sysfs.publish()
    for k, policy in enumerate((0, 2)):
        rows = [
            tuple(map(int, line.split())) for line in text(tmp_path, f"cpufreq/policy{policy}/stats/time_in_state").splitlines()
        ]
        assert tuple(khz for khz, _ in rows) == small_phone.clusters[k].freq_khz
        assert 60 - 6 <= sum(ticks for _, ticks in rows) <= 60
    assert text(tmp_path, "cpufreq/policy2/scaling_cur_freq") == f"{model.cur_freq_khz[1]}\n"
    assert int(text(tmp_path, "cpufreq/policy2/stats/time_in_state").split()[3]) > 20


def test_only_what_changes_is_written(tmp_path: Path, small_phone: PhoneSpec) -> None:
    model = KernelModel(small_phone)
    sysfs = Sysfs(tmp_path, model)
    sysfs.create()
    files = [path for path in (tmp_path / CPU).rglob("*") if path.is_file() and not path.is_symlink()]
    before = {path: path.stat().st_ino for path in files}
    contents = {path: path.read_text() for path in files}
    for k in range(50):
        model.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): DT})
        sysfs.publish()
    written = {path for path in files if path.stat().st_ino != before[path]}
    assert {path.name for path in written} <= {"time_in_state", "scaling_cur_freq"}
    assert {path for path in files if path.read_text() != contents[path]} <= written


def test_readers_never_see_half_a_file(tmp_path: Path, small_phone: PhoneSpec) -> None:
    model = KernelModel(small_phone)
    sysfs = Sysfs(tmp_path, model)
    sysfs.create()
    stop = threading.Event()

    def turn() -> None:
        k = 0
        while not stop.is_set():
            model.step(k * 2 * DT, (k + 1) * 2 * DT, {KernelTask(1, 1): 2 * DT})
            sysfs.publish()
            k += 1

    writer = threading.Thread(target=turn)
    writer.start()
    try:
        for _ in range(3_000):
            assert re.fullmatch(r"500000 \d+\n1000000 \d+\n", text(tmp_path, "cpu0/cpufreq/stats/time_in_state"))
    finally:
        stop.set()
        writer.join()


def test_proc_stat_counts_ticks_of_every_cpu(small_phone: PhoneSpec) -> None:
    model = KernelModel(small_phone)
    for k in range(100):
        model.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): DT})
    lines = proc_stat(model, 1).splitlines()
    assert lines[0] == "cpu  100 0 0 200 0 0 0 0 0 0"
    cpus = {line.split()[0]: list(map(int, line.split()[1:])) for line in lines[1:4]}
    assert list(cpus) == ["cpu0", "cpu1", "cpu2"]
    for values in cpus.values():
        assert len(values) == 10
        assert 99 <= sum(values) <= 100
    assert {line.split()[0] for line in lines[4:]} >= {"ctxt", "btime", "processes"}


def test_the_rail_monitor_speaks_as_a_pixel_s(small_phone: PhoneSpec) -> None:
    model = KernelModel(small_phone)
    model.step(0, 100 * DT, {})
    lines = energy_value(model.rails.energies_uj()).splitlines()
    at_ms = lines[0].removeprefix("t=")
    assert lines[1:] == [
        f"CH0(T={at_ms})[S4M_VDD_CPUCL0], 0",
        f"CH1(T={at_ms})[S3M_VDD_CPUCL1], 0",
        f"CH2(T={at_ms})[VDD_CPU_ACTIVE], 0",
        f"CH3(T={at_ms})[VSYS_CPU_BASE], 8000",
    ]


def test_a_kernel_runs_what_its_source_gives(tmp_path: Path, one_speed: PhoneSpec, source: FakeSource) -> None:
    kernel = Kernel(one_speed, tmp_path, source=source)
    watched = KernelTruth(kernel)
    kernel.start()
    kernel.add_process(11)
    kernel.add_process(12)
    source.given = {KernelTask(11, 11): 5_000_000, KernelTask(11, 0): 1_000_000, KernelTask(12, 12): 2_000_000}
    while (truth := watched.read()).backlog_ns or not truth.processes[12].threads:
        time.sleep(0.005)
    assert truth.processes[11].cpu_ns == 6_000_000
    assert truth.processes[11].threads[0].cpu_ns == 1_000_000
    assert truth.processes[12].cpu_ns == 2_000_000
    spent = sum(process.energy_uj for process in truth.processes.values())
    assert spent + truth.rails_uj["VSYS_CPU_BASE"] == pytest.approx(sum(truth.rails_uj.values()))
    kernel.remove_process(11)
    kernel.remove_process(99)
    assert source.pids == [12]
    assert re.fullmatch(r"\d+\.\d\d \d+\.\d\d\n", kernel.uptime())
    assert kernel.proc_stat().startswith("cpu  ")
    assert set(kernel.rails_uj()) >= {"VSYS_CPU_BASE"}
    kernel.stop()
    kernel.stop()
    assert source.closed
    end = watched.read()
    assert end.processes[11].cpu_ns + end.backlog_ns == 6_001_000
    assert not [thread for thread in threading.enumerate() if thread.name == "virtual-kernel"]


def test_a_kernel_without_its_root_reports_it(tmp_path: Path, one_speed: PhoneSpec, source: FakeSource) -> None:
    root = tmp_path / "phone"
    root.mkdir()
    kernel = Kernel(one_speed, root, source=source)
    kernel.start()
    root.rename(tmp_path / "gone")
    try:
        with pytest.raises(DeviceError, match="kernel stopped") as caught:
            while True:
                kernel.rails_uj()
                time.sleep(0.005)
        assert caught.value.remedy
    finally:
        kernel.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_tick_that_fails_is_reported_and_not_taken_for_rest(tmp_path: Path, one_speed: PhoneSpec) -> None:
    class Broken(FakeSource):
        def read(self, dt_ns: int) -> CpuUsage:
            raise ValueError("torn schedstat")

    kernel = Kernel(one_speed, tmp_path, source=Broken())
    kernel.start()
    try:
        kernel._thread.join()
        with pytest.raises(DeviceError, match="kernel stopped: torn schedstat"):
            kernel.proc_stat()
    finally:
        kernel.stop()


def test_a_kernel_that_never_started_can_be_stopped(tmp_path: Path, one_speed: PhoneSpec, source: FakeSource) -> None:
    kernel = Kernel(one_speed, tmp_path, source=source)
    assert kernel._model.wall_ns == 0
    kernel.stop()
    assert source.closed
