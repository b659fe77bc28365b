"""Where modules are that stood at the top of the package before it had rooms: extensions may still name them."""

from __future__ import annotations

_ROOMS = {
    "capture": "build bundle collect device",
    "recording": "importing parse",
    "android": "apk batterystats binary_xml perfetto power_statistics",
    "energy": "analyze attribute",
    "insight": "calibrate compare graph history operations vitals",
    "insight.operations": "census regress",
    "base": "cpu_limit errors extra_libraries folder_lock html_page line_blocks method_names model_defects new_files "
    "owned_folder packed_files regular_files strong_components trusted_paths unknown_parts untrusted_text user_folders",
}
_NOW = {old: f"{room}.{old}" for room, names in _ROOMS.items() for old in names.split()} | {"android_ids": "android.ids"}


def present_name(module: str | None) -> str | None:
    """Return the present name of a module of Navitas by its former one, or None if it has none."""
    package, _, rest = (module or "").partition(".")
    top, dot, inner = rest.partition(".")
    return f"navitas.{_NOW[top]}{dot}{inner}" if package == "navitas" and top in _NOW else None
