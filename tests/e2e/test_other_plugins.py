"""Another plugin of the build processes the same classes, or changes the variant: both take effect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.android_apps import extract_apk, probed_methods
from support.android_projects import FLAVORS, build_file, copy_project, fixture_params

from navitas.capture.build.java import jar
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import open_bundle

pytestmark = [pytest.mark.extended, pytest.mark.usefixtures("android_sdk")]
COPY = """
abstract class CopyClasses extends DefaultTask {
  @InputFiles abstract ListProperty<RegularFile> getJars()
  @InputFiles abstract ListProperty<Directory> getFolders()
  @OutputFile abstract RegularFileProperty getOutput()
  @TaskAction void copy() {
    def seen = [] as Set
    new java.util.zip.ZipOutputStream(output.get().asFile.newOutputStream()).withCloseable { zip ->
      def put = { String name, byte[] bytes ->
        if (!seen.add(name)) throw new GradleException("twice: $name")
        zip.putNextEntry(new java.util.zip.ZipEntry(name))
        zip.write(bytes)
        zip.closeEntry()
      }
      folders.get().each { folder -> folder.asFileTree.visit { if (!it.directory) put(it.path, it.file.bytes) } }
      jars.get().each { one -> new java.util.zip.ZipFile(one.asFile).withCloseable { from ->
        from.entries().findAll { !it.directory }.each { put(it.name, from.getInputStream(it).bytes) }
      } }
      new File(output.get().asFile.parentFile, 'seen.txt').text = seen.sort().join(',')
    }
  }
}
def copyClasses = { name -> androidComponents.onVariants(androidComponents.selector().withName(name)) { variant ->
  def task = tasks.register("copy${variant.name.capitalize()}Classes", CopyClasses)
  variant.artifacts.forScope(com.android.build.api.variant.ScopedArtifacts.Scope.PROJECT).use(task).toTransform(
      com.android.build.api.artifact.ScopedArtifact.CLASSES.INSTANCE, { it.jars }, { it.folders }, { it.output })
} }
"""
ORDERED = "copyClasses('demoDebug')\napply plugin: 'org.navitas'\ncopyClasses('fullDebug')\n"
VALUES = """
androidComponents.onVariants(androidComponents.selector().withBuildType('debug')) { variant ->
  variant.androidTest.instrumentationRunner.set('org.example.Runner')
"""
ARGUMENT = "  variant.androidTest.instrumentationRunnerArguments.put('colour', 'blue')\n"  # of the API since 8.0


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b", "c"), indirect=["gradle"])
def test_other_plugins_take_effect(tmp_path: Path, gradle: str, name: str) -> None:
    """One processes the classes of one flavor before Navitas, and those of the other after it. Another sets the tests' runner."""
    project = copy_project(name, tmp_path)
    build = build_file(project)
    plugin = f"buildscript {{ dependencies {{ classpath files('{jar('navitas-gradle-plugin.jar')}') }} }}\n"
    flavors, argument = (FLAVORS, ARGUMENT) if name == "c" else ("", "")
    build.write_text(f"{plugin}{build.read_text()}{flavors}{COPY}{ORDERED}{VALUES}{argument}}}\n")
    tasks = ("assembleDemoDebug", "assembleFullDebug", "navitasBundleDemoDebug")
    command = [gradle, *tasks, "-Pnavitas.instrumentTests=false"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for flavor in ("demo", "full"):
        (apk,) = build.parent.glob(f"build/outputs/apk/{flavor}/debug/*.apk")
        (file,) = build.parent.glob(f"build/**/{flavor}Debug/**/seen.txt")
        seen = file.read_text().split(",")
        activity = next(one.removesuffix(".class") for one in seen if one.endswith("Activity.class"))
        assert f"{activity}.onCreate" in probed_methods(apk)
        assert ("org/navitas/map/NavitasMap.class" in seen) is (flavor == "full")

    (path,) = build.parent.glob("build/navitas/demoDebug/*.bundle.zip")
    bundle = open_bundle(path)
    assert isinstance(bundle.manifest, AndroidManifest)
    assert bundle.manifest.runner == "org.example.Runner"
    assert bundle.manifest.runner_arguments == ({"colour": "blue"} if name == "c" else {})
    probed = probed_methods(extract_apk(bundle, "test.apk"))
    assert {method for method in probed if not method.startswith("org/navitas/runtime/")} == set()
