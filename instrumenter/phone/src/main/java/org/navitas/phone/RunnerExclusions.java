package org.navitas.phone;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.runner.Description;

/**
 * Excludes tests that AndroidJUnitRunner never runs: suppressed ones, and those for other API levels
 * (TestRequestBuilder).
 */
final class RunnerExclusions extends TestFilter {
    private static final Collection<String> SUPPRESS = Arrays.asList(
            "androidx.test.filters.Suppress",
            "android.support.test.filters.Suppress",
            "android.test.suitebuilder.annotation.Suppress");
    private static final Collection<String> SDK_SUPPRESS =
            Arrays.asList("androidx.test.filters.SdkSuppress", "android.support.test.filters.SdkSuppress");

    private final int sdk;
    private final Collection<String> suppress;
    private final Collection<String> sdkSuppress;

    /**
     * @param sdk the API level of the framework that the tests run on
     */
    RunnerExclusions(int sdk) {
        this(sdk, SUPPRESS, SDK_SUPPRESS);
    }

    RunnerExclusions(int sdk, Collection<String> suppress, Collection<String> sdkSuppress) {
        super("without tests that are suppressed on API level " + sdk);
        this.sdk = sdk;
        this.suppress = suppress;
        this.sdkSuppress = sdkSuppress;
    }

    @Override
    boolean keeps(Description test) {
        List<Annotation> all = new ArrayList<>(test.getAnnotations());
        if (test.getTestClass() != null) {
            all.addAll(Arrays.asList(test.getTestClass().getAnnotations()));
        }
        Annotation limits = null;
        for (Annotation one : all) {
            String name = one.annotationType().getName();
            if (suppress.contains(name)) {
                return false;
            }
            if (limits == null && sdkSuppress.contains(name)) { // the method's annotation overrides its class's
                limits = one;
            }
        }
        return limits == null || level(limits, "minSdkVersion", 1) <= sdk && sdk <= level(limits, "maxSdkVersion", sdk);
    }

    private static int level(Annotation limits, String name, int otherwise) {
        try {
            return (Integer) limits.annotationType().getMethod(name).invoke(limits);
        } catch (ReflectiveOperationException e) {
            return otherwise; // an older version of the annotation has no such element
        }
    }
}
