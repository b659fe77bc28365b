"""SARIF of untrusted names: paths stay below the source folder, and texts are plain."""

from __future__ import annotations

import pytest
from support.reports import data_of

from navitas.base.sarif import SarifResult, SarifRule, sarif_location, write_results


@pytest.mark.parametrize(
    ("class_name", "function", "file", "uri"),
    [
        ("org.example.CalcTest", "sums[0.5]", "CalcTest.java", "org/example/CalcTest.java"),
        ("CalcTest", "sums", "CalcTest.java", "CalcTest.java"),
        ("..evil.host.X", "run", "X.java", "evil/host/X.java"),
        ("a.B", "run", "../C.java", "a/..%2FC.java"),
        ("a.B", "run", "..", "a"),
    ],
)
def test_a_path_is_that_of_the_class_in_the_source_folder(class_name: str, function: str, file: str, uri: str) -> None:
    location = sarif_location(class_name, function, file, 3)
    assert location["physicalLocation"]["artifactLocation"]["uri"] == uri
    assert location["logicalLocations"] == [{"fullyQualifiedName": f"{class_name}.{function}", "kind": "function"}]


def test_a_message_has_no_links_and_placeholders() -> None:
    rule = SarifRule("r", "Title", "Text", "Remedy")
    result = SarifResult("r", "[see](https://evil.example) {0} a\\b\x1b", ("a",), "f/v1", (sarif_location("a.B"),), {})
    (run,) = data_of(write_results, [rule], [result], "1")["runs"]
    assert run["results"][0]["message"]["text"] == r"\[see\](https://evil.example) {{0}} a\\b\\u001b"
