package org.navitas.phone;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

/** From arguments to one runner over all that is to be run. */
final class Selection {
    private final Arguments arguments;
    private final String roots;
    private final ClassLoader loader;

    /** {@code roots} are searched when no class is named. */
    Selection(Arguments arguments, String roots, ClassLoader loader) {
        this.arguments = arguments;
        this.roots = roots;
        this.loader = loader;
    }

    Runner runner() throws IOException, InitializationError {
        List<Runner> runners = new ArrayList<>();
        List<String> named = arguments.classes();
        if (named.isEmpty()) {
            for (Class<?> one : new TestRoots(loader).testClasses(roots)) {
                add(runners, one, new LinkedHashSet<String>());
            }
        } else {
            for (Map.Entry<String, Set<String>> one : byClass(named).entrySet()) {
                addNamed(runners, one.getKey(), one.getValue());
            }
        }
        return new AllTests(runners);
    }

    private void addNamed(List<Runner> runners, String name, Set<String> methods) {
        try {
            add(runners, Class.forName(name, false, loader), methods);
        } catch (ClassNotFoundException | LinkageError e) {
            runners.add(new UnloadableClass(name, e));
        }
    }

    private void add(List<Runner> runners, Class<?> one, Set<String> methods) {
        if (!isInPackages(one.getName())) {
            return;
        }
        Runner runner = Request.aClass(one).getRunner();
        try {
            if (!methods.isEmpty()) {
                new MethodFilter(one.getName(), methods, false).apply(runner);
            }
            for (Map.Entry<String, Set<String>> not : byClass(arguments.notClasses()).entrySet()) {
                new MethodFilter(not.getKey(), not.getValue(), true).apply(runner);
            }
        } catch (NoTestsRemainException e) {
            return; // as on Android: nothing of it is run, and that is no failure
        }
        runners.add(runner);
    }

    private boolean isInPackages(String className) {
        for (String one : arguments.packages()) {
            if (className.startsWith(one + ".")) {
                return true;
            }
        }
        return arguments.packages().isEmpty();
    }

    /** Methods by class; no methods: all of them. */
    private static Map<String, Set<String>> byClass(List<String> names) {
        Map<String, Set<String>> classes = new LinkedHashMap<>();
        Set<String> whole = new LinkedHashSet<>();
        for (String name : names) {
            int hash = name.indexOf('#');
            String className = hash < 0 ? name : name.substring(0, hash);
            if (!classes.containsKey(className)) {
                classes.put(className, new LinkedHashSet<String>());
            }
            if (hash < 0) {
                whole.add(className);
            } else {
                classes.get(className).add(name.substring(hash + 1));
            }
        }
        for (String className : whole) {
            classes.get(className).clear();
        }
        return classes;
    }

    private static final class AllTests extends Suite {
        AllTests(List<Runner> runners) throws InitializationError {
            super((Class<?>) null, runners);
        }
    }

    /** Keeps (or leaves out) some methods of a class; a parameterised method's plain name means all its indices. */
    private static final class MethodFilter extends Filter {
        private final String className;
        private final Set<String> methods;
        private final boolean isExclusion;

        MethodFilter(String className, Set<String> methods, boolean isExclusion) {
            this.className = className;
            this.methods = methods;
            this.isExclusion = isExclusion;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (!description.isTest()) {
                for (Description child : description.getChildren()) {
                    if (shouldRun(child)) {
                        return true;
                    }
                }
                return false;
            }
            return isExclusion != matches(description);
        }

        private boolean matches(Description test) {
            String method = test.getMethodName();
            if (!className.equals(test.getClassName())) {
                return false;
            }
            if (methods.isEmpty() || method == null) {
                return true;
            }
            int index = method.indexOf('[');
            return methods.contains(method) || index > 0 && methods.contains(method.substring(0, index));
        }

        @Override
        public String describe() {
            return (isExclusion ? "not " : "") + className + methods;
        }
    }
}
