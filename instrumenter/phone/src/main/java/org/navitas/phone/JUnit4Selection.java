package org.navitas.phone;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runners.Suite;
import org.junit.runners.model.InitializationError;
import org.navitas.junit.TestName;

/** Creates one runner for all selected tests from the arguments. */
final class JUnit4Selection {
    /** The framework's API level. Set only for tests of an Android app, to which AndroidJUnitRunner's rules apply. */
    static final String SDK_PROPERTY = "navitas.android.sdk";

    private final Arguments arguments;
    private final String roots;
    private final ClassLoader loader;
    private final List<Filter> filters;
    private final Integer sdk = Integer.getInteger(SDK_PROPERTY);

    /** {@code roots} are searched if no class is named. */
    JUnit4Selection(Arguments arguments, String roots, ClassLoader loader) {
        this.arguments = arguments;
        this.roots = roots;
        this.loader = loader;
        filters = RunnerFilters.of(arguments);
        if (sdk != null) {
            filters.add(new RunnerExclusions(sdk));
        }
    }

    Runner runner() throws IOException, InitializationError {
        List<Runner> runners = new ArrayList<>();
        Map<String, Set<String>> named = arguments.classes();
        if (named.isEmpty()) {
            for (Class<?> one : searched()) {
                add(runners, one, new LinkedHashSet<String>());
            }
        } else {
            for (Map.Entry<String, Set<String>> one : named.entrySet()) {
                addNamed(runners, one.getKey(), one.getValue());
            }
        }
        return new AllTests(runners);
    }

    private List<Class<?>> searched() throws IOException {
        if (sdk == null) {
            return new TestRoots(loader).classes(roots, JUnit4Classes::isTest);
        }
        return new TestRoots(loader, RunnerScan.names(arguments.values("package"))).classes(roots, RunnerScan::isTest);
    }

    private void addNamed(List<Runner> runners, String name, Set<String> methods) {
        try {
            add(runners, Class.forName(name, false, loader), methods);
        } catch (ClassNotFoundException | LinkageError e) {
            runners.add(new UnloadableClass(name, e));
        }
    }

    private void add(List<Runner> runners, Class<?> one, Set<String> methods) {
        if (!arguments.isInPackages(one.getName()) || arguments.isInExcludedPackages(one.getName())) {
            return;
        }
        Runner runner = Request.aClass(one).getRunner();
        try {
            if (!methods.isEmpty()) {
                new MethodFilter(one.getName(), methods, false).apply(runner);
            }
            for (Map.Entry<String, Set<String>> not : arguments.notClasses().entrySet()) {
                new MethodFilter(not.getKey(), not.getValue(), true).apply(runner);
            }
            for (Filter filter : filters) {
                filter.apply(runner);
            }
        } catch (NoTestsRemainException e) {
            return; // as on Android: no test of it runs, and that is no failure
        }
        runners.add(runner);
    }

    private static final class AllTests extends Suite {
        AllTests(List<Runner> runners) throws InitializationError {
            super((Class<?>) null, runners);
        }
    }

    /** Includes or excludes some methods of a class. */
    private static final class MethodFilter extends TestFilter {
        private final String className;
        private final Set<String> methods;
        private final boolean isExclusion;

        MethodFilter(String className, Set<String> methods, boolean isExclusion) {
            super((isExclusion ? "not " : "") + className + methods);
            this.className = className;
            this.methods = methods;
            this.isExclusion = isExclusion;
        }

        @Override
        boolean keeps(Description test) {
            TestName name = new TestName(test.getClassName(), test.getMethodName());
            boolean matches =
                    name.className.equals(className) && (name.isClass() || MethodNames.include(methods, name.method));
            return isExclusion != matches;
        }
    }
}
