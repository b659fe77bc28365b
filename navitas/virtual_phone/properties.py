"""System properties (`getprop`, `setprop`)."""

from __future__ import annotations

from navitas.virtual_phone.releases import DEFAULT_SDK, VERSIONS

PRODUCT = "navitas_virtual"
_BUILD = "NVP1.240101.001"


class Properties:
    """The phone's properties. `ro.*` can be set once."""

    def __init__(self, name: str, model: str, extra: dict[str, str], sdk: int = DEFAULT_SDK) -> None:
        release = VERSIONS[sdk]
        self._values = {
            "ro.build.fingerprint": f"navitas/{PRODUCT}/{name}:{release}/{_BUILD}/1:userdebug/test-keys",
            "ro.build.id": _BUILD,
            "ro.build.type": "userdebug",
            "ro.build.version.release": release,
            "ro.build.version.sdk": str(sdk),
            "ro.debuggable": "1",
            "ro.hardware": "navitas",
            "ro.kernel.qemu": "0",
            "ro.navitas.virtual": "1",
            "ro.product.brand": "navitas",
            "ro.product.cpu.abi": "x86_64",
            "ro.product.cpu.abilist": "x86_64",
            "ro.product.device": name,
            "ro.product.manufacturer": "Navitas",
            "ro.product.model": model,
            "ro.product.name": PRODUCT,
            "ro.serialno": f"navitas-{name}",
            "sys.boot_completed": "1",
            "persist.sys.timezone": "UTC",
            **extra,
        }

    def get(self, name: str) -> str:
        """Return the value of a property; empty if unset."""
        return self._values.get(name, "")

    def set(self, name: str, value: str) -> bool:
        """Set a property. Returns False if it is read-only and has a value."""
        if name.startswith("ro.") and name in self._values:
            return False
        self._values[name] = value
        return True

    def all(self) -> dict[str, str]:
        """Return all properties, by name."""
        return dict(sorted(self._values.items()))
