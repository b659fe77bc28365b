package org.navitas.instrument.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.hooks.HookTable;

/** Selects the classes and methods that get probes; {@link Options} states the rules. */
public final class Selection implements MethodChoice {
    public enum Verdict {
        TAKE,
        /** An exclude pattern matches it; listed in the map. */
        EXCLUDED,
        /** It is part of the runtime, or cannot have code that gets probes. */
        NO_CODE,
        /** It belongs to a known framework, in a jar that can contain frameworks. */
        FRAMEWORK,
        /** It gets no probes, but its calls of APIs are hooked. */
        HOOK,
        /** It belongs to a dependency, and there are no include patterns. */
        DEPENDENCY,
        /** No include pattern matches it. */
        NOT_INCLUDED
    }

    private static final String RUNTIME = "org.navitas.runtime.";
    private static final String HOOKS = "org.navitas.hooks.";
    /** Libraries that are an app's usual way to the network, to files, to databases, and to work on other threads. */
    private static final String[] HOOKED_LIBRARIES = {
        "okhttp3.",
        "okio.",
        "com.squareup.okhttp.",
        "kotlin.io.",
        "kotlinx.coroutines.",
        "androidx.sqlite.db.framework.",
    };
    /** Packages of platforms, languages and test frameworks, which users do not regard as their code. */
    private static final String[] FRAMEWORKS = {
        "android.",
        "androidx.",
        "com.android.",
        "com.google.android.",
        "dalvik.",
        "libcore.",
        "java.",
        "javax.",
        "jakarta.",
        "jdk.",
        "sun.",
        "com.sun.",
        "kotlin.",
        "kotlinx.",
        "groovy.",
        "org.codehaus.groovy.",
        "org.apache.groovy.",
        "scala.",
        "junit.",
        "org.junit.",
        "org.hamcrest.",
        "org.opentest4j.",
        "org.apiguardian.",
        "org.testng.",
        "org.mockito.",
        "net.bytebuddy.",
        "org.objenesis.",
        "org.robolectric.",
        "org.gradle.",
        "org.intellij.lang.annotations.",
        "org.jetbrains.annotations.",
        "org.navitas.phone.",
    };

    /** Separates class and method in a pattern. */
    public static final char METHOD = '#';

    private final List<Pattern> includes = new ArrayList<>();
    private final List<Pattern> excludes = new ArrayList<>();
    /** Patterns for {@code class#method}. */
    private final List<Pattern> excludedMethods = new ArrayList<>();

    private final boolean skipTrivial;
    private final HookTable hooks;
    private final boolean hookLibraries;
    private final BlockEdits edits;
    private final Probes probes;

    /** {@code hooks} are those for the classes that are taken; null without hooks. */
    public Selection(Options options, HookTable hooks) throws InstrumentException {
        skipTrivial = options.skipTrivial();
        this.hooks = hooks;
        hookLibraries = options.hookLibraries();
        edits = options.edits();
        probes = options.probes();
        for (String pattern : options.includes()) {
            if (pattern.indexOf(METHOD) >= 0) {
                throw new InstrumentException(
                        "pattern '" + pattern + "': methods can only be excluded; include their class");
            }
            includes.add(compile(pattern, true));
        }
        for (String pattern : options.excludes()) {
            boolean ofMethods = pattern.indexOf(METHOD) >= 0;
            (ofMethods ? excludedMethods : excludes).add(compile(pattern, !ofMethods));
        }
    }

    /** Returns everything, apart from the bytes of a class, that decides what happens to its methods. */
    public static String rules(Options options, HookTable hooks) {
        StringBuilder rules = new StringBuilder().append(options.skipTrivial());
        if (options.probes() != Probes.METHODS) {
            rules.append('\n').append(options.probes().text());
        }
        if (hooks != null) {
            rules.append('\n').append(hooks.id());
        }
        for (String pattern : options.excludes()) {
            if (pattern.indexOf(METHOD) >= 0) {
                rules.append('\n').append(pattern);
            }
        }
        return rules.toString();
    }

    @Override
    public String reasonToSkip(String className, MethodInfo method, CodeScan code) {
        if (!excludedMethods.isEmpty() && matches(excludedMethods, className + METHOD + method.getName())) {
            return Skipped.EXCLUDED;
        }
        return skipTrivial && TrivialMethod.is(method, code) ? Skipped.TRIVIAL : null;
    }

    /** Returns the hooks for the classes that are taken; null without hooks. */
    public HookTable hooks() {
        return hooks;
    }

    /** Returns the blocks to edit in the classes that are taken. */
    public BlockEdits edits() {
        return edits;
    }

    /** Returns the kind of probes for the classes that are taken. */
    public Probes probes() {
        return probes;
    }

    public Verdict of(String className, Input input) {
        Verdict verdict = ofProbes(className, input);
        boolean library =
                verdict == Verdict.DEPENDENCY || verdict == Verdict.FRAMEWORK || verdict == Verdict.NOT_INCLUDED;
        return library && hooks != null && (hookLibraries || startsWithAny(className, HOOKED_LIBRARIES))
                ? Verdict.HOOK
                : verdict;
    }

    private static boolean startsWithAny(String className, String[] prefixes) {
        for (String prefix : prefixes) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private Verdict ofProbes(String className, Input input) {
        if (className.startsWith(RUNTIME)
                || className.startsWith(HOOKS)
                || className.endsWith("package-info")
                || className.equals("module-info")) {
            return Verdict.NO_CODE;
        }
        if (!includes.isEmpty()) {
            if (!matches(includes, className)) {
                return Verdict.NOT_INCLUDED;
            }
        } else if (input.source().equals(Input.DEPENDENCY)) {
            return Verdict.DEPENDENCY;
        } else if (input.mayHoldFrameworks() && frameworkOf(className) != null) {
            return Verdict.FRAMEWORK;
        }
        return matches(excludes, className) ? Verdict.EXCLUDED : Verdict.TAKE;
    }

    /** Returns the include pattern of the known framework that a class belongs to, or null. */
    public static String frameworkOf(String className) {
        for (String prefix : FRAMEWORKS) {
            if (className.startsWith(prefix)) {
                return prefix + "**";
            }
        }
        return null;
    }

    private static boolean matches(List<Pattern> patterns, String name) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(name).matches()) {
                return true;
            }
        }
        return false;
    }

    public static Pattern compile(String pattern, boolean withNested) throws InstrumentException {
        if (pattern.isEmpty() || pattern.indexOf('/') >= 0) {
            throw new InstrumentException(
                    "pattern '" + pattern + "': use a dotted class name with * or **, such as org.example.**");
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            if (pattern.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else if (pattern.charAt(i) == '*') {
                regex.append("[^.#]*");
            } else {
                regex.append(Pattern.quote(pattern.substring(i, i + 1)));
            }
        }
        return Pattern.compile(regex.append(withNested ? "(\\$.*)?" : "").toString(), Pattern.DOTALL);
    }
}
