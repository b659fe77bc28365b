"""Convert the output of `dumpsys batterystats --power-profile` to a power_profile.xml (AOSP: PowerProfile.dump)."""

from __future__ import annotations

import re

from lxml import etree

from navitas.power.modem_element import active_key, modem_element

_MAX_CHARS = 256 * 1024
_MODEM = re.compile(r"^[ \t]*Modem values:", re.MULTILINE)
# Some releases wrap long arrays; a name is never followed by blanks before its `=`.
_ENTRY = re.compile(
    r"^[ \t]*([A-Za-z][A-Za-z0-9_.]{0,100})=(?:\[([0-9A-Za-z.,+\-\s]{0,16384})\]|([0-9A-Za-z.+-]{1,40}))[ \t]*\r?$", re.MULTILINE
)

_MODEM_ENTRY = re.compile(
    r"^[ \t]*drain:([A-Z0-9]{1,8}),(?:level:(?:([0-4])|UNKNOWN\(0x([0-9a-f]{1,8})\)),?)?"
    r"RAT:(DEFAULT|LTE|NR)(?:,nrFreq:(DEFAULT|LOW|MID|HIGH|MMWAVE))?=([0-9A-Za-z.+-]{1,40})[ \t]*\r?$",
    re.MULTILINE,
)


def from_dump(text: str) -> bytes | None:
    """Return the profile as XML, or None if the text has no CPU values because the release does not know the option.

    Lines are in any order. Currents are in mA and speeds in kHz, as Java prints doubles. The text after `Modem values:` has
    another format (AOSP: ModemPowerProfile.dump) and becomes the `<modem>` element.
    """
    text = text[:_MAX_CHARS]
    modem: dict[str, str] = {}
    if heading := _MODEM.search(text):
        modem = _modem(text[heading.end() :])
        text = text[: heading.start()]
    items: dict[str, str] = {}
    arrays: dict[str, list[str]] = {}
    for name, values, value in _ENTRY.findall(text):
        if value:
            items[name] = _plain(value)
        else:
            arrays[name] = [_plain(part.strip()) for part in values.split(",") if part.strip()]
    if not any(name.startswith("cpu.") for name in (*items, *arrays)):
        return None
    return _xml(items, arrays, modem)


def _modem(text: str) -> dict[str, str]:
    """The modem's currents, by their names in a `PowerProfile`.

    The first releases number transmit levels as `UNKNOWN(0x1000000)`, call SLEEP `0`, and leave out a comma.
    """
    found: dict[str, str] = {}
    for drain, level, level_bits, technology, frequency, value in _MODEM_ENTRY.findall(text):
        number = level or (str(int(level_bits, 16) >> 24) if level_bits else "")
        if drain == "TX" and number:
            found[active_key(technology, frequency or "DEFAULT", f"transmit.{number}")] = _plain(value)
        elif drain == "RX":
            found[active_key(technology, frequency or "DEFAULT", "receive")] = _plain(value)
        elif drain in ("SLEEP", "0", "IDLE"):
            found["modem.idle" if drain == "IDLE" else "modem.sleep"] = _plain(value)
    return found


def _plain(number: str) -> str:
    """Restore the notation of the profile's source: `4614.0` becomes `4614`."""
    return number.removesuffix(".0")


def _xml(items: dict[str, str], arrays: dict[str, list[str]], modem: dict[str, str]) -> bytes:
    root = etree.Element("device", name="Android")
    for name in sorted(items):
        etree.SubElement(root, "item", name=name).text = items[name]
    for name in sorted(arrays):
        array = etree.SubElement(root, "array", name=name)
        for value in arrays[name]:
            etree.SubElement(array, "value").text = value
    if modem:
        root.append(modem_element(modem))
    etree.indent(root)
    xml: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return xml + b"\n"
