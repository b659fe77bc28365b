"""The messages of simpleperf's reports (`simpleperf report-sample --protobuf`), by the public schema cmd_report_sample.proto.

The entries of call chains are bytes: equal chains are found without a look into them.
"""

from __future__ import annotations

from typing import Final

from navitas.base.protobuf_schema import BYTES, I32, U32, U64, Messages

SIMPLEPERF: Final = Messages(
    "navitas.simpleperf",
    {
        "Entry": {"file_id": (2, U32, False), "symbol_id": (3, I32, False)},
        "Unwinding": {"error_code": (3, U32, False)},
        "Sample": {
            "time": (1, U64, False),
            "thread_id": (2, I32, False),
            "callchain": (3, BYTES, True),
            "event_count": (4, U64, False),
            "event_type_id": (5, U32, False),
            "unwinding_result": (6, "Unwinding", False),
        },
        "Lost": {"lost_count": (2, U64, False)},
        "File": {"id": (1, U32, False), "path": (2, BYTES, False), "symbol": (3, BYTES, True)},
        "Thread": {"thread_id": (1, U32, False), "process_id": (2, U32, False), "thread_name": (3, BYTES, False)},
        "MetaInfo": {"event_type": (1, BYTES, True), "app_package_name": (2, BYTES, False)},
        "Record": {
            "sample": (1, "Sample", False),
            "lost": (2, "Lost", False),
            "file": (3, "File", False),
            "thread": (4, "Thread", False),
            "meta_info": (5, "MetaInfo", False),
        },
    },
)
