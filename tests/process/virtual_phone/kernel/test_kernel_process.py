"""Energy of a real process on the running kernel, compared with a sum over its measured CPU time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kernel_fakes import ONE_SPEED
from kernel_truth import KernelTruth, Truth

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.sources import process_cpu_ns
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

_BUSY = """
import sys, time
print("ready", flush=True)
sys.stdin.readline()
end = time.process_time() + 0.4
while time.process_time() < end: pass
"""


def run_busy(kernel: Kernel) -> float:
    """Let a child use CPU while the kernel watches. Returns the CPU seconds that the host counted meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", _BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.readline()
    started_ns = process_cpu_ns(process.pid)
    assert started_ns is not None
    kernel.add_process(process.pid)
    process.stdin.write(b"\n")
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended but not yet reaped, so it can still be read
    kernel.remove_process(process.pid)
    _, _, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime - started_ns / 1e9


def busy_truth(kernel: Kernel) -> tuple[float, Truth]:
    """Run a busy child on a running kernel. Returns the CPU seconds that the host counted, and the sum of the kernel's steps."""
    watched = KernelTruth(kernel)
    kernel.start()
    cpu_s = run_busy(kernel)
    while watched.read().backlog_ns:
        time.sleep(0.005)
    truth = watched.read()
    kernel.stop()
    return cpu_s, truth


def test_rails_equal_cpu_time_times_power(tmp_path: Path) -> None:
    kernel = Kernel(ONE_SPEED, tmp_path)
    cpu_s, truth = busy_truth(kernel)
    (process,) = truth.processes.values()
    # The host rounds CPU time to ticks.
    assert process.cpu_ns / 1e9 == pytest.approx(cpu_s, abs=0.03)
    # One thread on one core: core 300, cluster 70 and cpu.active 100 mW while it runs.
    assert process.energy_uj / 1e6 == pytest.approx(process.cpu_ns / 1e9 * 0.470, rel=1e-6)
    assert sum(truth.rails_uj.values()) / 1e6 == pytest.approx(truth.wall_ns / 1e9 * 0.050 + process.cpu_ns / 1e9 * 0.470)


def test_the_default_phones_energy_follows_its_frequencies(tmp_path: Path) -> None:
    spec = load_spec()
    kernel = Kernel(spec, tmp_path)
    cpu_s, truth = busy_truth(kernel)
    (process,) = truth.processes.values()
    assert process.cpu_ns / 1e9 == pytest.approx(cpu_s, abs=0.03)
    mean_mw = process.energy_uj / process.cpu_ns * 1e6
    slowest, fastest = spec.clusters[0], spec.clusters[2]
    assert slowest.core_mw[0] + spec.active_mw < mean_mw <= fastest.core_mw[-1] + fastest.cluster_mw + spec.active_mw
    states = (tmp_path / "sys/devices/system/cpu/cpufreq/policy6/stats/time_in_state").read_text().splitlines()
    assert len(states) == len(fastest.freq_khz)
    assert truth.rails_uj["S2M_VDD_CPUCL2"] > truth.rails_uj["S4M_VDD_CPUCL0"]
