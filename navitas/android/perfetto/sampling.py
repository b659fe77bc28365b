"""The configuration of a Perfetto trace with all that joules of sampled stacks need."""

from __future__ import annotations

from typing import Final

SAMPLED_TRACE: Final = """\
duration_ms: 10000
buffers { size_kb: 131072 }
data_sources { config { name: "linux.ftrace" ftrace_config {
  ftrace_events: "sched/sched_switch" ftrace_events: "power/cpu_frequency" ftrace_events: "power/cpu_idle"
  ftrace_events: "task/task_newtask" ftrace_events: "sched/sched_process_exit" } } }
data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true } } }
data_sources { config { name: "linux.perf" perf_event_config {
  timebase { counter: SW_CPU_CLOCK frequency: 1000 timestamp_clock: PERF_CLOCK_BOOTTIME }
  callstack_sampling { kernel_frames: true scope { target_cmdline: "org.example.app" } } } } }
"""
"""As text. The name of the app is an example: it must be debuggable, or profileable by the shell."""
