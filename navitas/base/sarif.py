"""SARIF 2.1.0 (OASIS): results of an analysis at lines of source code, for tools of code review.

These tools recognise a result of an earlier run by its fingerprints or its text. So neither has anything measured: that is in the
result's properties.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Literal
from urllib.parse import quote

from navitas.base.untrusted_text import printable, without_surrogates

SARIF_VERSION = "2.1.0"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SOURCE_ROOT = "SOURCE_ROOT"
"""The base of all paths. A recording does not name the folder."""
_GITHUB = "primaryLocationLineHash"
"""The only fingerprint that GitHub uses. Without it, that is the line of the first location: in the next run, another method can
send most messages.
"""
_LONGEST = 4000
_MARKS = str.maketrans({"\\": r"\\", "[": r"\[", "]": r"\]", "{": "{{", "}": "}}"})


@dataclass(frozen=True, slots=True)
class SarifRule:
    """What results are about. `id` is stable, `level` is that of its results, `url` that of a page with more, if there is one."""

    id: str
    title: str
    text: str
    remedy: str
    url: str = ""
    level: Literal["note", "warning", "error"] = "warning"

    def as_json(self) -> dict[str, Any]:
        """Return the rule's descriptor."""
        return {
            "id": self.id,
            "shortDescription": {"text": self.title},
            "fullDescription": {"text": self.text},
            "help": {"text": self.remedy},
            **({"helpUri": self.url} if self.url else {}),
            "defaultConfiguration": {"level": self.level},
        }


@dataclass(frozen=True, slots=True)
class SarifResult:
    """One case of a rule.

    - `text`: plain text, which can have untrusted names. It has nothing measured.
    - `identity`: names the case within its rule, the same in each run; `fingerprint` is the name of this kind of identity.
    - `measured`: the figures.
    """

    rule: str
    text: str
    identity: Sequence[str]
    fingerprint: str
    locations: Sequence[Mapping[str, Any]]
    measured: Mapping[str, Any]


def sarif_location(class_name: str, function: str = "", file: str | None = None, line: int | None = None) -> dict[str, Any]:
    """Return the location of a class, or of a function in it. `file` is the name of its source file, if known."""
    label, kind = (f"{class_name}.{function}", "function") if function else (class_name, "type")
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": label, "kind": kind}]}
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(class_name, file), "uriBaseId": SOURCE_ROOT}}
        if line and line > 0:
            physical["region"] = {"startLine": line}
        location["physicalLocation"] = physical
    return location


def sarif_file(path: str, line: int = 0) -> dict[str, Any]:
    """Return the location of a line of a file. `path` is relative to the root of the repository."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="replace")}}
    if line > 0:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}


def write_results(rules: Sequence[SarifRule], results: Sequence[SarifResult], version: str, out: IO[str]) -> None:
    """Write results as one run of the tool Navitas. `version` is that of Navitas."""
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    tool = {"driver": {"name": "Navitas", "version": version, "rules": [rule.as_json() for rule in rules]}}
    bases = {SOURCE_ROOT: {"description": {"text": "A folder of sources, such as app/src/main/java"}}}
    run = {
        "tool": tool,
        "originalUriBaseIds": bases,
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, numbers[result.rule], rules) for result in results],
    }
    document = {"$schema": SARIF_SCHEMA, "version": SARIF_VERSION, "runs": [run]}
    print(json.dumps(without_surrogates(document), indent=1, allow_nan=False), file=out)


def _result(result: SarifResult, number: int, rules: Sequence[SarifRule]) -> dict[str, Any]:
    identity = hashlib.sha256("\0".join((result.rule, *result.identity)).encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": result.rule,
        "ruleIndex": number,
        "level": rules[number].level,
        "message": {"text": _plain(result.text)},
        "locations": list(result.locations),
        "partialFingerprints": {result.fingerprint: identity, _GITHUB: identity},
        "properties": dict(result.measured),
    }


def _plain(text: str) -> str:
    """Return untrusted text as a message without links and placeholders (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return printable(text, _LONGEST).translate(_MARKS)


def _uri(class_name: str, file: str) -> str:
    """The path of a source file below its source folder: the class's package, and the file's name.

    Names are untrusted, so parts that lead elsewhere are left out.
    """
    parts = (*class_name.split(".")[:-1], file)
    return "/".join(quote(part, safe="$", errors="replace") for part in parts if part not in ("", ".", ".."))
