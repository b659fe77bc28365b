"""The framework's power profile: compiled in framework-res.apk, and in the format of `dumpsys batterystats --power-profile`."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from navitas.virtual_phone.compiled_xml import XmlElement, compile_xml

Items = Mapping[str, float]
Arrays = Mapping[str, Sequence[float]]


def dump(items: Items, arrays: Arrays) -> str:
    """Return the dump: items, then arrays, unordered as from a hash map, with numbers in Java's format."""
    lines = [f"{name}={_java(value)} " for name, value in items.items()]
    lines += [f"{name}=[{', '.join(map(_java, values))}] " for name, values in arrays.items()]
    return "\n".join([*lines, "Modem values:", ""])


def install(root: Path, items: Items, arrays: Arrays) -> None:
    """Write framework-res.apk under the phone's root, with the power profile as its only resource."""
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
    """Format a number as `Double.toString` does: with an exponent from 10^7 and below 10^-3."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' * sign}{first}.{''.join(rest) or '0'}E{int(exponent) + len(rest)}"
