package org.navitas.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The block {@code navitas { }} of a build file: which classes get probes, and how {@code navitasProfile} calls the
 * command line. Project properties of the same names ({@code -Pnavitas.repeat=3}; lists separated by commas) override
 * it. A null value means the default of the command line. Not thread-safe.
 */
public class NavitasExtension {
    private final List<String> includes = new ArrayList<>();
    private final List<String> excludes = new ArrayList<>();
    private final List<String> tests = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> disabledVariants = new ArrayList<>();
    private boolean enabled = true;
    private boolean instrumentTests = true;
    private boolean skipTrivial;
    private boolean hooks;
    private boolean hookLibraries;
    private boolean ignoreFailures;
    private boolean check;
    private Object executable = "navitas";
    private Object output;
    private Object json;
    private Integer repeat;
    private String phone;
    private String device;
    private String mode;
    private String variant;
    private String against;

    /**
     * Adds include patterns: only classes that match one get probes.
     *
     * @param patterns as {@link org.navitas.instrument.choice.Options} describes
     */
    public void include(String... patterns) {
        includes.addAll(Arrays.asList(patterns));
    }

    /**
     * Adds exclude patterns: classes that match one get no probes, even if they are included.
     *
     * @param patterns as {@link org.navitas.instrument.choice.Options} describes
     */
    public void exclude(String... patterns) {
        excludes.addAll(Arrays.asList(patterns));
    }

    /**
     * Selects tests to profile. The default is all tests.
     *
     * @param patterns {@code CLASS[#METHOD]} with {@code *} and {@code ?}
     */
    public void tests(String... patterns) {
        tests.addAll(Arrays.asList(patterns));
    }

    /**
     * Adds arguments for {@code navitas profile}.
     *
     * @param more arguments as on a command line
     */
    public void arguments(String... more) {
        arguments.addAll(Arrays.asList(more));
    }

    /**
     * Sets whether trivial methods, such as getters and setters, get no probes.
     *
     * @param skip see {@link org.navitas.instrument.choice.Options#skipTrivial}
     */
    public void setSkipTrivial(boolean skip) {
        skipTrivial = skip;
    }

    /**
     * Returns whether trivial methods get no probes.
     *
     * @return false by default
     */
    public boolean isSkipTrivial() {
        return skipTrivial;
    }

    /**
     * Sets whether calls of input, output and device APIs are hooked.
     *
     * @param hook see {@link org.navitas.instrument.choice.Options#hooks}
     */
    public void setHooks(boolean hook) {
        hooks = hook;
    }

    /**
     * Returns whether calls of input, output and device APIs are hooked.
     *
     * @return false by default
     */
    public boolean isHooks() {
        return hooks;
    }

    /**
     * Sets whether the calls of all libraries are hooked, if those of the app are.
     *
     * @param hook see {@link org.navitas.instrument.choice.Options#hookLibraries}
     */
    public void setHookLibraries(boolean hook) {
        hookLibraries = hook;
    }

    /**
     * Returns whether the calls of all libraries are hooked.
     *
     * @return false by default
     */
    public boolean isHookLibraries() {
        return hookLibraries;
    }

    /**
     * Returns the include patterns.
     *
     * @return patterns in the order of the build file
     */
    public List<String> getIncludes() {
        return includes;
    }

    /**
     * Returns the exclude patterns.
     *
     * @return patterns in the order of the build file
     */
    public List<String> getExcludes() {
        return excludes;
    }

    /**
     * Returns the tests to profile.
     *
     * @return patterns; empty for all tests
     */
    public List<String> getTests() {
        return tests;
    }

    /**
     * Returns the additional arguments for {@code navitas profile}.
     *
     * @return arguments in the order of the build file
     */
    public List<String> getArguments() {
        return arguments;
    }

    /**
     * Returns whether test classes get probes; otherwise the bundle contains them unchanged.
     *
     * @return true by default
     */
    public boolean isInstrumentTests() {
        return instrumentTests;
    }

    /**
     * Sets whether test classes get probes.
     *
     * @param instrument false to keep test classes unchanged
     */
    public void setInstrumentTests(boolean instrument) {
        instrumentTests = instrument;
    }

    /**
     * Returns whether the build continues after failed tests or checks. Other errors always end it.
     *
     * @return false by default
     */
    public boolean isIgnoreFailures() {
        return ignoreFailures;
    }

    /**
     * Sets whether the build continues after failed tests or checks.
     *
     * @param ignore true to continue
     */
    public void setIgnoreFailures(boolean ignore) {
        ignoreFailures = ignore;
    }

