"""Tests that look at class files pass as in the build, and their module's classes still have probes. Others are explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gradle_projects import write
from support.lab import Lab
from support.lab_fixtures import Bundles

from navitas.capture.bundle.manifest import BundleManifest
from navitas.capture.device.adb import AdbDevice

pytestmark = pytest.mark.extended

BUILD = """plugins {{ id 'java' }}
repositories {{ mavenCentral() }}
dependencies {{ testImplementation {libraries} }}
"""
JUNIT = "'junit:junit:4.13.2'"
ORDER = """package org.example.shop.domain;
public final class Order {
    public int total() { int sum = 0; for (int i = 0; i < 100; i++) { sum += i; } return sum; }
}
"""
READS_ITSELF = """package org.example.shop;
import static org.junit.Assert.*;
import java.io.*;
import org.example.shop.domain.Order;
import org.junit.Test;
public class ReaderTest {
    @Test public void resource() throws IOException {
        assertEquals(4950, new Order().total());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Order.class.getResourceAsStream("Order.class")) {
            for (int one = in.read(); one >= 0; one = in.read()) { bytes.write(one); }
        }
        String text = bytes.toString("ISO-8859-1");
        int probe = text.indexOf("org/navitas");
        assertTrue(Order.class + " calls " + text.substring(Math.max(probe, 0), Math.max(probe, 0) + 25), probe < 0);
    }
}
"""
LAYERS = """package org.example.shop;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.Assert.*;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.example.shop.domain.Order;
import org.junit.Test;
import org.mockito.Mockito;
public class LayersTest {
    @Test public void layers() {
        JavaClasses domain = new ClassFileImporter().importPackages("org.example.shop.domain");
        assertEquals(1, domain.size());
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", "org.example.shop.domain").check(domain);
        assertEquals(4950, new Order().total());
    }
    @Test public void everythingOnTheClassPath() {
        JavaClasses shop = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeArchives())
            .withImportOption(location -> !location.contains("jrt:")).importClasspath();
        assertTrue(shop.contain(Order.class));
        classes().that().resideInAPackage("org.example.shop..").should().onlyDependOnClassesThat()
            .resideOutsideOfPackage("org.navitas..").check(shop);
    }
    @Test public void inlineMock() {
        Order order = Mockito.mock(Order.class);
        Mockito.when(order.total()).thenReturn(1);
        assertEquals(1, order.total());
    }
    @Test public void declaredMembers() {
        assertEquals(1, Order.class.getDeclaredMethods().length);
        assertEquals(0, Order.class.getDeclaredFields().length);
    }
}
"""


def project(folder: Path, tests: dict[str, str], *libraries: str) -> Path:
    files = {f"src/test/java/org/example/shop/{name}.java": text for name, text in tests.items()}
    return write(
        folder,
        {
            "settings.gradle": "rootProject.name = 'shop'\n",
            "build.gradle": BUILD.format(libraries=", ".join([JUNIT, *libraries])),
            "src/main/java/org/example/shop/domain/Order.java": ORDER,
            **files,
        },
    )


def test_arch_unit_sees_the_classes_that_the_build_made(tmp_path: Path, bundles: Bundles, phone: AdbDevice) -> None:
    libraries = "'com.tngtech.archunit:archunit:1.3.0'", "'org.mockito:mockito-core:5.14.2'"
    built = bundles(project(tmp_path / "shop", {"LayersTest": LAYERS, "ReaderTest": READS_ITSELF}, *libraries))
    (manifest,) = (bundle.manifest for bundle in built)
    assert isinstance(manifest, BundleManifest) and manifest.probed_classes == "probed.zip"
    profiled = Lab(phone, built, tmp_path).profile(name="recording")
    assert profiled.outcome.failures == {}
    assert {test.method for test in profiled.profile.tests} == {
        *("layers", "everythingOnTheClassPath", "inlineMock", "declaredMembers", "resource")
    }
    assert profiled.method("layers", "total").calls == profiled.method("resource", "total").calls == 1
    assert not profiled.warnings & {"tests", "probes_seen"}


def test_another_failure_by_probes_is_explained(tmp_path: Path, bundles: Bundles, phone: AdbDevice) -> None:
    built = bundles(project(tmp_path / "shop", {"ReaderTest": READS_ITSELF}))
    profiled = Lab(phone, built, tmp_path).profile(name="recording")
    assert list(profiled.outcome.failures) == ["org.example.shop.ReaderTest#resource"]
    (seen,) = (warning for warning in profiled.profile.warnings if warning.code == "probes_seen")
    assert "org.example.shop.ReaderTest#resource failed because of probes" in seen.message
    assert "--exclude 'org.example.shop.domain.Order'" in seen.remedy
