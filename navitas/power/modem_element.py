"""The `<modem>` element of Android 13 and later, as entries with a name each (AOSP: ModemPowerProfile.parseFromXml).

| element | entry |
|---|---|
| `<sleep>`, `<idle>` | `modem.sleep`, `modem.idle` |
| `<active rat="LTE"><receive>` | `modem.active.LTE.receive` |
| `<active rat="NR" nrFrequency="HIGH"><transmit level="2">` | `modem.active.NR.HIGH.transmit.2` |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

TECHNOLOGIES = ("DEFAULT", "LTE", "NR")
FREQUENCIES = ("DEFAULT", "LOW", "MID", "HIGH", "MMWAVE")
TX_LEVELS = 5
_LONGEST = 40


def active_key(technology: str, frequency: str, what: str) -> str:
    """The name of an entry; `what` is `receive` or `transmit.LEVEL`. Only NR has frequencies."""
    return f"modem.active.{technology}.{frequency}.{what}" if technology == "NR" else f"modem.active.{technology}.{what}"


def modem_element(entries: Mapping[str, str]) -> etree._Element:
    """The `<modem>` element of entries, the inverse of `modem_entries`; other names are ignored."""
    modem = etree.Element("modem")
    for state in ("sleep", "idle"):
        if f"modem.{state}" in entries:
            etree.SubElement(modem, state).text = entries[f"modem.{state}"]
    for technology in TECHNOLOGIES:
        for frequency in FREQUENCIES if technology == "NR" else FREQUENCIES[:1]:
            active = etree.Element("active", rat=technology)
            if technology == "NR":
                active.set("nrFrequency", frequency)
            if (receive := active_key(technology, frequency, "receive")) in entries:
                etree.SubElement(active, "receive").text = entries[receive]
            for level in map(str, range(TX_LEVELS)):
                if (key := active_key(technology, frequency, f"transmit.{level}")) in entries:
                    etree.SubElement(active, "transmit", level=level).text = entries[key]
            if len(active):
                modem.append(active)
    return modem


def modem_entries(root: etree._Element, warnings: list[str]) -> Iterator[tuple[str, etree._Element]]:
    """Yield the name and the element of each current of every `<modem>`; what Android ignores is a warning."""
    for modem in root.iterchildren("modem"):
        for element in modem.iterchildren(etree.Element):
            if element.tag in ("sleep", "idle"):
                yield f"modem.{element.tag}", element
            elif element.tag == "active":
                yield from _active(element, warnings)
            elif element.tag not in ("item", "array"):
                warnings.append(_ignored(element, f"<{element.tag[:_LONGEST]}> is not part of <modem>"))


def _active(active: etree._Element, warnings: list[str]) -> Iterator[tuple[str, etree._Element]]:
    technology, frequency = active.get("rat", "DEFAULT"), active.get("nrFrequency", "DEFAULT")
    if technology not in TECHNOLOGIES:
        warnings.append(_ignored(active, f"rat={technology[:_LONGEST]!r} is not one of {', '.join(TECHNOLOGIES)}"))
        return
    if technology == "NR" and frequency not in FREQUENCIES:
        warnings.append(_ignored(active, f"nrFrequency={frequency[:_LONGEST]!r} is not one of {', '.join(FREQUENCIES)}"))
        return
    for element in active.iterchildren(etree.Element):
        level = element.get("level", "")
        if element.tag == "receive":
            yield active_key(technology, frequency, "receive"), element
        elif element.tag == "transmit" and level in map(str, range(TX_LEVELS)):
            yield active_key(technology, frequency, f"transmit.{level}"), element
        elif element.tag == "transmit":
            warnings.append(_ignored(element, f"level={level[:_LONGEST]!r} is not between 0 and {TX_LEVELS - 1}"))
        else:
            warnings.append(_ignored(element, f"<{element.tag[:_LONGEST]}> is not part of <active>"))


def _ignored(element: etree._Element, why: str) -> str:
    return f"line {element.sourceline}: {why}, ignored"
