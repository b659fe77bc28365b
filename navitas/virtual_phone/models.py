"""Make a phone from a power profile, which gives its cores and its voltage."""

from __future__ import annotations

import hashlib
from pathlib import Path

from navitas.virtual_phone import framework_resources
from navitas.virtual_phone.jdks import LIST_NAME
from navitas.virtual_phone.kernel import HiddenActivity, Kernel, load_spec
from navitas.virtual_phone.kernel.spec import default_profile, find_profile, read_figures
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
    framework_resources.install(root, items, arrays)
    return Phone(
        root,
        Kernel(spec, root, tracefs=open_tracefs(), activity=HiddenActivity(activity, seed)),
        name=name_of_phone,
        model=f"Virtual phone after {spec.name}",
        voltage_v=spec.voltage_v,
        properties=properties,
        power_profile=framework_resources.dump(items, arrays),
        jdks=state_dir / LIST_NAME,
        items=items,
        arrays=arrays,
        seed=seed,
        sdk=sdk,
        hides_rails=hides_rails,
    )
