package org.navitas.gradle;

import java.util.List;

/** Whether a module gets probes, and which variants of an Android module do not. */
public final class ProbeSwitch {
    private static final String ENABLED = "enabled";
    private static final String OFF =
            "gets no probes, because of navitas { enabled = false } or navitas.enabled=false: remove this, or set"
                    + " navitas.enabled=true in gradle.properties";

    private final Settings settings;
    private final NavitasExtension extension;

    /**
     * Creates the switch of a module.
     *
     * @param settings the module's settings
     * @param extension the block {@code navitas { }} of its build file
     */
    public ProbeSwitch(Settings settings, NavitasExtension extension) {
        this.settings = settings;
        this.extension = extension;
    }

    /**
     * Returns whether a property turns all probes off. The properties are known before the build file is evaluated.
     *
     * @return true if the block does not matter
     */
    public boolean isOffByProperty() {
        return !settings.flag(ENABLED, true);
    }

    /**
     * Returns why the module gets no probes. Call it after the build file is evaluated.
     *
     * @return the end of a sentence about the module; empty if it gets probes
     */
    public String refusal() {
        return settings.flag(ENABLED, extension.isEnabled()) ? "" : OFF;
    }

    /**
     * Returns why a variant gets no probes. Call it after the build file is evaluated.
     *
     * @param variant such as {@code demoDebug}
     * @param debuggable whether its APK is debuggable; other APKs can reach users, so they need the variant's name
     * @return the end of a sentence about the module; empty if the variant gets probes
     */
    public String refusal(String variant, boolean debuggable) {
        List<String> disabled = settings.list("disableVariant", extension.getDisabledVariants());
        if (!refusal().isEmpty()) {
            return refusal();
        }
        if (disabled.contains(variant)) {
            return "has no probes in " + variant + ", because of navitas { disableVariant '" + variant
                    + "' }: remove this";
        }
        return debuggable || variant.equals(wanted())
                ? ""
                : "has no probes in " + variant + ", because it is not debuggable: select it with --variant " + variant
                        + ", -Pnavitas.variant=" + variant + " or navitas { variant '" + variant + "' }";
    }

    /**
     * Returns the variant that the build or the command line selects.
     *
     * @return the name, or null if none is selected
     */
    public String wanted() {
        return settings.text("variant", extension.getVariant());
    }
}
