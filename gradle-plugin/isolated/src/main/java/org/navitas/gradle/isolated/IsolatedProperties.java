package org.navitas.gradle.isolated;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.inject.Inject;
import org.gradle.api.configuration.BuildFeatures;
import org.gradle.api.provider.ProviderFactory;

/**
 * The properties of a build whose projects may not look into each other. Gradle creates it. Needs Gradle 8.5, so the
 * plugin loads it by name.
 */
public abstract class IsolatedProperties implements BooleanSupplier, Function<String, Object> {
    @Inject
    protected abstract BuildFeatures getFeatures();

    @Inject
    protected abstract ProviderFactory getProviders();

    /** Returns whether Gradle isolates projects in this build. */
    @Override
    public boolean getAsBoolean() {
        return getFeatures().getIsolatedProjects().getActive().get();
    }

    /** Returns a property of the command line or of {@code gradle.properties}, or null. */
    @Override
    public Object apply(String name) {
        return getProviders().gradleProperty(name).getOrNull();
    }
}
