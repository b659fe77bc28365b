package org.navitas.phone;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.navitas.junit.PlatformNames;
import org.navitas.junit.PlatformTests;
import org.navitas.junit.TestName;
import org.navitas.junit.UniqueNames;

/**
 * Creates a launcher request from the arguments. A class includes its nested classes. Tests are discovered first and
 * selected by name. The request contains their unique ids, the only form that all engines support.
 */
final class PlatformSelection {
    /** A method and the indices of an invocation: {@code adds[2][1]}, {@code adds(int)[2]}. */
    private static final Pattern INVOCATION = Pattern.compile("(.+?)((?:\\[[0-9]+])+)");

    private final Arguments arguments;
    private final ClassLoader loader;
    private final Map<String, Throwable> missing = new LinkedHashMap<>();
    private final List<TestIdentifier> leaves = new ArrayList<>();
    private final List<DiscoverySelector> chosen = new ArrayList<>();
    private final List<DiscoverySelector> everything;
    private final PlatformNames names;
    private boolean isWhole = true;

    /** Discovers the tests; {@code roots} are searched if no class is named. */
    PlatformSelection(Arguments arguments, String roots, ClassLoader loader, Launcher launcher) throws IOException {
        this.arguments = arguments;
        this.loader = loader;
        everything = new ArrayList<>();
        for (Class<?> one : arguments.classes().isEmpty() ? new TestRoots(loader).classes(roots, filter()) : named()) {
            everything.add(selectClass(one));
        }
        TestPlan plan = launcher.discover(request(everything));
        names = new PlatformNames(plan);
        for (TestIdentifier root : plan.getRoots()) {
            choose(plan, root, arguments.classes().isEmpty());
        }
    }

    /** Returns the selected tests, and the containers whose tests are known only when they run. */
    List<TestIdentifier> leaves() {
        return leaves;
    }

    PlatformNames names() {
        return names;
    }

    /** Returns the named classes that cannot be loaded. */
    Map<String, Throwable> missing() {
        return missing;
    }

    boolean isEmpty() {
        return chosen.isEmpty();
    }

    LauncherDiscoveryRequest request() {
        return request(isWhole ? everything : chosen);
    }

