"""Another plugin of the build processes the same classes, or changes the variant: both take effect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.android_projects import build_file, copy_project, fixture_params, probed_methods
from support.gradle_builds import Build

from navitas.build.jars import jar
from navitas.bundle.manifest import AndroidManifest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.usefixtures("android_sdk")]
APPLIES = "apply plugin: 'org.navitas'\n"
OTHER = """
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
androidComponents.onVariants(androidComponents.selector().withBuildType('debug')) { variant ->
  def task = tasks.register("copy${variant.name.capitalize()}Classes", CopyClasses)
  variant.artifacts.forScope(com.android.build.api.variant.ScopedArtifacts.Scope.PROJECT).use(task).toTransform(
      com.android.build.api.artifact.ScopedArtifact.CLASSES.INSTANCE, { it.jars }, { it.folders }, { it.output })
}
"""
VALUES = """
androidComponents.onVariants(androidComponents.selector().withBuildType('debug')) { variant ->
  variant.androidTest.instrumentationRunner.set('org.example.Runner')
}
"""


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize(("gradle", "name"), fixture_params("b", "c"), indirect=["gradle"])
def test_two_plugins_process_the_same_classes(tmp_path: Path, gradle: str, name: str, order: str) -> None:
    project = copy_project(name, tmp_path)
    build = build_file(project)
    plugin = f"buildscript {{ dependencies {{ classpath files('{jar('navitas-gradle-plugin.jar')}') }} }}\n"
    added = APPLIES + OTHER if order == "last" else OTHER + APPLIES
    build.write_text(plugin + build.read_text() + added)
    task = ":app:assembleDemoDebug" if name == "b" else "assembleDebug"
    done = subprocess.run([gradle, task], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (apk,) = build.parent.glob("build/outputs/apk/**/*.apk")
    (file,) = build.parent.glob("build/**/seen.txt")
    seen = file.read_text().split(",")
    activity = next(one.removesuffix(".class") for one in seen if one.endswith("Activity.class"))
    assert f"{activity}.onCreate" in probed_methods(apk)
    assert ("org/navitas/map/NavitasMap.class" in seen) is (order == "last")


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b", "c"), indirect=["gradle"])
def test_what_on_variants_sets_is_in_the_bundle(tmp_path: Path, gradle: str, name: str) -> None:
    project = copy_project(name, tmp_path)
    argument = "  variant.androidTest.instrumentationRunnerArguments.put('colour', 'blue')\n"  # of the API since 8.0
    with build_file(project).open("a") as build:
        build.write(VALUES.replace("}\n", f"{argument if name == 'c' else ''}}}\n"))
    variant = {"module": ":app", "variant": "demoDebug"} if name == "b" else {}
    manifest = Build(project, gradle, **variant).bundles[0].manifest
    assert isinstance(manifest, AndroidManifest)
    assert manifest.runner == "org.example.Runner" and manifest.runner_arguments == ({"colour": "blue"} if name == "c" else {})
