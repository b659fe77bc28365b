"""Reads pprof's profiles with protobuf's own parser, from the fields of proto/profile.proto (github.com/google/pprof)."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELDS = {
    "Profile": "sample_type*ValueType=1 sample*Sample=2 location*Location=4 function*Function=5 string_table*string=6"
    " time_nanos=9 duration_nanos=10 comment*int64=13 default_sample_type=14",
    "ValueType": "type=1 unit=2",
    "Sample": "location_id*uint64=1 value*int64=2 label*Label=3",
    "Label": "key=1 str=2 num=3 num_unit=4",
    "Location": "id=1 mapping_id=2 address=3 line*Line=4",
    "Line": "function_id=1 line=2",
    "Function": "id=1 name=2 system_name=3 filename=4 start_line=5",
}
"""The fields of each message: name, `*` and type of a repeated field, number. Other fields are int64."""


@dataclass(frozen=True)
class PprofSample:
    """A sample: frames as (function, file, line), outermost first."""

    stack: tuple[tuple[str, str, int], ...]
    energy_uj: int
    time_ns: int
    calls: int
    labels: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its functions."""
        return tuple(name for name, _, _ in self.stack)


def read_profile(data: bytes) -> Any:
    """Return the message of a file. Raises the errors of protobuf and gzip."""
    message = _profile_class()()
    message.ParseFromString(gzip.decompress(data))
    return message


def read_samples(data: bytes) -> list[PprofSample]:
    """Return the samples of a file, and check that all numbers of strings, functions and locations are valid."""
    profile = read_profile(data)
    text = profile.string_table
    assert text[0] == "" and len(set(text)) == len(text)
    *measured, counts = [(text[kind.type], text[kind.unit]) for kind in profile.sample_type]
    assert measured == [("energy", "microjoules"), ("time", "nanoseconds")]
    assert counts in [("calls", "count"), ("samples", "count")], "sampled threads have no number of calls"
    assert text[profile.default_sample_type] == "energy"
    functions = {one.id: (text[one.name], text[one.filename], one.start_line) for one in profile.function}
    frames = {one.id: functions[one.line[0].function_id] for one in profile.location}
    assert 0 not in frames and len(frames) == len(profile.location)
    assert all(one.line[0].line == frames[one.id][2] for one in profile.location)
    return [
        PprofSample(
            tuple(frames[number] for number in reversed(sample.location_id)),
            *sample.value,
            {text[label.key]: text[label.str] for label in sample.label},
        )
        for sample in profile.sample
    ]


@cache
def _profile_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="perftools.profiles", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field in fields.split():
            left, number = field.split("=")
            label, _, kind = left.partition("*")
            added = message.field.add(name=label, number=int(number))
            added.label = kinds.LABEL_REPEATED if kind else kinds.LABEL_OPTIONAL
            if kind in _FIELDS:
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".perftools.profiles.{kind}"
            else:
                added.type = getattr(kinds, f"TYPE_{(kind or 'int64').upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("perftools.profiles.Profile"))
