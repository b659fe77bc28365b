"""Advice as SARIF 2.1.0 (OASIS), for tools of code review.

These tools recognise a result of an earlier run by its fingerprints or its text. So neither has anything measured: that is in the
result's properties.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import IO, Any
from urllib.parse import quote

from navitas.base.untrusted_text import without_surrogates
from navitas.insight.graph.advice import RULES, Advice
from navitas.insight.graph.module_graph import NO_CLASS, ModuleGraph

SARIF_VERSION = "2.1.0"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SOURCE_ROOT = "SOURCE_ROOT"
"""The base of all paths. A recording does not name the folder."""
_GITHUB = "primaryLocationLineHash"
"""The only fingerprint that GitHub uses. Without it, that is the line of the first location: in the next run, another method can
send most messages.
"""
_HELP = "https://developer.android.com/topic/performance/power"


def write_sarif(graph: ModuleGraph, found: Sequence[Advice], version: str, out: IO[str]) -> None:
    """Write advice as one run of the tool Navitas. `version` is that of Navitas."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.mechanism},
            "help": {"text": rule.change},
            "helpUri": _HELP,
            "defaultConfiguration": {"level": "warning"},
        }
        for rule in RULES
    ]
    numbers = {rule.id: number for number, rule in enumerate(RULES)}
    results = [_result(one, numbers[one.rule.id], graph) for one in found]
    tool = {"driver": {"name": "Navitas", "version": version, "rules": rules}}
    bases = {SOURCE_ROOT: {"description": {"text": "A folder of sources, such as app/src/main/java"}}}
    document = {
        "$schema": SARIF_SCHEMA,
        "version": SARIF_VERSION,
        "runs": [{"tool": tool, "originalUriBaseIds": bases, "columnKind": "unicodeCodePoints", "results": results}],
    }
    print(json.dumps(without_surrogates(document), indent=1, allow_nan=False), file=out)


def _result(one: Advice, number: int, graph: ModuleGraph) -> dict[str, Any]:
    names = f"{one.edge.sender} → {one.edge.receiver}"
    identity = hashlib.sha256("\0".join((one.rule.id, *one.edge.key)).encode("utf-8", "surrogatepass")).hexdigest()
    measured = {"measured": one.message, "count": one.edge.count, "avoided": one.avoided}
    return {
        "ruleId": one.rule.id,
        "ruleIndex": number,
        "level": "warning",
        "message": {"text": f"{one.rule.title}: {names}. {one.rule.mechanism} {one.rule.change}"},
        "locations": list(_locations(one, graph)),
        "partialFingerprints": {"navitasAdvice/v1": identity, _GITHUB: identity},
        "properties": {**measured, "saving_j": one.saving_j, "saving_share": one.saving_share},
    }


def _locations(one: Advice, graph: ModuleGraph) -> Iterator[dict[str, Any]]:
    """The methods that send the messages; else the module that receives them."""
    places = [graph.places[method] for method in one.edge.methods if method in graph.places]
    for label, file, line in places:
        location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": label, "kind": "function"}]}
        if file:
            physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(label, file), "uriBaseId": SOURCE_ROOT}}
            if line and line > 0:
                physical["region"] = {"startLine": line}
            location["physicalLocation"] = physical
        yield location
    if not places:
        names = [name for name in (one.edge.receiver, one.edge.sender) if name not in NO_CLASS]
        yield {"logicalLocations": [{"fullyQualifiedName": names[0] if names else one.edge.receiver, "kind": "type"}]}


def _uri(label: str, file: str) -> str:
    """The path of a source file below its source folder: the class's package, and the file's name."""
    packages = label.rpartition(".")[0].split(".")[:-1]
    return "/".join(quote(part, safe="$", errors="replace") for part in (*packages, file))
