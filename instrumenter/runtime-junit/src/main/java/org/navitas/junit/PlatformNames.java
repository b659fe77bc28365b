package org.navitas.junit;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Names tests and containers of a JUnit Platform test plan. Not thread-safe.
 *
 * <p>A method keeps its name; it is {@code method(int,String)} if its class overloads the name. Invocations are {@code
 * method[1]}, counted from 1 as JUnit does; dynamic tests in containers are {@code factory[2][1]}. Nested classes are
 * {@code Outer$Inner}. Tests of the Vintage engine have their JUnit 4 names. Tests that are not methods have their
 * display names.
 */
public final class PlatformNames {
    /** Not a lambda: this class is part of apps, whose builds may not desugar. */
    private static final Predicate<Method> IS_TESTABLE = new Predicate<Method>() {
        @Override
        public boolean test(Method method) {
            return AnnotationSupport.isAnnotated(method, Testable.class);
        }
    };

    private static final String VINTAGE = "junit-vintage";

    private final TestPlan plan;
    private final UniqueNames unique = new UniqueNames();
    private final Map<String, TestName> names = new HashMap<>();
    private final Map<String, Map<String, Integer>> overloads = new HashMap<>();

    /**
     * Creates the names of one run.
     *
     * @param plan the test plan
     */
    public PlatformNames(TestPlan plan) {
        this.plan = plan;
    }

    /**
     * Returns the name of a test or container; always the same for the same identifier. A container above methods has
     * its class's name.
     *
     * @param identifier a test or container of the plan
     * @return the unique name
     */
    public TestName of(TestIdentifier identifier) {
        TestName name = names.get(identifier.getUniqueId());
        if (name == null) {
            name = compute(identifier);
            names.put(identifier.getUniqueId(), name);
        }
        return name;
    }

    private TestName compute(TestIdentifier identifier) {
        Deque<TestIdentifier> path = new ArrayDeque<>();
        for (TestIdentifier at = identifier; at != null; at = plan.getParent(at).orElse(null)) {
            path.addFirst(at);
        }
        Place place = new Place();
        for (TestIdentifier at : path) {
            enter(place, at);
        }
        if (place.className == null) {
            place.className = place.labels.isEmpty() ? path.getFirst().getDisplayName() : place.labels.remove(0);
        }
        if (place.method == null) {
            boolean isClass = place.labels.isEmpty();
            return unique.next(place.className, isClass ? null : joined(place.labels) + place.indices);
        }
        for (String label : place.labels) {
            place.indices.append('[').append(label).append(']');
        }
        return unique.next(place.className, place.method + place.indices);
    }

    /** Joins the display names of containers and a test. Those of ArchUnit's tests contain their containers' names already. */
    static String joined(List<String> labels) {
        String last = labels.get(labels.size() - 1);
        boolean isWhole =
                labels.size() > 1 && last.startsWith(String.join(" > ", labels.subList(0, labels.size() - 1)) + " > ");
        return isWhole ? last : String.join(" / ", labels);
    }

    private void enter(Place place, TestIdentifier identifier) {
        List<UniqueId.Segment> segments =
                UniqueId.parse(identifier.getUniqueId()).getSegments();
        UniqueId.Segment segment = segments.get(segments.size() - 1);
        TestSource source = identifier.getSource().orElse(null);
        if (segment.getType().equals("engine")) {
            place.enterEngine(segment.getValue());
        } else if (place.engine.equals(VINTAGE)) {
            enterVintage(place, identifier, source);
        } else if (place.className != null && segment.getValue().matches("#?[0-9]+")) {
            place.indices
                    .append('[')
                    .append(segment.getValue().replace("#", ""))
                    .append(']');
        } else if (source instanceof ClassSource) {
            place.className = ((ClassSource) source).getClassName();
        } else if (source instanceof MethodSource && place.method == null) {
            MethodSource method = (MethodSource) source;
            place.className = place.className == null ? method.getClassName() : place.className;
            place.method = methodName(place.className, method, identifier);
        } else {
            place.labels.add(identifier.getDisplayName());
        }
    }

    private static void enterVintage(Place place, TestIdentifier identifier, TestSource source) {
        if (source instanceof ClassSource) {
            place.className = ((ClassSource) source).getClassName();
        } else if (source instanceof MethodSource) {
            place.className = ((MethodSource) source).getClassName();
        }
        String name = identifier.getLegacyReportingName();
        if (identifier.isTest() && !name.equals(place.className)) {
            place.method = name;
        }
    }

    /** Names that a compiler generates (such as Spock's features) are replaced by the display name. */
    private String methodName(String className, MethodSource source, TestIdentifier identifier) {
        String name = source.getMethodName();
        if (name.startsWith("$")) {
            return identifier.getDisplayName();
        }
        Integer count = overloads(className).get(name);
        return count == null || count < 2 ? name : name + "(" + simple(source.getMethodParameterTypes()) + ")";
    }

    private Map<String, Integer> overloads(String className) {
        Map<String, Integer> counts = overloads.get(className);
        if (counts == null) {
            counts = new HashMap<>();
            overloads.put(className, counts);
            for (Method method : testMethods(className)) {
                Integer count = counts.get(method.getName());
                counts.put(method.getName(), count == null ? 1 : count + 1);
            }
        }
        return counts;
    }

    private static List<Method> testMethods(String className) {
        try {
            Class<?> type =
                    Class.forName(className, false, Thread.currentThread().getContextClassLoader());
            return ReflectionSupport.findMethods(type, IS_TESTABLE, HierarchyTraversalMode.TOP_DOWN);
        } catch (ClassNotFoundException | LinkageError e) {
            return new ArrayList<>();
        }
    }

    /** Shortens {@code java.lang.String, int} to {@code String,int}. */
    private static String simple(String types) {
        return types == null ? "" : types.replaceAll("[\\w$]+\\.", "").replace(" ", "");
    }

    /** The parts of a name collected on the path from the engine to a test. */
    private static final class Place {
        String engine = "";
        String className;
        String method;
        final StringBuilder indices = new StringBuilder();
        final List<String> labels = new ArrayList<>();

        /** A suite runs other engines, so the parts start again. */
        void enterEngine(String name) {
            engine = name;
            className = null;
            method = null;
            indices.setLength(0);
            labels.clear();
        }
    }
}
