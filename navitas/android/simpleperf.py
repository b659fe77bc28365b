"""The messages of simpleperf's reports (`simpleperf report-sample --protobuf`), by the public schema cmd_report_sample.proto.

No package has the schema. Texts are bytes here, since the kernel does not promise UTF-8, and so are the entries of call chains:
equal chains are found without a look into them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

_PACKAGE = "navitas.simpleperf"
_I32, _U32, _U64, _BYTES = (
    getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{name}") for name in ("INT32", "UINT32", "UINT64", "BYTES")
)
_SCHEMA: dict[str, dict[str, tuple[int, int | str, bool]]] = {
    "Entry": {"file_id": (2, _U32, False), "symbol_id": (3, _I32, False)},
    "Unwinding": {"error_code": (3, _U32, False)},
    "Sample": {
        "time": (1, _U64, False),
        "thread_id": (2, _I32, False),
        "callchain": (3, _BYTES, True),
        "event_count": (4, _U64, False),
        "event_type_id": (5, _U32, False),
        "unwinding_result": (6, "Unwinding", False),
    },
    "Lost": {"lost_count": (2, _U64, False)},
    "File": {"id": (1, _U32, False), "path": (2, _BYTES, False), "symbol": (3, _BYTES, True)},
    "Thread": {"thread_id": (1, _U32, False), "process_id": (2, _U32, False), "thread_name": (3, _BYTES, False)},
    "MetaInfo": {"event_type": (1, _BYTES, True), "app_package_name": (2, _BYTES, False)},
    "Record": {
        "sample": (1, "Sample", False),
        "lost": (2, "Lost", False),
        "file": (3, "File", False),
        "thread": (4, "Thread", False),
        "meta_info": (5, "MetaInfo", False),
    },
}
"""Fields by message: number, type, and whether it is repeated."""


@cache
def simpleperf_class(name: str) -> Any:
    """Return the class of a message."""
    pool = _pool()
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


def decoded(name: str, data: bytes) -> Any:
    """Return a message. Raises `ValueError` if the bytes are none."""
    try:
        return simpleperf_class(name).FromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from None


@cache
def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="simpleperf.proto", package=_PACKAGE, syntax="proto2")
    for message, fields in _SCHEMA.items():
        described = file.message_type.add(name=message)
        for name, (number, kind, is_repeated) in fields.items():
            field = described.field.add(name=name, number=number)
            field.label = field.LABEL_REPEATED if is_repeated else field.LABEL_OPTIONAL
            if isinstance(kind, str):
                field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
