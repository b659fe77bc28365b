"""Convert the output of `dumpsys batterystats --power-profile` to a power_profile.xml (AOSP: PowerProfile.dump)."""

from __future__ import annotations

import re

from lxml import etree

_MAX_CHARS = 256 * 1024
_MODEM = re.compile(r"^[ \t]*Modem values:", re.MULTILINE)
# Some releases wrap long arrays; a name is never followed by blanks before its `=`.
_ENTRY = re.compile(
    r"^[ \t]*([A-Za-z][A-Za-z0-9_.]{0,100})=(?:\[([0-9A-Za-z.,+\-\s]{0,16384})\]|([0-9A-Za-z.+-]{1,40}))[ \t]*\r?$", re.MULTILINE
)


def from_dump(text: str) -> bytes | None:
    """Return the profile as XML, or None if the text has no CPU values because the release does not know the option.

    Lines are in any order. Currents are in mA and speeds in kHz, as Java prints doubles. The text after `Modem values:` has
    another format and no CPU values: it is ignored.
    """
    text = text[:_MAX_CHARS]
    if modem := _MODEM.search(text):
        text = text[: modem.start()]
    items: dict[str, str] = {}
    arrays: dict[str, list[str]] = {}
    for name, values, value in _ENTRY.findall(text):
        if value:
            items[name] = _plain(value)
        else:
            arrays[name] = [_plain(part.strip()) for part in values.split(",") if part.strip()]
    if not any(name.startswith("cpu.") for name in (*items, *arrays)):
        return None
    return _xml(items, arrays)


def _plain(number: str) -> str:
    """Restore the notation of the profile's source: `4614.0` becomes `4614`."""
    return number.removesuffix(".0")


def _xml(items: dict[str, str], arrays: dict[str, list[str]]) -> bytes:
    root = etree.Element("device", name="Android")
    for name in sorted(items):
        etree.SubElement(root, "item", name=name).text = items[name]
    for name in sorted(arrays):
        array = etree.SubElement(root, "array", name=name)
        for value in arrays[name]:
            etree.SubElement(array, "value").text = value
    etree.indent(root)
    xml: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return xml + b"\n"