    /**
     * Returns the git revision that {@code navitasProfile} also builds and measures, in turns with the project as it
     * is, and compares with it.
     *
     * @return such as {@code main}, or null to measure the project alone
     */
    public String getAgainst() {
        return against;
    }

    /**
     * Sets the git revision to compare with.
     *
     * @param revision such as {@code main}
     */
    public void setAgainst(String revision) {
        against = revision;
    }

    /**
     * Returns whether Gradle's task {@code check} runs {@code navitasCheck}.
     *
     * @return false by default
     */
    public boolean isCheck() {
        return check;
    }

    /**
     * Sets whether Gradle's task {@code check} runs {@code navitasCheck}.
     *
     * @param run true to check budgets with all other checks
     */
    public void setCheck(boolean run) {
        check = run;
    }

    /**
     * Returns the command line's name on PATH, or its file. A relative file is relative to the project's folder.
     *
     * @return {@code navitas} by default
     */
    public Object getExecutable() {
        return executable;
    }

    /**
     * Sets the command line.
     *
     * @param nameOrFile a name on PATH, or a file
     */
    public void setExecutable(Object nameOrFile) {
        executable = nameOrFile;
    }

    /**
     * Returns the recording's folder. An existing recording in it is replaced.
     *
     * @return null for {@code build/navitas/recording}
     */
    public Object getOutput() {
        return output;
    }

    /**
     * Sets the recording's folder.
     *
     * @param folder relative to the project's folder
     */
    public void setOutput(Object folder) {
        output = folder;
    }

    /**
     * Returns the JSON report.
     *
     * @return null for {@code build/navitas/report.json}
     */
    public Object getJson() {
        return json;
    }

    /**
     * Sets the JSON report.
     *
     * @param file relative to the project's folder
     */
    public void setJson(Object file) {
        json = file;
    }

    /**
     * Returns the number of repetitions, each in a new process.
     *
     * @return null for the default
     */
    public Integer getRepeat() {
        return repeat;
    }

    /**
     * Sets the number of repetitions.
     *
     * @param times 1 or more
     */
    public void setRepeat(Integer times) {
        repeat = times;
    }

    /**
     * Returns the phone model that the virtual phone simulates.
     *
     * @return null for the default
     */
    public String getPhone() {
        return phone;
    }

    /**
     * Sets the phone model that the virtual phone simulates.
     *
     * @param name as listed by {@code navitas phones}
     */
    public void setPhone(String name) {
        phone = name;
    }

    /**
     * Returns the device to run on.
     *
     * @return {@code virtual}, a device's serial, or null for the default
     */
    public String getDevice() {
        return device;
    }

    /**
     * Sets the device to run on.
     *
     * @param serial {@code virtual}, or a device's serial
     */
    public void setDevice(String serial) {
        device = serial;
    }

    /**
     * Returns how calls are recorded.
     *
     * @return {@code events}, {@code folded}, {@code tick}, or null for the default
     */
    public String getMode() {
        return mode;
    }

    /**
     * Sets how calls are recorded.
     *
     * @param name {@code events}, {@code folded} or {@code tick}
     */
    public void setMode(String name) {
        mode = name;
    }

    /**
     * Returns the Android variant whose APKs are profiled.
     *
     * @return such as {@code demoDebug}, or null if there is only one
     */
    public String getVariant() {
        return variant;
    }

    /**
     * Sets the Android variant whose APKs are profiled.
     *
     * @param name such as {@code demoDebug}
     */
    public void setVariant(String name) {
        variant = name;
    }

    /**
     * Sets the variant; the form without {@code =} for build files in Groovy.
     *
     * @param name such as {@code demoDebug}
     */
    public void variant(String name) {
        variant = name;
    }

    /**
     * Returns whether anything gets probes. If not, Navitas adds nothing to the build.
     *
     * @return true by default
     */
    public boolean isEnabled() {
        return enabled;
    }

    /**
     * Sets whether anything gets probes.
     *
     * @param enable false to leave out probes and runtime
     */
    public void setEnabled(boolean enable) {
        enabled = enable;
    }

    /**
     * Leaves Android variants without probes and runtime.
     *
     * @param names such as {@code demoDebug}
     */
    public void disableVariant(String... names) {
        disabledVariants.addAll(Arrays.asList(names));
    }

    /**
     * Returns the Android variants without probes.
     *
     * @return names in the order of the build file
     */
    public List<String> getDisabledVariants() {
        return disabledVariants;
    }
}
