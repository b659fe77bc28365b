"""The part of Perfetto's formats that is used: messages made at run time from their field numbers (docs/formats.md)."""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

_PACKAGE = "navitas.perfetto"
_SCALARS = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
}

# Each message's fields: number, name, type (`*` repeated, `+` packed). Names are bytes: kernels do not promise UTF-8.
_MESSAGES = {
    "TracePacket": """1 ftrace_events FtraceEventBundle, 2 process_tree ProcessTree, 6 clock_snapshot ClockSnapshot,
        7 sys_stats SysStats, 8 timestamp uint64, 9 process_stats ProcessStats, 10 trusted_packet_sequence_id uint32,
        34 ftrace_stats FtraceStats, 35 trace_stats TraceStats, 40 power_rails PowerRails, 42 previous_packet_dropped uint32,
        50 compressed_packets bytes, 58 timestamp_clock_id uint32, 59 trace_packet_defaults TracePacketDefaults,
        133 zstd_compressed_packets bytes""",
    "TracePacketDefaults": "58 timestamp_clock_id uint32",
    "FtraceEventBundle": """1 cpu uint32, 2 event *FtraceEvent, 3 lost_events bool, 4 compact_sched CompactSched,
        5 ftrace_clock int32, 6 ftrace_timestamp int64, 7 boot_timestamp int64""",
    "CompactSched": """1 switch_timestamp +uint64, 2 switch_prev_state +int64, 3 switch_next_pid +int32,
        5 intern_table *bytes, 6 switch_next_comm_index +uint32""",
    "FtraceEvent": """1 timestamp uint64, 2 pid uint32, 4 sched_switch SchedSwitch, 11 cpu_frequency Power, 13 cpu_idle Power,
        19 sched_cpu_hotplug SchedCpuHotplug, 113 suspend_resume SuspendResume, 235 task_newtask TaskNewtask,
        236 task_rename TaskRename, 238 sched_process_exit ProcessEnd, 239 sched_process_fork ProcessFork,
        240 sched_process_free ProcessEnd, 345 cpuhp_enter CpuhpEnter""",
    "SchedSwitch": "1 prev_comm bytes, 2 prev_pid int32, 4 prev_state int64, 5 next_comm bytes, 6 next_pid int32",
    "Power": "1 state uint32, 2 cpu_id uint32",
    "SchedCpuHotplug": "1 affected_cpu int32, 2 error int32, 3 status int32",
    "SuspendResume": "1 action bytes, 2 val int32, 3 start uint32",
    "TaskNewtask": "1 pid int32, 2 comm bytes, 3 clone_flags uint64",
    "TaskRename": "1 pid int32, 3 newcomm bytes",
    "ProcessEnd": "1 comm bytes, 2 pid int32",
    "ProcessFork": "3 child_comm bytes, 4 child_pid int32",
    "CpuhpEnter": "1 cpu uint32, 3 idx int32, 4 target int32",
    "ProcessTree": "1 processes *Process, 2 threads *Thread",
    "Process": "1 pid int32, 3 cmdline *bytes",
    "Thread": "1 tid int32, 2 name bytes, 3 tgid int32",
    "ProcessStats": "1 processes *ProcessSample",
    "ProcessSample": "1 pid int32, 11 threads *ThreadSample",
    "ThreadSample": "1 tid int32",
    "SysStats": "11 cpufreq_khz *uint32",
    "ClockSnapshot": "1 clocks *Clock",
    "Clock": "1 clock_id uint32, 2 timestamp uint64",
    "PowerRails": "1 rail_descriptor *RailDescriptor, 2 energy_data *EnergyData, 3 session_uuid uint64",
    "RailDescriptor": "1 index uint32, 2 rail_name bytes, 3 subsys_name bytes",
    "EnergyData": "1 index uint32, 2 timestamp_ms uint64, 3 energy uint64",
    "FtraceStats": "1 phase int32, 2 cpu_stats *FtraceCpuStats",
    "FtraceCpuStats": "1 cpu uint64, 3 overrun uint64, 4 commit_overrun uint64, 8 dropped_events uint64",
    "TraceStats": "1 buffer_stats *BufferStats",
    "BufferStats": "3 chunks_overwritten uint64, 6 patches_failed uint64, 9 abi_violations uint64, 18 chunks_discarded uint64, "
    "19 trace_writer_packet_loss uint64",
    "TraceConfig": """1 buffers *BufferConfig, 2 data_sources *DataSource, 3 duration_ms uint32, 8 write_into_file bool,
        9 file_write_period_ms uint32, 10 max_file_size_bytes uint64, 13 flush_period_ms uint32""",
    "BufferConfig": "1 size_kb uint32",
    "DataSource": "1 config DataSourceConfig",
    "DataSourceConfig": """1 name bytes, 2 target_buffer uint32, 100 ftrace_config FtraceConfig,
        103 process_stats_config ProcessStatsConfig, 104 sys_stats_config SysStatsConfig,
        106 android_power_config AndroidPowerConfig""",
    "FtraceConfig": """1 ftrace_events *bytes, 10 buffer_size_kb uint32, 11 drain_period_ms uint32,
        12 compact_sched CompactSchedConfig""",
    "CompactSchedConfig": "1 enabled bool",
    "ProcessStatsConfig": "3 scan_all_processes_on_start bool, 4 record_thread_names bool",
    "SysStatsConfig": "8 cpufreq_period_ms uint32",
    "AndroidPowerConfig": "1 battery_poll_ms uint32, 3 collect_power_rails bool",
}


@cache
def message_class(name: str) -> Any:
    """The class of one of the messages."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name="navitas_perfetto.proto", package=_PACKAGE, syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields.split(","):
            _add_field(message, *field.split())
    return file


def _add_field(message: DescriptorProto, number: str, name: str, kind: str) -> None:
    repeated, plain = kind[0] in "*+", kind.lstrip("*+")
    field = message.field.add(name=name, number=int(number))
    field.label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
    if plain in _SCALARS:
        field.type = _SCALARS[plain]
        field.options.packed = kind[0] == "+"
    else:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{_PACKAGE}.{plain}"
