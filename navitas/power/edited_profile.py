"""Replace the CPU's figures in a power_profile.xml, and keep everything else (AOSP: PowerProfile.readPowerValuesFromXml)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lxml import etree

from navitas.power import cpu_keys
from navitas.power.cpu_keys import ClusterKeys
from navitas.power.model import CpuPower
from navitas.power.power_profile import PowerProfile, parse_profile

_INDENT = "\n    "
_OF_CLUSTERS = re.compile(
    r"cpu\.(clusters\.cores|(core_speeds|core_power|cluster_power|speeds|active)(\.cluster\d+)?|scaling_.*)"
)


def with_cpu(xml: bytes, profile: PowerProfile, cpu: CpuPower, *, note: str, items: Mapping[str, float] | None = None) -> bytes:
    """Return the profile's XML with the currents and speeds of `cpu`, as UTF-8 text.

    `profile` is what was read from `xml`, which may be compiled XML. The entries keep their names, so the schema's generation
    does not change. If the schema cannot state the clusters of `cpu`, they are written in the schema of Android 9. `note` becomes
    a comment. `items` are other currents to set; a display's go to `.display0` if the profile numbers displays.
    """
    root = parse_profile(xml, profile.name, keep_comments=True)
    keys = _keys(profile, cpu)
    if keys is None:
        for element in [each for each in root.iter("item", "array") if _OF_CLUSTERS.fullmatch(each.get("name", ""))]:
            element.getparent().remove(element)
        keys = [
            ClusterKeys(f"cpu.core_power.cluster{k}", f"cpu.core_speeds.cluster{k}", f"cpu.cluster_power.cluster{k}")
            for k in range(len(cpu.clusters))
        ]
    if all(each.speeds is not None and each.cluster for each in keys):
        _set_array(root, "cpu.clusters.cores", [len(cluster.cpus) for cluster in cpu.clusters])
    # Android 9 reads these entries without a default (AOSP: PowerProfile.writeToProto), so they are written even if they are 0.
    is_android_9 = any(each.power.startswith("cpu.core_power.") for each in keys)
    for each, cluster in zip(keys, cpu.clusters, strict=True):
        if each.speeds is not None:
            _set_array(root, each.speeds, cluster.freq_khz.tolist())
        _set_array(root, each.power, cluster.core_ma.tolist())
        if each.cluster and (cluster.cluster_ma > 0 or each.cluster in profile.items or is_android_9):
            _set_item(root, each.cluster, cluster.cluster_ma)
    is_separate = all(each.power != "cpu.active" for each in keys)
    if is_separate and (cpu.active_ma > 0 or "cpu.active" in profile.items or is_android_9):
        _set_item(root, "cpu.active", cpu.active_ma)
    for name, value in (items or {}).items():
        numbered = f"{name}.display0"
        _set_item(root, numbered if numbered in profile.items else name, value)
    comment = etree.Comment(f" {note.replace('--', '—')} ")
    comment.tail = _INDENT
    root.insert(0, comment)
    etree.indent(root, "    ")
    text: bytes = etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _keys(profile: PowerProfile, cpu: CpuPower) -> list[ClusterKeys] | None:
    """The profile's own names of the clusters' entries; None if its schema does not state these clusters."""
    found = cpu_keys.by_policy(profile) or cpu_keys.by_cluster(profile) or cpu_keys.single(profile)
    if len(found) != len(cpu.clusters):
        return None
    for keys, cluster in zip(found, cpu.clusters, strict=True):
        is_other_policy = keys.policy is not None and keys.policy not in cluster.cpus
        has_more_cores = not keys.cluster and len(cluster.cpus) > 1
        if is_other_policy or has_more_cores:
            return None
    return found


def _set_array(root: etree._Element, name: str, values: Sequence[float]) -> None:
    array = _only(root, name, "array")
    for value in values:
        etree.SubElement(array, "value").text = _text(value)


def _set_item(root: etree._Element, name: str, value: float) -> None:
    _only(root, name, "item").text = _text(value)


def _only(root: etree._Element, name: str, tag: str) -> etree._Element:
    """The only entry of this name, empty, in the place of the last one or at the end."""
    known = [element for element in root.iter("item", "array") if element.get("name") == name]
    for element in known[:-1]:
        element.getparent().remove(element)
    if not known:
        return etree.SubElement(root, tag, name=name)
    entry = known[-1]
    entry.clear(keep_tail=True)
    entry.tag = tag
    entry.set("name", name)
    return entry


def _text(value: float) -> str:
    """A decimal number without an exponent, to 0.001 mA."""
    text = f"{value:.3f}"
    return text.rstrip("0").rstrip(".")
