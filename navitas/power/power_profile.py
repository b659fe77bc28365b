"""Read power_profile.xml as Android does, and name every defect (AOSP: PowerProfile.readPowerValuesFromXml)."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from navitas.base.errors import PowerProfileError
from navitas.base.regular_files import open_regular
from navitas.power.defects import defects
from navitas.power.modem_element import modem_entries

MAX_BYTES = 1 << 20
MAX_DEPTH = 16
_MAX_WARNINGS = 50
_COMPILED = b"\x03\x00\x08\x00"
"""How compiled XML begins (`binary_xml.MAGIC`). That module is imported for such profiles only."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?")
_KNOWN = ("item", "array", "modem")
_FETCH = "Check the file, or fetch it again."


@dataclass(frozen=True, slots=True)
class PowerProfile:
    """All items and arrays of a power profile by name: currents in mA, speeds in kHz, capacity in mAh, voltages in mV.

    `lines` maps each name to its line in the file. Currents of a `<modem>` element are items (see modem_element.py).
    """

    name: str
    items: dict[str, float]
    arrays: dict[str, tuple[float, ...]]
    warnings: tuple[str, ...] = ()
    lines: dict[str, int] = field(default_factory=dict)

    def value(self, key: str, default: float = 0.0) -> float:
        """An item's value, or an array's first value if there is no such item (AOSP: getAveragePower)."""
        if key in self.items:
            return self.items[key]
        return next(iter(self.arrays.get(key, ())), default)

    def values(self, *keys: str) -> tuple[float, ...]:
        """The first of these arrays that exists; an item counts as an array of one value."""
        for key in keys:
            if key in self.arrays:
                return self.arrays[key]
            if key in self.items:
                return (self.items[key],)
        return ()


def read_power_profile(source: Path | bytes, *, name: str | None = None, max_warnings: int = _MAX_WARNINGS) -> PowerProfile:
    """Read a profile from a file or its bytes. Messages and reports show `name` (default: the file's name).

    The XML may be text or compiled (binary) Android XML. As in AOSP, an invalid number is 0, and the last of several entries
    with one name is used. Each of these is a warning.
    Raises PowerProfileError if the file is unreadable, unsafe (DTD, entities, huge, deeply nested) or no power profile.
    """
    label = name or (source.stem if isinstance(source, Path) else "power_profile.xml")
    where = str(source) if isinstance(source, Path) else label
    root = parse_profile(_checked(source, where) if isinstance(source, bytes) else read_profile_bytes(source), where)
    warnings: list[str] = []
    items: dict[str, float] = {}
    arrays: dict[str, tuple[float, ...]] = {}
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for element in root.iterchildren(etree.Element):
        if element.tag not in _KNOWN:
            warnings.append(f"line {element.sourceline}: <{element.tag[:40]}> is not part of a power profile, ignored")
    for element in _top(root):
        key = element.get("name")
        if not key:
            warnings.append(f"line {element.sourceline}: <{element.tag}> without a name is ignored")
            continue
        lines[f"<{element.tag}> {key}"].append(element.sourceline)
        if element.tag == "item":
            items[key] = _number(element, key, warnings)
        else:
            arrays[key] = tuple(_number(value, key, warnings) for value in element.iterchildren("value"))
    for key, element in modem_entries(root, warnings):
        lines[f"<{element.tag}> {key}"].append(element.sourceline)
        items[key] = _number(element, key, warnings)
    warnings += [
        f"{key.partition(' ')[2]}: defined {len(places)} times (lines {', '.join(map(str, places[:10]))}), the last is used"
        for key, places in lines.items()
        if len(places) > 1
    ]
    if not items and not arrays:
        raise PowerProfileError(f"{where}: contains no <item> and no <array>.", "Name a power_profile.xml of a phone.")
    warnings += defects(items, arrays)
    if len(warnings) > max_warnings:
        warnings[max_warnings:] = [f"and {len(warnings) - max_warnings} more defects"]
    places = {key.partition(" ")[2]: places[-1] for key, places in lines.items()}
    return PowerProfile(label, items, arrays, tuple(warnings), places)


def read_profile_bytes(file: Path) -> bytes:
    """Return the bytes of a profile's file, unchecked but for their size.

    Raises PowerProfileError if the file is unreadable or too large.
    """
    try:
        with open_regular(file) as stream:
            return _checked(stream.read(MAX_BYTES + 1), str(file))
    except OSError as error:
        raise PowerProfileError(f"{file}: cannot be read ({error.strerror}).", "Check the path.") from error


def _checked(data: bytes, where: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise PowerProfileError(f"{where}: larger than 1 MiB.", "Real power profiles are some kilobytes long: check the file.")
    return data


def parse_profile(data: bytes, where: str, *, keep_comments: bool = False) -> etree._Element:
    """Return the root of a profile's XML, text or compiled. Raises PowerProfileError as `read_power_profile`."""
    if data.startswith(_COMPILED):
        from navitas.android import binary_xml  # noqa: PLC0415

        try:
            data = binary_xml.to_text(binary_xml.parse(data)).encode()
        except binary_xml.MalformedXml as error:
            raise PowerProfileError(f"{where}: {error}.", _FETCH) from None
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=not keep_comments,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise PowerProfileError(f"{where}: not well-formed XML ({error.msg}).", _FETCH) from error
    if root.getroottree().docinfo.doctype:
        raise PowerProfileError(f"{where}: has a document type declaration, which may define entities.", "Remove the DOCTYPE.")
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise PowerProfileError(
                f"{where}: elements are nested deeper than {MAX_DEPTH} levels.", "Name a power_profile.xml of a phone."
            )
    if root.tag != "device":
        place = f"{where}, line {root.sourceline}"
        raise PowerProfileError(f"{place}: the root is <{root.tag[:40]}>, not <device>.", "Name a power_profile.xml of a phone.")
    return root


def _top(root: etree._Element) -> Iterator[etree._Element]:
    """Yield items and arrays, including those in groups such as <modem>."""
    for element in root.iter("item", "array"):
        if element.tag == "array" or element.getparent().tag != "array":
            yield element


def _number(element: etree._Element, key: str, warnings: list[str]) -> float:
    text = (element.text or "").strip()
    value = float(text.rstrip("fFdD")) if _NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    hint = " (use a decimal point)" if _NUMBER.fullmatch(text.replace(",", ".", 1)) else ""
    warnings.append(f"line {element.sourceline}: {key}: {text[:40]!r} is not a number{hint}, 0 is used")
    return 0.0