    private static LauncherDiscoveryRequest request(List<DiscoverySelector> selectors) {
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectors);
        setting("includeEngines", names -> request.filters(EngineFilter.includeEngines(names)));
        setting("excludeEngines", names -> request.filters(EngineFilter.excludeEngines(names)));
        setting("includeTags", tags -> request.filters(TagFilter.includeTags(tags)));
        setting("excludeTags", tags -> request.filters(TagFilter.excludeTags(tags)));
        for (String name : Parallel.SWITCHES) {
            request.configurationParameter(name, "false");
        }
        return request.build();
    }

    private static void setting(String name, Consumer<List<String>> action) {
        String value = System.getProperty("navitas." + name, "");
        if (!value.isEmpty()) {
            action.accept(Arrays.asList(value.split(",")));
        }
    }

    /**
     * Returns the classes to pass to the engines. Like Gradle (JUnitPlatformTestClassProcessor), passes all classes
     * except anonymous and inner ones: nested tests are found through their enclosing classes. A class that an
     * enclosing one runs (JUnit 4's Enclosed) would otherwise run twice.
     */
    private Predicate<Class<?>> filter() {
        Predicate<Class<?>> isOuter = one -> !NestedClasses.isAnonymous(one) && !NestedClasses.isInner(one);
        try {
            Class.forName("org.junit.experimental.runners.Enclosed", false, loader);
        } catch (ClassNotFoundException e) {
            return isOuter; // without JUnit 4, there is no Enclosed
        }
        return isOuter.and(one -> !JUnit4Classes.isRunByItsEnclosing(one));
    }

    private List<Class<?>> named() {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : arguments.classes().keySet()) {
            try {
                classes.add(Class.forName(name, false, loader));
            } catch (ClassNotFoundException | LinkageError e) {
                missing.put(name, e);
            }
        }
        return classes;
    }

    private void choose(TestPlan plan, TestIdentifier at, boolean isNamed) {
        TestSource source = at.getSource().orElse(null);
        Set<String> methods =
                source instanceof ClassSource ? arguments.classes().get(((ClassSource) source).getClassName()) : null;
        boolean isInside = isNamed || methods != null && methods.isEmpty();
        Set<TestIdentifier> children = plan.getChildren(at);
        for (TestIdentifier child : children) {
            choose(plan, child, isInside);
        }
        if (children.isEmpty() && at.getParentId().isPresent()) {
            TestName name = names.of(at);
            List<DiscoverySelector> selectors = isLeftOut(name) ? new ArrayList<>() : selectors(at, name, isInside);
            isWhole &= selectors.equals(itself(at));
            chosen.addAll(selectors);
            if (!selectors.isEmpty()) {
                leaves.add(at);
            }
        }
    }

    private boolean isLeftOut(TestName name) {
        if (!arguments.isInPackages(name.className)) {
            return true;
        }
        for (Map.Entry<String, Set<String>> not : arguments.notClasses().entrySet()) {
            boolean isNested = not.getValue().isEmpty() && name.className.startsWith(not.getKey() + "$");
            if (isNested || name.className.equals(not.getKey()) && MethodNames.include(not.getValue(), name.method)) {
                return true;
            }
        }
        return false;
    }

    /** Returns what to run of a test or of a container of dynamic tests; empty if it is not selected. */
    private List<DiscoverySelector> selectors(TestIdentifier leaf, TestName name, boolean isInside) {
        Set<String> methods = arguments.classes().get(name.className);
        if (isInside || methods != null && MethodNames.include(methods, name.method)) {
            return itself(leaf);
        }
        List<DiscoverySelector> some = new ArrayList<>();
        for (String method : PlatformTests.isTest(leaf) || methods == null ? Collections.<String>emptySet() : methods) {
            Matcher invocation = INVOCATION.matcher(method);
            if (name.isClass()) {
                some.addAll(methodsOf(name.className, method));
            } else if (invocation.matches()
                    && MethodNames.include(Collections.singleton(invocation.group(1)), name.method)) {
                some.addAll(invocation(leaf, invocation.group(2)));
            }
        }
        return some;
    }

    private static List<DiscoverySelector> itself(TestIdentifier leaf) {
        return Collections.singletonList(selectUniqueId(leaf.getUniqueId()));
    }

    /** Selects one invocation of a method by Jupiter's unique ids; other engines run all invocations. */
    private static List<DiscoverySelector> invocation(TestIdentifier method, String indices) {
        String id = method.getUniqueId();
        String[] path = indices.substring(1, indices.length() - 1).split("]\\[");
        if (id.matches(".*/\\[test-template:[^/]*") && path.length == 1) {
            return Collections.singletonList(selectUniqueId(id + "/[test-template-invocation:#" + path[0] + "]"));
        }
        if (!id.matches(".*/\\[test-factory:[^/]*")) {
            return itself(method);
        }
        for (int i = 0; i < path.length - 1; i++) {
            id += "/[dynamic-container:#" + path[i] + "]";
        }
        String last = ":#" + path[path.length - 1] + "]"; // a test or a container: known only when it runs
        return Arrays.asList(
                selectUniqueId(id + "/[dynamic-test" + last), selectUniqueId(id + "/[dynamic-container" + last));
    }

    /**
     * Returns methods of a parameterised class, whose tests are not known before the run. Single invocations cannot be
     * selected.
     */
    private List<DiscoverySelector> methodsOf(String className, String method) {
        String plain = UniqueNames.plain(method).replaceFirst("[\\[(].*", "");
        List<DiscoverySelector> selectors = new ArrayList<>();
        try {
            Class<?> type = Class.forName(className, false, loader);
            for (Method one : ReflectionSupport.findMethods(
                    type, m -> m.getName().equals(plain), HierarchyTraversalMode.TOP_DOWN)) {
                selectors.add(selectMethod(type, one));
            }
        } catch (ClassNotFoundException | LinkageError e) {
            missing.put(className, e);
        }
        return selectors;
    }
}
