package org.navitas.phone;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.runner.Description;
import org.junit.runner.manipulation.Filter;

/**
 * Filters by AndroidJUnitRunner's arguments (AndroidX Test: TestRequestBuilder): {@code annotation}, {@code
 * notAnnotation}, {@code size}, {@code tests_regex}, {@code numShards} with {@code shardIndex}.
 */
final class RunnerFilters {
    private static final List<String> SIZES = Arrays.asList("small", "medium", "large");

    private RunnerFilters() {}

    static List<Filter> of(Arguments arguments) {
        List<Filter> filters = new ArrayList<>();
        String annotation = arguments.value("annotation");
        if (annotation != null) {
            filters.add(filter("annotation " + annotation, test -> has(test, annotation)));
        }
        for (String one : arguments.values("notAnnotation")) {
            filters.add(filter("not annotation " + one, test -> !has(test, one)));
        }
        String size = arguments.value("size");
        if (size != null) {
            if (!SIZES.contains(size)) {
                throw new IllegalArgumentException("the argument 'size' must be small, medium or large, not " + size);
            }
            filters.add(filter("size " + size, test -> size.equals(size(test))));
        }
        String regex = arguments.value("tests_regex");
        if (regex != null) {
            Pattern pattern = Pattern.compile(regex);
            filters.add(filter(
                    regex,
                    test -> pattern.matcher(test.getClassName() + "#" + test.getMethodName())
                            .find()));
        }
        int shards = arguments.count("numShards");
        int index = arguments.count("shardIndex");
        if (shards > 0 && arguments.value("shardIndex") != null) {
            filters.add(
                    filter("shard " + index + " of " + shards, test -> Math.abs(test.hashCode() % shards) == index));
        }
        return filters;
    }

    private static TestFilter filter(String text, Predicate<Description> keeps) {
        return new TestFilter(text) {
            @Override
            boolean keeps(Description test) {
                return keeps.test(test);
            }
        };
    }

    /** Returns whether the method or its class has the annotation. */
    private static boolean has(Description test, String annotation) {
        for (Annotation one : annotations(test)) {
            if (one.annotationType().getName().equals(annotation)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the method's size, otherwise its class's, or null. */
    private static String size(Description test) {
        for (Annotation one : annotations(test)) {
            String name = one.annotationType().getSimpleName();
            for (String size : SIZES) {
                if (name.equalsIgnoreCase(size + "Test")) {
                    return size;
                }
            }
        }
        return null;
    }

    /** Returns the method's annotations, then its class's. */
    private static Collection<Annotation> annotations(Description test) {
        List<Annotation> all = new ArrayList<>(test.getAnnotations());
        Class<?> type = test.getTestClass();
        Collections.addAll(all, type == null ? new Annotation[0] : type.getAnnotations());
        return all;
    }
}
