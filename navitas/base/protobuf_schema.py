"""Classes of protobuf's messages for schemas that no package has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

I32, U32, I64, U64, BYTES = (
    getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{name}") for name in ("INT32", "UINT32", "INT64", "UINT64", "BYTES")
)
Schema = Mapping[str, Mapping[str, tuple[int, int | str, bool]]]
"""Fields by message: number, type (the name of a message for nested ones), and whether it is repeated."""


class Messages:
    """The messages of a schema. Texts are bytes, since not all writers keep to UTF-8."""

    def __init__(self, package: str, schema: Schema) -> None:
        self._package, self._schema = package, schema
        self._classes: dict[str, Any] = {}

    def class_of(self, name: str) -> Any:
        if not self._classes:
            pool = self._pool()
            for message in self._schema:
                descriptor = pool.FindMessageTypeByName(f"{self._package}.{message}")
                self._classes[message] = message_factory.GetMessageClass(descriptor)
        return self._classes[name]

    def decoded(self, name: str, data: bytes) -> Any:
        """Return a message. Raises `ValueError` if the bytes are none."""
        try:
            return self.class_of(name).FromString(data)
        except DecodeError as error:
            raise ValueError(str(error)) from None

    def _pool(self) -> Any:
        file = descriptor_pb2.FileDescriptorProto(name=f"{self._package}.proto", package=self._package, syntax="proto2")
        for message, fields in self._schema.items():
            described = file.message_type.add(name=message)
            for name, (number, kind, is_repeated) in fields.items():
                field = described.field.add(name=name, number=number)
                field.label = field.LABEL_REPEATED if is_repeated else field.LABEL_OPTIONAL
                if isinstance(kind, str):
                    field.type, field.type_name = field.TYPE_MESSAGE, f".{self._package}.{kind}"
                else:
                    field.type = kind
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        return pool
