"""The framework's power profile: compiled into framework-res.apk, and as `dumpsys batterystats --power-profile` prints it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from navitas.virtual_phone.compiled_xml import XmlElement, compile_xml

Items = Mapping[str, float]
Arrays = Mapping[str, Sequence[float]]


def dump(items: Items, arrays: Arrays) -> str:
    """The text of the dump: items, then arrays, each in no order (there: of a hash map), with Java's doubles."""
    lines = [f"{name}={_java(value)} " for name, value in items.items()]
    lines += [f"{name}=[{', '.join(map(_java, values))}] " for name, values in arrays.items()]
    return "\n".join([*lines, "Modem values:", ""])


def install(root: Path, items: Items, arrays: Arrays) -> None:
    """Put framework-res.apk below the phone's root, with the power profile as its only resource."""
    path = root / "system/framework/framework-res.apk"
    path.parent.mkdir(parents=True, exist_ok=True)
    children = [XmlElement("item", {"name": name}, _plain(value)) for name, value in items.items()]
    children += [
        XmlElement("array", {"name": name}, "", [XmlElement("value", {}, _plain(value)) for value in values])
        for name, values in arrays.items()
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("res/xml/power_profile.xml", compile_xml(XmlElement("device", {"name": "Android"}, "", children)))


def _plain(value: float) -> str:
    return repr(value).removesuffix(".0")


def _java(value: float) -> str:
    """As `Double.toString` does: from 10^7 and below 10^-3 with an exponent."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' * sign}{first}.{''.join(rest) or '0'}E{int(exponent) + len(rest)}"
