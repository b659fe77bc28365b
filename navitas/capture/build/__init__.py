"""Run Gradle and the instrumenter: from a project or class files to bundles and method maps."""
