"""Make a phone from a power profile, which gives its cores, its voltage, and the only resource of its framework-res.apk."""

from __future__ import annotations

import hashlib
import zipfile
from decimal import Decimal
from pathlib import Path

from navitas.virtual_phone.compiled_xml import XmlElement, compile_xml
from navitas.virtual_phone.components.figures import Arrays, Items
from navitas.virtual_phone.host_java import LIST_NAME
from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.modelled_rails import HiddenActivity
from navitas.virtual_phone.kernel.spec import default_profile, find_profile, load_spec, read_figures
from navitas.virtual_phone.kernel.tracefs import open_tracefs
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.releases import DEFAULT_SDK


def make_phone(
    state_dir: Path, name: str, seed: int = 0, *, sdk: int = DEFAULT_SDK, hides_rails: bool = False, activity: float = 0.0
) -> Phone:
    """Make a phone. `name` is `default`, a name in `profiles/`, or the path of an XML file. Raises `DeviceError`.

    Phones with different seeds differ in what no power profile contains, such as a radio's tail. `activity` is the spread of
    threads' hidden activity (0 to 1). `sdk` and `hides_rails` are as of `Phone`.
    """
    spec = load_spec(find_profile(name))
    shipped = spec.profile.parent == default_profile().parent
    root = state_dir / "root"
    name_of_phone = spec.profile.stem.replace("-", "_")
    properties = {"ro.navitas.power_profile": spec.profile.stem}
    if not shipped:  # files with the same name may differ
        properties["ro.navitas.power_profile"] = str(spec.profile.resolve())
        properties["ro.serialno"] = f"navitas-{name_of_phone}-{hashlib.sha256(spec.profile.read_bytes()).hexdigest()[:8]}"
    root.mkdir(parents=True, exist_ok=True)
    items, arrays = read_figures(spec.profile)
    write_framework_resources(root, items, arrays)
    return Phone(
        root,
        Kernel(spec, root, tracefs=open_tracefs(), activity=HiddenActivity(activity, seed)),
        name=name_of_phone,
        model=f"Virtual phone after {spec.name}",
        voltage_v=spec.voltage_v,
        properties=properties,
        power_profile=dump_power_profile(items, arrays),
        jdks=state_dir / LIST_NAME,
        items=items,
        arrays=arrays,
        seed=seed,
        sdk=sdk,
        hides_rails=hides_rails,
    )


def dump_power_profile(items: Items, arrays: Arrays) -> str:
    """Return the dump: items, then arrays, unordered as from a hash map, with numbers in Java's format."""
    lines = [f"{name}={_java(value)} " for name, value in items.items()]
    lines += [f"{name}=[{', '.join(map(_java, values))}] " for name, values in arrays.items()]
    return "\n".join([*lines, "Modem values:", ""])


def write_framework_resources(root: Path, items: Items, arrays: Arrays) -> None:
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
