"""Where modules are that stood elsewhere, such as at the top of the package before it had rooms: extensions may name them."""

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
_COLLECT = {
    "apps": "app_files app_processes installing kept_apps map_cache packages restored_apps",
    "readings": "battery_sample device_history logcat shell_sampler topology",
    "runs": "app_use choice input_script instrument run_recorder runtime_config special_runs target version_runs",
}
_RENAMED = {
    f"capture.collect.{name}": f"capture.collect.{part}.{name}" for part, names in _COLLECT.items() for name in names.split()
}
_RENAMED |= {
    "capture.collect.selection": "base.test_patterns",
    "capture.device.instrumentation": "android.instrumentation",
    "energy.analyze.outliers": "energy.analyze.unsteady",
    "energy.attribute.components": "energy.attribute.component_registry",
    "recording.parse.block_records": "recording.parse.block_counts",
    "recording.parse.communications": "recording.parse.communication_records",
    "report.html_report": "report.page.page_report",
    "report.json_text": "base.json_text",
    "report.names": "energy.analyze.names",
    "report.page.columns": "base.html_page.columns",
    "report.source_lines": "report.source_code",
    "report.terminal.call_tree": "report.terminal.call_trees",
    "report.units": "base.units",
}

FORMER_NAMES = tuple(f"navitas.{name}" for name in (*_NOW, *_RENAMED))
"""The former names of modules and packages. Modules in a package that moved as a whole have that package's."""


def present_name(module: str | None) -> str | None:
    """Return the present name of a module of Navitas by its former one, or None if it has none."""
    package, _, rest = (module or "").partition(".")
    top, dot, inner = rest.partition(".")
    in_room = f"{_NOW.get(top, top)}{dot}{inner}"
    now = _RENAMED.get(in_room, in_room)
    return f"navitas.{now}" if package == "navitas" and now != rest else None
