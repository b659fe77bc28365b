"""Failures of tests that look at class files and find probes there."""

from __future__ import annotations

from navitas.base.test_patterns import TestName
from navitas.capture.collect.runs.instrument import seen_probes

LAYERS, CYCLES = TestName("org.example.arch.ArchitectureTest", "layers"), TestName("org.example.arch.ArchitectureTest", "cycles")
ARCH_UNIT = """java.lang.AssertionError: Architecture Violation [Priority: MEDIUM] - Rule 'classes that reside in a package \
'..domain..' should only depend on classes that reside in any package ['..domain..', 'java..']' was violated (2 times):
Method <org.example.domain.Order.total()> calls method <org.navitas.runtime.Probe.enter(int)> in (Order.java:12)
Method <org.example.domain.tax.Rate.of(java.lang.String)> calls method <org.navitas.runtime.Probe.exit(int)> in (Rate.java:9)
\tat com.tngtech.archunit.lang.ArchRule$Assertions.assertNoViolation(ArchRule.java:94)
\tat org.navitas.phone.InstrumentMain.main(InstrumentMain.java:44)"""


def test_violations_by_probes_are_explained_with_what_to_exclude() -> None:
    seen = seen_probes({LAYERS: ARCH_UNIT, TestName("a.B", "c"): "java.lang.AssertionError: 1 is not 2"})
    assert seen is not None
    assert seen[0].startswith("org.example.arch.ArchitectureTest#layers failed because of probes")
    assert "Method <org.example.domain.Order.total()> calls method <org.navitas.runtime.Probe.enter(int)>" in seen[0]
    assert "--exclude 'org.example.domain.**'" in seen[1] and "--mode sample" in seen[1]
    seen = seen_probes({LAYERS: ARCH_UNIT, CYCLES: ARCH_UNIT})
    assert seen is not None and "#layers and another test failed" in seen[0]


def test_one_class_is_excluded_by_its_name_and_an_unknown_one_by_the_test_s() -> None:
    calls = "Expected: <no calls>\n     but: org.example.Tree$Leaf calls org/navitas/runtime/Probe.enter (I)V"
    seen = seen_probes({LAYERS: calls})
    assert seen is not None and "--exclude 'org.example.Tree$Leaf'" in seen[1]
    seen = seen_probes({LAYERS: "unknown owner org/navitas/hooks/Files"})
    assert seen is not None and "--exclude 'org.example.arch.ArchitectureTest'" in seen[1]


def test_frames_of_navitas_and_other_names_are_no_sign_of_it() -> None:
    frames = (
        "\tat org.navitas.runtime.Probe.enter(Probe.java:1)\n\tat org.navitas.phone.InstrumentMain.main(InstrumentMain.java:4)"
    )
    for stack in (f"java.lang.StackOverflowError\n{frames}", "expected org.navitasruntime.X", "org.navitas.sample.A differs"):
        assert seen_probes({LAYERS: stack}) is None
