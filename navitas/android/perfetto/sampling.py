"""Stack samples in Perfetto traces: the data source `linux.perf`, and a whole configuration that has all that joules need.

Source: Perfetto, perf_event_config.proto, and its guide to CPU profiling, which advises less than 200 Hz for each CPU.
"""

from __future__ import annotations

from typing import Final

FIRST_SDK: Final = 33
"""The first release whose `linux.perf` has all fields of `stack_source` (Android 13)."""
_HZ = 199


def stack_source(app: str, buffer: int = 0) -> str:
    """Return the data source that samples the stacks of an app's processes, as text of a configuration."""
    return f"""\
data_sources {{ config {{ name: "linux.perf" target_buffer: {buffer} perf_event_config {{
  timebase {{ counter: SW_CPU_CLOCK frequency: {_HZ} timestamp_clock: PERF_CLOCK_BOOTTIME }}
  callstack_sampling {{ kernel_frames: true
    scope {{ target_cmdline: "{app}" target_cmdline: "{app}:*" }} }} }} }} }}
"""


SAMPLED_TRACE: Final = f"""\
duration_ms: 10000
buffers {{ size_kb: 131072 }}
data_sources {{ config {{ name: "linux.ftrace" ftrace_config {{
  ftrace_events: "sched/sched_switch" ftrace_events: "power/cpu_frequency" ftrace_events: "power/cpu_idle"
  ftrace_events: "task/task_newtask" ftrace_events: "sched/sched_process_exit" }} }} }}
data_sources {{ config {{ name: "linux.process_stats" process_stats_config {{ scan_all_processes_on_start: true }} }} }}
{stack_source("org.example.app")}"""
"""As text. The name of the app is an example: it must be debuggable, or profileable by the shell."""
